/* perfmodel size: the choices and the front, as tables and for people. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "size_answer.h"

enum { FRONT_MOST = 4096, LABEL = 18, QUANTITY = 80 };

/* ---- The answer as a table ---- */

static int by_rank(const void *a, const void *b)
{
  const pm_size_choice *x = (const pm_size_choice *)a, *y = (const pm_size_choice *)b;
  int left = x->rank > 0 ? x->rank : INT32_MAX, right = y->rank > 0 ? y->rank : INT32_MAX;
  if (left != right) return left < right ? -1 : 1;
  if (x->reached != y->reached && !isnan(x->reached) && !isnan(y->reached)) return x->reached > y->reached ? -1 : 1;
  return x->choice < y->choice ? -1 : x->choice > y->choice;
}

static bool replicas(const size_question *q)
{
  return q->runs.facts->replicas != 0;
}

/* For people without the time that only epochs have, and of replicas without the bottleneck. */
static pm_table *table_of(const size_question *q, const pm_size_choice *rows, size_t count, bool wide, pm_error *error)
{
  pm_table *table = pm_table_new_of_records(pm_record_type_find("size_choice"), rows, count, error);
  if (!wide && !replicas(q) && isnan(q->goal.within)) pm_table_drop(table, "time");
  if (!wide && !replicas(q) && isnan(q->goal.within)) pm_table_drop(table, "gpu_hours");
  if (!wide && replicas(q)) pm_table_drop(table, "bottleneck");
  return table;
}

/* ---- The answer for people ---- */

static const char *quantity(char *buffer, double value, const char *unit)
{
  return pm_quantity_format(buffer, QUANTITY, value, unit);
}

static const char *duration(char *buffer, double seconds)
{
  if (isnan(seconds) || seconds < 120) return quantity(buffer, seconds, "s");
  if (seconds < 7200) snprintf(buffer, QUANTITY, "%.1f min", seconds / 60);
  else if (seconds < 172800) snprintf(buffer, QUANTITY, "%.2f h", seconds / 3600);
  else snprintf(buffer, QUANTITY, "%.2f d", seconds / 86400);
  return buffer;
}

static const char *amount(char *buffer, double value)
{
  if (isnan(value)) snprintf(buffer, QUANTITY, "unknown");
  else snprintf(buffer, QUANTITY, "%.0f", value);
  return buffer;
}

static void print_title(FILE *stream, const size_question *q)
{
  char time[QUANTITY];
  pm_network_totals totals;
  const pm_choice *what = pm_record_find_field(pm_record_type_find("size_goal"), "minimize")->choices;
  const char *name = pm_network_get_totals(q->network, &totals, NULL) == PM_OK ? totals.name : "the network";
  if (replicas(q)) {
    const char *task = q->runs.facts->name;
    fprintf(stream, "%c%s of %s at %.0f samples/s or more", toupper(task[0]), task + 1, name, q->goal.rate);
    if (!isnan(q->goal.latency)) fprintf(stream, ", calls within %s", quantity(time, q->goal.latency, "s"));
  } else if (!isnan(q->goal.rate)) fprintf(stream, "Training %s at %.0f samples/s or more", name, q->goal.rate);
  else
    fprintf(stream, "Training %s: %g epochs of %s within %s", name, q->goal.epochs, q->dataset.name,
            duration(time, q->goal.within));
  fprintf(stream, ", with the least %s\n", what[q->goal.minimize].name);
}

static void print_band(FILE *stream, const pm_size_choice *best)
{
  if (best->nodes_least > 0 && best->nodes_safe > 0)
    fprintf(stream, " (80 %% prediction interval: %d to %d)", best->nodes_least, best->nodes_safe);
  else if (best->nodes_least > 0)
    fprintf(stream, " (80 %% prediction interval: from %d to more than was tried)", best->nodes_least);
}

static void print_power(FILE *stream, const size_question *q, const pm_size_choice *best)
{
  char a[QUANTITY], b[QUANTITY], c[QUANTITY];
  fprintf(stream, "  %-*s%s at PUE %g (GPUs alone %s), %s rack units\n", LABEL, "power and space",
          quantity(a, best->power, "W"), q->goal.pue, quantity(b, best->gpu_power, "W"), amount(c, best->rack_units));
}

