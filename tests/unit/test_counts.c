/*
** Counts as laws: they add up in every view, grow with the batch, do not care in which order layers run or in which
** pieces a network is cut, and survive being written and read.
*/
#define _DEFAULT_SOURCE
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "network/network.h"
#include "one_layer.h"
#include "shipped.h"

/* ---- Tables ---- */

static pm_table *table_of(const pm_network *network, pm_counts_view view, int depth, double batch)
{
  pm_error error = PM_ERROR_NONE;
  pm_memory_profile profile;
  record("memory_profile", "pytorch", &profile);
  pm_counts_question question = pm_counts_question_make();
  question.view = view;
  question.depth = depth;
  question.batch = batch;
  question.profile = &profile;
  pm_table *table = pm_network_tabulate(network, &question, &error);
  ck_assert_msg(table != NULL, "%s", error.text);
  return table;
}

static size_t column_of(const pm_table *table, const char *name)
{
  size_t column = 0;
  while (pm_table_get_column(table, column) != NULL &&
         strcmp(pm_table_get_column(table, column)->name, name) != 0) column++;
  ck_assert_msg(pm_table_get_column(table, column) != NULL, "no column %s", name);
  return column;
}

static double cell(const pm_table *table, const char *name, size_t row)
{
  return pm_table_get_numbers(table, column_of(table, name))[row];
}

static double total_of(const pm_table *table, const char *name)
{
  return cell(table, name, pm_table_count_rows(table) - 1);
}

static double sum_of(const pm_table *table, const char *name)
{
  double sum = 0;
  for (size_t row = 0; row + 1 < pm_table_count_rows(table); row++) sum += cell(table, name, row);
  return sum;
}

static const char *const added_up[] = {"parameters", "mac", "flop", "training_flop", "mac_bnl", "bytes_in", "bytes_out",
                                       "bytes_parameters", "saved", "parameters_share", "mac_share"};
enum { ADDED_UP = sizeof added_up / sizeof added_up[0] };

static bool near(double a, double b)
{
  return fabs(a - b) <= 1e-12 * fabs(b);
}

/* The network at hand. */
static const char *counted;

#define ck_holds(condition) ck_assert_msg(condition, "%s: %s", counted, #condition)

static void ck_adds_up(const pm_network *network, pm_counts_view view, double batch)
{
  pm_table *table = table_of(network, view, 1, batch), *layers = table_of(network, PM_COUNTS_VIEW_LAYERS, 1, batch);
  for (int i = 0; i < ADDED_UP; i++) {
    double sum = sum_of(table, added_up[i]), total = total_of(table, added_up[i]);
    ck_assert_msg(near(sum, total) || (isnan(sum) && isnan(total)), "%s, %s: %.17g, not %.17g", counted, added_up[i],
                  sum, total);
    ck_holds(near(total, total_of(layers, added_up[i])) || isnan(total));
  }
  pm_table_free(table);
  pm_table_free(layers);
}

static void ck_totals(pm_network_totals totals, const pm_network *network)
{
  pm_table *table = table_of(network, PM_COUNTS_VIEW_TREE, INT_MAX, 1);
  ck_holds(total_of(table, "parameters") == totals.parameters);
  ck_holds(near(total_of(table, "mac"), totals.mac) && near(total_of(table, "flop"), totals.flop));
  ck_holds(near(total_of(table, "training_flop"), totals.training_flop));
  ck_holds(total_of(table, "layers") == totals.layers);
  pm_table_free(table);
}

/* Every shipped network in so many processes: one each takes longer to start and end than to count. */
enum { PARTS = 12 };

static void for_networks(int part, void (*hold)(const char *id))
{
  int count = pm_catalog_count(catalog, "networks");
  ck_assert_int_gt(count, PARTS);
  for (int i = part; i < count; i += PARTS) {
    counted = pm_catalog_get_id(catalog, "networks", (size_t)i);
    hold(counted);
  }
}

