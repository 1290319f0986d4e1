/* Reads the shape of a large model, and its degrees of parallelism, from a row of a table of training runs. */
#include "validation/parallel_row.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"

/* A column, and what its cell becomes: a parameter of the network, or a field of the run. */
typedef struct meaning {
  pm__lab_column column;
  const char *name;
} meaning;

static const meaning sizes[] = {
  {PM__COLUMN_SEQUENCE, "seq"}, {PM__COLUMN_LAYERS, "layers"}, {PM__COLUMN_HIDDEN, "hidden"},
    {PM__COLUMN_HEADS, "heads"},
  {PM__COLUMN_KV_HEADS, "kv_heads"}, {PM__COLUMN_HEAD_DIM, "head_features"}, {PM__COLUMN_FFN, "ffn"},
  {PM__COLUMN_VOCABULARY, "vocabulary"}, {PM__COLUMN_EXPERTS, "experts"}, {PM__COLUMN_TOP_K, "top_k"},
  {PM__COLUMN_EXPERT_FFN, "expert_ffn"}, {PM__COLUMN_SHARED_FFN, "shared_ffn"},
    {PM__COLUMN_DENSE_LAYERS, "dense_layers"},
};

static const meaning degrees[] = {
  {PM__COLUMN_TENSOR, "tensor_parallel"}, {PM__COLUMN_PIPELINE, "pipeline_parallel"},
  {PM__COLUMN_VIRTUAL, "virtual_pipeline"}, {PM__COLUMN_CONTEXT, "context_parallel"},
  {PM__COLUMN_EXPERT, "expert_parallel"}, {PM__COLUMN_SCHEDULE, "pipeline_schedule"}, {PM__COLUMN_ZERO, "zero"},
  {PM__COLUMN_RECOMPUTE, "recompute"}, {PM__COLUMN_OFFLOAD, "offload"},
};

enum { SIZES = sizeof sizes / sizeof sizes[0], DEGREES = sizeof degrees / sizeof degrees[0] };

/* ---- Shape ---- */

static void append(char *text, const char *more)
{
  size_t used = strlen(text);
  if (used + strlen(more) < PM__VALUE_LONGEST) memcpy(text + used, more, strlen(more) + 1);
}

static bool has_experts(const pm__lab_row *row)
{
  return pm__lab_row_number(row, PM__COLUMN_EXPERTS) > 1;
}

static const char *family(const pm__lab_row *row)
{
  if (has_experts(row)) return "moe";
  return pm__lab_row_number(row, PM__COLUMN_GATED) > 0 ? "llama" : "gpt";
}

/* Where the row does not say how attention was done, it is one kernel, as in what is measured today. */
static bool fused_attention(const pm__lab_row *row)
{
  return strcmp(row->cell[PM__COLUMN_ATTENTION], "unfused") != 0;
}

bool pm__lab_parallel_network(const pm__lab_readings *readings, const pm__lab_row *row, char *name)
{
  if (row->cell[PM__COLUMN_HIDDEN][0] == '\0') return false;
  if (pm__lab_readings_decide(readings, PM_DECISION_NETWORK, row, name) == NULL)
    snprintf(name, PM__VALUE_LONGEST, "%s", family(row));
  for (int i = 0; i < SIZES; i++) {
    char setting[PM_TEXT_MAX];
    double size = pm__lab_row_number(row, sizes[i].column);
    if (!(size >= 1) || size > 1e9) continue; /* 0: it has none */
    snprintf(setting, sizeof setting, " %s=%.0f", sizes[i].name, size);
    append(name, setting);
  }
  if (strstr(name, " flash=") == NULL) append(name, fused_attention(row) ? " flash=1" : " flash=0");
  return true;
}

/* ---- How it is shared out ---- */

static int set(pm_run *run, const char *name, const char *text, pm_error *error)
{
  const pm_field *field = pm_record_find_field(pm_record_type_find("run"), name);
  if (field == NULL) return pm__fail(error, PM_STATUS_NOT_FOUND, "a run has no \"%.60s\"", name);
  return pm_record_set(field, run, text, error);
}

/* "stage_layers=balanced gradient_bytes=4" */
static int set_all(pm_run *run, const char *settings, pm_error *error)
{
  char text[PM__VALUE_LONGEST];
  int status = PM_OK;
  snprintf(text, sizeof text, "%s", settings);
  for (char *word = text + strspn(text, " "), *next; *word != '\0' && status == PM_OK; word = next) {
    size_t length = strcspn(word, " ");
    next = word + length + strspn(word + length, " ");
    word[length] = '\0';
    char *equal = strchr(word, '=');
    if (equal == NULL) return pm__fail(error, PM_STATUS_BAD_SYNTAX, "\"%.60s\" is no setting of a run", word);
    *equal = '\0';
    status = set(run, word, equal + 1, error);
  }
  return status;
}

