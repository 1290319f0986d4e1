/*
** Calibration of serving engines: what an engine's software makes of kernels and passes, from rows of latencies and
** rates; then what clients and servers add to the first token, from rows of that alone. Clients are those of a source,
** not of an engine: they are fitted for each source, and every engine gets the median of the sources.
**
** Intervals hold 80 % of rows that the constants have not seen: those of a network on a system are left out together,
** and predicted with constants fitted to the others; networks with experts have a spread of their own. Then those of a
** source on one GPU are: by as much as their errors are larger, the interval of a GPU without rows is wider.
**
** Residual: the logarithm of predicted over measured, with Huber's loss. What a constant is before any row counts as
** some rows: a factor that rows do not decide stays what it is. The rows of a user start from what the catalogue has.
** Rows of one source, GPU and network count together as the root of their number, so that a table of many lines is one
** witness, not hundreds.
*/
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "calibration/calibration.h"
#include "validation/serving_rows.h"

static const double LARGE = 0.15; /* logarithm of an error that counts as large */
static const double NOISE = 0.5;  /* of one row, against what constants are before any row */
static const double NOISE_OWN = 0.05; /* the same of a user's rows: of one machine, by one client */
static const double FAR = 2;      /* of a row that these constants have no answer for */
static const char STAGE[] = "serving";

static const double WIDER = 1.5; /* the rule of the shipped engines for what is extrapolated */

enum { HARNESSES = 4 }; /* of kernels, of which one engine's rows have constants to fit */

enum { FEW = 20, FEWEST = 10 }; /* rows of a user that decide no spread; of a kind of networks */

/* Constants are fitted in turn: those of passes; what the host takes for prompts, and then those of clients, both to
** first tokens. */
typedef enum turn { OF_PASSES, OF_PROMPTS, OF_CLIENTS } turn;

/* Constants of an engine: before any row a start, known within a factor. Those of its kernels are of each harness that
** states them. */
typedef struct kind {
  const char *name;
  double start, factor, lower, upper;
  turn fitted;
  bool kernels;
} kind;

static const kind kinds[] = {
  {"prefill_factor", 1, 1.5, 0.3, 10, OF_PASSES, false},
  {"decode_factor", 1, 1.2, 0.5, 4, OF_PASSES, false},
  {"start_factor", 0.7, 1.5, 0.05, 3, OF_PASSES, false},
  {"step_time", 0.5e-3, 3, 1e-6, 20e-3, OF_PASSES, false},
  {"sequence_time", 10e-6, 4, 1e-7, 300e-6, OF_PASSES, false},
  {"layer_time", 50e-6, 3, 1e-7, 1e-3, OF_PASSES, false},
  {"stage_factor", 1.2, 1.5, 1, 4, OF_PASSES, false},
  {"latent_time", 0.5e-3, 4, 1e-6, 0.1, OF_PROMPTS, false},
  {"client_time", 20e-3, 5, 1e-4, 1, OF_CLIENTS, false},
  {"bunching", 0.2, 3, 0.001, 1, OF_CLIENTS, false},
  {"gemm_rate", 0.7, 2, 0.01, 1, OF_PASSES, true},
  {"paged_rate", 2, 2, 0.1, 100, OF_PASSES, true},
};

enum { OF_ENGINE = 10, KINDS = sizeof kinds / sizeof kinds[0], SLOTS = OF_ENGINE + HARNESSES * (KINDS - OF_ENGINE) };

/* A constant: of the engine, or of a harness. */
typedef struct slot {
  const kind *what;
  char harness[PM_TEXT_MAX];
} slot;

typedef struct problem {
  pm_calibration *out;
  pm__lab_serving_rows *rows;
  pm__lab_serving_row *items;
  size_t count;
  const char *engine;      /* that is fitted now; NULL: all of a source */
  const char *source;
  size_t *active, active_count;
  double *weight;          /* of the active rows */
  bool own;                /* rows of a user */
  slot slots[SLOTS];       /* those of the engine first */
  int slot_count;
  double start[SLOTS];     /* before any row of these */
  double values[SLOTS];    /* that are put into the engine now; NAN: as it is */
  int chosen[SLOTS];
  size_t chosen_count;
} problem;

