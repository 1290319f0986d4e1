/*
** What fits instead of a run that does not, by the least that has to change:
**
**     one option        micro-batch with accumulation, recomputation, ZeRO, sequence or tensor parallelism: the fastest
**                       that fits; else one that may fit (tight)
**     a plan            the fastest that a search finds on the same GPUs, with what was given
**     adapters          LoRA, with as little besides as it takes; where the network has linear layers for them
**     more nodes        twice as many until a search finds a plan
**
** All of them train as many samples per step.
*/
#include <math.h>
#include <string.h>
#include "hardware/system.h"
#include "plan/plan.h"
#include "study/report.h"

/* ---- One option ---- */

typedef struct fitting {
  const pm__study_subject *s;
  pm_run best;
  int32_t verdict; /* of the best; PM_VERDICT_DOES_NOT_FIT: there is none */
  double throughput;
} fitting;

/* Keeps a run that fits better than the best so far, or as well and faster. */
static void consider(fitting *f, const pm_run *run)
{
  pm_prediction step;
  if (pm_predict(f->s->plan, run, &step, 1) != PM_OK || step.status != PM_OK) return;
  if (step.verdict != PM_VERDICT_FITS && step.verdict != PM_VERDICT_TIGHT) return;
  if (step.verdict > f->verdict || (step.verdict == f->verdict && !(step.throughput > f->throughput))) return;
  f->best = *run;
  f->verdict = step.verdict;
  f->throughput = step.throughput;
}

static bool is_free(const fitting *f, const char *field)
{
  pm_given alone = {0};
  pm_given_add(&alone, "run", field);
  return !pm__given_meet(f->s->given, &alone);
}

/* The run with its micro-batch said, and batches that it accumulates as one batch of several micro-batches. */
static pm_run in_micro_batches(const fitting *f)
{
  pm_run run = f->s->run;
  if (isnan(run.micro_batch)) run.micro_batch = run.batch;
  run.batch *= run.gradient_accumulation_steps;
  run.gradient_accumulation_steps = 1;
  return run;
}

/* Every size that divides the samples of a rank. */
static void change_micro_batch(fitting *f)
{
  pm_run other = in_micro_batches(f);
  double now = other.micro_batch;
  for (double size = floor(now / 2); size >= 1; size = floor(size / 2)) {
    size = pm__largest_divisor(other.batch, size);
    other.micro_batch = size;
    consider(f, &other);
  }
}

static void change_recompute(fitting *f)
{
  pm_run other = f->s->run;
  for (other.recompute = 0; is_free(f, "recompute") && other.recompute < PM_RECOMPUTE_COUNT; other.recompute++)
    consider(f, &other);
}

static void change_zero(fitting *f)
{
  pm_run other = f->s->run;
  for (other.zero++; is_free(f, "zero") && pm_run_get_data_parallel(&other) > 1 && other.zero <= 3; other.zero++)
    consider(f, &other);
}

/* Ranks become fewer, so each has more samples, of which it takes as many at once. */
static void change_tensor(fitting *f)
{
  pm_run other = in_micro_batches(f);
  bool free_one = is_free(f, "tensor_parallel") && other.pipeline_parallel == 1;
  while (free_one && other.gpus % (2 * other.tensor_parallel) == 0) {
    other.tensor_parallel *= 2;
    other.batch *= 2;
    other.sequence_parallel = 0;
    consider(f, &other);
    other.sequence_parallel = 1;
    consider(f, &other);
  }
}

/* ---- Adapters ---- */

enum { LORA_RANK = 16 };

/* With less besides them first. */
static void change_to_adapters(fitting *f)
{
  pm_run other = f->s->run;
  if (other.lora_rank > 0) return;
  other.lora_rank = LORA_RANK;
  consider(f, &other);
  for (int step = 0; step < 3 && f->verdict == PM_VERDICT_DOES_NOT_FIT; step++) {
    if (step == 0) other.micro_batch = 1;
    if (step == 1 && is_free(f, "recompute")) other.recompute = PM_RECOMPUTE_FULL;
    if (step == 2) other.base_weights = PM_BASE_WEIGHTS_NF4;
    consider(f, &other);
  }
}

