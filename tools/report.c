/* The answer of `perfmodel predict` for people: the headline, where the time goes, and what it rests on. */
#include <ctype.h>
#include <math.h>
#include <string.h>
#include "options.h"
#include "study.h"

enum { LABEL = 19, QUANTITY = 64 };

static const char *quantity(char *buffer, double value, const char *unit)
{
  return pm_quantity_format(buffer, QUANTITY, value, unit);
}

/* "29.5 %": a decimal is enough for a share. */
static const char *percent(char *buffer, double share)
{
  char number[PM_NUMBER_MAX];
  snprintf(buffer, QUANTITY, "%s %%", pm_number_format(number, rint(share * 1000) / 10));
  return buffer;
}

static const char *count(char *buffer, double value, const char *noun)
{
  char number[PM_NUMBER_MAX];
  snprintf(buffer, QUANTITY, "%s %s%s", pm_number_format(number, value), noun, value == 1 ? "" : "s");
  return buffer;
}

static void label(FILE *stream, const char *text)
{
  fprintf(stream, "  %-*s", LABEL - 2, text);
}

/* ---- Headline ---- */

static void print_title(FILE *stream, const cli_study *s, const pm_network_totals *totals, size_t width)
{
  char line[1024], gpus[QUANTITY], nodes[QUANTITY], number[PM_NUMBER_MAX], all[PM_NUMBER_MAX], batch[2 * QUANTITY];
  double ranks = (double)s->run.gpus * s->run.nodes;
  const pm_record_type *type = pm_record_type_find("run");
  char precision[PM_TEXT_MAX], overlap[PM_TEXT_MAX], assumed[ASSUMED];
  snprintf(line, sizeof line, "Training %s on %s", totals->name, pm_system_get_machine(s->system)->name);
  print_wrapped(stream, line, 0, 0, width);
  count(gpus, s->run.gpus, "GPU");
  count(nodes, s->run.nodes, "node");
  double data = s->prediction.data_parallel;
  if (ranks > 1) snprintf(batch, sizeof batch, "%s per %s, %s in all", pm_number_format(number, s->run.batch),
                          data < ranks ? "data-parallel rank" : "GPU", pm_number_format(all, s->run.batch * data));
  else pm_number_format(batch, s->run.batch);
  snprintf(line, sizeof line, "%s%s%s (%s), batch %s, %s%s%s", s->run.nodes > 1 ? nodes : "",
           s->run.nodes > 1 ? " of " : "", gpus, pm_system_get_gpu(s->system)->name, batch,
           pm_record_format(pm_record_find_field(type, "precision"), &s->run, precision),
           s->run.overlap == PM_OVERLAP_BACKWARD ? ", overlap " : "",
           s->run.overlap == PM_OVERLAP_BACKWARD ? pm_record_format(pm_record_find_field(type, "overlap"), &s->run,
                                                                    overlap) : "");
  print_wrapped(stream, line, 0, 0, width);
  print_assumed(stream, assumed_of(s->study, &s->given, &s->run, assumed));
}

/* "2 h 5 min", "4 min 15 s", "12.3 s". */
static const char *duration(char *buffer, double seconds)
{
  if (seconds < 60) return quantity(buffer, seconds, "s");
  double minutes = rint(seconds / 60);
  if (seconds < 3570) {
    double whole = floor(rint(seconds) / 60);
    snprintf(buffer, QUANTITY, "%.0f min %.0f s", whole, rint(seconds) - whole * 60);
  } else snprintf(buffer, QUANTITY, "%.0f h %.0f min", floor(minutes / 60), minutes - floor(minutes / 60) * 60);
  return buffer;
}

