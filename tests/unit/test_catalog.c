/* The catalogue: what is shipped, what users add, names, lists. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fixtures.h"
#include "hardware/system.h"

static pm_catalog *catalog;
static char file[] = "/tmp/perfmodel-XXXXXX";

static void set_up(void)
{
  pm_error error = PM_ERROR_NONE;
  catalog = pm_catalog_new(&error);
  ck_assert_msg(catalog != NULL, "%s", error.text);
  strcpy(file, "/tmp/perfmodel-XXXXXX");
  int descriptor = mkstemp(file);
  ck_assert_int_ge(descriptor, 0);
  close(descriptor);
}

static void tear_down(void)
{
  unlink(file);
  pm_catalog_free(catalog);
}

static int load(const char *entries, pm_error *error)
{
  FILE *stream = fopen(file, "wb");
  ck_assert_ptr_nonnull(stream);
  fprintf(stream, "<perfmodel version=\"1\">\n%s</perfmodel>\n", entries);
  fclose(stream);
  return pm_catalog_load(catalog, file, error);
}

static void must_load(const char *entries)
{
  pm_error error = PM_ERROR_NONE;
  ck_assert_msg(load(entries, &error) == PM_OK, "%s", error.text);
}

/* ---- What is shipped. */

START_TEST(every_entry_works)
{
  double record[400];
  for (size_t k = 0; pm_catalog_get_kind(k) != NULL; k++) {
    const char *kind = pm_catalog_get_kind(k), *id;
    ck_assert_int_gt(pm_catalog_count(catalog, kind), 0);
    ck_assert_uint_le(pm_catalog_get_record_type(kind)->size, sizeof record);
    for (size_t i = 0; (id = pm_catalog_get_id(catalog, kind, i)) != NULL; i++) {
      pm_error error = PM_ERROR_NONE;
      char text[PM_TEXT_MAX];
      ck_assert_str_eq(pm_catalog_resolve(catalog, kind, id, &error), id);
      ck_assert_msg(pm_catalog_get_record(catalog, kind, id, record, &error) == PM_OK, "%s", error.text);
      ck_assert_str_eq(pm_record_format(pm_record_find_field(pm_catalog_get_record_type(kind), "id"), record, text),
                       id);
      pm_table *table = pm_catalog_show(catalog, kind, id, &error);
      ck_assert_msg(table != NULL, "%s", error.text);
      ck_assert_uint_gt(pm_table_count_rows(table), 2);
      pm_table_free(table);
    }
  }
}
END_TEST

START_TEST(every_system_and_network_builds)
{
  const char *id;
  pm_error error = PM_ERROR_NONE;
  for (size_t i = 0; (id = pm_catalog_get_id(catalog, "systems", i)) != NULL; i++) {
    pm_system *system = pm_catalog_new_system(catalog, id, &error);
    ck_assert_msg(system != NULL && pm__system_check(system, &error) == PM_OK, "%s", error.text);
    ck_assert_str_eq(pm_system_get_gpu(system)->id, pm_system_get_machine(system)->gpu);
    pm_system_free(system);
  }
  for (size_t i = 0; (id = pm_catalog_get_id(catalog, "networks", i)) != NULL; i++) {
    pm_network *network = pm_catalog_new_network(catalog, id, NULL, 0, &error);
    ck_assert_msg(network != NULL, "%s", error.text);
    pm_network_free(network);
  }
}
END_TEST

/* The ids that stay, and spellings that people use. */
START_TEST(ids_stay)
{
  static const char *const systems[] = {"dgx1-p100", "dgx1-v100", "smc4028gr-p100", "smc4028gr-v100", "smc4028gr-m40",
                                        "dgx2", "p3dn", "ac922", "ts4", "c4140-v100-sxm2", "c4140-v100-pcie",
                                        "c4140-p100-sxm2", NULL};
  static const char *const networks[] = {"alexnet", "vgg16", "vgg19", "resnet18", "resnet34", "resnet50", "resnet101",
                                         "resnet152", NULL};
  for (int i = 0; systems[i] != NULL; i++)
    ck_assert_str_eq(pm_catalog_resolve(catalog, "systems", systems[i], NULL), systems[i]);
  for (int i = 0; networks[i] != NULL; i++)
    ck_assert_str_eq(pm_catalog_resolve(catalog, "networks", networks[i], NULL), networks[i]);
  ck_assert_str_eq(pm_catalog_resolve(catalog, "system", "DGX1_V100", NULL), "dgx1-v100");
  ck_assert_str_eq(pm_catalog_resolve(catalog, "system", "NVIDIA DGX-1 (V100)", NULL), "dgx1-v100");
  ck_assert_str_eq(pm_catalog_resolve(catalog, "network", "ResNet 50", NULL), "resnet50");
  ck_assert_str_eq(pm_catalog_resolve(catalog, "gpu", "Tesla V100", NULL), "v100-sxm2-16gb");
  ck_assert_str_eq(pm_catalog_resolve(catalog, "dataset", "ImageNet", NULL), "ilsvrc2012");
}
END_TEST

