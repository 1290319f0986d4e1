/* perfmodel rings: the rings that collectives use on some GPUs of a system. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "group.h"

typedef struct ring_row {
  int32_t cycle;
  char order[PM_TEXT_MAX];
  double weight;
} ring_row;

static const pm_field fields[] = {
  {"cycle", "1", "number of the cycle", offsetof(ring_row, cycle), .kind = PM_FIELD_INT},
  {"order", "", "GPUs in the order of the ring", offsetof(ring_row, order), .kind = PM_FIELD_TEXT},
  {"weight", "1", "directed rings over it, in links", offsetof(ring_row, weight), .kind = PM_FIELD_REAL},
};

static const pm_record_type row_type = {"ring_row", "", sizeof(ring_row), fields, sizeof fields / sizeof fields[0]};

static int cycle_count(const pm_group *group)
{
  int count = 0;
  while (!isnan(pm_group_get_cycle(group, count, NULL))) count++;
  return count;
}

/* "0 3 2 1"; a long order ends in "...". */
static void write_order(const int *order, int gpus, char *text)
{
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < gpus; i++) {
    if (used + 12 >= PM_TEXT_MAX) {
      snprintf(text + used, PM_TEXT_MAX - used, " ...");
      return;
    }
    used += (size_t)snprintf(text + used, PM_TEXT_MAX - used, "%s%d", i > 0 ? " " : "", order[i]);
  }
}

static void print_order(FILE *stream, const int *order, int gpus)
{
  for (int i = 0; i < gpus; i++) fprintf(stream, "%s%d", i > 0 ? ", " : "", order[i]);
}

static int write_json(const cli_request *request, const pm_system *system, const pm_group *group, int *order)
{
  cli_page page;
  char number[PM_NUMBER_MAX];
  const pm_group_facts facts = pm_group_get_facts(group);
  int count = cycle_count(group);
  if (!page_open(&page)) return fail_memory();
  fprintf(page.stream, "{\n  \"system\": \"%s\",\n  \"gpus\": %d,\n", pm_system_get_machine(system)->id, facts.gpus);
  fprintf(page.stream, "  \"directed_rings\": %s,\n", pm_number_format(number, facts.rings));
  fprintf(page.stream, "  \"bandwidth\": %s,\n",
          isinf(facts.ring_bandwidth) ? "null" : pm_number_format(number, facts.ring_bandwidth));
  fprintf(page.stream, "  \"over\": \"%s\",\n  \"cycles\": [", facts.medium);
  for (int i = 0; i < count; i++) {
    double weight = pm_group_get_cycle(group, i, order);
    fprintf(page.stream, "%s\n    {\"order\": [", i > 0 ? "," : "");
    print_order(page.stream, order, facts.gpus);
    fprintf(page.stream, "], \"weight\": %s}", pm_number_format(number, weight));
  }
  fprintf(page.stream, "%s]\n}\n", count > 0 ? "\n  " : "");
  return page_write(&page, request);
}

static pm_table *cycle_table(const pm_group *group, int *order, pm_error *error)
{
  int count = cycle_count(group);
  ring_row *rows = (ring_row *)calloc((size_t)count + 1, sizeof *rows);
  for (int i = 0; rows != NULL && i < count; i++) {
    rows[i].cycle = i;
    rows[i].weight = pm_group_get_cycle(group, i, order);
    write_order(order, pm_group_get_facts(group).gpus, rows[i].order);
  }
  pm_table *table = rows != NULL ? pm_table_new_of_records(&row_type, rows, (size_t)count, error) : NULL;
  free(rows);
  return table;
}