static void print_nodes(FILE *stream, const size_question *q, const pm_size_choice *best)
{
  int32_t system = (int32_t)run_number(&q->runs, (size_t)best->choice, "system_index");
  fprintf(stream, "\n%d x %s", best->nodes, pm_system_get_machine(q->systems[system])->name);
}

static void print_best(FILE *stream, const size_question *q, const pm_size_choice *best)
{
  char a[QUANTITY];
  const pm_choice *limits = pm_record_find_field(pm_record_type_find("size_choice"), "bottleneck")->choices;
  print_nodes(stream, q, best);
  print_band(stream, best);
  fprintf(stream, "\n  %-*s%.0f samples/s", LABEL, "rate", best->throughput);
  if (!isnan(best->time)) fprintf(stream, ", %s", duration(a, best->time));
  if (!isnan(best->gpu_hours)) fprintf(stream, ", %s GPU-hours", quantity(a, best->gpu_hours, "1"));
  fprintf(stream, "; %.2f times the target\n", best->reached);
  fprintf(stream, "  %-*s%s\n", LABEL, "bottleneck", limits[best->bottleneck].name);
  if (!isnan(best->efficiency))
    fprintf(stream, "  %-*s%.1f %% of as many GPUs alone\n", LABEL, "scaling", 100 * best->efficiency);
  print_power(stream, q, best);
}

static void print_price(FILE *stream, const cli_request *request, const size_question *q, const pm_size_choice *best)
{
  char text[QUANTITY];
  const char *date = request->value[OPTION_PRICE_DATE];
  if (q->prices.count == 0) return;
  fprintf(stream, "  %-*s%s %s for the nodes, prices %s%s\n", LABEL, "price", amount(text, best->cost),
          q->prices.currency, date != NULL ? "of " : "without a date", date != NULL ? date : "");
}

static void print_memory(FILE *stream, const pm_size_choice *best)
{
  char a[QUANTITY];
  const pm_choice *verdicts = pm_record_find_field(pm_record_type_find("size_choice"), "verdict")->choices;
  fprintf(stream, "  %-*sbatch %.0f takes %s of a GPU: %s\n", LABEL, "memory", best->batch,
          quantity(a, best->memory, "B"), verdicts[best->verdict].name);
}

static void print_rest(FILE *stream, const size_question *q, const pm_size_choice *best)
{
  char a[QUANTITY], b[QUANTITY];
  const pm_choice *stages = pm_record_find_field(pm_record_type_find("size_choice"), "input_bottleneck")->choices;
  fprintf(stream, "  %-*smust give %s, nothing cached", LABEL, "storage", quantity(a, best->storage_rate, "B/s"));
  if (q->setup.inputs != NULL)
    fprintf(stream, "; %s can supply %s nodes; slowest: %s", q->inputs[best->choice].storage.name,
            amount(b, best->storage_nodes), stages[best->input_bottleneck].doc);
  fprintf(stream, "\n  %-*s%s switch%s, %s cables\n", LABEL, "network", amount(a, best->switches),
          best->switches == 1 ? "" : "es", amount(b, best->cables));
  print_memory(stream, best);
}

/* The best of replicas, which have no counts to compare. */
static void print_replicas(FILE *stream, const cli_request *request, const size_question *q, const pm_size_choice *best)
{
  char time[QUANTITY];
  print_nodes(stream, q, best);
  fprintf(stream, "\n  %-*s%.0f samples/s; %.2f times the target\n", LABEL, "rate", best->throughput, best->reached);
  fprintf(stream, "  %-*s%s for a call of %.0f samples, queues and copies not in it\n", LABEL, "latency",
          quantity(time, best->latency, "s"), best->batch);
  print_power(stream, q, best);
  print_price(stream, request, q, best);
  print_memory(stream, best);
  if (best->rank == 0) fprintf(stream, "\nThe target is not reached with up to %d nodes.\n", q->goal.max_nodes);
}