static void hold_views(const char *id)
{
  pm_network *network = build_network(id);
  pm_network_totals totals;
  ck_holds(pm_network_get_totals(network, &totals, NULL) == PM_OK);
  for (int view = 0; view < PM_COUNTS_VIEW_COUNT; view++) ck_adds_up(network, (pm_counts_view)view, 1);
  ck_totals(totals, network);
  pm_network_free(network);
}

START_TEST(every_view_of_every_network_adds_up)
{
  for_networks(_i, hold_views);
}
END_TEST

static void hold_batches(const char *id)
{
  pm_network *network = build_network(id);
  pm_table *one = table_of(network, PM_COUNTS_VIEW_KINDS, 1, 1), *many = table_of(network, PM_COUNTS_VIEW_KINDS, 1, 48);
  ck_holds(pm_table_count_rows(one) == pm_table_count_rows(many));
  for (size_t row = 0; row < pm_table_count_rows(one); row++) {
    ck_holds(cell(many, "parameters", row) == cell(one, "parameters", row));
    for (int i = 1; i <= 6; i++) ck_holds(near(cell(many, added_up[i], row), 48 * cell(one, added_up[i], row)));
    ck_holds(near(cell(many, "saved", row), 48 * cell(one, "saved", row)));
  }
  pm_table_free(one);
  pm_table_free(many);
  pm_network_free(network);
}

START_TEST(counts_grow_with_the_batch)
{
  for_networks(_i, hold_batches);
}
END_TEST

/* ---- Written and read ---- */

static pm_network *written_and_read(const pm_network *network, const char *id)
{
  char path[] = "/tmp/perfmodel-counts-XXXXXX.xml";
  pm_error error = PM_ERROR_NONE;
  char *xml = pm_network_format_xml(network, &error);
  ck_assert_msg(xml != NULL, "%s", error.text);
  FILE *file = fdopen(mkstemps(path, 4), "w");
  ck_holds(file != NULL && fputs(xml, file) >= 0 && fclose(file) == 0);
  pm_string_free(xml);
  int status = pm_catalog_load(catalog, path, &error);
  unlink(path);
  ck_assert_msg(status == PM_OK, "%s", error.text);
  pm_network *read = pm_catalog_new_network(catalog, id, NULL, 0, &error);
  ck_assert_msg(read != NULL, "%s", error.text);
  return read;
}

static pm_layer *layers_of(const pm_network *network)
{
  pm_layer *rows = (pm_layer *)calloc((size_t)pm_network_count_layers(network) + 1, sizeof *rows);
  ck_holds(rows != NULL && pm__network_get_layers(network, 3, PM_PRECISION_FP16, rows, NULL) == PM_OK);
  return rows;
}

static void ck_same_layer(const pm_layer *a, const pm_layer *b)
{
  const pm_record_type *type = pm_record_type_find("layer");
  for (size_t i = 0; i < type->field_count; i++) {
    char left[PM_TEXT_MAX], right[PM_TEXT_MAX];
    pm_record_format(&type->fields[i], a, left);
    pm_record_format(&type->fields[i], b, right);
    ck_assert_msg(strcmp(left, right) == 0, "%s, %s: %s is %s, not %s", counted, a->name, type->fields[i].name, right,
                  left);
  }
}

static void hold_writing(const char *id)
{
  pm_network *network = build_network(id), *read = written_and_read(network, id);
  int count = pm_network_count_layers(network);
  ck_holds(pm_network_count_layers(read) == count);
  pm_layer *before = layers_of(network), *after = layers_of(read);
  for (int i = 0; i < count; i++) ck_same_layer(&before[i], &after[i]);
  char *once = pm_network_format_xml(network, NULL), *twice = pm_network_format_xml(read, NULL);
  ck_holds(strcmp(once, twice) == 0);
  pm_string_free(once);
  pm_string_free(twice);
  free(before);
  free(after);
  pm_network_free(read);
  pm_network_free(network);
}

