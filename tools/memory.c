/* perfmodel memory: what a training step keeps on one GPU, and whether it fits. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "memory_report.h"

enum { LABEL = 26, QUANTITY = 64, ADVICE = 8, OPTIMIZERS = 64 };

typedef struct question {
  pm_catalog *catalog;
  pm_network *network;
  pm_gpu gpu;
  pm_memory_profile profile;
  pm_optimizer optimizer;
  pm_memory_run run;
  pm_memory_plan *plan;
  pm_memory_use use;
} question;

/* ---- What is asked ---- */

static int set_field(pm_memory_run *run, const char *name, const char *text)
{
  pm_error error = PM_ERROR_NONE;
  if (text == NULL) return CODE_DONE;
  if (pm_record_set(pm_record_find_field(pm_record_type_find("memory_run"), name), run, text, &error) == PM_OK)
    return CODE_DONE;
  return fail(CODE_USAGE, "%s", error.text);
}

static int read_run(const cli_request *request, pm_memory_run *run)
{
  double ranks;
  *run = pm_memory_run_make();
  if (!read_count_option(request, OPTION_BATCH, COUNT_MOST, run->batch, &run->batch) ||
      !read_count_option(request, OPTION_RANKS, COUNT_MOST, run->ranks, &ranks) ||
      !read_precision(request->value[OPTION_PRECISION], &run->precision))
    return CODE_USAGE;
  run->ranks = (int32_t)ranks;
  run->inference = request->value[OPTION_INFERENCE] != NULL;
  int code = set_field(run, "zero_stage", request->value[OPTION_ZERO]);
  return code == CODE_DONE ? set_field(run, "recompute", request->value[OPTION_RECOMPUTE]) : code;
}

/* A GPU by name, or that of a system. */
static int find_gpu(const pm_catalog *catalog, const char *name, pm_gpu *gpu)
{
  pm_error error = PM_ERROR_NONE;
  pm_machine machine;
  if (pm_catalog_get_record(catalog, "gpu", name, gpu, &error) == PM_OK) return CODE_DONE;
  if (pm_catalog_get_record(catalog, "system", name, &machine, NULL) != PM_OK) return fail_error(&error);
  return pm_catalog_get_record(catalog, "gpu", machine.gpu, gpu, NULL) == PM_OK ? CODE_DONE : fail_error(&error);
}

/* What the driver reports, or, if nobody wrote that down, what is printed on the box. */
static void find_usable(const cli_request *request, question *q)
{
  pm_usable_memory usable;
  if (pm_catalog_get_record(q->catalog, "usable_memory", q->gpu.id, &usable,
                            NULL) == PM_OK) q->run.usable = usable.memory;
  else {
    q->run.usable = q->gpu.memory;
    note(request, "the catalogue has no usable memory of %s; its nominal size is taken", q->gpu.id);
  }
}

static int find_record(const pm_catalog *catalog, const char *kind, const char *name, void *record)
{
  pm_error error = PM_ERROR_NONE;
  return pm_catalog_get_record(catalog, kind, name, record, &error) == PM_OK ? CODE_DONE : fail_error(&error);
}

static int find_profile(const pm_catalog *catalog, const char *name, pm_memory_profile *profile)
{
  pm_error error = PM_ERROR_NONE;
  return pm_catalog_get_memory_profile(catalog, name, profile, &error) == PM_OK ? CODE_DONE : fail_error(&error);
}

static int find_all(const cli_request *request, question *q)
{
  int code;
  const char *framework = request->value[OPTION_FRAMEWORK], *optimizer = request->value[OPTION_OPTIMIZER];
  q->network = open_network(request, q->catalog, request->arguments.items[0], &code);
  if (code == CODE_DONE) code = find_gpu(q->catalog, request->arguments.items[1], &q->gpu);
  if (code == CODE_DONE) find_usable(request, q);
  if (code == CODE_DONE)
    code = find_profile(q->catalog, framework != NULL ? framework : PM_FRAMEWORK_DEFAULT, &q->profile);
  if (code == CODE_DONE)
    code = find_record(q->catalog, "optimizer", optimizer != NULL ? optimizer : "momentum", &q->optimizer);
  return code;
}

