/* Step lines of training logs as rows: which number is read, what is left out, and what is refused. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fixtures.h"
#include "perfmodel-lab.h"
#include "shipped.h"

enum { TEXT = 8000, KNOWN = 8 };

static const pm_attribute usual[] = {{"network", "llama3-8b seq=8192"}, {"system", "dgx-h100"}, {"gpus", "8"},
                                     {"global_batch", "64"}};

/* A line for each time, with the step for '@' and the time for '#'. */
static const char *lines_of(const char *format, const double *times, size_t count)
{
  static char text[TEXT];
  size_t used = 0;
  for (size_t i = 0; i < count; i++)
    for (const char *p = format; *p != '\0'; p++)
      used += (size_t)(*p == '@' ? snprintf(text + used, TEXT - used, "%zu", (i + 1) * 10)
                       : *p == '#' ? snprintf(text + used, TEXT - used, "%.9g", times[i])
                                   : snprintf(text + used, TEXT - used, "%c", *p));
  return text;
}

/* The cell of a row, counted from 1. */
static const char *cell(const char *csv, const char *title, int row)
{
  static char value[400];
  int column = 0;
  size_t length = strlen(title);
  for (const char *p = csv; strncmp(p, title, length) != 0 || strchr(",\n", p[length]) == NULL; column++) {
    p += strcspn(p, ",\n");
    ck_assert_msg(*p == ',', "no column %s", title);
    p++;
  }
  for (; row > 0 && csv != NULL; row--) csv = strchr(csv, '\n') != NULL ? strchr(csv, '\n') + 1 : NULL;
  ck_assert_msg(csv != NULL && *csv != '\0', "no such row");
  for (; column > 0; column--) csv += strcspn(csv, ",") + 1;
  snprintf(value, sizeof value, "%.*s", (int)strcspn(csv, ",\n"), csv);
  return value;
}

static double number(const char *csv, const char *title, int row)
{
  return atof(cell(csv, title, row));
}

static char *read_log(const char *text, const pm_attribute *known, size_t count)
{
  pm_error error = PM_ERROR_NONE;
  char *csv = pm_measurements_read(catalog, text, "log", known, count, NULL, &error);
  ck_assert_msg(csv != NULL, "%s", error.text);
  return csv;
}

/* The median without the first tenth of the steps, whatever that took, in the unit that a line names. */
START_TEST(each_program_has_its_unit)
{
  static const struct {
    const char *format;
    double lines[6], seconds;
  } programs[] = {
    {" iteration @/ 500 | consumed samples: 640 | elapsed time per iteration (ms): # | global batch size: 64 |\n",
     {9e9, 3000, 3100, 3050, 2000, 9000}, 3.05},
    {" iteration @/ 500 | elapsed time per iteration (s): # | learning rate: 1.500E-04 |\n",
     {9e9, 3, 3.1, 3.05, 2, 9}, 3.05},
    {"Epoch 0: iteration 1/9 | global_step: @ | train_step_timing in s: #\n", {9e9, 3, 3.1, 3.05, 2, 9}, 3.05},
    {"step: @ loss: 7.1 memory: 40.1GiB(50%) tps: # tflops: 278.03 mfu: 28.11%\n",
     {1, 8192, 8192, 8192, 4096, 9999}, 8},
    {"epoch=0/micro_step=9/global_step=@, RunningAvgSamplesPerSec=9, CurrSamplesPerSec=#, MemAllocated=1GB\n",
     {1, 32, 32, 32, 16, 99}, 2},
    {"completed step: @, seconds: #, TFLOP/s/device: 321.1, Tokens/s/device: 9, loss: 8.9\n",
     {9e9, 3, 3.1, 3.05, 2, 9}, 3.05},
    {"steps: @ loss: 8.1 iter time (s): # samples/sec: 9\n", {9e9, 3, 3.1, 3.05, 2, 9}, 3.05},
  };
  for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
    char *csv = read_log(lines_of(programs[i].format, programs[i].lines, 6), usual, 4);
    ck_assert_str_eq(cell(csv, "quantity", 1), "step_time");
    ck_assert_msg(fabs(number(csv, "value", 1) / programs[i].seconds - 1) < 1e-6, "%zu: %s", i, csv);
    ck_assert_double_eq(number(csv, "batch", 1), 8);
    pm_string_free(csv);
  }
}
END_TEST