START_TEST(writing_and_reading_changes_no_count)
{
  for_networks(_i, hold_writing);
}
END_TEST

/* ---- Order and pieces: networks drawn by lot ---- */

static unsigned draw(unsigned *state, unsigned below)
{
  *state = *state * 1664525u + 1013904223u;
  return (*state >> 8) % below;
}

enum { BRANCHES = 5, LENGTH = 6 };

/* What stands at one place of a branch is settled by its seed, whatever else is drawn. All keep 8 x 8. */
static int put_at(pm_network *network, unsigned seed, int branch, int place, int input)
{
  static const char *const kinds[] = {"conv2d", "batch_norm", "relu", "max_pool", "dropout", "sigmoid"};
  char convolution[64];
  const char *const attributes[] = {convolution, "", "", "kernel=3 stride=1 padding=1", "", ""};
  unsigned state = seed + 977u * (unsigned)(branch * LENGTH + place), kind = draw(&state, 6);
  snprintf(convolution, sizeof convolution, "out_channels=%u kernel=3 padding=1", 4 * (1 + draw(&state, 8)));
  return put_kind(network, kinds[kind], input, attributes[kind]);
}

/* Branches from one layer into one concat. `order` settles which branch goes on next: all orders are legal. */
static pm_network_totals branched(unsigned seed, unsigned order, double *bytes)
{
  const int64_t shape[] = {3, 8, 8};
  int last[BRANCHES], place[BRANCHES] = {0}, left = BRANCHES * LENGTH;
  pm_network *network = pm_network_new("branched", NULL, NULL);
  int stem = put_kind(network, "conv2d", pm_network_add_input(network, "x", shape, 3, NULL), "out_channels=8 kernel=1");
  for (int i = 0; i < BRANCHES; i++) last[i] = stem;
  for (; left > 0; left--) {
    int branch = (int)draw(&order, BRANCHES);
    while (place[branch] == LENGTH) branch = (branch + 1) % BRANCHES;
    last[branch] = put_at(network, seed, branch, place[branch], last[branch]);
    place[branch]++;
  }
  ck_assert_int_ge(try_kind(network, "concat", last, BRANCHES, "", NULL), 0);
  pm_table *table = table_of(network, PM_COUNTS_VIEW_LAYERS, 1, 1);
  *bytes = total_of(table, "bytes_out");
  pm_table_free(table);
  return take_totals(network);
}

START_TEST(the_order_of_branches_changes_no_count)
{
  double bytes, other_bytes;
  pm_network_totals first = branched((unsigned)_i, 1, &bytes);
  for (unsigned order = 2; order < 10; order++) {
    pm_network_totals other = branched((unsigned)_i, order, &other_bytes);
    ck_assert(other.parameters == first.parameters && other.parameter_tensors == first.parameter_tensors);
    ck_assert(other.mac == first.mac && other.flop == first.flop && other.mac_bnl == first.mac_bnl);
    ck_assert(other.training_flop == first.training_flop && other_bytes == bytes);
    ck_assert_str_eq(other.output, first.output);
  }
}
END_TEST

/* A chain of one branch's layers, from place `begin` to before place `end`. */
static pm_network_totals chain(unsigned seed, const int64_t *shape, int begin, int end, int64_t *out)
{
  pm_network *network = pm_network_new("chain", NULL, NULL);
  int last = pm_network_add_input(network, "x", shape, 3, NULL);
  for (int i = begin; i < end; i++) last = put_at(network, seed, i / LENGTH, i % LENGTH, last);
  pm_network_get_shape(network, last, out);
  return take_totals(network);
}

