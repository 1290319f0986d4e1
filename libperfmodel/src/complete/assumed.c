/* What was assumed of a run, as rows and in one line. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "complete/complete.h"

static const char each_node[] = "all GPUs of each node";

typedef struct list {
  const pm__complete_question *q;
  pm_assumption *rows;
  int count;
} list;

static void add_assumption(list *l, const char *field, const char *value, const char *reason)
{
  pm_assumption *row = &l->rows[l->count++];
  snprintf(row->field, sizeof row->field, "%s", field);
  snprintf(row->value, sizeof row->value, "%s", value);
  snprintf(row->reason, sizeof row->reason, "%s", reason);
}

/* The value that a field of the run has; of a run that could not be completed it may have none. */
static void add_field(list *l, const char *type, const char *name, const void *run, const char *reason)
{
  char value[PM_TEXT_MAX];
  const pm_field *field = pm_record_find_field(pm_record_type_find(type), name);
  if (!isnan(pm_record_get_number(field, run))) add_assumption(l, name, pm_record_format(field, run, value), reason);
}

static const char *why_network(const list *l)
{
  return l->q->traits->language_model ? "the network is a decoder-only language model"
                                      : "the network is no decoder-only language model";
}

static const char *why_precision(const list *l, int32_t precision)
{
  return precision == PM_PRECISION_TF32_CONV ? "the framework runs convolutions of FP32 networks in TF32"
                                             : why_network(l);
}

/* Of a machine with one GPU there is nothing to assume. */
static void add_counts(list *l, bool gpus, bool nodes, const char *type, const void *run)
{
  if (!gpus && l->q->machine->gpus > 1) add_field(l, type, "gpus", run, nodes ? each_node : "one whole node");
}

static void add_software(list *l)
{
  if (!l->q->named && l->q->framework != NULL)
    add_assumption(l, "framework", l->q->framework, "the newest fitted release for such a plan that runs on the GPU");
  if (!l->q->traits->chooses_kernels) return;
  const pm_field *attention = pm_record_find_field(pm_record_type_find("framework"), "attention");
  add_assumption(l, "attention", attention->choices[l->q->attention].name,
      l->q->framework == NULL ? "kernels and collectives only"
                              : "what the framework does where the network leaves it open");
}

/* No assumption of the user's making, but every answer must say it. */
static void add_uncounted(list *l)
{
  char value[PM_TEXT_MAX];
  int count = l->q->traits->uncounted;
  snprintf(value, sizeof value, "%d layer%s of unknown operators not counted", count, count > 1 ? "s" : "");
  if (count > 0) add_assumption(l, "operators", value, "their time and memory are not in any number");
}

static void add_batch(list *l, const pm_run *run)
{
  const pm_given *given = l->q->given;
  bool batch = pm__complete_has(given, PM__RUN_AT_batch), micro = pm__complete_has(given, PM__RUN_AT_micro_batch);
  bool model = l->q->traits->language_model;
  if (model && !micro && (!batch || given->global_batch)) add_field(l, "run", "micro_batch", run, why_network(l));
  else if (!batch) add_field(l, "run", "batch", run, model ? "one micro-batch" : why_network(l));
}

int pm__complete_list(const pm__complete_question *q, const pm_run *run, pm_assumption *rows)
{
  list l = {q, rows, 0};
  add_counts(&l, pm__complete_has(q->given, PM__RUN_AT_gpus), pm__complete_has(q->given, PM__RUN_AT_nodes), "run", run);
  if (!pm__complete_has(q->given, PM__RUN_AT_precision))
    add_field(&l, "run", "precision", run, why_precision(&l, run->precision));
  if (!pm__complete_has(q->given, PM__RUN_AT_optimizer)) add_field(&l, "run", "optimizer", run, why_network(&l));
  add_batch(&l, run);
  add_software(&l);
  add_uncounted(&l);
  return l.count;
}