static int write_text(const cli_request *request, const pm_system *system, const pm_group *group, pm_table *table)
{
  cli_page page;
  pm_error error = PM_ERROR_NONE;
  char rate[PM_TEXT_MAX], number[PM_NUMBER_MAX];
  char *text = table != NULL ? pm_table_format(table, PM_FORMAT_TABLE, output_width(request), &error) : NULL;
  pm_table_free(table);
  if (text == NULL) return fail_memory();
  if (!page_open(&page)) return pm_string_free(text), fail_memory();
  const pm_group_facts facts = pm_group_get_facts(group);
  double rings = facts.rings;
  pm_quantity_format(rate, sizeof rate, facts.ring_bandwidth, "B/s");
  fprintf(page.stream, "%d GPUs of %s: ", facts.gpus, pm_system_get_machine(system)->id);
  if (facts.gpus == 1) fprintf(page.stream, "nothing to connect\n");
  else if (rings > 0)
    fprintf(page.stream, "%s directed rings over %s, %s of bus bandwidth\n\n%s", pm_number_format(number, rings),
            facts.medium, rate, text);
  else
    fprintf(page.stream, "no ring over GPU links; one ring over PCIe and the CPUs, %s of bus bandwidth\n\n%s", rate,
            text);
  if (rings > 0 && facts.rings_most > rings * (1 + 1e-9))
    fprintf(page.stream, "\nBeyond 16 GPUs the search is bounded: there may be more, but no more than %s.\n",
            pm_number_format(number, facts.rings_most));
  pm_string_free(text);
  return page_write(&page, request);
}

/* What a ring over PCIe is worth in the order that the user gives. */
static int write_order_cost(const cli_request *request, const pm_system *system, const gpu_list *list)
{
  cli_page page;
  double bandwidth;
  pm_error error = PM_ERROR_NONE;
  char rate[PM_TEXT_MAX];
  if (pm_ring_find_in_order(system, list->gpu, list->count, &bandwidth, &error) != PM_OK) return fail_error(&error);
  if (!page_open(&page)) return fail_memory();
  fprintf(page.stream, "a ring over PCIe in this order: %s of bus bandwidth\n",
          pm_quantity_format(rate, sizeof rate, bandwidth, "B/s"));
  return page_write(&page, request);
}

static int write_rings(const cli_request *request, const pm_system *system, const pm_group *group)
{
  pm_error error = PM_ERROR_NONE;
  int *order = (int *)calloc((size_t)pm_group_get_facts(group).gpus, sizeof *order);
  if (order == NULL) return fail_memory();
  int code;
  if (request->format == PM_FORMAT_JSON) code = write_json(request, system, group, order);
  else {
    pm_table *table = cycle_table(group, order, &error);
    code = request->format == PM_FORMAT_CSV ? write_table(request, table, &error)
                                            : write_text(request, system, group, table);
  }
  free(order);
  return code;
}

static int in_order(const cli_request *request, const pm_system *system)
{
  gpu_list list;
  if (!read_gpu_list(request, system, &list)) return CODE_USAGE;
  if (list.gpu == NULL) return fail(CODE_USAGE, "--in-order needs --gpus with the order, such as 0,2,1,3");
  int code = write_order_cost(request, system, &list);
  free(list.gpu);
  return code;
}

static int answer(const cli_request *request, const pm_system *system)
{
  int code;
  if (request->value[OPTION_IN_ORDER] != NULL) return in_order(request, system);
  pm_group *group = open_group(request, system, &code);
  if (group != NULL) code = write_rings(request, system, group);
  pm_group_free(group);
  return code;
}

static int run(const cli_request *request)
{
  return on_system(request, answer);
}

static const cli_option options[] = {
  {OPTION_GPUS, '\0', "gpus", "N|LIST", "the first N GPUs, or these: 0,1,2,3 (default all)"},
  {OPTION_IN_ORDER, '\0', "in-order", NULL, "print the bandwidth of a ring over PCIe in the order of --gpus instead"},
  COLUMNS_OPTION,
  {OPTION_COUNT, '\0', NULL, NULL, NULL},
};

const cli_command rings_command = {
  "rings", "SYSTEM", "finds the rings that collectives use",
  "Packs directed rings through the chosen GPUs into the links between them, counting parallel links, and prints "
  "their number, their bandwidth and each cycle with its weight in links. Over NVLink switches the ring is as wide "
  "as a GPU's port. GPUs without such links get one ring over PCIe and the CPUs, ordered by distance.",
  "perfmodel rings dgx1-v100 --gpus 0,1,2,3", options, 1, 1, run};