/* ---- The answer for people ---- */

static const char *quantity(char *buffer, double value)
{
  return pm_quantity_format(buffer, QUANTITY, value, "B");
}

static void print_part(FILE *stream, const char *name, double bytes, double total)
{
  char text[QUANTITY];
  int bar = (int)rint(bytes / total * 30);
  if (!(bytes > 0)) return;
  fprintf(stream, "  %-*s%10s  %5.1f %%%s", LABEL - 2, name, quantity(text, bytes), 100 * bytes / total,
          bar > 0 ? "  " : "");
  while (bar-- > 0) fputc('#', stream);
  fputc('\n', stream);
}

static void print_title(FILE *stream, const question *q, size_t width)
{
  char line[1024], precision[PM_TEXT_MAX], number[PM_NUMBER_MAX], ranks[48] = "";
  pm_network_totals totals;
  if (pm_network_get_totals(q->network, &totals, NULL) != PM_OK) snprintf(totals.name, PM_TEXT_MAX, "the network");
  snprintf(line, sizeof line, "Memory of %s in %s on %s", totals.name, q->run.inference ? "inference" : "training",
           q->gpu.name);
  print_wrapped(stream, line, 0, 0, width);
  pm_record_format(pm_record_find_field(pm_record_type_find("memory_run"), "precision"), &q->run, precision);
  if (q->run.ranks > 1) snprintf(ranks, sizeof ranks, ", %d data-parallel GPUs", q->run.ranks);
  snprintf(line, sizeof line, "Batch %s per GPU%s, %s, %s%s%s", pm_number_format(number, q->run.batch), ranks,
           precision, q->run.inference ? "" : q->optimizer.name, q->run.inference ? "" : "; ", q->profile.name);
  print_wrapped(stream, line, 0, 0, width);
}

void print_memory_parts(FILE *stream, const pm_memory_use *use, bool inference)
{
  print_part(stream, inference ? "activations" : "saved activations", use->activations, use->total);
  print_part(stream, "live gradients", use->live_gradients, use->total);
  print_part(stream, "held by the allocator", use->allocator, use->total);
  print_part(stream, "weights", use->weights, use->total);
  print_part(stream, "gradients of weights", use->gradients, use->total);
  print_part(stream, "optimizer", use->optimizer, use->total);
  print_part(stream, "communication", use->communication, use->total);
  print_part(stream, "next input", use->input, use->total);
  print_part(stream, "workspace", use->workspace, use->total);
  print_part(stream, "context", use->context, use->total);
}

void print_memory_verdict(FILE *stream, const char *total_name, const char *batch_name, const pm_memory_use *use)
{
  static const char *const words[] = {"not known whether it fits", "fits",
                                      "tight: within 8 %, the framework's release decides", "does not fit"};
  char total[QUANTITY], usable[QUANTITY], missing[QUANTITY], sample[QUANTITY];
  char number[PM_NUMBER_MAX], safe[PM_NUMBER_MAX];
  fprintf(stream, "  %-*s%s of %s: %s", LABEL - 2, total_name, quantity(total, use->total), quantity(usable, use->usable),
          words[use->verdict]);
  if (use->missing > 0) fprintf(stream, ", %s too much", quantity(missing, use->missing));
  fprintf(stream, "\n  %-*s%s (%s to be safe), %s each\n", LABEL - 2, batch_name,
          pm_number_format(number, use->largest_batch), pm_number_format(safe, use->safe_batch),
          quantity(sample, use->sample));
  if (use->host > 0) fprintf(stream, "  %-*s%s for each GPU\n", LABEL - 2, "on the host", quantity(total, use->host));
}

/* All optimizers of the catalogue. */
static size_t find_optimizers(const pm_catalog *catalog, pm_optimizer *optimizers)
{
  size_t count = 0;
  const char *id;
  for (size_t i = 0; count < OPTIMIZERS && (id = pm_catalog_get_id(catalog, "optimizers", i)) != NULL; i++)
    count += pm_catalog_get_record(catalog, "optimizer", id, &optimizers[count], NULL) == PM_OK;
  return count;
}