int pm__complete_inference_list(const pm__complete_question *q, const pm_inference_run *run, pm_assumption *rows)
{
  list l = {q, rows, 0};
  add_counts(&l, pm__complete_has(q->given, PM__INFERENCE_AT_gpus), pm__complete_has(q->given, PM__INFERENCE_AT_nodes),
             "inference_run", run);
  if (!pm__complete_has(q->given, PM__INFERENCE_AT_precision))
    add_field(&l, "inference_run", "precision", run, why_precision(&l, run->precision));
  add_software(&l);
  add_uncounted(&l);
  return l.count;
}

int pm__complete_serving_list(const pm__complete_question *q, const pm_serving_run *run, pm_assumption *rows)
{
  static const struct {
    int place;
    const char *field, *why;
  } all[] = {{PM__SERVING_AT_tensor_parallel, "tensor_parallel", "a replica has all GPUs of a node"},
             {PM__SERVING_AT_precision, "precision", "the network is a decoder-only language model"},
             {PM__SERVING_AT_isl, "isl", "no prompt length given"},
             {PM__SERVING_AT_osl, "osl", "no answer length given"}};
  list l = {q, rows, 0};
  add_counts(&l, pm__complete_has(q->given, PM__SERVING_AT_gpus), pm__complete_has(q->given, PM__SERVING_AT_nodes),
             "serving_run", run);
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    if (!pm__complete_has(q->given, all[i].place)) add_field(&l, "serving_run", all[i].field, run, all[i].why);
  if (!pm__complete_has(q->given, PM__SERVING_AT_weights) && q->traits->weights > 0)
    add_field(&l, "serving_run", "weights", run, "the checkpoint stores weights so (quantization_config)");
  if (run->expert_weights == q->traits->expert_weights && q->traits->expert_weights != q->traits->weights)
    add_field(&l, "serving_run", "expert_weights", run, "the checkpoint stores experts so (quantization_config)");
  if (run->arrivals == PM_ARRIVALS_CLOSED && !pm__complete_has(q->given, PM__SERVING_AT_concurrency))
    add_field(&l, "serving_run", "concurrency", run, "no concurrency or rate given");
  if (!q->named && q->framework != NULL)
    add_assumption(&l, "framework", q->framework, "the newest release of vLLM that there is");
  add_uncounted(&l);
  return l.count;
}

/* ---- In one line ---- */

/* "8 GPUs", "micro-batch 1", "bf16" */
static void format_row(const pm_assumption *row, char *text, size_t size)
{
  bool one = strcmp(row->value, "1") == 0;
  bool each = strcmp(row->field, "gpus") == 0 && strcmp(row->reason, each_node) == 0;
  if (strcmp(row->field, "gpus") == 0)
    snprintf(text, size, "%s GPU%s%s", row->value, one ? "" : "s", each ? " per node" : "");
  else if (strcmp(row->field, "batch") == 0) snprintf(text, size, "batch %s", row->value);
  else if (strcmp(row->field, "micro_batch") == 0) snprintf(text, size, "micro-batch %s", row->value);
  else if (strcmp(row->field, "attention") == 0) snprintf(text, size, "%s attention", row->value);
  else if (strcmp(row->field, "tensor_parallel") == 0) snprintf(text, size, "TP %s", row->value);
  else if (strcmp(row->field, "isl") == 0) snprintf(text, size, "ISL %s", row->value);
  else if (strcmp(row->field, "osl") == 0) snprintf(text, size, "OSL %s", row->value);
  else if (strcmp(row->field, "concurrency") == 0) snprintf(text, size, "concurrency %s", row->value);
  else snprintf(text, size, "%s", row->value);
}

const char *pm_assumptions_format(const pm_assumption *rows, int count, char *text, size_t size)
{
  char word[PM_TEXT_MAX + 16];
  if (text == NULL || size == 0) return text;
  text[0] = '\0';
  for (int i = 0; rows != NULL && i < count; i++) {
    size_t used = strlen(text);
    bool with = i > 0 && strcmp(rows[i].field, "attention") == 0 && strcmp(rows[i - 1].field, "framework") == 0;
    format_row(&rows[i], word, sizeof word);
    snprintf(text + used, size - used, "%s%s", i == 0 ? "" : with ? " with " : ", ", word);
  }
  return text;
}