static const pm_field *field_of(const kind *k)
{
  return pm_record_find_field(pm_record_type_find(k->kernels ? "kernel_harness" : "engine"), k->name);
}

/* The record of a profile that a constant stands in; NULL: in none of it. */
static void *record_of(const slot *s, pm_engine_profile *profile)
{
  if (!s->what->kernels) return &profile->engine;
  return strcmp(s->harness, profile->kernels.id) == 0 ? &profile->kernels : NULL;
}

static bool is_first(const pm__lab_serving_row *row)
{
  return strncmp(row->quantity->name, "ttft", 4) == 0;
}

/* Rates of requests follow from the two times of the same row; memory moves with no constant of these. */
static bool counts(const pm__lab_serving_row *row)
{
  return !row->checked && strcmp(row->quantity->name, "request_rate") != 0 && strcmp(row->quantity->unit, "B") != 0;
}

/* ---- Predictions ---- */

static int put(problem *p, int plan, pm_error *error)
{
  pm__lab_serving_plan *at = pm__lab_serving_rows_plan(p->rows, plan);
  for (int i = 0; i < p->slot_count; i++) {
    void *record = record_of(&p->slots[i], &at->profile);
    if (record != NULL && !isnan(p->values[i]))
      pm_record_set_number(field_of(p->slots[i].what), record, p->values[i], NULL);
  }
  return pm_plan_set_engine(at->plan, 0, &at->profile, error);
}

static int predict(problem *p, double *errors, pm_error *error)
{
  int status = PM_OK, last = -1;
  for (size_t i = 0; i < p->active_count && status == PM_OK; i++) {
    pm__lab_serving_row *row = &p->items[p->active[i]];
    if (row->plan != last) status = put(p, last = row->plan, error);
    pm__lab_serving_row_predict(p->rows, row);
    errors[i] = row->predicted > 0 && isfinite(row->predicted) ? log(row->predicted / row->measured) : FAR;
  }
  return status;
}

static int residuals_of(void *context, const double *values, double *residuals, pm_error *error)
{
  problem *p = (problem *)context;
  for (size_t i = 0; i < p->chosen_count; i++) p->values[p->chosen[i]] = values[i];
  int status = predict(p, residuals, error);
  for (size_t i = 0; i < p->active_count; i++) residuals[i] *= p->weight[i];
  for (size_t i = 0; i < p->chosen_count; i++) {
    const int c = p->chosen[i];
    const double noise = p->own ? NOISE_OWN : NOISE;
    residuals[p->active_count + i] = noise * log(values[i] / p->start[c]) / log(p->slots[c].what->factor);
  }
  return status;
}

/* ---- Rows ---- */

static bool same_table(const problem *p, const pm__lab_serving_row *a, const pm__lab_serving_row *b)
{
  return a->plan == b->plan && a->quantity == b->quantity && strcmp(a->source, b->source) == 0 && p != NULL;
}

static void weigh(problem *p)
{
  for (size_t i = 0; i < p->active_count; i++) {
    size_t alike = 0;
    for (size_t k = 0; k < p->active_count; k++)
      alike += same_table(p, &p->items[p->active[i]], &p->items[p->active[k]]);
    p->weight[i] = pow((double)alike, -0.25);
  }
}

/* Pools have a router, whose times are not a client's. */
static bool is_wanted(const problem *p, const pm__lab_serving_row *row, bool first)
{
  const pm__lab_serving_plan *plan = pm__lab_serving_rows_plan(p->rows, row->plan);
  if (!counts(row) || is_first(row) != first || (first && row->run.prefill_workers > 0)) return false;
  return p->engine != NULL ? strcmp(plan->engine, p->engine) == 0 : strcmp(row->source, p->source) == 0;
}

static void choose_rows(problem *p, bool first)
{
  p->active_count = 0;
  for (size_t i = 0; i < p->count; i++)
    if (is_wanted(p, &p->items[i], first)) p->active[p->active_count++] = i;
  weigh(p);
}