enum { LEAST_SHOWN = 3 };

/* The changes after which it fits, or fits better; where none is enough by itself, those that save most. */
static int pick_advice(const question *q, pm_memory_advice *rows, int count)
{
  int helping = 0;
  if (q->use.verdict == PM_VERDICT_UNKNOWN) return count;
  for (int i = 0; i < count; i++)
    if (rows[i].verdict < q->use.verdict) rows[helping++] = rows[i];
  return helping;
}

static void print_advice(FILE *stream, const question *q)
{
  pm_optimizer optimizers[OPTIMIZERS];
  pm_memory_advice rows[ADVICE];
  char total[QUANTITY], number[PM_NUMBER_MAX], verdict[PM_TEXT_MAX];
  const pm_field *field = pm_record_find_field(pm_record_type_find("memory_advice"), "verdict");
  int count = pm_memory_get_advice(q->plan, &q->run, optimizers, find_optimizers(q->catalog, optimizers), rows, ADVICE,
                                   NULL);
  int helping = pick_advice(q, rows, count);
  if (helping > 0) fputs("\nWhat would help\n", stream);
  else if (count > 0) fputs("\nNo single change is enough; these save most\n", stream);
  count = helping > 0 ? helping : count < LEAST_SHOWN ? count : LEAST_SHOWN;
  for (int i = 0; i < count; i++)
    fprintf(stream, "  %-36s%10s  %-12s  largest batch %s\n", rows[i].change, quantity(total, rows[i].total),
            pm_record_format(field, &rows[i], verdict), pm_number_format(number, rows[i].largest_batch));
}

static int write_report(const cli_request *request, const question *q)
{
  cli_page page;
  int width = output_width(request);
  if (!page_open(&page)) return fail_memory();
  print_title(page.stream, q, width > 0 && width < 100 ? (size_t)width : 100);
  fputc('\n', page.stream);
  print_memory_verdict(page.stream, "total", "largest batch", &q->use);
  fputs("\nParts\n", page.stream);
  print_memory_parts(page.stream, &q->use, q->run.inference);
  if (q->use.verdict != PM_VERDICT_FITS) print_advice(page.stream, q);
  return page_write(&page, request);
}

/* ---- Tables ---- */

static int write_row(const cli_request *request, const question *q)
{
  pm_error error = PM_ERROR_NONE;
  pm_network_totals totals;
  pm_network_get_totals(q->network, &totals, &error);
  const char *const names[] = {"network", "gpu", "framework", "optimizer"};
  const char *const values[] = {totals.id, q->gpu.id, q->profile.id, q->optimizer.id};
  pm_table *table = pm_table_new(1, &error);
  int status = table != NULL ? PM_OK : PM_STATUS_NO_MEMORY;
  for (int i = 0; i < 4 && status == PM_OK; i++) status = pm_table_add_text(table, names[i], "", &values[i], &error);
  if (status == PM_OK) status = pm_table_add_records(table, pm_record_type_find("memory_run"), &q->run, &error);
  pm_table_drop(table, "usable"); /* is among the next */
  if (status == PM_OK) status = pm_table_add_records(table, pm_record_type_find("memory_use"), &q->use, &error);
  if (status == PM_OK) return write_table(request, table, &error);
  pm_table_free(table);
  return fail_error(&error);
}

static void sum(const pm_layer_memory *rows, int count, pm_layer_memory *total)
{
  pm_record_clear(pm_record_type_find("layer_memory"), total);
  snprintf(total->name, PM_TEXT_MAX, "total");
  total->weights = total->written = total->saved = total->further = 0;
  for (int i = 0; i < count; i++) {
    total->weights += rows[i].weights;
    total->written += rows[i].written;
    total->saved += rows[i].saved;
    total->further += rows[i].further;
  }
}

static pm_table *layer_table(const question *q, pm_error *error)
{
  int count = pm_network_count_layers(q->network);
  pm_layer_memory *rows = (pm_layer_memory *)calloc((size_t)count + 1, sizeof *rows);
  pm_table *table = NULL;
  if (rows != NULL &&
      pm_memory_get_layers(q->network, &q->profile, q->run.batch, q->run.precision, rows, error) == PM_OK) {
    sum(rows, count, &rows[count]);
    table = table_with_total("layer_memory", rows, (size_t)count + 1, error);
  }
  free(rows);
  return table;
}