static void print_headline(FILE *stream, const cli_study *s)
{
  char text[QUANTITY], number[PM_NUMBER_MAX];
  const pm_prediction *p = &s->prediction;
  label(stream, "throughput");
  fprintf(stream, "%s samples/s\n", quantity(text, p->throughput, "1"));
  if (!isnan(p->throughput_p10)) {
    label(stream, "");
    fprintf(stream, "%s to ", quantity(text, p->throughput_p10, "1"));
    fprintf(stream, "%s (80 %% prediction interval)\n", quantity(text, p->throughput_p90, "1"));
  }
  if (!isnan(p->tokens_per_second)) {
    label(stream, "");
    fprintf(stream, "%s tokens/s\n", quantity(text, p->tokens_per_second, "1"));
  }
  label(stream, "step time");
  fprintf(stream, "%s\n", quantity(text, p->step_time, "s"));
  if (isnan(s->run.epoch_samples)) return;
  label(stream, "epoch time");
  fprintf(stream, "%s, ", duration(text, p->epoch_time));
  fprintf(stream, "%s GPU-hours  (%s samples%s%s)\n", quantity(text, p->gpu_hours, "1"),
          pm_number_format(number, s->run.epoch_samples), s->dataset.id[0] != '\0' ? " of " : "", s->dataset.name);
}

/* ---- Time of one step ---- */

static void print_part(FILE *stream, const char *name, double time, double step, int bar_width)
{
  char text[QUANTITY], share[QUANTITY];
  int bar = (int)rint(time / step * bar_width);
  label(stream, name);
  fprintf(stream, "%10s  %7s%s", quantity(text, time, "s"), percent(share, time / step), bar > 0 ? "  " : "");
  while (bar-- > 0) fputc('#', stream);
  fputc('\n', stream);
}

static void print_times(FILE *stream, const pm_prediction *p, size_t width)
{
  enum { BEFORE_BAR = LABEL + 21, BAR = 30 };
  int bar = width >= BEFORE_BAR + BAR ? BAR : width > BEFORE_BAR ? (int)width - BEFORE_BAR : 0;
  fputs("\nTime of one step\n", stream);
  print_part(stream, "forward", p->forward_time, p->step_time, bar);
  print_part(stream, "dgrad", p->dgrad_time, p->step_time, bar);
  print_part(stream, "wgrad", p->wgrad_time, p->step_time, bar);
  if (p->recompute_time > 0) print_part(stream, "recomputation", p->recompute_time, p->step_time, bar);
  print_part(stream, "update", p->update_time, p->step_time, bar);
  if (p->launch_time > 0) print_part(stream, "launch overhead", p->launch_overhead_time, p->step_time, bar);
  if (!isnan(p->bus_bandwidth)) print_part(stream, "communication", p->exposed_communication_time, p->step_time, bar);
  if (p->bubble_time > 0) print_part(stream, "pipeline bubble", p->bubble_time, p->step_time, bar);
  if (p->offload_time > 0) print_part(stream, "offloading", p->offload_time, p->step_time, bar);
  if (p->straggler_wait_time > 0) print_part(stream, "straggler wait", p->straggler_wait_time, p->step_time, bar);
  if (p->input_wait_time > 0) print_part(stream, "input wait", p->input_wait_time, p->step_time, bar);
}

/* ---- Communication, efficiency ---- */

static bool is_all_reduce(const cli_study *s)
{
  int32_t parallelism = s->run.parallelism;
  if (parallelism == PM_PARALLELISM_FRAMEWORK && s->framework != NULL) parallelism = s->framework->framework.parallelism;
  return parallelism == PM_PARALLELISM_FRAMEWORK || parallelism == PM_PARALLELISM_ALL_REDUCE;
}

static void print_communication(FILE *stream, const cli_study *s)
{
  char text[QUANTITY], hidden[QUANTITY];
  const pm_prediction *p = &s->prediction;
  pm_ring ring;
  if (isnan(p->bus_bandwidth)) return; /* one GPU has nobody to talk to */
  fputs("\nCommunication\n", stream);
  if (p->gradient_size > 0) { /* under some kinds of parallelism activations only are exchanged */
    label(stream, "gradients");
    fprintf(stream, "%s per GPU, summed over ", quantity(text, p->gradient_size, "B"));
    fprintf(stream, "%s\n", count(text, (double)s->prediction.data_parallel * s->run.context_parallel, "GPU"));
  }
  label(stream, "bus bandwidth");
  fprintf(stream, "%s per direction", quantity(text, p->bus_bandwidth, "B/s"));
  bool found = pm_ring_find(s->system, s->run.gpus, s->run.nodes, &ring, NULL) == PM_OK;
  if (found && ring.bottleneck[0] != '\0') fprintf(stream, ", set by %s", ring.bottleneck);
  fputc('\n', stream);
  double backward = p->dgrad_time + p->wgrad_time;
  label(stream, is_all_reduce(s) ? "all-reduce" : "exchange");
  double rest = p->communication_time - p->exposed_communication_time;
  fprintf(stream, "%s", quantity(text, p->communication_time, "s"));
  if (rest > 1e-6 * p->communication_time) fprintf(stream, ", of which %s hide behind the %s", quantity(hidden, rest, "s"),
                        rest > backward ? "step" : "backward pass");
  fputc('\n', stream);
}

