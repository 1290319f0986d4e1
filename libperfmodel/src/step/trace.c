/*
** The timeline of one step. Of a network that is cut into pieces it is that of pipeline_trace.c; else it has one lane
** for the kernels of a GPU, layer by layer, one for the host's launches, one for the buckets of gradients, one for
** waiting.
**
** The kernels of a step take less than the step where the host is slow: they are then spread evenly, with gaps between.
** A counter has what a board draws.
*/
#include <math.h>
#include <stdio.h>
#include "step/step.h"
#include "step/trace_text.h"

enum { LANE_GPU = 1, LANE_HOST, LANE_EXCHANGE, LANE_WAITING };
enum { PASSES_MOST = 8 }; /* accumulated batches that are drawn */

typedef struct trace {
  pm__trace_text text;
  const pm__step *step;
  const pm_prediction *p;
  double now, stretch; /* s; of kernels over their time */
  double passes;       /* J of those so far */
} trace;

/* An event from `start` for `duration`; `what` is added to its name. */
static void add_event(trace *t, int lane, const char *name, const char *what, double start, double duration)
{
  pm__trace_add(&t->text, &(pm__trace_event){name, what, NULL, lane, 0, -1, start, duration});
}

/* ---- Power ---- */

/* What a board draws for, beyond waiting, where that is known. */
static void add_draw(trace *t, double start, double duration, double energy, bool kernels)
{
  if (t->step->s.device->power.known)
    pm__trace_add_draw(&t->text, (pm__trace_draw){start, duration, energy, kernels});
}

/* J of kernels that multiply no matrices. */
static double drawn_in(const trace *t, double time)
{
  const pm__kernel_board *power = &t->step->s.device->power;
  return (power->drawn - power->idle) * time;
}

/* ---- Kernels ---- */

/* Time of one kernel, with the factor that belongs to it, and without the changes of layout that it spares. */
static double kernel_time(const pm__schedule *s, const pm__layer_kernel *kernel)
{
  double factor = kernel->family == PM__CONV ? s->factor : kernel->framework_kernel ? s->framework_kernel : 1;
  if (!s->device->calibrated || !kernel->matrix) return pm__kernel_price(s->device, kernel, s->batch) * factor;
  pm__plan_way way = pm__plan_way_of(s->device, kernel, s->batch);
  return way.time * factor - way.spared * s->layout;
}

/* J that its products draw beyond other kernels. */
static double kernel_extra(const pm__schedule *s, const pm__layer_kernel *kernel)
{
  if (s->device->calibrated && kernel->matrix) return pm__plan_way_of(s->device, kernel, s->batch).extra;
  double time = pm__kernel_price(s->device, kernel, s->batch);
  return pm__extra_energy(&s->device->power, time, kernel->matrix ? kernel->work.flop * s->batch : 0);
}

/* Time of one pass of a layer, and what its products draw. */
static double layer_time(const pm__schedule *s, size_t index, pm__pass pass, double *extra)
{
  int number = s->units->order[index];
  *extra = 0;
  if (number < 0) return 0;
  const pm__unit *unit = &s->units->unit[number];
  double time = unit->pass[pass].launches * s->launch + unit->pass[pass].layout * s->batch * s->layout;
  for (int i = unit->first; i < unit->first + unit->count; i++) {
    const pm__layer_kernel *kernel = &s->units->kernels.shape[s->units->entry[i].kernel];
    if (kernel->pass != pass) continue;
    time += s->units->entry[i].repeats * kernel_time(s, kernel);
    if (s->device->power.known) *extra += s->units->entry[i].repeats * kernel_extra(s, kernel);
  }
  return time;
}

static void add_layer(trace *t, size_t index, pm__pass pass, const char *what)
{
  double extra, time = layer_time(&t->step->s, index, pass, &extra);
  add_event(t, LANE_GPU, t->step->s.network->network->layers[index].name, what, t->now, time);
  add_draw(t, t->now, time, drawn_in(t, time) + extra, true);
  t->passes += drawn_in(t, time) + extra;
  t->now += time * t->stretch;
}

static void add_forward(trace *t)
{
  const pm_network *network = t->step->s.network->network;
  for (size_t i = 0; i < network->count; i++)
    if (network->layers[i].kind != NULL) add_layer(t, i, PM__FORWARD, "");
}

static void add_backward(trace *t)
{
  const pm_network *network = t->step->s.network->network;
  for (size_t i = network->count; i-- > 0;) {
    if (network->layers[i].kind == NULL) continue;
    add_layer(t, i, PM__DGRAD, ", dgrad");
    add_layer(t, i, PM__WGRAD, ", wgrad");
  }
}

/* ---- Exchange ---- */

static void add_piece(trace *t, int index, double ready, double duration, double *end)
{
  char name[64];
  double start = fmax(*end, ready);
  snprintf(name, sizeof name, "bucket %d", index);
  add_event(t, LANE_EXCHANGE, name, "", start, duration);
  *end = start + duration;
}