/* Twenty steps: the first two are the beginning, however many lines each rank adds. */
START_TEST(the_first_tenth_is_left_out)
{
  double times[20];
  for (int i = 0; i < 20; i++) times[i] = i < 2 ? 1e6 : 1000 + i;
  char *one = read_log(lines_of(" iteration @/ 9 | elapsed time per iteration (ms): # |\n", times, 20), usual, 4);
  char *two = read_log(lines_of(" iteration @/ 9 | elapsed time per iteration (ms): # |\n"
                                " iteration @/ 9 | elapsed time per iteration (ms): # |\n", times, 20), usual, 4);
  ck_assert_double_eq_tol(number(one, "value", 1), 1.0105, 1e-9);
  ck_assert_double_eq_tol(number(two, "value", 1), 1.0105, 1e-9);
  pm_string_free(one);
  pm_string_free(two);
}
END_TEST

/* A batch that grows is a run for each of its sizes; without them, samples that are consumed tell the size. */
/* One GPU's batch, all GPUs, and the samples of all in a second. */
START_TEST(a_profile_of_deepspeed_is_only_compared)
{
  char *csv = read_log("-------------------------- DeepSpeed Flops Profiler --------------------------\n"
                       "world size:        8\nbatch size per GPU:       4\niter latency:  184.73 ms\n"
                       "samples/second:    64\n", usual, 2);
  ck_assert_double_eq(number(csv, "value", 1), 0.5);
  ck_assert_double_eq(number(csv, "batch", 1), 4);
  ck_assert_str_eq(cell(csv, "gpus", 1), "8");
  ck_assert_str_eq(cell(csv, "use", 1), "check");
  pm_string_free(csv);
}
END_TEST

START_TEST(batches_are_told_apart)
{
  const pm_attribute known[] = {usual[0], usual[1], usual[2]};
  char *csv = read_log("iteration 1/ 9 | elapsed time per iteration (ms): 900 | global batch size: 64 |\n"
                       "iteration 2/ 9 | elapsed time per iteration (ms): 100 | global batch size: 64 |\n"
                       "iteration 3/ 9 | elapsed time per iteration (ms): 100 | global batch size: 64 |\n"
                       "iteration 4/ 9 | elapsed time per iteration (ms): 900 | global batch size: 128 |\n"
                       "iteration 5/ 9 | elapsed time per iteration (ms): 200 | global batch size: 128 |\n"
                       "iteration 6/ 9 | elapsed time per iteration (ms): 200 | global batch size: 128 |\n", known, 3);
  ck_assert_double_eq(number(csv, "batch", 1), 8);
  ck_assert_double_eq(number(csv, "batch", 2), 16);
  ck_assert_double_eq_tol(number(csv, "value", 2), 0.2, 1e-12);
  pm_string_free(csv);
  csv = read_log("iteration 1/ 9 | consumed samples: 32 | elapsed time per iteration (ms): 900 |\n"
                 "iteration 2/ 9 | consumed samples: 64 | elapsed time per iteration (ms): 100 |\n"
                 "iteration 3/ 9 | consumed samples: 96 | elapsed time per iteration (ms): 100 |\n", known, 3);
  ck_assert_double_eq(number(csv, "batch", 1), 4);
  pm_string_free(csv);
}
END_TEST

#define MEGATRON(rest) "iteration 1/ 9 | elapsed time per iteration (ms): 9 |" rest "\n" \
  "iteration 2/ 9 | elapsed time per iteration (ms): 9 |" rest "\n" \
  "iteration 3/ 9 | elapsed time per iteration (ms): 9 |" rest "\n"
#define ARGUMENTS(lines) "------------------------ arguments ------------------------\n" lines \
  "-------------------- end of arguments ---------------------\n"

/* What is set counts, not what is False; lists are passed over. */
START_TEST(arguments_of_the_log_are_settings)
{
  const pm_attribute known[] = {{"network", "llama3-8b"}, {"system", "dgx-h100"}};
  char *csv = read_log(ARGUMENTS("  data_path ....... ['a', '(b']\n  bf16 ............ True\n"
                                 "  fp16 ............ False\n"
                                 "  fp8 ............. None\n  empty_line\n  global_batch_size ... 64\n"
                                 "  seq_length ...... 4096\n  tensor_model_parallel_size ... 4\n"
                                 "  use_distributed_optimizer ... True\n  use_torch_fsdp2 ... False\n"
                                 "  world_size ...... 16\n") MEGATRON(""), known, 2);
  ck_assert_str_eq(cell(csv, "network", 1), "llama3-8b seq=4096");
  ck_assert_str_eq(cell(csv, "precision", 1), "bf16");
  ck_assert_str_eq(cell(csv, "zero", 1), "1");
  ck_assert_str_eq(cell(csv, "nodes", 1), "2");
  ck_assert_double_eq(number(csv, "batch", 1), 16); /* of each of four ranks */
  pm_string_free(csv);
  const pm_attribute said[] = {known[0], known[1], {"zero", "1"}, {"gpus", "8"}};
  csv = read_log(ARGUMENTS("  data_parallel_sharding_strategy ... no_shard\n  global_batch_size ... 64\n"
                           "  use_distributed_optimizer ... True\n") MEGATRON(""), said, 4);
  ck_assert_str_eq(cell(csv, "zero", 1), "1"); /* the last of the two counts */
  pm_string_free(csv);
}
END_TEST