/* Cells, but for those that the rule decides. */
static int read_degrees(const pm__lab_row *row, const char *rule, pm_run *run, pm_error *error)
{
  int status = PM_OK;
  for (int i = 0; i < DEGREES && status == PM_OK; i++) {
    const char *cell = row->cell[degrees[i].column];
    if (cell[0] != '\0' && strstr(rule, degrees[i].name) == NULL) status = set(run, degrees[i].name, cell, error);
  }
  const char *shared = row->cell[PM__COLUMN_SEQUENCE_PARALLEL];
  run->sequence_parallel = run->tensor_parallel > 1 && (strcmp(shared, "1") == 0 || strcmp(shared, "yes") == 0);
  return status;
}

/* As many micro-batches as stages: torchtitan's default. */
static double one_for_each_stage(const pm__lab_rate *rate)
{
  return fmax(1, floor(rate->batch / (rate->plan.pipeline_parallel * rate->plan.virtual_pipeline)));
}

/* Sizes that divide the batch of a replica. */
static void read_micro_batches(const pm__lab_readings *readings, const pm__lab_row *row, pm__lab_rate *rate)
{
  char value[PM__VALUE_LONGEST];
  double said = pm__lab_row_number(row, PM__COLUMN_MICRO_BATCH);
  rate->micro_batches = 1;
  rate->micro_batch[0] = said;
  if (!isnan(said) || pm__lab_readings_decide(readings, PM_DECISION_MICRO_BATCH, row, value) == NULL) return;
  if (strcmp(value, "stages") == 0) {
    if (rate->plan.pipeline_parallel > 1) rate->micro_batch[0] = one_for_each_stage(rate);
    return;
  }
  int count = 0;
  char *end;
  for (char *p = value; count < PM__MICRO_BATCHES; p = end) {
    long size = strtol(p, &end, 10);
    if (end == p) break;
    if (size >= 1 && fmod(rate->batch, (double)size) == 0) rate->micro_batch[count++] = (double)size;
  }
  if (count > 0) rate->micro_batches = count;
}

static int read_batch(const pm__lab_row *row, pm__lab_rate *rate, pm_error *error)
{
  double all = pm__lab_row_number(row, PM__COLUMN_GLOBAL_BATCH), gpus = (double)rate->gpus * rate->nodes;
  double each = (double)rate->plan.tensor_parallel * rate->plan.pipeline_parallel * rate->plan.context_parallel;
  if (!(all >= 1)) return pm__fail(error, PM_STATUS_NOT_FOUND, "no global batch");
  if (fmod(gpus, each) != 0)
    return pm__fail(error, PM_STATUS_BAD_VALUE, "%g GPUs, of which %g share a copy of the network", gpus, each);
  rate->batch = all * each / gpus;
  rate->accumulation = 1;
  return PM_OK;
}

int pm__lab_parallel_read(const pm__lab_readings *readings, const pm__lab_row *row, pm__lab_rate *rate, pm_error *error)
{
  char rule[PM__VALUE_LONGEST];
  if (pm__lab_readings_decide(readings, PM_DECISION_RUN, row, rule) == NULL) rule[0] = '\0';
  rate->plan.optimizer = rate->optimizer;
  int status = read_degrees(row, rule, &rate->plan, error);
  if (status == PM_OK) status = set_all(&rate->plan, rule, error);
  if (status == PM_OK) status = read_batch(row, rate, error);
  if (status == PM_OK) read_micro_batches(readings, row, rate);
  double memory = pm__lab_row_number(row, PM__COLUMN_MEMORY_USED);
  rate->memory = memory > 0 ? memory * 1e9 : (double)NAN;
  return status;
}

/* ---- Groups ---- */

void pm__lab_parallel_source(const char *source, char *text, size_t size)
{
  const char *slash = strrchr(source, '/'), *start = slash != NULL ? slash + 1 : source, *end = strstr(start, " (");
  snprintf(text, size, "%.*s", (int)(end != NULL ? end - start : (ptrdiff_t)strlen(start)), start);
}

void pm__lab_parallel_group(const pm__lab_rate *rate, const pm__lab_row *row, char *group, size_t size)
{
  char source[PM_TEXT_MAX];
  const char *schedule = row->cell[PM__COLUMN_SCHEDULE];
  pm__lab_parallel_source(row->cell[PM__COLUMN_REPOSITORY], source, sizeof source);
  snprintf(group, size, "%s %.20s %.12s zero-%d %.24s", has_experts(row) ? "moe" : "dense", rate->gpu,
           schedule[0] != '\0' ? schedule : "no-pipeline", rate->plan.zero, source);
}
