/* Results of llama-bench and summaries of MLPerf Storage as rows. */
#include <check.h>
#include <stdio.h>
#include <string.h>
#include "fixtures.h"
#include "perfmodel-lab.h"
#include "shipped.h"

enum { KNOWN = 4 };

static char *read_file(const char *text, const pm_attribute *known, size_t count, pm_error *error)
{
  return pm_measurements_read(catalog, text, "file", known, count, NULL, error);
}

static void check_row(const char *text, const pm_attribute *known, size_t count, const char *row)
{
  pm_error error = PM_ERROR_NONE;
  char *csv = read_file(text, known, count, &error);
  ck_assert_msg(csv != NULL, "%s", error.text);
  ck_assert_msg(strstr(csv, row) != NULL, "\"%s\" is not in %s", row, csv);
  pm_string_free(csv);
}

#define TABLE(rows) "| model | size | params | backend | ngl | test | t/s |\n" \
  "| --- | ---: | ---: | --- | --: | ---: | ---: |\n" rows
#define TEST(type, test, rate) "| llama 8B " type " | 14.96 GiB | 8.03 B | CUDA | 99 | " test " | " rate " |\n"
#define JSON(model, tests) \
  "{\"model_type\": \"llama 8B " model "\", \"gpu_info\": \"NVIDIA GeForce RTX 4090\", " tests "}"

static const pm_attribute named[] = {{"network", "llama3-8b"}, {"system", "gpu:rtx-4090"}, {"framework", "vllm"}};

/* A prompt of 512 tokens at 1024 tokens/s takes half a second, a token at 50 tokens/s 20 ms: the same in each form. */
START_TEST(tests_of_llama_bench_are_times)
{
  static const char *const forms[] = {
    TABLE(TEST("F16", "pp512", "1024.00 \xc2\xb1 12.3") TEST("F16", "tg128", "50.00 \xc2\xb1 0.4")),
    "[" JSON("F16", "\"n_prompt\": 512, \"n_gen\": 0, \"avg_ts\": 1024.0, \"samples_ts\": [1, 2]") ",\n"
    JSON("F16", "\"n_prompt\": 0, \"n_gen\": 128, \"avg_ts\": 50") "]\n",
    JSON("F16", "\"n_prompt\": 512, \"n_gen\": 0, \"avg_ts\": 1024.0") "\n"
    JSON("F16", "\"n_prompt\": 0, \"n_gen\": 128, \"avg_ts\": 50") "\n",
    "model_type,backends,n_prompt,n_gen,avg_ts\n\"llama 8B F16\",\"CUDA\",\"512\",\"0\",\"1024\"\n"
    "\"llama 8B F16\",\"CUDA\",\"0\",\"128\",\"50\"\n"};
  for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
    check_row(forms[i], named, 3, ",closed,1,512,1,fp16,ttft,0.5,file,llama 8B F16 pp512,check,measured with");
    check_row(forms[i], named, 3, ",closed,1,1,128,fp16,tpot,0.02,file,llama 8B F16 tg128,check,");
  }
}
END_TEST

START_TEST(what_llama_bench_has_and_the_model_has_not_is_marked)
{
  check_row(TABLE(TEST("Q4_0", "pp512", "9")), named, 3, "skip,weights that are not 16 bits wide");
  check_row(TABLE(TEST("F16", "pp512+tg128", "9")), named, 3, "skip,a prompt and generation");
  check_row(TABLE(TEST("F16", "pp512 @ d4096", "9")), named, 3, "skip,a prompt behind a cache");
  check_row(TABLE(TEST("F16", "tg128 @ d4096", "9")), named, 3, ",closed,1,4096,128,fp16,tpot,");
  check_row(TABLE(TEST("BF16", "tg128", "9")), named, 3, ",bf16,tpot,");
  check_row(TABLE(TEST("F16", "tg128", "9")), named, 2, "skip,llama.cpp is no engine");
  check_row(JSON("F16", "\"backends\": \"CPU\", \"n_prompt\": 512, \"n_gen\": 0, \"avg_ts\": 9"), named, 3,
            "skip,ran on the CPU");
}
END_TEST

#define SUMMARY(busy) \
  "{\"num_accelerators\": 8, \"num_hosts\": 1, \"metric\": {\"train_au_mean_percentage\": " busy ", " \
  "\"train_throughput_mean_samples_per_second\": 1600, \"train_io_mean_MB_per_second\": 100}}"

/* 100 MiB/s of 1600 samples/s; busy 80 % of the time, so that 2000 samples/s were asked for. */
START_TEST(summaries_of_storage_are_rows)
{
  const pm_attribute known[] = {{"system", "dgx-h100"}, {"storage", "nvme"}};
  check_row(SUMMARY("80"), known, 2, ",0.8,share,value,\"system=dgx-h100, dataset.sample_size=65536, storage=nvme, "
                                     "decode=none, loader.augment_time=0, gpu_rate=2000\",input_gpu_busy,");
}
END_TEST

START_TEST(what_cannot_be_is_refused)
{
  static const struct {
    const char *text;
    pm_attribute known[KNOWN];
    const char *why;
  } bad[] = {
    {SUMMARY("80"), {{NULL, NULL}}, "on which system"},
    {SUMMARY("80"), {{"system", "dgx-h100"}}, "which storage"},
    {SUMMARY("180"), {{"system", "dgx-h100"}, {"storage", "nvme"}}, "(to 100)"},
    {SUMMARY("80") "x", {{"system", "dgx-h100"}, {"storage", "nvme"}}, "after the end"},
    {SUMMARY("80"), {{"system", "dgx-h100"}, {"gpus", "8"}}, "\"gpus\" has no effect"},
    {TABLE(TEST("F16", "tg128", "9")), {{NULL, NULL}}, "name the network"},
    {TABLE(TEST("F16", "tg128", "9")), {{"network", "llama3-8b"}}, "which GPU"},
    {TABLE(TEST("F16", "tg128", "x")), {{"network", "llama3-8b"}, {"system", "gpu:rtx-4090"}}, "file:3: "},
    {TABLE(TEST("F16", "tg0", "9")), {{"network", "llama3-8b"}, {"system", "gpu:rtx-4090"}}, "no tokens"},
    {TABLE(TEST("F16", "tg1", "9") TEST("Q8_0", "tg1", "9")), {{"network", "llama3-8b"},
     {"system", "gpu:rtx-4090"}}, "several models"},
    {TABLE("| a | b |\n"), {{"network", "llama3-8b"}, {"system", "gpu:rtx-4090"}}, "2 cells where the header has 7"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    size_t count = 0;
    pm_error error = PM_ERROR_NONE;
    while (count < KNOWN && bad[i].known[count].name != NULL) count++;
    char *csv = read_file(bad[i].text, bad[i].known, count, &error);
    ck_assert_msg(csv == NULL && strstr(error.text, bad[i].why) != NULL, "%zu: \"%s\"", i, error.text);
  }
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("benchmarks");
  TCase *tests = tcase_create("benchmarks");
  tcase_add_unchecked_fixture(tests, open_catalog, close_catalog);
  tcase_add_test(tests, tests_of_llama_bench_are_times);
  tcase_add_test(tests, what_llama_bench_has_and_the_model_has_not_is_marked);
  tcase_add_test(tests, summaries_of_storage_are_rows);
  tcase_add_test(tests, what_cannot_be_is_refused);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
