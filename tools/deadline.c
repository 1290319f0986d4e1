/* perfmodel search --within: how many GPUs train a network within a time. */
#include "deadline.h"
#include <math.h>
#include <string.h>
#include "price.h"

enum { SHOWN = 24 };

bool deadline_wanted(const cli_request *request)
{
  return request->value[OPTION_WITHIN] != NULL;
}

/* ---- What is asked ---- */

static const struct {
  option_id id;
  const char *field;
} goals[] = {{OPTION_WITHIN, "within"},
             {OPTION_TOKENS, "tokens"},
             {OPTION_SAMPLES, "samples"},
             {OPTION_MAX_NODES, "max_nodes"},
             {OPTION_GPU_MTBF, "gpu_mtbf"},
             {OPTION_NODE_MTBF, "node_mtbf"},
             {OPTION_CHECKPOINT_RATE, "checkpoint_rate"},
             {OPTION_CHECKPOINT, "checkpoint"},
             {OPTION_RESTART, "restart"},
             {OPTION_INTERVAL, "interval"},
             {OPTION_PUE, "pue"},
             {OPTION_GPU_HOUR_PRICE, "gpu_hour_price"}};

static int read_goal(const cli_request *request, const cli_deadline *d, cli_prices *prices, pm_training_goal *goal)
{
  const pm_record_type *type = pm_record_type_find("training_goal");
  *goal = pm_training_goal_make();
  for (size_t i = 0; i < sizeof goals / sizeof goals[0]; i++) {
    pm_error error = PM_ERROR_NONE;
    const char *text = request->value[goals[i].id];
    if (text != NULL && pm_record_set(pm_record_find_field(type, goals[i].field), goal, text, &error) != PM_OK)
      return fail(CODE_USAGE, "%s", error.text);
  }
  int code = read_prices(request, d->catalog, prices);
  goal->price = price_of(prices, pm_system_get_machine(d->system)->id);
  return code;
}

/* ---- What is answered ---- */

static double number_at(const pm_table *table, const char *name, size_t row)
{
  for (size_t i = 0; i < pm_table_count_columns(table); i++)
    if (strcmp(pm_table_get_column(table, i)->name, name) == 0) return pm_table_get_numbers(table, i)[row];
  return NAN;
}

/* "2.5 h", in one of the caller's texts. */
typedef char duration[24];

static const char *of(double seconds, char *text)
{
  return pm_quantity_format(text, sizeof(duration), seconds, "s");
}

static void print_answer(FILE *stream, const cli_deadline *d, const pm_training_goal *goal, const pm_table *table)
{
  duration a, b, c;
  size_t last = pm_table_count_rows(table) - 1;
  const char *machine = pm_system_get_machine(d->system)->name;
  double nodes = number_at(table, "nodes", last), gpus = number_at(table, "gpus", last),
      time = number_at(table, "time", last);
  if (number_at(table, "reached", last) >= 1)
    fprintf(stream, "%.0f nodes, %.0f GPUs (%s) train within %s: %s\n", nodes, gpus, machine, of(goal->within, a),
            of(time, b));
  else fprintf(stream, "No count of at most %d nodes (%s) trains within %s\n", goal->max_nodes, machine,
               of(goal->within, a));
  double mtbf = number_at(table, "mtbf", last);
  if (isfinite(mtbf))
    fprintf(stream, "A failure every %s, a checkpoint every %s that takes %s: %.1f %% of the time is training\n",
            of(mtbf, a),
            of(number_at(table, "interval", last), b), of(number_at(table, "checkpoint", last), c),
            100 * number_at(table, "goodput", last));
}

/* What no plan differs in: precision and optimizer. */
static void print_numbers_assumed(FILE *stream, const cli_deadline *d)
{
  int kept = 0;
  char text[ASSUMED];
  pm_run run = *d->base;
  pm_assumption rows[PM_ASSUMPTIONS_MAX];
  if (pm_study_complete(d->study, d->given, &run, &run, sizeof run, 1, NULL) != PM_OK) return;
  int count = pm_study_get_assumptions(d->study, d->given, &run, sizeof run, rows);
  for (int i = 0; i < count; i++)
    if (strcmp(rows[i].field, "precision") == 0 || strcmp(rows[i].field, "optimizer") == 0) rows[kept++] = rows[i];
  print_assumed(stream, pm_assumptions_format(rows, kept, text, sizeof text));
}

/* What it takes, as far as it is known. */
static void print_amounts(FILE *stream, const cli_prices *prices, const pm_table *table)
{
  char text[PM_TEXT_MAX];
  size_t last = pm_table_count_rows(table) - 1;
  double energy = number_at(table, "energy", last), cost = number_at(table, "cost", last);
  double hours = number_at(table, "gpu_hour_cost", last);
  fprintf(stream, "%.0f GPU-hours", number_at(table, "gpu_hours", last));
  if (!isnan(energy)) fprintf(stream, ", %s", pm_quantity_format(text, sizeof text, energy, "J"));
  if (!isnan(hours)) fprintf(stream, ", which cost %.0f", hours);
  if (!isnan(cost)) fprintf(stream, "; nodes for %.0f %s", cost, prices->currency);
  fputs("\n\n", stream);
}

static int write_report(const cli_request *request, const cli_deadline *d, const cli_prices *prices,
                        const pm_training_goal *goal,
                        const pm_table *table)
{
  cli_page page;
  pm_error error = PM_ERROR_NONE;
  char *text = pm_table_format_rows(table, output_width(request), SHOWN, 0, &error);
  if (text == NULL) return fail_error(&error);
  bool open = page_open(&page);
  if (open) {
    print_answer(page.stream, d, goal, table);
    print_numbers_assumed(page.stream, d);
    print_amounts(page.stream, prices, table);
    fputs(text, page.stream);
  }
  pm_string_free(text);
  return open ? page_write(&page, request) : fail_memory();
}

int deadline_answer(const cli_request *request, const cli_deadline *d)
{
  cli_prices prices;
  pm_training_goal goal;
  pm_error error = PM_ERROR_NONE;
  memset(&prices, 0, sizeof prices);
  int code = read_goal(request, d, &prices, &goal);
  if (code != CODE_DONE) return code;
  pm_table *table = pm_study_tabulate_training(d->study, d->given, d->base, d->global_batch, &goal, &error);
  if (table == NULL) return fail_error(&error);
  bool met = number_at(table, "reached", pm_table_count_rows(table) - 1) >= 1;
  if (!is_report(request)) code = write_table(request, table, &error);
  else {
    code = write_report(request, d, &prices, &goal, table);
    pm_table_free(table);
  }
  return code == CODE_DONE && !met ? CODE_CONSTRAINT : code;
}