static int answer(const cli_request *request, question *q)
{
  pm_error error = PM_ERROR_NONE;
  if (request->value[OPTION_LAYERS] != NULL) return write_table(request, layer_table(q, &error), &error);
  q->plan = pm_memory_plan_new(q->network, &q->profile, &q->optimizer, &error);
  if (q->plan == NULL || pm_memory_check(q->plan, &q->run, &error) != PM_OK) return fail_error(&error);
  if (pm_memory_evaluate(q->plan, &q->run, &q->use, 1) != PM_OK) return fail(CODE_INTERNAL, "the memory is not known");
  return is_report(request) ? write_report(request, q) : write_row(request, q);
}

static int run(const cli_request *request)
{
  question q;
  memset(&q, 0, sizeof q);
  if (is_memory_of_plan(request)) return memory_of_plan(request);
  int code = read_run(request, &q.run);
  if (code != CODE_DONE) return code;
  q.catalog = open_catalog(request, &code);
  if (code == CODE_DONE) code = find_all(request, &q);
  if (code == CODE_DONE) code = answer(request, &q);
  pm_memory_plan_free(q.plan);
  pm_network_free(q.network);
  pm_catalog_free(q.catalog);
  return code;
}

static const cli_option options[] = {
  {OPTION_BATCH, '\0', "batch", "N", "samples per GPU and step (default 32)"},
  {OPTION_PRECISION, '\0', "precision", "NAME", "fp32 (default), fp16 (mixed), ...; see perfmodel list precisions"},
  {OPTION_OPTIMIZER, '\0', "optimizer", "NAME", "default momentum; see perfmodel list optimizers"},
  {OPTION_FRAMEWORK, '\0', "framework", "NAME", "how memory is handled (default pytorch); see perfmodel list "
                                                "memory_profiles"},
  {OPTION_RANKS, '\0', "dp", "N", "data-parallel GPUs (default 1)"},
  {OPTION_ZERO, '\0', "zero", "0|1|2|3", "share out over them: 1 the optimizer's state, 2 gradients too, 3 weights "
                                         "too"},
  {OPTION_RECOMPUTE, '\0', "recompute", "none|selective|full|operations", "what the backward pass computes again (default none)"},
  {OPTION_FIELDS, '\0', "run", NULL,
   "gpus nodes batch precision overlap kernel_model epoch_samples parallelism optimizer gradient_accumulation_steps input_rate "
   "no_prefetch usable_memory ignore_memory zero recompute rank_order"},
  {OPTION_GLOBAL_BATCH, '\0', "global-batch", "N", "samples per step over all GPUs, instead of --batch"},
  {OPTION_INFERENCE, '\0', "inference", NULL, "forward pass only"},
  {OPTION_SET, '\0', "set", "NAME=VALUE", "give a parameter of the network another value, such as image=299; may be "
                                          "repeated"},
  {OPTION_LAYERS, '\0', "layers", NULL, "print what every layer keeps instead"},
  COLUMNS_OPTION,
  {OPTION_COUNT, '\0', NULL, NULL, NULL},
};

const cli_command memory_command = {
  "memory", "NETWORK GPU|SYSTEM", "says what a step keeps on one GPU, whether it fits, and the largest batch",
  "Adds up the memory of one GPU at the peak of a training step: weights, gradients, optimizer, the activations that "
  "the backward pass needs, what the allocator and the framework hold besides. Compares it with the memory that the GPU's "
  "driver reports; published memory use spreads by about 8 %, so within that the verdict is tight.\n\n"
  "With --tp, --pp or another option of a parallel plan it is the memory of the heaviest rank, and of every stage of the "
  "pipeline; the system says how many GPUs a node has, the plan how many there are.\n\n"
  "As a table this is a report to read, with what would help if it does not fit; as csv or json it is one row with all "
  "values, in bytes.",
  "perfmodel memory resnet152 rtx-2080-ti --batch 64", options, 2, 2, run};
