/* Measurements as other programs and people write them. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perfmodel-lab.h"
#include "shipped.h"
#include "traces/own_cells.h"

typedef struct called {
  int thread, start; /* of the operator in microseconds */
} called;

enum { ROOM = 8000, CALLS = 4 };

/* A matrix multiplication of 64, 128, ... rows for each call, within another operator. In old releases the ids of
** kernels are those of correlations, which say nothing of operators. */
static char *trace_of(const called *calls, bool old, int launched)
{
  char *text = (char *)malloc(ROOM), *end = text;
  end += sprintf(end, "{\"deviceProperties\": [{\"id\": 0, \"name\": \"NVIDIA A100-SXM4-80GB\"}], "
                 "\"traceEvents\": [{}");
  for (int i = 0; i < CALLS; i++) {
    const int id = old ? 7 + i : 2 * i + 1, thread = calls[i].thread, start = calls[i].start;
    end += sprintf(end, ",\n{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::linear\", \"tid\": %d, \"ts\": %d, "
                   "\"dur\": 90, \"args\": {\"External id\": %d}}", thread, start, 2 * i);
    end += sprintf(end, ",\n{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mm\", \"tid\": %d, \"ts\": %d, "
                   "\"dur\": 60, \"args\": {\"External id\": %d, \"Input Dims\": [[%d, 32], [32, 16]], "
                   "\"Input type\": [\"float\", \"float\"]}}", thread, start + 10, 2 * i + 1, 64 << i);
    end += sprintf(end, ",\n{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"tid\": %d, "
                   "\"ts\": %d, \"dur\": 5, \"args\": {\"External id\": %d, \"correlation\": %d}}", thread,
                   start + launched, id, 7 + i);
    end += sprintf(end, ",\n{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"sgemm\", \"tid\": \"stream 7\", "
                   "\"ts\": %d, \"dur\": %d, \"args\": {\"External id\": %d, \"correlation\": %d, \"device\": 0}}",
                   start + 500, 100 + i, id, 7 + i);
  }
  strcpy(end, "]}");
  return text;
}

static char *rows_of(char *trace, pm_error *error)
{
  char *rows = pm_measurements_read(catalog, trace, "trace.json", NULL, 0, NULL, error);
  free(trace);
  return rows;
}

START_TEST(kernels_find_their_operators_by_time)
{
  static const called calls[CALLS] = {{1, 0}, {1, 100}, {2, 50}, {1, 200}};
  pm_error error = PM_ERROR_NONE;
  char *rows = rows_of(trace_of(calls, false, 20), &error);
  ck_assert_msg(rows != NULL, "%s", error.text);
  ck_assert_ptr_nonnull(strstr(rows, "512"));
  ck_assert_ptr_nonnull(strstr(rows, "103"));
  char *old = rows_of(trace_of(calls, true, 20), &error);
  ck_assert_msg(old != NULL, "%s", error.text);
  ck_assert_str_eq(old, rows);
  pm_string_free(rows);
  pm_string_free(old);
}
END_TEST

START_TEST(kernels_without_operators_are_refused)
{
  static const called calls[CALLS] = {{1, 0}, {1, 100}, {2, 50}, {1, 200}};
  pm_error error = PM_ERROR_NONE;
  ck_assert_ptr_null(rows_of(trace_of(calls, true, 1000), &error));
  ck_assert_str_eq(error.text, "trace.json: none of its 4 kernels finds the operator that launched it, by id or by "
                               "time: trace both CPU and CUDA");
  char *trace = trace_of(calls, false, 20), *kernel;
  while ((kernel = strstr(trace, "\"kernel\"")) != NULL) memcpy(kernel, "\"other1\"", 8);
  pm_error other = PM_ERROR_NONE;
  ck_assert_ptr_null(rows_of(trace, &other));
  ck_assert_str_eq(other.text, "trace.json: no kernel of a GPU is in the trace");
}
END_TEST