START_TEST(a_network_counts_what_its_pieces_count)
{
  const int64_t shape[PM_RANK_MAX] = {3, 8, 8};
  int64_t middle[PM_RANK_MAX], out[PM_RANK_MAX];
  const int length = BRANCHES * LENGTH;
  pm_network_totals whole = chain((unsigned)_i, shape, 0, length, out);
  for (int at = 1; at < length; at++) {
    pm_network_totals head = chain((unsigned)_i, shape, 0, at, middle);
    pm_network_totals tail = chain((unsigned)_i, middle, at, length, out);
    ck_assert(head.parameters + tail.parameters == whole.parameters && head.layers + tail.layers == whole.layers);
    ck_assert(head.mac + tail.mac == whole.mac && head.flop + tail.flop == whole.flop);
    ck_assert(head.mac_bnl + tail.mac_bnl == whole.mac_bnl);
    ck_assert(head.training_flop + tail.training_flop <= whole.training_flop); /* its input wants no gradient */
  }
}
END_TEST

/* ---- Questions that cannot be answered ---- */

START_TEST(what_cannot_be_asked_is_refused)
{
  pm_network *network = build_network("alexnet");
  static const pm_counts_question refused[] = {
    {PM_COUNTS_VIEW_COUNT, 1, 1, PM_PRECISION_FP32, NULL}, {PM_COUNTS_VIEW_TREE, 0, 1, PM_PRECISION_FP32, NULL},
    {PM_COUNTS_VIEW_TREE, 1, 0.5, PM_PRECISION_FP32, NULL},     {PM_COUNTS_VIEW_TREE, 1, INFINITY, PM_PRECISION_FP32,
                                                                 NULL},
    {PM_COUNTS_VIEW_TREE, 1, 1, 99, NULL},
  };
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    pm_error error = PM_ERROR_NONE;
    ck_assert(pm_network_tabulate(network, &refused[i], &error) == NULL);
    ck_assert_int_eq(error.status, PM_STATUS_BAD_ARGUMENT);
  }
  ck_assert(pm_network_tabulate(NULL, &refused[1], NULL) == NULL && pm_network_tabulate(network, NULL, NULL) == NULL);
  ck_assert_int_eq(pm_counts_view_find("tree"), PM_COUNTS_VIEW_TREE);
  ck_assert_int_eq(pm_counts_view_find("trees"), -1);
  ck_assert_int_eq(pm_counts_view_find(NULL), -1);
  pm_network_free(network);
}
END_TEST

START_TEST(a_network_without_layers_has_a_total_of_nothing)
{
  const int64_t shape[] = {3};
  pm_network *network = pm_network_new("empty", NULL, NULL);
  ck_assert(pm_network_add_input(network, "x", shape, 1, NULL) == 0);
  for (int view = 0; view < PM_COUNTS_VIEW_COUNT; view++) {
    pm_table *table = table_of(network, (pm_counts_view)view, 3, 1);
    ck_assert_uint_eq(pm_table_count_rows(table), 1);
    ck_assert(total_of(table, "flop") == 0 && isnan(total_of(table, "mac_share")) && isnan(total_of(table, "gamma")));
    pm_table_free(table);
  }
  pm_network_free(network);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("counts");
  TCase *tests = tcase_create("counts");
  tcase_add_unchecked_fixture(tests, open_catalog, close_catalog);
  tcase_set_timeout(tests, 60);
  tcase_add_loop_test(tests, every_view_of_every_network_adds_up, 0, PARTS);
  tcase_add_loop_test(tests, counts_grow_with_the_batch, 0, PARTS);
  tcase_add_loop_test(tests, writing_and_reading_changes_no_count, 0, PARTS);
  tcase_add_loop_test(tests, the_order_of_branches_changes_no_count, 0, 20);
  tcase_add_loop_test(tests, a_network_counts_what_its_pieces_count, 0, 20);
  tcase_add_test(tests, what_cannot_be_asked_is_refused);
  tcase_add_test(tests, a_network_without_layers_has_a_total_of_nothing);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
