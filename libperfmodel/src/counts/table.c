/* Counts of a network as a table. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "counts/counts.h"
#include "network/network.h"
#include "perfmodel/hardware.h"

int pm_counts_view_find(const char *name)
{
#define VIEW_NAME(name, text, doc) text,
  static const char *const names[] = {PM_COUNTS_VIEW_LIST(VIEW_NAME)};
#undef VIEW_NAME
  for (int i = 0; name != NULL && i < PM_COUNTS_VIEW_COUNT; i++)
    if (strcmp(names[i], name) == 0) return i;
  return -1;
}

/* ---- Rows of layers ---- */

static pm_counts from_layer(const pm_layer *layer)
{
  pm_counts row = pm__counts_none(layer->name, layer->kind);
  row.layers = 1;
  memcpy(row.input, layer->input, sizeof row.input);
  memcpy(row.output, layer->output, sizeof row.output);
  row.parameters = layer->parameters;
  row.mac = layer->mac;
  row.flop = layer->flop;
  row.training_flop = layer->training_flop;
  row.mac_bnl = layer->mac_bnl;
  row.bytes_in = layer->bytes_in;
  row.bytes_out = layer->bytes_out;
  row.bytes_parameters = layer->bytes_parameters;
  return row;
}

/* Unknown without a profile, and at a precision that cannot be trained in. */
static int find_saved(const pm_network *network, const pm_counts_question *q, pm_counts *rows, size_t count,
                      pm_error *error)
{
  bool known = q->profile != NULL && pm_precision_get_bytes(q->precision) >= 2;
  pm_layer_memory *memory = known ? (pm_layer_memory *)calloc(count + 1, sizeof *memory) : NULL;
  if (known && memory == NULL) return pm__no_memory(error);
  int status = known ? pm_memory_get_layers(network, q->profile, q->batch, q->precision, memory, error) : PM_OK;
  for (size_t i = 0; i < count && status == PM_OK; i++) rows[i].saved = known ? memory[i].saved : (double)NAN;
  free(memory);
  return status;
}

/* One row per layer, and room for one more. */
static int find_layers(const pm_network *network, const pm_counts_question *q, pm__counts_list *list, pm_error *error)
{
  size_t count = (size_t)pm_network_count_layers(network);
  pm_layer *layers = (pm_layer *)calloc(count + 1, sizeof *layers);
  list->rows = (pm_counts *)calloc(count + 1, sizeof *list->rows);
  int status = layers != NULL && list->rows != NULL ? PM_OK : pm__no_memory(error);
  if (status == PM_OK) status = pm__network_get_layers(network, q->batch, q->precision, layers, error);
  for (; status == PM_OK && list->count < count; list->count++)
    list->rows[list->count] = from_layer(&layers[list->count]);
  free(layers);
  return status == PM_OK ? find_saved(network, q, list->rows, count, error) : status;
}

/* Appends the sum of the layers, then relates all rows to it. There is room for it. */
static void finish(pm__counts_list *list, const pm__counts_list *layers, bool by_kind)
{
  pm_counts total = pm__counts_none(by_kind ? "" : "total", by_kind ? "total" : "");
  for (size_t i = 0; i < layers->count; i++) pm__counts_add(&total, &layers->rows[i]);
  list->rows[list->count++] = total;
  for (size_t i = 0; i < list->count; i++) {
    pm_counts *row = &list->rows[i];
    row->parameters_share = total.parameters > 0 ? row->parameters / total.parameters : (double)NAN;
    row->mac_share = total.mac > 0 ? row->mac / total.mac : (double)NAN;
    row->gamma = row->parameters > 0 ? row->mac_bnl / row->parameters : (double)NAN;
  }
}

/* ---- What people see ---- */

enum { SHOWN_MAX = 2 * PM_TEXT_MAX }; /* an indent of 2 for every other letter, and the name */

/* Room for what people see of every row, as texts and as what they point to, in one block. */
typedef struct texts {
  const char **text;
  char *block;
} texts;