/* The buckets of a backward pass that begins at `start`. */
static void add_buckets(trace *t, double start)
{
  const pm__segments *cut = t->step->s.segments;
  pm__bucket_times times;
  double now = start, end = start;
  int index = 0;
  pm__costs costs;
  pm__plan_kernels_price(&t->step->s.units->kernels, cut, t->step->s.device, t->step->s.batch, &costs);
  if (!pm__step_bucket_times(t->step, &costs, &times)) return;
  for (int i = 0; i < cut->count; i++) {
    double duration = times.backward[i] * t->stretch;
    for (int k = 0; k < (int)cut->pieces[i]; k++)
      add_piece(t, ++index, now + duration * (k + 1) / cut->pieces[i], times.exchange[i], &end);
    now += duration;
  }
}

/* ---- The step ---- */

static void add_passes(trace *t)
{
  const pm__schedule *s = &t->step->s;
  int passes = s->accumulation < PASSES_MOST ? (int)s->accumulation : PASSES_MOST;
  double start = t->now;
  for (int i = 0; i < passes; i++) {
    add_forward(t);
    double backward = t->now;
    add_backward(t);
    if (i == passes - 1 && s->segments != NULL) add_buckets(t, backward);
  }
  double rest = t->p->forward_time + t->p->dgrad_time + t->p->wgrad_time - (t->now - start) / t->stretch;
  if (s->accumulation <= passes) return;
  add_event(t, LANE_GPU, "further batches, before these", "", t->now, rest);
  add_draw(t, t->now, rest, t->passes * (s->accumulation / passes - 1), true);
  t->now += rest * t->stretch;
}

static void add_end(trace *t)
{
  const pm_prediction *p = t->p;
  const pm__kernel_board *power = &t->step->s.device->power;
  double exchanging = fmin(power->exchange, power->limited ? power->most : power->top) - power->idle;
  if (t->step->s.segments == NULL)
    add_event(t, LANE_EXCHANGE, "exchange", "", t->now, p->exposed_communication_time);
  add_event(t, LANE_WAITING, "exposed communication", "", t->now, p->exposed_communication_time);
  add_draw(t, t->now, p->exposed_communication_time, exchanging * p->exposed_communication_time, false);
  t->now += p->exposed_communication_time;
  add_event(t, LANE_GPU, "update", "", t->now, p->update_time);
  add_draw(t, t->now, p->update_time, drawn_in(t, p->update_time), false);
  t->now += p->update_time * t->stretch;
  add_event(t, LANE_WAITING, "for the slowest GPU", "", t->now, p->straggler_wait_time);
  t->now += p->straggler_wait_time;
  add_event(t, LANE_WAITING, "for input", "", t->now, p->input_wait_time);
  t->now += p->input_wait_time;
}

static void add_all(trace *t)
{
  static const char *const names[] = {"GPU", "host", "gradients", "waiting"};
  pm__trace_begin(&t->text);
  for (int lane = LANE_GPU; lane <= LANE_WAITING; lane++) pm__trace_lane(&t->text, lane, names[lane - 1]);
  add_event(t, LANE_HOST, "launches", "", 0, t->p->launch_time);
  add_passes(t);
  add_end(t);
  const pm__trace_boards boards = {t->step->s.device->power.idle, t->p->gpu_power, t->p->step_time,
                                   fmax(t->now, t->p->step_time), 1};
  if (!isnan(t->p->gpu_power)) pm__trace_add_power(&t->text, &boards);
}

static char *trace_of(const pm__step *step, const pm_prediction *prediction, pm_error *error)
{
  trace t = {.step = step, .p = prediction};
  t.stretch = 1 + prediction->launch_overhead_time / prediction->compute_time;
  add_all(&t);
  return pm__trace_end(&t.text, error);
}

/* A timeline counts in millionths of a second, and a double must hold all of them. */
static int check_drawable(const pm_prediction *prediction, pm_error *error)
{
  static const double longest = 1e290;
  if (prediction->status != PM_OK)
    return pm__fail(error, prediction->status, "%s", pm_status_get_text(prediction->status));
  if (prediction->step_time <= longest) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_VALUE, "a step of %g s is too long for a timeline", prediction->step_time);
}

char *pm_prediction_format_trace_sized(const pm_plan *plan, const pm_run *run, size_t size, pm_error *error)
{
  pm_run own;
  pm__step step;
  pm_prediction prediction;
  if (pm__step_gather(&step, &own, plan, run, size, error) != PM_OK || pm__step_fits(&step, error) != PM_OK)
    return NULL;
  pm__step_predict(plan, 0, step.s.run, &prediction, 1);
  if (check_drawable(&prediction, error) != PM_OK) return NULL;
  return step.at.cut ? pm__step_pipeline_trace(&step, &prediction, error) : trace_of(&step, &prediction, error);
}