/* ---- Names. */

static void check_unknown(const char *kind, const char *name, const char *message)
{
  pm_error error = PM_ERROR_NONE;
  ck_assert_ptr_null(pm_catalog_resolve(catalog, kind, name, &error));
  ck_assert_str_eq(error.text, message);
  ck_assert_int_eq(error.status, PM_STATUS_NOT_FOUND);
}

START_TEST(unknown_names_get_advice)
{
  check_unknown("network", "alexnt", "unknown network \"alexnt\"; did you mean \"alexnet\"?");
  must_load("<source id='qqq1' name='One'/><source id='qqq2' name='Two'/><source id='qqq3' name='Three'/>"
            "<source id='qqq4' name='Four'/>");
  check_unknown("source", "qqq", "unknown source \"qqq\"; did you mean \"qqq1\", \"qqq2\", \"qqq3\" or \"qqq4\"?");
  check_unknown("source", "qqq5", "unknown source \"qqq5\"; did you mean \"qqq1\", \"qqq2\", \"qqq3\" or \"qqq4\"?");
  must_load("<source id='rqqq1' name='1'/><source id='sqqq-part' name='2'/><source id='sqqq-b' name='3'/>"
            "<source id='sqqq-c' name='4'/><source id='sqqq-d' name='5'/><source id='sqqq-e' name='6'/>"
            "<source id='sqqq-f' name='7'/><source id='sqqq-g' name='8'/><source id='sqqq-h' name='9'/><source "
            "id='sqqq-i' name='10'/>");
  check_unknown("source", "part", "unknown source \"part\"; did you mean \"sqqq-part\"?");
  check_unknown("source", "sqqq", "unknown source \"sqqq\"; did you mean \"sqqq-part\", \"sqqq-b\", \"sqqq-c\", "
                                  "\"sqqq-d\", "
                                  "\"sqqq-e\", \"sqqq-f\", \"sqqq-g\", \"sqqq-h\" or 1 more?");
  check_unknown("source", "qq1", "unknown source \"qq1\"; did you mean \"qqq1\"?");
  check_unknown("network", "unheard-of", "unknown network \"unheard-of\"; see \"perfmodel list networks\", or import "
                                         "yours (perfmodel.from_torch, from_onnx, from_keras, from_hf)");
  check_unknown("network", "", "unknown network \"\"; see \"perfmodel list networks\", or import yours "
                               "(perfmodel.from_torch, from_onnx, from_keras, from_hf)");
  pm_error error = PM_ERROR_NONE;
  ck_assert_ptr_null(pm_catalog_resolve(catalog, "machine", "dgx2", &error));
  ck_assert_msg(strncmp(error.text, "unknown kind \"machine\"; it must be one of gpus, links,", 54) == 0,
                "%s", error.text);
}
END_TEST

/* Tuning leaves the layers as they are; a base, a date and a recipe are no other network. */
START_TEST(models_are_named_as_hubs_name_them)
{
  static const char *const names[][2] = {
    {"meta-llama/Llama-3.1-70B-Instruct", "llama3-70b"}, {"Qwen/Qwen3-32B-Base", "qwen3-32b"},
    {"moonshotai/Kimi-K2-Instruct-0905", "kimi-k2"}, {"deepseek-ai/DeepSeek-V3-0324", "deepseek-v3"},
    {"Qwen/Qwen3-32B-Thinking-2507", "qwen3-32b"}, {"timm/resnet50.a1_in1k", "resnet50"},
    {"llama3-8b-chat-hf", "llama3-8b"}};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    pm_error error = PM_ERROR_NONE;
    const char *id = pm_catalog_resolve(catalog, "network", names[i][0], &error);
    ck_assert_msg(id != NULL, "%s: %s", names[i][0], error.text);
    ck_assert_str_eq(id, names[i][1]);
  }
}
END_TEST