/* A bar counts whole seconds, and a summary is only compared. */
START_TEST(bars_need_time_and_summaries_are_not_fitted)
{
  char *csv = read_log(" 10%|# | 10/100 [00:30<09:00, 2.00s/it]\r 50%|## | 50/100 [01:50<01:40, 2.00s/it]\r"
                       "100%|##| 100/100 [03:30<00:00, 2.00s/it]\n", usual, 4);
  ck_assert_double_eq_tol(number(csv, "value", 1), 2, 1e-12);
  ck_assert_str_eq(cell(csv, "use", 1), "fit");
  pm_string_free(csv);
  csv = read_log("Epoch 0:  10%|# | 10/100 [00:30<09:00, 2.00s/it, v_num=0]\n"
                 "Validation DataLoader 0: 100%|#| 9/9 [00:30<00:00, 2.00s/it]\n"
                 "Epoch 0: 100%|# | 100/100 [03:30<00:00, 2.00s/it, v_num=0]\n", usual, 4);
  ck_assert_str_eq(cell(csv, "use", 1), "check");
  pm_string_free(csv);
  csv = read_log("{'train_runtime': 99.0, 'train_samples_per_second': 32.1, 'train_steps_per_second': 0.5}", usual, 4);
  ck_assert_double_eq_tol(number(csv, "value", 1), 2, 1e-12);
  ck_assert_str_eq(cell(csv, "use", 1), "check");
  pm_string_free(csv);
}
END_TEST

#define EVENT(time, key, value, metadata) \
  ":::MLLOG {\"time_ms\": " time ", \"key\": \"" key "\", \"value\": " value ", \"metadata\": {" metadata "}}\n"
#define STATS(rate) EVENT("1", "tracked_stats", "{\"throughput\": " rate "}", "\"step\": 1")

/* A rate is that of tracked_stats, else samples of a block over its time; each run is a row. */
START_TEST(logs_of_mlperf_have_rates)
{
  const pm_attribute known[] = {usual[1], usual[2]};
  char *csv = read_log(EVENT("0", "submission_benchmark", "\"resnet\"", "") EVENT("0", "global_batch_size", "64", "")
                       EVENT("0", "run_start", "null", "") STATS("9") STATS("200") STATS("210") STATS("190")
                       EVENT("9", "run_stop", "null", "\"status\": \"success\"")
                       EVENT("0", "run_start", "null", "") STATS("9") STATS("100")
                       EVENT("9", "run_stop", "null", "\"status\": \"aborted\""), known, 2);
  ck_assert_str_eq(cell(csv, "network", 1), "resnet50");
  ck_assert_str_eq(cell(csv, "quantity", 1), "throughput");
  ck_assert_double_eq(number(csv, "value", 1), 200);
  ck_assert_double_eq(number(csv, "batch", 1), 8);
  ck_assert_str_eq(cell(csv, "use", 1), "fit");
  ck_assert_double_eq(number(csv, "value", 2), 100);
  ck_assert_str_eq(cell(csv, "use", 2), "check");
  pm_string_free(csv);
  csv = read_log(EVENT("0", "submission_benchmark", "\"resnet\"", "") EVENT("0", "global_batch_size", "64", "")
                 EVENT("0", "run_start", "null", "") EVENT("1000", "block_start", "null", "\"samples_count\": 0")
                 EVENT("2000", "block_stop", "null", "\"samples_count\": 9")
                 EVENT("3000", "block_start", "null", "\"samples_count\": 9")
                 EVENT("7000", "block_stop", "null", "\"samples_count\": 809")
                 EVENT("9000", "run_stop", "null", ""), known, 2);
  ck_assert_double_eq(number(csv, "value", 1), 200);
  pm_string_free(csv);
}
END_TEST