static void print_next(FILE *stream, const size_question *q, const pm_size_choice *best)
{
  pm_size_choice next;
  char time[QUANTITY];
  if (pm_size_find_next(&q->setup, &q->goal, best, &next, NULL) != PM_OK) {
    fputs("\nNothing takes less.\n", stream);
    return;
  }
  fprintf(stream, "\nNext cheaper: %d x %s, batch %.0f: %.0f samples/s", next.nodes, next.system, next.batch,
          next.throughput);
  if (!isnan(next.time)) fprintf(stream, ", %s", duration(time, next.time));
  if (next.reached < 1) fprintf(stream, "; misses by %.1f %%\n", 100 * (1 - next.reached));
  else fputs("; reaches it too\n", stream);
}

/* What was assumed of the best choice, whose nodes are found. */
static void print_best_assumed(FILE *stream, const size_question *q)
{
  char text[ASSUMED];
  pm_given given = q->runs.given;
  if (!isnan(q->goal.global_batch)) {
    given.global_batch = 1;
    pm_given_add(&given, "run", "batch");
  }
  print_assumed(stream, assumed_of(q->study, &given, run_at(&q->runs, (size_t)q->choices[0].choice), text));
}

static void print_answer(FILE *stream, const cli_request *request, const size_question *q)
{
  const pm_size_choice *best = &q->choices[0];
  if (best->nodes > 0 && replicas(q)) {
    print_replicas(stream, request, q, best);
  } else if (best->nodes > 0) {
    print_best(stream, q, best);
    print_price(stream, request, q, best);
    print_rest(stream, q, best);
    if (best->rank > 0) print_next(stream, q, best);
    else fprintf(stream, "\nThe target is not reached: this is the fastest of up to %d nodes.\n", q->goal.max_nodes);
  } else if (replicas(q)) {
    fputs("\nNothing reaches the target: no call of one sample is within the latency.\n", stream);
  }
}

static int write_report(const cli_request *request, const size_question *q)
{
  pm_error error = PM_ERROR_NONE;
  cli_page page;
  pm_table *table = table_of(q, q->choices, q->setup.count, false, &error);
  char *text = table != NULL ? pm_table_format(table, PM_FORMAT_TABLE, output_width(request), &error) : NULL;
  pm_table_free(table);
  if (text == NULL) return fail_error(&error);
  if (!page_open(&page)) return pm_string_free(text), fail_memory();
  print_title(page.stream, q);
  print_best_assumed(page.stream, q);
  fputc('\n', page.stream);
  fputs(text, page.stream);
  pm_string_free(text);
  print_answer(page.stream, request, q);
  return page_write(&page, request);
}

static int write_front(const cli_request *request, const size_question *q)
{
  pm_error error = PM_ERROR_NONE;
  pm_size_choice *rows = (pm_size_choice *)calloc(FRONT_MOST, sizeof *rows);
  if (rows == NULL) return fail_memory();
  int count = pm_size_find_front(&q->setup, &q->goal, rows, FRONT_MOST, &error);
  int code = count < 0 ? fail_error(&error) : CODE_DONE;
  if (count >= 0) {
    pm_table *table = table_of(q, rows, (size_t)count, !is_report(request), &error);
    if (is_report(request) && table != NULL) pm_table_drop(table, "rank");
    code = write_table(request, table, &error);
  }
  free(rows);
  return code;
}

int size_answer(const cli_request *request, size_question *q)
{
  pm_error error = PM_ERROR_NONE;
  if (request->value[OPTION_PARETO] != NULL) return write_front(request, q);
  if (pm_size_evaluate(&q->setup, &q->goal, q->choices, &error) != PM_OK) return fail_error(&error);
  qsort(q->choices, q->setup.count, sizeof *q->choices, by_rank);
  int code = is_report(request)
               ? write_report(request, q)
               : write_table(request, table_of(q, q->choices, q->setup.count, true, &error), &error);
  return code == CODE_DONE && q->choices[0].rank == 0 ? CODE_CONSTRAINT : code;
}