/* Fewer bits are no other network either, but an option, which is not taken silently. */
START_TEST(quantised_models_name_the_option)
{
  static const char *const names[][2] = {
    {"Qwen/Qwen3-32B-FP8", "\"qwen3-32b\" with --weights fp8"},
    {"neuralmagic/Meta-Llama-3.1-70B-Instruct-FP8-dynamic", "\"llama3-70b\" with --weights fp8"},
    {"hugging-quants/Meta-Llama-3.1-8B-Instruct-AWQ-INT4", "\"llama3-8b\" with --weights int4"},
    {"unsloth/llama-3-8b-bnb-4bit", "\"llama3-8b\" with --weights int4"},
    {"nvidia/Llama-3.1-8B-Instruct-NVFP4",
     "\"llama-3.1-8b-instruct\" with --weights nvfp4"}, {"some/bert-base-base", "unknown"},
    {"resnet-1001", "unknown"}};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    pm_error error = PM_ERROR_NONE;
    ck_assert(pm_catalog_resolve(catalog, "network", names[i][0], &error) == NULL);
    ck_assert_msg(strstr(error.text, names[i][1]) != NULL, "%s: %s", names[i][0], error.text);
  }
}
END_TEST

START_TEST(nothing_crashes_on_nothing)
{
  pm_gpu gpu;
  pm_error error = PM_ERROR_NONE;
  ck_assert_int_eq(pm_catalog_load(catalog, NULL, NULL), PM_STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(pm_catalog_load(NULL, file, NULL), PM_STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(pm_catalog_load_text(NULL, "<a/>", "own", NULL), PM_STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(pm_catalog_load_text(catalog, NULL, "own", NULL), PM_STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(pm_catalog_load_text(catalog, "<a/>", NULL, NULL), PM_STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(pm_catalog_count(NULL, "gpus"), -1);
  ck_assert_int_eq(pm_catalog_count(catalog, NULL), -1);
  ck_assert_ptr_null(pm_catalog_get_id(catalog, "gpus", 1000));
  ck_assert_ptr_null(pm_catalog_get_note(catalog, 0));
  ck_assert_ptr_null(pm_catalog_get_kind(1000));
  ck_assert_ptr_null(pm_catalog_get_record_type("x"));
  ck_assert_ptr_null(pm_catalog_resolve(catalog, "gpu", NULL, &error));
  ck_assert_int_eq(error.status, PM_STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(pm_catalog_get_record(catalog, "gpu", "v100", NULL, NULL), PM_STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(pm_catalog_get_record(NULL, "gpu", "v100", &gpu, NULL), PM_STATUS_BAD_ARGUMENT);
  ck_assert_ptr_null(pm_catalog_new_network(catalog, NULL, NULL, 0, NULL));
  ck_assert_ptr_null(pm_catalog_new_network(catalog, "vgg16", NULL, 1, NULL));
  ck_assert_ptr_null(pm_catalog_new_system(NULL, "dgx2", NULL));
  ck_assert_ptr_null(pm_catalog_list(NULL, "gpus", NULL));
  ck_assert_ptr_null(pm_catalog_show(catalog, "gpus", NULL, NULL));
  pm_catalog_free(NULL);
}
END_TEST

/* ---- What users add. */

#define OWN_GPU                                                                                                   \
  "<gpu id='own' name='Own' alias='Mine, my gpu'><peak_fp32>10 TFLOP/s</peak_fp32><memory>8 GiB</memory>"         \
  "<memory_bandwidth>100 GB/s</memory_bandwidth><nvlinks>2</nvlinks></gpu>\n"

START_TEST(users_add_entries)
{
  pm_gpu gpu;
  pm_machine machine;
  int gpus = pm_catalog_count(catalog, "gpus");
  must_load(OWN_GPU "<system id='box' name='Box'><gpu>My GPU</gpu><gpus>2</gpus>"
                    "<graph><link type='NVLink 2.0' from='gpu0' to='gpu1*2'/></graph></system>");
  ck_assert_int_eq(pm_catalog_count(catalog, "gpus"), gpus + 1);
  ck_assert_str_eq(pm_catalog_get_id(catalog, "gpu", (size_t)gpus), "own");
  ck_assert_int_eq(pm_catalog_get_record(catalog, "gpu", "mine", &gpu, NULL), PM_OK);
  ck_assert(gpu.memory == 8589934592.0 && gpu.peak_fp32 == 10e12 && isnan(gpu.power) && gpu.sms == 0);
  ck_assert_int_eq(pm_catalog_get_record(catalog, "system", "box", &machine, NULL), PM_OK);
  ck_assert_str_eq(machine.gpu, "own"); /* the id, however it was called */
  pm_system *system = pm_catalog_new_system(catalog, "box", NULL);
  ck_assert_int_eq(pm__system_count_gpu_links(system, 0, 1), 2);
  pm_system_free(system);
  ck_assert_ptr_null(pm_catalog_get_note(catalog, 0));
}
END_TEST

START_TEST(users_override_entries_and_are_told)
{
  char expected[300];
  pm_gpu gpu;
  int gpus = pm_catalog_count(catalog, "gpus");
  must_load("<gpu id='P100-PCIe' name='Slow'><peak_fp32>1 TFLOP/s</peak_fp32><memory>8 GB</memory>"
            "<memory_bandwidth>100 GB/s</memory_bandwidth></gpu>");
  ck_assert_int_eq(pm_catalog_count(catalog, "gpus"), gpus);
  ck_assert_int_eq(pm_catalog_get_record(catalog, "gpu", "p100-pcie", &gpu, NULL), PM_OK);
  ck_assert(gpu.peak_fp32 == 1e12);
  snprintf(expected, sizeof expected, "%s:2: gpu \"P100-PCIe\" replaces the shipped one", file);
  ck_assert_str_eq(pm_catalog_get_note(catalog, 0), expected);
  ck_assert_ptr_null(pm_catalog_get_note(catalog, 1));
  /* A system that has this GPU takes the new one. */
  pm_system *system = pm_catalog_new_system(catalog, "smc4028gr-p100", NULL);
  ck_assert(pm_system_get_gpu(system)->peak_fp32 == 1e12);
  pm_system_free(system);
  must_load("<gpu id='p100-pcie' name='Slower'><peak_fp32>1 GFLOP/s</peak_fp32><memory>8 GB</memory>"
            "<memory_bandwidth>100 GB/s</memory_bandwidth></gpu>");
  snprintf(expected, sizeof expected, "%s:2: gpu \"p100-pcie\" replaces the one of %s:2", file, file);
  ck_assert_str_eq(pm_catalog_get_note(catalog, 1), expected);
}
END_TEST

START_TEST(a_later_alias_wins_and_says_so)
{
  must_load("<gpu id='w100' name='W100' alias='V100'><peak_fp32>1 TFLOP/s</peak_fp32><memory>8 GB</memory>"
            "<memory_bandwidth>100 GB/s</memory_bandwidth></gpu>");
  ck_assert_str_eq(pm_catalog_resolve(catalog, "gpu", "v100", NULL), "w100");
  ck_assert_str_eq(pm_catalog_resolve(catalog, "gpu", "v100-sxm2-16gb", NULL), "v100-sxm2-16gb");
  ck_assert_ptr_nonnull(strstr(pm_catalog_get_note(catalog, 0),
                               "gpu \"V100\" now is \"w100\", no longer \"v100-sxm2-16gb\""));
  ck_assert_ptr_null(pm_catalog_get_note(catalog, 1));
  must_load(OWN_GPU); /* said once */
  ck_assert_ptr_null(pm_catalog_get_note(catalog, 1));
  ck_assert_str_eq(pm_catalog_resolve(catalog, "gpu", "v100", NULL), "w100");
}
END_TEST

/* The error is in the last entry; the good ones before it are not taken either. */
START_TEST(a_load_is_all_or_nothing)
{
  pm_error error = PM_ERROR_NONE;
  int before = pm_catalog_count(catalog, "gpus");
  ck_assert_int_eq(load(OWN_GPU "<gpu id='k80' name='K'><peak_fp32>1</peak_fp32></gpu>", &error), PM_STATUS_BAD_UNIT);
  ck_assert_int_eq(error.line, 3);
  ck_assert_int_eq(error.file_length, (int)strlen(file));
  ck_assert_int_eq(strncmp(error.text, file, strlen(file)), 0);
  ck_assert_int_eq(pm_catalog_count(catalog, "gpus"), before);
  ck_assert_ptr_null(pm_catalog_resolve(catalog, "gpu", "own", NULL));
  must_load(OWN_GPU);
  ck_assert_ptr_nonnull(pm_catalog_resolve(catalog, "gpu", "own", NULL));
}
END_TEST

START_TEST(folders_are_read_in_order)
{
  pm_error error = PM_ERROR_NONE;
  char folder[] = "/tmp/perfmodel-XXXXXX", path[100];
  static const char *const names[] = {"b.xml", "a.xml", "c.txt", ".d.xml"};
  ck_assert_ptr_nonnull(mkdtemp(folder));
  for (int i = 0; i < 4; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    FILE *stream = fopen(path, "wb");
    if (i < 2) fprintf(stream, "<perfmodel version='1'><source id='own-%d' name='Own %d'/></perfmodel>", i, i);
    fclose(stream);
  }
  int before = pm_catalog_count(catalog, "sources");
  ck_assert_msg(pm_catalog_load(catalog, folder, &error) == PM_OK, "%s", error.text);
  ck_assert_int_eq(pm_catalog_count(catalog, "sources"), before + 2);
  ck_assert_str_eq(pm_catalog_get_id(catalog, "sources", (size_t)before), "own-1");
  snprintf(path, sizeof path, "%s/", folder); /* whether or not its name ends in a slash */
  ck_assert_int_eq(pm_catalog_load(catalog, path, NULL), PM_OK);
  snprintf(path, sizeof path, "source \"own-1\" replaces the one of %s/a.xml:1", folder);
  ck_assert_ptr_nonnull(strstr(pm_catalog_get_note(catalog, 0), path));
  for (int i = 0; i < 4; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    unlink(path);
  }
  rmdir(folder);
}
END_TEST

START_TEST(networks_take_parameters)
{
  pm_network_totals totals;
  const pm_attribute sets[] = {{"classes", "10"}};
  pm_network *network = pm_catalog_new_network(catalog, "resnet50", sets, 1, NULL);
  ck_assert_int_eq(pm_network_get_totals(network, &totals, NULL), PM_OK);
  ck_assert_str_eq(totals.output, "10");
  ck_assert(totals.parameters == 25557032 - 990 * 2049);
  pm_network_free(network);
  /* Without defaults a network is loaded and listed all the same; its totals are unknown. */
  must_load("<network id='any' name='Any'><param name='n'/><input shape='n'/><linear out_features='2'/></network>");
  pm_table *table = pm_catalog_list(catalog, "networks", NULL);
  ck_assert_ptr_nonnull(table);
  ck_assert_int_eq((int)pm_table_count_rows(table), pm_catalog_count(catalog, "networks"));
  pm_table_free(table);
  ck_assert_int_eq(pm_catalog_get_record(catalog, "network", "any", &totals, NULL), PM_STATUS_BAD_VALUE);
}
END_TEST

/* ---- Tables. */

static size_t find_column(const pm_table *table, const char *name)
{
  for (size_t i = 0; pm_table_get_column(table, i) != NULL; i++)
    if (strcmp(pm_table_get_column(table, i)->name, name) == 0) return i;
  ck_abort_msg("no column %s", name);
}

/* The text of `column` in the row whose first cell is `field`. */
static const char *cell(const pm_table *table, const char *field, const char *column, char *buffer)
{
  for (size_t row = 0; row < pm_table_count_rows(table); row++)
    if (strcmp(pm_table_get_text(table, 0, row, buffer), field) == 0)
      return pm_table_get_text(table, find_column(table, column), row, buffer);
  return NULL;
}

/* Parameters of a network of a model type are its settings. */
START_TEST(networks_of_model_types_take_settings)
{
  static const struct {
    pm_attribute set;
    const char *message;
  } bad[] = {{{"wheels", "4"}, "network \"stablelm-base-alpha-3b\" has no parameter \"wheels\"; it has seq, "},
             {{"num_hidden_layers", "many"}, "needs a number for its parameter \"num_hidden_layers\", not \"many\""},
             {{"flash", "maybe"}, "flash \"maybe\" is neither yes nor no"}};
  const pm_attribute half[] = {{"num_hidden_layers", "8"}, {"flash", "yes"}};
  pm_network_totals few, all;
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    pm_error error = PM_ERROR_NONE;
    ck_assert_ptr_null(pm_catalog_new_network(catalog, "stablelm-base-alpha-3b", &bad[i].set, 1, &error));
    ck_assert_msg(strstr(error.text, bad[i].message) != NULL, "%s", error.text);
  }
  pm_network *short_one = pm_catalog_new_network(catalog, "stablelm-base-alpha-3b", half, 2, NULL);
  pm_network *whole = pm_catalog_new_network(catalog, "stablelm-base-alpha-3b", NULL, 0, NULL);
  ck_assert(pm_network_get_totals(short_one, &few, NULL) == PM_OK && pm_network_get_totals(whole, &all, NULL) == PM_OK);
  const double layer = 12.0 * 4096 * 4096 + 13 * 4096; /* of a GPT, with two norms and all biases */
  ck_assert_double_eq(all.parameters - few.parameters, 8 * layer);
  pm_network_free(short_one);
  pm_network_free(whole);
}
END_TEST

START_TEST(entries_are_shown_with_their_sources)
{
  char text[PM_TEXT_MAX];
  pm_table *table = pm_catalog_show(catalog, "gpu", "V100", NULL);
  ck_assert_str_eq(cell(table, "memory_bandwidth", "value", text), "900 GB/s");
  ck_assert_str_eq(cell(table, "memory_bandwidth", "unit", text), "B/s");
  ck_assert_str_eq(cell(table, "memory_bandwidth", "source", text), "dgx1-v100 sec. 2.1"); /* the entry's */
  ck_assert_str_eq(cell(table, "clock", "source", text), "dell2018 table 3");              /* its own */
  ck_assert_ptr_null(cell(table, "peak_fp8_tensor", "value", text));                       /* unknown */
  pm_table_free(table);
  table = pm_catalog_show(catalog, "system", "dgx1-v100", NULL);
  ck_assert_str_eq(cell(table, "gpu0 - gpu3", "value", text), "2 x nvlink2, 50 GB/s per direction");
  ck_assert_str_eq(cell(table, "network", "value", text), "4 x infiniband-edr, 50 GB/s per direction");
  pm_table_free(table);
  table = pm_catalog_show(catalog, "network", "resnet50", NULL);
  ck_assert_str_eq(cell(table, "parameters", "value", text), "25557032");
  ck_assert_str_eq(cell(table, "parameter classes", "value", text), "1000");
  pm_table_free(table);
}
END_TEST

START_TEST(what_times_rest_on_is_told)
{
  pm_gpu measured, unknown;
  pm_error error = PM_ERROR_NONE;
  ck_assert_int_eq(pm_catalog_get_record(catalog, "gpu", "h200-sxm5", &measured, NULL), PM_OK);
  char *text = pm_catalog_explain_calibration(catalog, &measured, PM_PRECISION_BF16, &error);
  ck_assert_msg(text != NULL && strstr(text, "attention calibrated (") != NULL, "%s", text != NULL ? text : error.text);
  pm_string_free(text);
  pm_record_clear(pm_record_type_find("gpu"), &unknown);
  text = pm_catalog_explain_calibration(catalog, &unknown, PM_PRECISION_BF16, &error);
  ck_assert_str_eq(text, "rules and data sheets only");
  pm_string_free(text);
  ck_assert_ptr_null(pm_catalog_explain_calibration(NULL, &measured, PM_PRECISION_BF16, &error));
}
END_TEST

START_TEST(lists_have_a_row_per_entry)
{
  for (size_t i = 0; pm_catalog_get_kind(i) != NULL; i++) {
    char text[PM_TEXT_MAX];
    const char *kind = pm_catalog_get_kind(i);
    pm_table *table = pm_catalog_list(catalog, kind, NULL);
    ck_assert_int_eq((int)pm_table_count_rows(table), pm_catalog_count(catalog, kind));
    for (size_t row = 0; row < pm_table_count_rows(table); row++)
      ck_assert_str_eq(pm_table_get_text(table, find_column(table, "id"), row, text),
                       pm_catalog_get_id(catalog, kind, row));
    pm_table_free(table);
  }
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("catalog");
  TCase *tests = tcase_create("catalog");
  tcase_set_timeout(tests, 60);
  tcase_add_checked_fixture(tests, set_up, tear_down);
  tcase_add_test(tests, every_entry_works);
  tcase_add_test(tests, every_system_and_network_builds);
  tcase_add_test(tests, ids_stay);
  tcase_add_test(tests, unknown_names_get_advice);
  tcase_add_test(tests, models_are_named_as_hubs_name_them);
  tcase_add_test(tests, quantised_models_name_the_option);
  tcase_add_test(tests, nothing_crashes_on_nothing);
  tcase_add_test(tests, users_add_entries);
  tcase_add_test(tests, users_override_entries_and_are_told);
  tcase_add_test(tests, a_later_alias_wins_and_says_so);
  tcase_add_test(tests, a_load_is_all_or_nothing);
  tcase_add_test(tests, folders_are_read_in_order);
  tcase_add_test(tests, networks_take_parameters);
  tcase_add_test(tests, networks_of_model_types_take_settings);
  tcase_add_test(tests, entries_are_shown_with_their_sources);
  tcase_add_test(tests, what_times_rest_on_is_told);
  tcase_add_test(tests, lists_have_a_row_per_entry);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