/* ---- A plan ---- */

/* What is searched from: the same GPUs, precision and optimizer, and of the plan what was given. */
static pm_run free_plan(const pm__study_subject *s, const pm_run *run, pm_given *given)
{
  static const char *const kept[] = {"gpus", "nodes", "precision", "optimizer"};
  const pm_record_type *type = pm_record_type_find("run");
  pm_run base = pm_search_base_make();
  *given = *s->given;
  for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) pm_given_add(given, "run", kept[i]);
  for (size_t i = 0; i < type->field_count; i++)
    if (pm_given_has(given, (int)i))
      pm_record_set_number(&type->fields[i], &base, pm_record_get_number(&type->fields[i], run), NULL);
  base.network_index = base.system_index = base.framework_index = 0;
  base.gradient_accumulation_steps = 1; /* a plan's micro-batch states the number */
  return base;
}

/* A study of the same network on the same system, so that the one that is asked stays as it is. */
static pm_study *study_to_search(const pm__study_subject *s, pm_error *error)
{
  const pm_study *study = s->study;
  const pm__study_slot *slot = s->run.framework_index >= 0 ? &study->slots[study->used[s->run.framework_index]] : NULL;
  const char *name = slot != NULL ? slot->name : "none";
  const pm_framework_profile *own = slot != NULL && slot->own != NULL ? &slot->own->framework : NULL;
  const pm_network *network = study->networks[study->uses[s->run.network_index].network].own;
  const pm_study_setup setup = {study->catalog, &network, 1, &s->system, 1, &name, study->slots[0].named, 0};
  return pm_study_new_with_records(&setup, &(pm_study_records){&own, NULL, NULL}, error);
}

/* On the GPUs of a run, which may be more than those that were asked for. */
static bool find_plan(const pm__study_subject *s, pm_report *r, const pm_run *on, pm_run *best)
{
  size_t number;
  pm_error error = PM_ERROR_NONE;
  pm_given given;
  const pm_run base = free_plan(s, on, &given);
  double samples = s->run.batch * pm_run_get_data_parallel(&s->run) * s->run.gradient_accumulation_steps;
  pm_study *study = study_to_search(s, &error);
  pm_search *search = study != NULL ? pm_study_new_search(study, &given, &base, 1, samples, &error) : NULL;
  pm_search_result *result = search != NULL ? pm_search_result_new(search, 1, PM_MINIMIZE_NODES, &error) : NULL;
  bool found = result != NULL && pm_search_evaluate(search, 0, pm_search_count(search), result) == PM_OK &&
               pm_search_result_get_plan(result, PM_SEARCH_VIEW_PLANS, 0, &number) == PM_OK &&
               pm_search_get_run(search, number, best) == PM_OK;
  pm__report_check(r, error.status);
  pm_search_result_free(result);
  pm_search_free(search);
  pm_study_free(study);
  return found;
}

enum { NODES_MOST = 64 };

static bool find_nodes(const pm__study_subject *s, pm_report *r, pm_run *best)
{
  pm_run on = s->run;
  bool found = false;
  while (!found && s->system->network.count > 0 && 2 * on.nodes <= NODES_MOST) {
    on.nodes *= 2;
    found = find_plan(s, r, &on, best);
  }
  return found;
}

bool pm__study_find_fitting(const pm__study_subject *s, pm_report *r, pm_run *best)
{
  fitting f = {.s = s, .verdict = PM_VERDICT_DOES_NOT_FIT, .throughput = 0};
  change_micro_batch(&f);
  change_recompute(&f);
  change_zero(&f);
  change_tensor(&f);
  if (f.verdict == PM_VERDICT_DOES_NOT_FIT && find_plan(s, r, &s->run, best)) return true;
  if (f.verdict == PM_VERDICT_DOES_NOT_FIT) change_to_adapters(&f);
  *best = f.best;
  return f.verdict != PM_VERDICT_DOES_NOT_FIT || find_nodes(s, r, best);
}