static void print_efficiency(FILE *stream, const cli_study *s)
{
  char text[QUANTITY], other[QUANTITY];
  const pm_prediction *p = &s->prediction;
  double ranks = (double)s->run.gpus * s->run.nodes;
  fputs("\nEfficiency\n", stream);
  if (ranks > 1 && !isnan(p->scaling_efficiency)) {
    label(stream, "weak scaling");
    fprintf(stream, "%s of %s, each alone with this batch\n", percent(text, p->scaling_efficiency),
            count(other, ranks, "GPU"));
    label(stream, "strong scaling");
    fprintf(stream, "%s of %s, each alone with the whole batch\n", percent(text, p->strong_scaling_efficiency),
            count(other, ranks, "GPU"));
  }
  label(stream, "MFU");
  fprintf(stream, "%s: %s of ", percent(other, p->mfu), quantity(text, p->flop_rate, "FLOP/s"));
  fprintf(stream, "%s per GPU\n",
          quantity(text, pm_gpu_get_matrix_peak(pm_system_get_gpu(s->system), s->run.precision), "FLOP/s"));
  if (p->hfu == p->mfu) return;
  label(stream, "HFU");
  fprintf(stream, "%s: GPUs execute %s\n", percent(other, p->hfu),
          p->hfu > p->mfu ? "some again" : "less than is counted, by Winograd and FFT");
}

/* ---- Parallelism ---- */

static void print_exchange(FILE *stream, const char *name, double time, double step)
{
  char text[QUANTITY], share[QUANTITY];
  if (!(time > 0)) return;
  label(stream, name);
  fprintf(stream, "%10s  %7s\n", quantity(text, time, "s"), percent(share, time / step));
}

/* What is on the host, and at which rates that was taken; nothing of it is measured. */
static void print_offload(FILE *stream, const cli_study *s)
{
  static const char *const what[] = {[PM_OFFLOAD_OPTIMIZER] = "optimizer", [PM_OFFLOAD_GRADIENTS] = "optimizer and gradients",
                                     [PM_OFFLOAD_PARAMETERS] = "optimizer, gradients and weights"};
  char text[QUANTITY];
  label(stream, "on the host");
  fprintf(stream, "%s; its memory at the %s of data sheets\n", what[s->run.offload],
          quantity(text, pm_system_get_machine(s->system)->host_memory_bandwidth, "B/s"));
}

/* How the network is shared out, and what each kind of it exchanges. */
static void print_parallelism(FILE *stream, const cli_study *s)
{
  const pm_run *r = &s->run;
  const pm_prediction *p = &s->prediction;
  double shared = (double)r->tensor_parallel * r->pipeline_parallel * r->context_parallel * r->expert_parallel;
  if (shared == 1 && r->zero == 0 && r->offload == PM_OFFLOAD_NONE) return;
  fputs("\nParallelism\n", stream);
  label(stream, "GPUs");
  fprintf(stream, "tensor %d x context %d x pipeline %d x data %d", r->tensor_parallel, r->context_parallel,
          r->pipeline_parallel, p->data_parallel);
  if (r->expert_parallel > 1) fprintf(stream, ", experts over %d", r->expert_parallel);
  if (r->zero > 0) fprintf(stream, ", ZeRO %d", r->zero);
  fputc('\n', stream);
  label(stream, "micro-batches");
  fprintf(stream, "%.0f of %.0f on each data-parallel rank\n", p->micro_batches,
          r->batch * r->gradient_accumulation_steps / p->micro_batches);
  print_exchange(stream, "tensor exchanges", p->tensor_communication_time, p->step_time);
  print_exchange(stream, "context exchanges", p->context_communication_time, p->step_time);
  print_exchange(stream, "expert exchanges", p->expert_communication_time, p->step_time);
  print_exchange(stream, "hops", p->pipeline_communication_time, p->step_time);
  print_exchange(stream, "data exchanges", p->data_communication_time, p->step_time);
  if (r->offload != PM_OFFLOAD_NONE) print_offload(stream, s);
  if (p->pipeline_stages < 2) return;
  label(stream, "stages");
  fprintf(stream, "stage %d of %d takes longest, stage %d needs most memory\n", p->slowest_stage, p->pipeline_stages, p->fullest_stage);
}