/* A number as people write them in tables; NULL: it may be a thousand times as much. */
START_TEST(numbers_of_tables_have_one_meaning)
{
  static const struct {
    const char *cell, *number;
    char mark;   /* before decimals in this table, if that is known */
    bool commas; /* between cells */
  } cells[] = {
    {"1,325", NULL, '\0', false}, {"12.480", NULL, '\0', false}, {"1,325", "1325", '.', false},
    {"12.480", "12480", ',', false}, {"1.325,5", "1325.5", '\0', false}, {"1,325.5", "1325.5", '\0', false},
    {"1\xc2\xa0" "325", "1325", '\0', false}, {"12'480", "12480", '\0', false},
    {"1\xe2\x80\xaf" "234,5", "1234.5", ',', false},
    {"1'2", "1'2", '\0', false}, {"~2480", "2480", '\0', false}, {"2480 +- 12", "2480", '\0', false},
    {"2480 \xc2\xb1 12", "2480", '\0', false}, {"1.4k", "1400", '\0', false}, {"2M", "2000000", '\0', false},
    {"3,25", "3.25", '\0', false}, {"n/a", "n/a", '\0', false},
  };
  for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
    char cell[40];
    strcpy(cell, cells[i].cell);
    bool one = pm__lab_own_number(cell, sizeof cell, cells[i].mark, cells[i].commas);
    ck_assert_msg(one == (cells[i].number != NULL), "%s", cells[i].cell);
    if (one) ck_assert_str_eq(cell, cells[i].number);
  }
  ck_assert_int_eq(pm__lab_own_decimal_mark("1,325"), '\0');
  ck_assert_int_eq(pm__lab_own_decimal_mark("1,32"), ',');
  ck_assert_int_eq(pm__lab_own_decimal_mark("1,325.5"), '.');
}
END_TEST

START_TEST(gpus_of_tables_are_counted)
{
  static const struct {
    const char *cell, *gpu;
    int count;
  } cells[] = {{"8x A100", "A100", 8}, {"8 X A100", "A100", 8}, {"A100 x8", "A100", 8}, {"A100 x 8", "A100", 8},
               {"A100 PCIe x16", "A100 PCIe x16", 0}, {"A100", "A100", 0}, {"RTX 3090", "RTX 3090", 0}};
  for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
    char cell[40];
    strcpy(cell, cells[i].cell);
    ck_assert_msg(pm__lab_own_count(cell) == cells[i].count, "%s", cells[i].cell);
    ck_assert_str_eq(cell, cells[i].gpu);
  }
}
END_TEST

START_TEST(units_of_tables_are_rates)
{
  static const struct {
    const char *text, *name;
    double factor;
  } units[] = {{"images/s", "images/s", 1}, {"img per sec", "images/s", 1}, {"kimg/s", "images/s", 1e3},
               {"Mtokens/min", "tokens/s", 1e6 / 60}, {"fps", "images/s", 1}, {"samples/s/GPU", "samples/s/GPU", 1}};
  pm__lab_own_unit unit;
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
    ck_assert_msg(pm__lab_own_unit_read(units[i].text, &unit), "%s", units[i].text);
    ck_assert_str_eq(unit.name, units[i].name);
    ck_assert_double_eq(unit.factor, units[i].factor);
  }
  ck_assert(pm__lab_own_unit_read("ms/step", &unit) && unit.steps && unit.factor == 1e-3);
  ck_assert(!pm__lab_own_unit_read("bananas/s", &unit) && !pm__lab_own_unit_read("images", &unit));
}
END_TEST

/* The rate of the one row of a table of training, or its error. */
static double rate_of(const char *table, pm_error *error)
{
  size_t i = 0;
  pm_table *rows = pm_validate(catalog, &(pm_validation){.set = "training", .data = table, .rows = 1}, error);
  if (rows == NULL) return -1;
  while (strcmp(pm_table_get_column(rows, i)->name, "measured") != 0) i++;
  double rate = pm_table_get_numbers(rows, i)[0];
  pm_table_free(rows);
  return rate;
}