/* Constants that some row feels. */
static int choose_constants(problem *p, turn now, pm_error *error)
{
  double *base = (double *)malloc(2 * (p->active_count + 1) * sizeof *base), *moved = base + p->active_count + 1;
  if (base == NULL) return pm__no_memory(error);
  p->chosen_count = 0;
  for (int i = 0; i < p->slot_count; i++)
    if (p->slots[i].what->fitted == now) p->values[i] = p->start[i];
  int status = predict(p, base, error);
  for (int i = 0; i < p->slot_count && status == PM_OK; i++) {
    if (p->slots[i].what->fitted != now) continue;
    p->values[i] = p->start[i] * 1.2;
    status = predict(p, moved, error);
    p->values[i] = p->start[i];
    bool felt = false;
    for (size_t k = 0; k < p->active_count; k++) felt = felt || moved[k] != base[k];
    if (felt) p->chosen[p->chosen_count++] = i;
    else p->values[i] = NAN;
  }
  free(base);
  return status;
}

/* ---- The fit ---- */

static int keep(problem *p, const pm_fit_parameter *found, pm_error *error)
{
  for (size_t i = 0; i < p->chosen_count; i++) {
    int c = p->chosen[i];
    const slot *s = &p->slots[c];
    const char *entry = s->what->kernels ? s->harness : p->engine;
    pm_fitted_constant *kept = pm__lab_calibration_constant(p->out, entry, s->what->name, error);
    if (kept == NULL) return PM_STATUS_NO_MEMORY;
    pm__lab_constant_found(kept, STAGE, field_of(s->what)->unit, &found[i], p->active_count);
    p->values[c] = kept->value;
  }
  return PM_OK;
}