/* ---- Memory ---- */

static void print_use(FILE *stream, const char *name, double memory, double usable)
{
  char used[QUANTITY], all[QUANTITY], verdict[PM_TEXT_MAX];
  const pm_field *field = pm_record_find_field(pm_record_type_find("prediction"), "verdict");
  snprintf(verdict, sizeof verdict, "%s", field->choices[pm_memory_get_verdict(memory, usable)].name);
  for (char *c = verdict; *c != '\0'; c++)
    if (*c == '-') *c = ' ';
  label(stream, name);
  if (isnan(usable)) fprintf(stream, "%s; what there is is not known\n", quantity(used, memory, "B"));
  else fprintf(stream, "%s of %s: %s\n", quantity(used, memory, "B"), quantity(all, usable, "B"), verdict);
}

static void print_memory(FILE *stream, const cli_study *s)
{
  char number[PM_NUMBER_MAX];
  const pm_prediction *p = &s->prediction;
  if (isnan(p->memory) || isnan(p->gpu_memory)) return;
  fputs("\nMemory of each GPU\n", stream);
  print_use(stream, "peak of a step", p->memory, p->gpu_memory);
  label(stream, "largest batch");
  fprintf(stream, "%s\n", p->largest_batch >= 1 ? pm_number_format(number, p->largest_batch) : "none fits");
  if (s->run.offload != PM_OFFLOAD_NONE)
    print_use(stream, "host of a node", p->host_memory, pm_system_get_machine(s->system)->host_memory);
}

/* ---- In words ---- */

static void say_exchange(char line[512], const char *kind, double time, const pm_prediction *p)
{
  char text[QUANTITY];
  snprintf(line, 512, "Communication bound: exposed exchanges of %s parallelism take %s of the step.", kind,
           percent(text, time / p->step_time));
}

static void print_bottleneck(FILE *stream, const pm_prediction *p, size_t width)
{
  char line[512], text[QUANTITY];
  switch (p->bottleneck) {
  case PM_BOTTLENECK_COMPUTE:
    snprintf(line, sizeof line, "Compute bound: kernels at the limit of arithmetic take %s of the step.",
             percent(text, p->compute_share));
    break;
  case PM_BOTTLENECK_MEMORY_BANDWIDTH:
    snprintf(line, sizeof line, "Memory-bandwidth bound: kernels that wait for device memory take %s of the step.",
             percent(text, p->memory_bandwidth_share));
    break;
  case PM_BOTTLENECK_COMMUNICATION:
    snprintf(line, sizeof line, "Communication bound: exposed communication takes %s of the step.",
             percent(text, p->communication_share));
    break;
  case PM_BOTTLENECK_LAUNCH_OVERHEAD:
    snprintf(line, sizeof line, "Bound by CPU launch overhead, which takes %s of the step.",
             percent(text, p->launch_overhead_share));
    break;
  case PM_BOTTLENECK_STRAGGLER_WAIT:
    snprintf(line, sizeof line, "Bound by the straggler wait: waiting for the slowest GPU takes %s of the step.",
             percent(text, p->straggler_wait_share));
    break;
  case PM_BOTTLENECK_INPUT:
    snprintf(line, sizeof line, "Input bound: waiting for samples takes %s of the step.", percent(text, p->input_wait_share));
    break;
  case PM_BOTTLENECK_TENSOR_COMMUNICATION: say_exchange(line, "tensor", p->tensor_communication_time, p); break;
  case PM_BOTTLENECK_CONTEXT_COMMUNICATION: say_exchange(line, "context", p->context_communication_time, p); break;
  case PM_BOTTLENECK_EXPERT_COMMUNICATION: say_exchange(line, "expert", p->expert_communication_time, p); break;
  case PM_BOTTLENECK_PIPELINE_COMMUNICATION: say_exchange(line, "pipeline", p->pipeline_communication_time, p); break;
  case PM_BOTTLENECK_DATA_COMMUNICATION: say_exchange(line, "data", p->exposed_data_communication_time, p); break;
  case PM_BOTTLENECK_BUBBLE:
    snprintf(line, sizeof line, "Bound by the pipeline's bubble: its stages wait for each other %s of the step.",
             percent(text, p->bubble_share));
    break;
  case PM_BOTTLENECK_OFFLOAD:
    snprintf(line, sizeof line, "Bound by offloading: copies to the host and the update there take %s of the step.",
             percent(text, p->offload_share));
    break;
  default: snprintf(line, sizeof line, "The bottleneck is not known."); break;
  }
  print_wrapped(stream, line, 0, 0, width);
}