START_TEST(steps_of_tables_are_rates)
{
  pm_error error = PM_ERROR_NONE;
  ck_assert_double_eq_tol(rate_of("model;framework;gpu;batch_per_gpu;precision;step time (ms)\n"
                                  "resnet18;PyTorch;V100;64;fp32;200\n", &error), 64 / 0.2, 1e-9);
  ck_assert_double_eq_tol(rate_of("model,framework,gpu,gpus,global_batch,precision,step_time_ms\n"
                                  "resnet18,PyTorch,8x V100,8,512,fp32,200\n", &error), 512 / 0.2, 1e-9);
  ck_assert_double_eq_tol(rate_of("model,framework,gpu,batch_per_gpu,precision,latency (ms)\n"
                                  "resnet18,PyTorch,2x V100,64,fp32,200\n", &error), 2 * 64 / 0.2, 1e-9);
  ck_assert_double_eq(rate_of("model,framework,gpu,gpus,batch_per_gpu,precision,throughput per gpu (images/s)\n"
                              "resnet18,PyTorch,V100,8,64,fp32,300\n", &error), 300);
  ck_assert_msg(error.status == PM_OK, "%s", error.text);
}
END_TEST

START_TEST(tables_that_contradict_themselves_are_refused)
{
  static const char *const bad[][2] = {
    {"model,framework,gpu,gpus,batch_per_gpu,precision,throughput,unit\n"
     "resnet18,PyTorch,8x V100,4,64,fp32,300,images/s\n", ":2: \"8x V100\" is not 4 GPUs"},
    {"model;framework;gpu;batch_per_gpu;precision;images/s\nresnet18;PyTorch;V100;64;fp32;1.325\n",
     ":2: \"1.325\" may be a thousand times as much, or not; write it without the dot"},
    {"model,framework,framework_version,gpu,batch_per_gpu,precision,throughput,unit\n"
     "resnet18,PyTorch 2.1,1.10,V100,64,fp32,300,images/s\n", ":2: \"PyTorch 2.1\" is not version \"1.10\""},
    {"model,framework,gpu,batch_per_gpu,precision,images/s,samples/s\nresnet18,PyTorch,V100,64,fp32,300,300\n",
     ":1: columns \"images/s\" and \"samples/s\" both mean throughput; leave one out"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    pm_error error = PM_ERROR_NONE;
    ck_assert_double_eq(rate_of(bad[i][0], &error), -1);
    ck_assert_msg(strstr(error.text, bad[i][1]) != NULL, "%s", error.text);
  }
}
END_TEST

/* What is said beside a file may not contradict it. */
START_TEST(collectives_are_those_of_the_file)
{
  static const struct {
    pm_attribute said;
    const char *message;
  } bad[] = {
    {{"collective", "all_shout"}, "collective \"all_shout\" is none of all_reduce, all_gather, reduce_scatter"},
    {{"collective", "all_gather"}, "the file is of all_reduce, not of all_gather"},
    {{"gpus", "2.5"}, "gpus \"2.5\" is not a whole number from 1 to 1000000"},
    {{"gpus", "4"}, "the file is of 8 ranks, not of 4"}, {{"nodes", "0"}, "nodes \"0\" is not a whole number"},
    {{"system", "none"}, "unknown system \"none\""}, {{NULL, NULL}, "give the system that this is"},
  };
  char *text = pm_file_read(PM_SOURCE_DIR "/tests/traces/all_reduce.txt", NULL);
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    pm_error error = PM_ERROR_NONE;
    const pm_attribute known[] = {{"system", "dgx-h100"}, bad[i].said};
    bool other = i + 2 >= sizeof bad / sizeof bad[0]; /* of the system itself */
    size_t count = bad[i].said.name == NULL ? 0 : other ? 1 : 2;
    ck_assert_ptr_null(pm_measurements_read(catalog, text, "run.txt", other ? known + 1 : known, count, NULL, &error));
    ck_assert_msg(strstr(error.text, bad[i].message) != NULL, "%s", error.text);
  }
  pm_string_free(text);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("traces");
  TCase *tests = tcase_create("traces");
  tcase_add_checked_fixture(tests, open_catalog, close_catalog);
  tcase_add_test(tests, kernels_find_their_operators_by_time);
  tcase_add_test(tests, kernels_without_operators_are_refused);
  tcase_add_test(tests, numbers_of_tables_have_one_meaning);
  tcase_add_test(tests, gpus_of_tables_are_counted);
  tcase_add_test(tests, units_of_tables_are_rates);
  tcase_add_test(tests, steps_of_tables_are_rates);
  tcase_add_test(tests, tables_that_contradict_themselves_are_refused);
  tcase_add_test(tests, collectives_are_those_of_the_file);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