START_TEST(what_cannot_be_is_refused)
{
  static const struct {
    const char *text;
    pm_attribute known[KNOWN];
    const char *why;
  } bad[] = {
    {MEGATRON(""), {{NULL, NULL}}, "does not say which network it trains"},
    {MEGATRON(""), {{"network", "llama3-8b"}}, "on which system it ran"},
    {MEGATRON(""), {{"network", "llama3-8b"}, {"system", "dgx-h100"}}, "on how many GPUs"},
    {MEGATRON(""), {{"network", "llama3-8b"}, {"system", "dgx-h100"}, {"gpus", "8"}}, "how many samples a step has"},
    {MEGATRON(""), {{"network", "llama3-8b"}, {"system", "dgx-h100"}, {"gpus", "12"}}, "no whole number of nodes"},
    {MEGATRON(""), {{"network", "llama3-8b"}, {"system", "dgx-h100"}, {"gpus", "8"}, {"global_batch", "9"}},
     "no whole number for each of 8"},
    {MEGATRON("global batch size: 64 |"), {{"network", "llama3-8b"}, {"system", "dgx-h100"}, {"gpus", "8"},
     {"global_batch", "32"}}, "64 samples here, but 32"},
    {MEGATRON(""), {{"network", "llama3-8b"}, {"collective", "all_reduce"}}, "has no effect"},
    {ARGUMENTS("  tensor_model_parallel_size ... 4\n") MEGATRON(""), {{"network", "llama3-8b"}, {"system", "dgx-h100"},
     {"gpus", "8"}, {"tensor_parallel", "8"}}, "tensor_parallel is 4, not 8"},
    {ARGUMENTS("  seq_length ... 4096\n") MEGATRON(""), {{"network", "llama3-8b seq=8192"}, {"system", "dgx-h100"},
     {"gpus", "8"}}, "4096 tokens"},
    {"iteration 1/ 9 | elapsed time per iteration (ms): 9 |\n", {{"network", "llama3-8b"}, {"system", "dgx-h100"},
     {"gpus", "8"}, {"global_batch", "8"}}, "too few step lines"},
    {MEGATRON("") "iteration 4/ 9 | elapsed time per iteration (ms): 0 |\n", {{"network", "llama3-8b"},
     {"system", "dgx-h100"}, {"gpus", "8"}, {"global_batch", "8"}}, "log:4: a step of 0 s"},
    {" 50%|# | 50/100 [00:30<00:30, 2.00s/it]\r 60%|# | 60/100 [00:40<00:20, 2.00s/it]\r", {{"network", "llama3-8b"},
     {"system", "dgx-h100"}, {"gpus", "8"}, {"batch", "8"}}, "pass 10 s; 20 are needed"},
    {"{'train_runtime': 9.0, 'train_samples_per_second': 32.1, 'train_steps_per_second': 0.5}",
     {{"network", "llama3-8b"}, {"system", "dgx-h100"}, {"gpus", "8"}, {"batch", "1"}}, "64.2 samples by its two"},
    {EVENT("0", "run_start", "null", "") STATS("9"), {{"system", "dgx-h100"}, {"gpus", "8"}}, "no run of MLPerf ends"},
    {EVENT("0", "run_start", "null", "") EVENT("0", "run_stop", "null", ""), {{"system", "dgx-h100"}}, "too few rates"},
    {EVENT("0", "submission_benchmark", "\"gpt3\"", "") STATS("9") EVENT("0", "run_stop", "null", ""),
     {{"system", "dgx-h100"}}, "samples or tokens"},
    {EVENT("0", "submission_benchmark", "\"llama2_70b_lora\"", "") STATS("9") EVENT("0", "run_stop", "null", ""),
     {{"system", "dgx-h100"}}, "--lora-rank"},
    {"- DeepSpeed Flops Profiler -\nworld size: 8\nbatch size per GPU: 4\nsamples/second: 64\n",
     {{"network", "llama3-8b"}, {"system", "dgx-h100"}, {"tensor_parallel", "2"}}, "share a sample again"},
    {"step: 1 memory: 1GiB tps: 9\nstep: 2 memory: 1GiB tps: 9\nstep: 3 memory: 1GiB tps: 9\n",
     {{"network", "llama3-8b"}, {"system", "dgx-h100"}, {"gpus", "8"}, {"batch", "1"}}, "how many tokens"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    size_t count = 0;
    pm_error error = PM_ERROR_NONE;
    while (count < KNOWN && bad[i].known[count].name != NULL) count++;
    char *csv = pm_measurements_read(catalog, bad[i].text, "log", bad[i].known, count, NULL, &error);
    ck_assert_msg(csv == NULL && strstr(error.text, bad[i].why) != NULL, "%zu: \"%s\"", i, error.text);
  }
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("step_logs");
  TCase *tests = tcase_create("step_logs");
  tcase_add_unchecked_fixture(tests, open_catalog, close_catalog);
  tcase_add_test(tests, each_program_has_its_unit);
  tcase_add_test(tests, the_first_tenth_is_left_out);
  tcase_add_test(tests, a_profile_of_deepspeed_is_only_compared);
  tcase_add_test(tests, batches_are_told_apart);
  tcase_add_test(tests, arguments_of_the_log_are_settings);
  tcase_add_test(tests, bars_need_time_and_summaries_are_not_fitted);
  tcase_add_test(tests, logs_of_mlperf_have_rates);
  tcase_add_test(tests, what_cannot_be_is_refused);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