/* "not-calibrated" -> "Not calibrated" */
static const char *sentence(char text[32], const char *word)
{
  snprintf(text, 32, "%s", word);
  text[0] = (char)toupper((unsigned char)text[0]);
  for (char *c = text; *c != '\0'; c++)
    if (*c == '-') *c = ' ';
  return text;
}

/* What the numbers rest on, and which way they err. */
static void print_calibration(FILE *stream, const cli_study *s, size_t width)
{
  char line[512], word[32];
  const pm_choice *choice = &pm_record_find_field(pm_record_type_find("prediction"),
                                                  "calibration")->choices[s->prediction.calibration];
  bool roofline = s->run.kernel_model == PM_KERNEL_MODEL_ROOFLINE || pm_system_get_kernels(s->system) == NULL;
  const char *end = roofline ? "; kernels at the plain roofline of datasheet peaks. This is an upper bound for kernels that "
                               "do all of the arithmetic; measured runs are slower, perfmodel validate shows by how much."
                             : "; perfmodel validate shows how far measured runs are from it.";
  snprintf(line, sizeof line, "%s: %s%s", sentence(word, choice->name), choice->doc, end);
  print_wrapped(stream, line, 0, 0, width);
}

/* Rows behind the kernels of the GPU. */
static void print_rows(FILE *stream, const cli_study *s, size_t width)
{
  char line[2048];
  char *rows = pm_catalog_explain_calibration(s->catalog, pm_system_get_gpu(s->system), s->run.precision, NULL);
  if (rows == NULL || s->run.kernel_model == PM_KERNEL_MODEL_ROOFLINE || pm_system_get_kernels(s->system) == NULL) {
    pm_string_free(rows);
    return;
  }
  snprintf(line, sizeof line, "Kernels: %s.", rows);
  pm_string_free(rows);
  print_wrapped(stream, line, 0, 0, width);
}

/* What the software adds, and what that rests on. */
static void print_framework(FILE *stream, const cli_study *s, size_t width)
{
  char line[512], basis[PM_FRAMEWORK_BASIS_MAX];
  if (s->framework == NULL) snprintf(line, sizeof line, "Framework: none, kernels and collectives only");
  else
    snprintf(line, sizeof line, "Framework: %s (%s), %s; %s", s->framework->framework.name, s->framework->framework.id,
             s->framework->cudnn.name, pm_framework_format_basis(&s->framework->framework, basis));
  print_wrapped(stream, line, 0, 0, width);
}

void print_report(FILE *stream, const cli_study *study, size_t width)
{
  pm_network_totals totals;
  if (pm_network_get_totals(study->network, &totals, NULL) != PM_OK) snprintf(totals.name, PM_TEXT_MAX, "the network");
  print_title(stream, study, &totals, width);
  fputc('\n', stream);
  print_headline(stream, study);
  print_times(stream, &study->prediction, width);
  print_communication(stream, study);
  print_parallelism(stream, study);
  print_efficiency(stream, study);
  print_memory(stream, study);
  fputc('\n', stream);
  print_bottleneck(stream, &study->prediction, width);
  print_hints(stream, study, width);
  print_calibration(stream, study, width);
  print_rows(stream, study, width);
  print_framework(stream, study, width);
}