static int by_size(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The spread whose 80 % interval holds 80 % of these errors, which are sorted. */
static double spread_of(double *errors, size_t count)
{
  for (size_t i = 0; i < count; i++) errors[i] = fabs(errors[i]);
  qsort(errors, count, sizeof *errors, by_size);
  return errors[(size_t)(0.8 * (double)(count - 1) + 0.5)] / 1.28155;
}

static int keep_width(problem *p, const char *name, double value, size_t rows, pm_error *error)
{
  pm_fitted_constant *kept = pm__lab_calibration_constant(p->out, p->engine, name, error);
  if (kept == NULL) return PM_STATUS_NO_MEMORY;
  pm_fit_parameter found = pm_fit_parameter_make(name, 0.2, 1e-3, 10);
  found.value = value;
  found.uncertainty = 1 / sqrt((double)rows);
  found.state = PM_FIT_STATE_FITTED;
  pm__lab_constant_found(kept, STAGE, "1", &found, rows);
  return PM_OK;
}

typedef bool row_kind(const pm__lab_serving_row *row);

static bool has_experts(const pm__lab_serving_row *row)
{
  return row->experts;
}

static bool has_none(const pm__lab_serving_row *row)
{
  return !row->experts;
}

static bool is_open(const pm__lab_serving_row *row)
{
  return row->run.arrivals == PM_ARRIVALS_OPEN && row->run.prefill_workers == 0;
}

/* Of rows of a kind; none if there are few. */
static int keep_spread_of(problem *p, const char *name, row_kind *is_of, const double *all, double *some,
                          pm_error *error)
{
  size_t count = 0;
  for (size_t i = 0; i < p->active_count; i++)
    if (is_of(&p->items[p->active[i]])) some[count++] = all[i];
  return count < FEWEST ? PM_OK : keep_width(p, name, spread_of(some, count), count, error);
}

/* Of few rows of a user the spreads of the catalogue stay. */
static int keep_spread(problem *p, bool first, double *errors, pm_error *error)
{
  if (p->own && p->active_count < FEW) return PM_OK;
  double *some = (double *)malloc((p->active_count + 1) * sizeof *some);
  if (some == NULL) return pm__no_memory(error);
  int status = first ? PM_OK : keep_spread_of(p, "expert_spread", has_experts, errors, some, error);
  if (status == PM_OK && !first) status = keep_spread_of(p, "open_spread", is_open, errors, some, error);
  size_t known = p->out->constant_count;
  if (status == PM_OK && !first) status = keep_spread_of(p, "spread", has_none, errors, some, error);
  free(some);
  if (status != PM_OK || p->out->constant_count > known) return status;
  return keep_width(p, first ? "first_spread" : "spread", spread_of(errors, p->active_count), p->active_count, error);
}

/* Of GPUs without rows: how much larger the errors of sources are that were left out than those of networks; not less
** than the rule, as there are few sources. */
static int keep_wider(problem *p, double *networks, double *sources, pm_error *error)
{
  double wider = spread_of(sources, p->active_count) / spread_of(networks, p->active_count);
  if (p->own || wider < WIDER) return PM_OK;
  return keep_width(p, "spread_extrapolated", wider, p->active_count, error);
}

static int add_errors_of(problem *p, bool first, pm_fit_use use, double *errors, pm_error *error)
{
  char group[PM_TEXT_MAX + 40];
  for (size_t i = 0; i < p->active_count; i++) errors[i] = 100 * (exp(errors[i]) - 1);
  snprintf(group, sizeof group, "%.60s %s", p->engine, first ? "first token" : "passes");
  return pm__lab_calibration_error(p->out, STAGE, group, use, errors, p->active_count, error);
}

/* Of rows as they are fitted, and of the same rows, `without`, as they are predicted without their like, which are
** sorted here. */
static int add_errors(problem *p, bool first, pm_fit_use use, double *without, pm_error *error)
{
  double *errors = (double *)malloc((p->active_count + 1) * sizeof *errors);
  if (errors == NULL) return pm__no_memory(error);
  int status = predict(p, errors, error);
  if (status == PM_OK) status = add_errors_of(p, first, PM_FIT_USE_FITTED, errors, error);
  memcpy(errors, without, p->active_count * sizeof *errors);
  if (status == PM_OK) status = add_errors_of(p, first, use, errors, error);
  if (status == PM_OK) status = keep_spread(p, first, without, error);
  free(errors);
  return status;
}

static int add_left_out_sources(problem *p, const double *without, pm_error *error)
{
  double *errors = (double *)malloc((p->active_count + 1) * sizeof *errors);
  if (errors == NULL) return pm__no_memory(error);
  memcpy(errors, without, p->active_count * sizeof *errors);
  int status = add_errors_of(p, false, PM_FIT_USE_LEFT_OUT_SOURCE, errors, error);
  free(errors);
  return status;
}

static int fit(problem *p, pm_fit_parameter *found, pm_error *error)
{
  pm_fit_options options = pm_fit_options_make();
  options.robust = LARGE;
  options.huber = 1;
  options.tolerance = 1e-5;
  for (size_t i = 0; i < p->chosen_count; i++) {
    const kind *k = p->slots[p->chosen[i]].what;
    found[i] = pm_fit_parameter_make(k->name, p->start[p->chosen[i]], k->lower, k->upper);
  }
  size_t rows = p->active_count + p->chosen_count;
  int status = pm_fit(found, p->chosen_count, residuals_of, p, rows, &options, NULL, error);
  for (size_t i = 0; i < p->chosen_count && status == PM_OK; i++) p->values[p->chosen[i]] = found[i].value;
  return status;
}

/* ---- Rows that are left out ---- */

typedef bool alike(const pm__lab_serving_row *, const pm__lab_serving_row *);

static bool one_source(const pm__lab_serving_row *a, const pm__lab_serving_row *b)
{
  return strcmp(a->gpu, b->gpu) == 0 && strcmp(a->source, b->source) == 0;
}

/* A plan is a network on a system. */
static bool one_network(const pm__lab_serving_row *a, const pm__lab_serving_row *b)
{
  return a->plan == b->plan;
}

static bool all_alike(const problem *p, alike *are_alike)
{
  for (size_t i = 1; i < p->active_count; i++)
    if (!are_alike(&p->items[p->active[0]], &p->items[p->active[i]])) return false;
  return true;
}

/* The rows of `p` that are like a row, or all others, as a problem of its own. */
static void choose_like(const problem *p, const pm__lab_serving_row *row, alike *are_alike, bool like, problem *own)
{
  own->active_count = 0;
  for (size_t i = 0; i < p->active_count; i++)
    if (are_alike(row, &p->items[p->active[i]]) == like) own->active[own->active_count++] = p->active[i];
  weigh(own);
}

/* Errors of the rows like one of them, by constants that are fitted to the others, to their places. */
static int leave_out(const problem *p, size_t at, alike *are_alike, problem *own, double *errors, double *without,
                     pm_error *error)
{
  pm_fit_parameter found[SLOTS];
  const pm__lab_serving_row *row = &p->items[p->active[at]];
  choose_like(p, row, are_alike, false, own);
  int status = own->active_count > 0 ? fit(own, found, error) : PM_OK;
  choose_like(p, row, are_alike, true, own);
  if (status == PM_OK) status = predict(own, errors, error);
  for (size_t i = 0, k = 0; i < p->active_count; i++)
    if (are_alike(row, &p->items[p->active[i]])) without[i] = errors[k++];
  return status;
}

static bool is_first_alike(const problem *p, size_t at, alike *are_alike)
{
  for (size_t i = 0; i < at; i++)
    if (are_alike(&p->items[p->active[i]], &p->items[p->active[at]])) return false;
  return true;
}

/* Every row once, by constants that were fitted without its like. */
static int leave_all_out(problem *p, alike *are_alike, double *without, pm_error *error)
{
  problem own = *p;
  double *errors = (double *)malloc((p->active_count + 1) * sizeof *errors);
  own.active = (size_t *)malloc((p->active_count + 1) * sizeof *own.active);
  own.weight = (double *)malloc((p->active_count + 1) * sizeof *own.weight);
  int status = errors != NULL && own.active != NULL && own.weight != NULL ? PM_OK : pm__no_memory(error);
  for (size_t i = 0; i < p->active_count && status == PM_OK; i++)
    if (is_first_alike(p, i, are_alike)) status = leave_out(p, i, are_alike, &own, errors, without, error);
  free(errors);
  free(own.active);
  free(own.weight);
  return status;
}

/* ---- An engine ---- */

static int solve_passes(problem *p, pm_error *error)
{
  pm_fit_parameter found[SLOTS];
  int status = fit(p, found, error);
  if (status != PM_OK) return status;
  double *without = (double *)malloc(2 * (p->active_count + 1) * sizeof *without);
  double *sources = without + p->active_count + 1;
  if (without == NULL) return pm__no_memory(error);
  bool apart = !all_alike(p, one_source);
  status = leave_all_out(p, one_network, without, error);
  if (status == PM_OK && apart) status = leave_all_out(p, one_source, sources, error);
  if (status == PM_OK) status = keep(p, found, error);
  if (status == PM_OK) status = add_errors(p, false, PM_FIT_USE_LEFT_OUT_NETWORK, without, error);
  if (status == PM_OK && apart) status = add_left_out_sources(p, sources, error);
  if (status == PM_OK && apart) status = keep_wider(p, without, sources, error);
  free(without);
  return status;
}

static int solve_first_tokens(problem *p, turn now, pm_error *error)
{
  pm_fit_parameter found[SLOTS];
  int status = fit(p, found, error);
  return status == PM_OK && now == OF_PROMPTS ? keep(p, found, error) : status;
}

static int fit_turn(problem *p, turn now, pm_error *error)
{
  choose_rows(p, now != OF_PASSES);
  if (p->active_count == 0) return PM_OK;
  int status = choose_constants(p, now, error);
  if (status != PM_OK || p->chosen_count == 0) return status;
  return now == OF_PASSES ? solve_passes(p, error) : solve_first_tokens(p, now, error);
}

/* Of rows of a user constants start from what the catalogue has. */
static void add_slot(problem *p, const kind *k, pm_engine_profile *profile)
{
  slot *s = &p->slots[p->slot_count];
  *s = (slot){.what = k};
  if (k->kernels) snprintf(s->harness, sizeof s->harness, "%s", profile->kernels.id);
  double shipped = pm_record_get_number(field_of(k), record_of(s, profile));
  bool usable = p->own && shipped > k->lower && shipped < k->upper;
  p->start[p->slot_count] = usable ? shipped : k->start;
  p->values[p->slot_count++] = NAN;
}

static bool has_slots_of(const problem *p, const char *harness)
{
  for (int i = OF_ENGINE; i < p->slot_count; i++)
    if (strcmp(p->slots[i].harness, harness) == 0) return true;
  return false;
}

/* Constants of its kernels that a harness states; those of a fifth one are left as they are. */
static void add_harness(problem *p, pm_engine_profile *profile)
{
  if (has_slots_of(p, profile->kernels.id)) return;
  for (int i = OF_ENGINE; i < KINDS && p->slot_count < SLOTS; i++)
    if (pm_record_get_number(field_of(&kinds[i]), &profile->kernels) > 0) add_slot(p, &kinds[i], profile);
}

/* The engine of a row is as the catalogue has it, with the kernels of all GPUs that it ran on. */
static void begin(problem *p, const pm__lab_serving_row *row)
{
  pm__lab_serving_plan *plan = pm__lab_serving_rows_plan(p->rows, row->plan);
  p->slot_count = 0;
  for (int i = 0; i < OF_ENGINE; i++) add_slot(p, &kinds[i], &plan->profile);
  for (size_t i = 0; i < p->count; i++) {
    pm__lab_serving_plan *other = pm__lab_serving_rows_plan(p->rows, p->items[i].plan);
    if (strcmp(other->engine, plan->engine) == 0) add_harness(p, &other->profile);
  }
}

static int fit_engine(problem *p, const pm__lab_serving_row *row, pm_error *error)
{
  p->engine = pm__lab_serving_rows_plan(p->rows, row->plan)->engine;
  begin(p, row);
  int status = fit_turn(p, OF_PASSES, error);
  for (int i = 0; i < p->slot_count; i++) /* clients, as they are before any row of theirs */
    if (p->slots[i].what->fitted == OF_CLIENTS) p->values[i] = p->start[i];
  return status == PM_OK ? fit_turn(p, OF_PROMPTS, error) : status;
}

/* ---- Clients ---- */

enum { SOURCES = 32 };

typedef struct clients {
  const char *source[SOURCES];
  double value[OF_ENGINE][SOURCES]; /* NAN: the source does not decide it */
  size_t count, rows;
} clients;

static bool is_new(const clients *c, const char *source)
{
  for (size_t i = 0; i < c->count; i++)
    if (strcmp(c->source[i], source) == 0) return false;
  return c->count < SOURCES;
}

static int fit_source(problem *p, clients *c, const pm__lab_serving_row *row, pm_error *error)
{
  p->engine = NULL;
  p->source = row->source;
  begin(p, row);
  int status = fit_turn(p, OF_CLIENTS, error);
  for (int i = 0; i < OF_ENGINE; i++) c->value[i][c->count] = p->values[i];
  c->source[c->count++] = row->source;
  c->rows += p->active_count;
  return status;
}

/* Of all sources but one; `count`: of all. */
static double median_of(const double *values, size_t count, size_t but)
{
  double known[SOURCES];
  size_t n = 0;
  for (size_t i = 0; i < count; i++)
    if (!isnan(values[i]) && i != but) known[n++] = values[i];
  qsort(known, n, sizeof *known, by_size);
  return n == 0 ? (double)NAN : n % 2 != 0 ? known[n / 2] : sqrt(known[n / 2 - 1] * known[n / 2]);
}

/* Rows of each source by the clients of the median of the others. */
static int leave_sources_out(problem *p, const clients *c, double *without, pm_error *error)
{
  double *errors = (double *)malloc((p->active_count + 1) * sizeof *errors);
  int status = errors != NULL ? PM_OK : pm__no_memory(error);
  for (size_t s = 0; s < c->count && status == PM_OK; s++) {
    for (int i = 0; i < OF_ENGINE; i++)
      if (kinds[i].fitted == OF_CLIENTS) p->values[i] = median_of(c->value[i], c->count, s);
    status = predict(p, errors, error);
    for (size_t i = 0; i < p->active_count; i++)
      if (strcmp(p->items[p->active[i]].source, c->source[s]) == 0) without[i] = errors[i];
  }
  free(errors);
  return status;
}

static int add_client_errors(problem *p, const clients *c, pm_error *error)
{
  double kept[SLOTS], *without = (double *)calloc(p->active_count + 1, sizeof *without);
  if (without == NULL) return pm__no_memory(error);
  memcpy(kept, p->values, sizeof kept);
  int status = leave_sources_out(p, c, without, error);
  memcpy(p->values, kept, sizeof kept);
  if (status == PM_OK) status = add_errors(p, true, PM_FIT_USE_LEFT_OUT_SOURCE, without, error);
  free(without);
  return status;
}

/* First tokens of pools, to which nothing is fitted. */
static int keep_pools(problem *p, pm_error *error)
{
  p->active_count = 0;
  for (size_t i = 0; i < p->count; i++) {
    const pm__lab_serving_row *row = &p->items[i];
    bool pool = counts(row) && is_first(row) && row->run.prefill_workers > 0;
    if (pool && strcmp(pm__lab_serving_rows_plan(p->rows, row->plan)->engine, p->engine) == 0)
      p->active[p->active_count++] = i;
  }
  if (p->own || p->active_count < FEWEST) return PM_OK;
  double *errors = (double *)malloc(p->active_count * sizeof *errors);
  if (errors == NULL) return pm__no_memory(error);
  int status = predict(p, errors, error);
  if (status == PM_OK)
    status = keep_width(p, "pool_spread", spread_of(errors, p->active_count), p->active_count, error);
  free(errors);
  return status;
}

/* Every engine that was fitted has the clients of the median source. */
static int keep_clients(problem *p, const clients *c, const pm__lab_serving_row *row, pm_error *error)
{
  const char *engine = p->engine = pm__lab_serving_rows_plan(p->rows, row->plan)->engine;
  begin(p, row);
  for (int i = 0; i < OF_ENGINE; i++) {
    double value = kinds[i].fitted == OF_CLIENTS ? median_of(c->value[i], c->count, c->count) : (double)NAN;
    if (isnan(value)) continue;
    pm_fit_parameter found = pm_fit_parameter_make(kinds[i].name, p->start[i], kinds[i].lower, kinds[i].upper);
    found.value = value;
    found.uncertainty = 1 / sqrt((double)c->count);
    found.state = PM_FIT_STATE_FITTED;
    pm_fitted_constant *kept = pm__lab_calibration_constant(p->out, engine, kinds[i].name, error);
    if (kept == NULL) return PM_STATUS_NO_MEMORY;
    pm__lab_constant_found(kept, STAGE, field_of(&kinds[i])->unit, &found, c->rows);
    p->values[i] = kept->value;
  }
  choose_rows(p, true);
  int status = p->active_count > 0 ? add_client_errors(p, c, error) : PM_OK;
  return status == PM_OK ? keep_pools(p, error) : status;
}

static int fit_clients(problem *p, const char *chosen, pm_error *error)
{
  clients c = {.count = 0};
  int status = PM_OK;
  for (size_t i = 0; i < p->count && status == PM_OK; i++)
    if (is_first(&p->items[i]) && p->items[i].run.prefill_workers == 0 && is_new(&c, p->items[i].source))
      status = fit_source(p, &c, &p->items[i], error);
  for (size_t i = 0; i < p->count && status == PM_OK && c.count > 0; i++) {
    const char *engine = pm__lab_serving_rows_plan(p->rows, p->items[i].plan)->engine;
    bool wanted = !p->items[i].checked && (chosen == NULL || pm__lab_listed(chosen, engine));
    if (wanted && pm__lab_calibration_find(p->out, engine, "client_time") == NULL)
      status = keep_clients(p, &c, &p->items[i], error);
  }
  return status;
}

static int fit_all(problem *p, const char *chosen, pm_error *error)
{
  int status = PM_OK;
  for (size_t i = 0; i < p->count && status == PM_OK; i++) {
    const char *engine = pm__lab_serving_rows_plan(p->rows, p->items[i].plan)->engine;
    bool wanted = !p->items[i].checked && (chosen == NULL || pm__lab_listed(chosen, engine));
    if (wanted && !pm__lab_calibration_has(p->out, engine)) status = fit_engine(p, &p->items[i], error);
  }
  return status == PM_OK ? fit_clients(p, chosen, error) : status;
}

/* ---- The file ---- */

static bool replaced(const void *user, const pm__lab_entry *entry, const pm_field *field, pm__lab_new_value *value)
{
  static const char *const states[] = {"fixed", "", "not identifiable", "at its lower bound", "at its upper bound"};
  const pm_calibration *out = (const pm_calibration *)user;
  const pm_fitted_constant *found = pm__lab_calibration_find(out, entry->id, field->name);
  if (found == NULL) return false;
  pm__lab_value_fitted(value, out, "", (int)found->rows);
  if (found->state == PM_FIT_STATE_FITTED)
    snprintf(value->note, sizeof value->note, "+-%.2g %%", found->uncertainty * 100);
  else snprintf(value->note, sizeof value->note, "%s", states[found->state]);
  pm__lab_value_write(value, found->value, field->unit);
  return true;
}

static const char head[] =
  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
  "<!-- Serving engines by version. Schedulers and limits are facts of their sources; times are fitted to published\n"
  "     rows of serving (perfmodel calibrate, set serving); what has no rows is a rule. -->\n"
  "<perfmodel version=\"1\">\n";

static void write_file(const pm_calibration *out, const pm_catalog *catalog, bool all, pm__string *xml)
{
  pm__lab_entry entry;
  pm__string_add(xml, head);
  for (size_t i = 0; pm__lab_entry_at(catalog, "kernel_harness", i, &entry); i++)
    if (pm__lab_calibration_has(out, entry.id)) pm__lab_entry_write(xml, &entry, replaced, out);
  for (size_t i = 0; pm__lab_entry_at(catalog, "engine", i, &entry); i++)
    if (all || pm__lab_calibration_has(out, entry.id)) pm__lab_entry_write(xml, &entry, replaced, out);
  pm__string_add(xml, "\n</perfmodel>\n");
}

int pm__lab_calibrate_serving(pm_calibration *out, const pm_catalog *catalog, const pm_calibration_options *options,
                              bool shipped, pm_error *error)
{
  static const char *const needed[] = {"network", "system", "framework", "quantity", "value"};
  pm__csv table;
  problem p = {.out = out, .own = !shipped};
  if (pm__csv_read(&table, options->data, options->file, error) != PM_OK) return PM_STATUS_BAD_FILE;
  const pm__lab_context context = {.catalog = catalog, .table = &table, .file = options->file, .set = STAGE};
  int status = pm__lab_check_columns(&context, needed, sizeof needed / sizeof needed[0], error);
  if (status == PM_OK) p.rows = pm__lab_serving_rows_new(catalog, &table, error);
  if (status == PM_OK && p.rows == NULL) status = PM_STATUS_NO_MEMORY;
  if (status == PM_OK) {
    p.items = pm__lab_serving_rows_items(p.rows, &p.count);
    p.active = (size_t *)malloc((p.count + 1) * sizeof *p.active);
    p.weight = (double *)malloc((p.count + 1) * sizeof *p.weight);
    status = p.active != NULL && p.weight != NULL ? fit_all(&p, options->entries, error) : pm__no_memory(error);
  }
  if (status == PM_OK && out->constant_count == 0)
    status = pm__fail(error, PM_STATUS_NOT_FOUND, "no row can be predicted with an engine of the catalogue");
  if (status == PM_OK) write_file(out, catalog, shipped && options->entries == NULL, &out->xml);
  pm__lab_serving_rows_free(p.rows);
  free(p.active);
  free(p.weight);
  pm__csv_free(&table);
  return status;
}