static bool texts_new(texts *t, size_t count)
{
  t->block = (char *)malloc(count * SHOWN_MAX);
  t->text = (const char **)malloc(count * sizeof *t->text);
  for (size_t i = 0; t->block != NULL && t->text != NULL && i < count; i++) t->text[i] = t->block + i * SHOWN_MAX;
  return t->block != NULL && t->text != NULL;
}

static int show_texts(texts *t, bool room, pm_table *table, const char *column, pm_error *error)
{
  int status = room ? pm_table_show_as(table, column, t->text, error) : pm__no_memory(error);
  free(t->text);
  free(t->block);
  return status;
}

/* The part of each name that its parent does not have, indented. */
static int show_names(pm_table *table, const pm__counts_list *list, pm_error *error)
{
  texts t;
  size_t length[PM_TEXT_MAX]; /* of the name that was last at each level */
  bool room = texts_new(&t, list->count);
  for (size_t i = 0; room && i < list->count; i++) {
    int level = list->levels[i];
    const char *name = list->rows[i].name, *own = name + (level > 0 ? length[level - 1] + 1 : 0);
    snprintf(t.block + i * SHOWN_MAX, SHOWN_MAX, "%*s%s", 2 * level, "", own);
    length[level] = strlen(name);
  }
  return show_texts(&t, room, table, "name", error);
}

/* ---- The table ---- */

static void drop_columns(pm_table *table, const pm_counts_question *q)
{
  static const char *const without[][4] = {{"layers"}, {"name", "input", "output"}, {"input", "output"}};
  for (int i = 0; i < 4 && without[q->view][i] != NULL; i++) pm_table_drop(table, without[q->view][i]);
  if (q->profile == NULL) pm_table_drop(table, "saved");
}

static pm_table *make_table(const pm__counts_list *list, const pm_counts_question *q, pm_error *error)
{
  pm_table *table = pm_table_new(list->count, error);
  int status = table != NULL ? PM_OK : PM_STATUS_NO_MEMORY;
  if (status == PM_OK) status = pm_table_add_records(table, pm_record_type_find("counts"), list->rows, error);
  if (status == PM_OK && list->levels != NULL) status = show_names(table, list, error);
  if (status != PM_OK) {
    pm_table_free(table);
    return NULL;
  }
  drop_columns(table, q);
  pm_table_set_total(table, PM_TABLE_TOTAL_ROW);
  return table;
}

static int check(const pm_network *network, const pm_counts_question *q, pm_error *error)
{
  if (network == NULL ||
      q == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "counts need a network and a question");
  if ((int)q->view < 0 || q->view >= PM_COUNTS_VIEW_COUNT)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "there is no view %d of counts", (int)q->view);
  if (q->depth < 1) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "depth %d is not at least 1", q->depth);
  return PM_OK;
}

pm_table *pm_network_tabulate(const pm_network *network, const pm_counts_question *question, pm_error *error)
{
  pm__counts_list layers = {NULL, NULL, 0}, list = {NULL, NULL, 0};
  pm_table *table = NULL;
  if (check(network, question, error) != PM_OK) return NULL;
  int status = find_layers(network, question, &layers, error);
  pm__counts_list *rows = question->view == PM_COUNTS_VIEW_LAYERS ? &layers : &list;
  if (status == PM_OK && question->view == PM_COUNTS_VIEW_KINDS)
    status = pm__counts_by_kind(&list, layers.rows, layers.count, error);
  if (status == PM_OK && question->view == PM_COUNTS_VIEW_TREE)
    status = pm__counts_by_name(&list, layers.rows, layers.count, question->depth, error);
  if (status == PM_OK) {
    finish(rows, &layers, question->view == PM_COUNTS_VIEW_KINDS);
    table = make_table(rows, question, error);
  }
  free(layers.rows);
  free(list.rows);
  free(list.levels);
  return table;
}
