/*
** The worst files of a size: what takes a reader longer than its bytes are many. Each is a mebibyte or more of the
** same, and is answered by work that grows as its bytes do.
*/
#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perfmodel-lab.h"
#include "perfmodel/model.h"
#include "perfmodel/settings.h"
#include "work.h"

enum { MOST = 2 << 20, PER_BYTE = 1000 };
static const double GROWTH = 2.2;

/* A file: a head, so many times a piece in which %d, if it is there, is the count, and an end. */
typedef struct file {
  const char *what, *head, *piece, *end;
  const char *message; /* what the error holds; NULL: it loads */
} file;

#define HEAD "<perfmodel version=\"1\">"

static const file files[] = {
  {"attributes", HEAD "<gpu", " a%d=\"\"", "/></perfmodel>", "more than 64 attributes in \"gpu\""},
  {"namespaces", HEAD "<gpu", " xmlns:a%d=\"a%d\"", "/></perfmodel>", "more than 64 attributes in \"gpu\""},
  {"levels", HEAD, "<a%d>", "", "nested more than 32 deep"},
  {"elements", HEAD, "<a/>", "</perfmodel>", "more than 200000 elements"},
  {"a name", HEAD "<", "abcdefghij", "/></perfmodel>", "too long a name"},
  {"a value", HEAD "<gpu id=\"", "abcdefghij", "\"/></perfmodel>", "too long a value"},
  {"a text", HEAD "<gpu id=\"x\" name=\"x\"><memory>", "abcdefghij", "</memory></gpu></perfmodel>", "too long a text"},
  {"an open tag", HEAD "<gpu", " ", "", ""},
  {"an open quote", HEAD "<gpu id=\"", "<", "", ""},
  {"brackets", HEAD, "<", "", ""},
  {"a comment", HEAD "<!--", " =", "--></perfmodel>", NULL},
  {"comments", HEAD, "<!---->", "</perfmodel>", NULL},
  {"instructions", HEAD, "<?a?>", "</perfmodel>", NULL},
  {"references", HEAD "<gpu id=\"x\" name=\"x\"><memory>", "&#65;", "</memory></gpu></perfmodel>", "too long a text"},
  {"entities", HEAD "<gpu id=\"x\" name=\"x\"><memory>", "&a;", "</memory></gpu></perfmodel>", ""},
  {"doctypes", "<!DOCTYPE a [", "<!ENTITY a%d \"\">", "]>" HEAD "</perfmodel>", "a DOCTYPE is not allowed"},
  {"entries", HEAD, "<source id=\"a%d\" name=\"b%d\"/>", "</perfmodel>", NULL},
  {"aliases", HEAD "<gpu id=\"x\" name=\"x\" alias=\"", "a%d,", "\"/></perfmodel>", "too long a value"},
  {"layers", HEAD "<network id=\"x\" name=\"x\"><input shape=\"8\"/>", "<relu/>", "</network></perfmodel>", ""},
  {"lines", HEAD, "\n", "", ""},
};

static char *write_file(const file *f, size_t most)
{
  char *text = (char *)malloc(most + 200), piece[100];
  ck_assert_ptr_nonnull(text);
  size_t used = strlen(f->head);
  memcpy(text, f->head, used);
  for (int i = 0; used < most; i++) {
    const char *at = f->piece, *mark;
    for (; (mark = strstr(at, "%d")) != NULL; at = mark + 2)
      used += (size_t)snprintf(text + used, sizeof piece, "%.*s%d", (int)(mark - at), at, i);
    memcpy(text + used, at, strlen(at));
    used += strlen(at);
  }
  memcpy(text + used, f->end, strlen(f->end) + 1);
  return text;
}

/* Twice as much takes twice the work, not four times. */
static void check_growth(const char *what, uint64_t half, uint64_t whole)
{
  const double growth = (double)whole / (double)half;
  ck_assert_msg(growth < GROWTH, "%s: twice as many take %.2f times the work", what, growth);
  ck_assert_msg(whole < (uint64_t)MOST * PER_BYTE, "%s take %.3g blocks and bytes", what, (double)whole);
}

static uint64_t work_of_xml(const file *f, size_t size)
{
  pm_error error = PM_ERROR_NONE;
  char *text = write_file(f, size);
  pm_catalog *catalog = pm_catalog_new(NULL);
  const uint64_t before = work_done;
  int status = pm_catalog_load_text(catalog, text, "worst.xml", &error);
  const uint64_t work = work_done - before;
  pm_catalog_free(catalog);
  free(text);
  ck_assert_msg((status == PM_OK) == (f->message == NULL), "%s: %s", f->what, error.text);
  ck_assert_msg(f->message == NULL || strstr(error.text, f->message) != NULL, "%s: %s", f->what, error.text);
  return work;
}

START_TEST(xml_of_a_size)
{
  const file *f = &files[_i];
  check_growth(f->what, work_of_xml(f, MOST / 2), work_of_xml(f, MOST));
}
END_TEST

/* ---- Tables of the user ---- */

typedef struct rows {
  const char *set, *head, *row;
} rows;

#define RATES "model,framework,gpu,batch_per_gpu,precision,throughput,unit\n"

static const rows tables[] = {
  {"training", RATES, "resnet18,PyTorch,V100,%d,fp32,x,images/s\n"},
  {"training", RATES, "unknown%d,PyTorch,V100,1,fp32,9,images/s\n"},
  {"training", RATES, "resnet18,PyTorch,G%d,1,fp32,9,images/s\n"},
  {"training", RATES, "resnet18,PyTorch,V100,%d,fp32,9,images/s\n"},
  {"kernels", "kernel,M,N,K,precision,gpu,time_us\n", "gemm,%d,512,512,fp32,G%d,9\n"},
  {"kernels", "kernel,M,N,K,precision,gpu,time_us\n", "gemm,%d,512,512,fp32,V100,9\n"},
  {"collectives", "system,gpus,nodes,collective,message_bytes,time_us\n", "S%d,8,1,all_reduce,%d,9\n"},
};

static uint64_t work_of_table(const rows *t, size_t size)
{
  const file f = {t->set, t->head, t->row, "", NULL};
  char *text = write_file(&f, size);
  pm_error error = PM_ERROR_NONE;
  pm_catalog *catalog = pm_catalog_new(NULL);
  const pm_validation what = {.set = t->set, .data = text, .rows = 1};
  const uint64_t before = work_done;
  pm_table *table = pm_validate(catalog, &what, &error);
  const uint64_t work = work_done - before;
  ck_assert_msg(table != NULL, "%s", error.text);
  pm_table_free(table);
  pm_catalog_free(catalog);
  free(text);
  return work;
}

START_TEST(tables_of_a_size)
{
  const rows *t = &tables[_i];
  check_growth(t->row, work_of_table(t, MOST / 8), work_of_table(t, MOST / 4));
}
END_TEST

/* ---- Descriptions of machines, models and settings, and what other programs measured ---- */

enum { SOME = MOST / 8 };

typedef void reader(const char *format, const char *text);

static void machine(const char *format, const char *text)
{
  pm_error error = PM_ERROR_NONE;
  pm_catalog *catalog = pm_catalog_new(NULL);
  char *report = NULL;
  static const pm_attribute known[] = {{"gpu", "v100-sxm2-16gb"}};
  pm_string_free(pm_import(catalog, format, text, "worst", "mine", known, 1, &report, &error));
  pm_string_free(report);
  pm_catalog_free(catalog);
}

static void model(const char *format, const char *text)
{
  (void)format;
  pm_error error = PM_ERROR_NONE;
  pm_network_free(pm_model_read(text, "worst.json", NULL, 0, &error));
}

/* A name of a system and of a network. */
static void name(const char *format, const char *text)
{
  (void)format;
  pm_error error = PM_ERROR_NONE, other = PM_ERROR_NONE;
  pm_catalog *catalog = pm_catalog_new(NULL);
  pm_system_free(pm_catalog_new_system(catalog, text, &error));
  pm_catalog_resolve(catalog, "network", text, &other);
  pm_catalog_free(catalog);
}

static void settings(const char *format, const char *text)
{
  pm_error error = PM_ERROR_NONE;
  pm_table_free(pm_settings_read(format, text, "worst", &error));
}

/* `format`: "storage" and "steps" need more to be known than the system. */
static void measured(const char *format, const char *text)
{
  pm_error error = PM_ERROR_NONE;
  pm_catalog *catalog = pm_catalog_new(NULL);
  char *report = NULL;
  static const pm_attribute known[] = {{"system", "dgx1-v100"}, {"network", "gpt2"}, {"gpus", "8"},
                                       {"global_batch", "64"}, {"seq", "512"}};
  static const pm_attribute storage[] = {{"system", "dgx1-v100"}, {"storage", "nvme"}};
  bool stored = format != NULL && strcmp(format, "storage") == 0, steps = format != NULL && !stored;
  const pm_attribute *said = stored ? storage : known;
  pm_string_free(pm_measurements_read(catalog, text, "worst", said, stored ? 2 : steps ? 5 : 1, &report, &error));
  pm_string_free(report);
  pm_catalog_free(catalog);
}

typedef struct input {
  reader *read;
  const char *format;
  file of;
} input;

#define LLAMA "{\"model_type\":\"llama\",\"hidden_size\":64"
#define DEBERTA "{\"model_type\":\"deberta-v2\",\"hidden_size\":64,\"num_attention_heads\":4," \
                "\"relative_attention\":true"
#define SMALL "\"hidden_size\":64,\"num_attention_heads\":4,\"num_hidden_layers\":999,\"vocab_size\":100," \
              "\"intermediate_size\":64"
#define V4 "{\"model_type\":\"deepseek_v4\"," SMALL
#define M3 "{\"model_type\":\"minimax_m3_vl_text\"," SMALL
#define HYBRID "{\"model_type\":\"nemotron_h\"," SMALL
#define TOWER "{\"model_type\":\"qwen2_5_vl_vision\",\"hidden_size\":64,\"num_heads\":4,\"depth\":999," \
              "\"intermediate_size\":64"
#define DEEP "{\"model_type\":\"qwen3_vl_vision\",\"hidden_size\":64,\"num_heads\":4,\"depth\":999," \
             "\"intermediate_size\":64"
#define RANK "#  Rank  %d Group  0 Pid 1 on   node%d device  0 [0x01] NVIDIA H100\n"
#define STEP " iteration  %d/ 500 | elapsed time per iteration (ms): 3005.1 | global batch size: 64 |\n"
#define TESTS "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
#define RESULT "{\"model_id\":\"llama3-8b\",\"completed\":1,\"total_input_tokens\":1,\"total_output_tokens\":1," \
               "\"max_concurrency\":1,\"mean_ttft_ms\":1,\"mean_tpot_ms\":1,\"request_throughput\":%d}\n"
#define TRACE "{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\",\"ts\":1,\"dur\":1,\"args\":{}}"
#define SERVED "{\"backend\":\"vllm\",\"model_id\":\"llama3-8b\",\"completed\":1,\"itls\":[["

static const input inputs[] = {
  {settings, "megatron", {"flags", "", " --unknown-%d 1", "", NULL}},
  {settings, "megatron", {"one flag again", "", " --tensor-model-parallel-size %d", "", NULL}},
  {settings, "megatron", {"quotes", "", " \"", "", NULL}},
  {settings, "megatron", {"comments", "", "# a\n", "", NULL}},
  {settings, "megatron", {"documents without an end", "", "<<A%d\n", "", NULL}},
  {settings, "megatron", {"values of flags", "", "--a=$B ", "", NULL}},
  {settings, "deepspeed", {"keys of JSON", "{\"a\":1", ",\"k%d\":1", "}", NULL}},
  {settings, "deepspeed", {"one key again", "{\"a\":1", ",\"gradient_clipping\":1", "}", NULL}},
  {settings, "deepspeed", {"levels of JSON", "", "{\"k\":", "", NULL}},
  {settings, "deepspeed", {"a list", "{\"a\":[1", ",1", "]}", NULL}},
  {settings, "accelerate", {"keys of YAML", "", "k%d: 1\n", "", NULL}},
  {settings, "accelerate", {"one line of YAML", "k: ", "a ", "\n", NULL}},
  {settings, "torchtitan", {"keys of TOML", "", "k%d = 1\n", "", NULL}},
  {settings, "torchtitan", {"tables of TOML", "", "[t%d]\n", "", NULL}},
  {settings, "torchtitan", {"texts of TOML", "", "k = \"\"\"\n", "", NULL}},
  {settings, "torchtitan", {"a text without an end", "k = \"\"\"\n", "a\n", "", NULL}},
  {settings, "torchtitan", {"a list without an end", "k = [\n", "a\n", "", NULL}},
  {settings, "accelerate", {"a text of YAML", "k: \"", "a'\n", "", NULL}},
  {settings, "nemo", {"calls in calls", "import x\n", "a=(", "", NULL}},
  {settings, "nemo", {"values of values", "import x\n", "a=", "", NULL}},
  {settings, "nemo", {"texts of a recipe", "import x\n", "'''a\"", "", NULL}},
  {settings, "nemo", {"keys beside values", "import x\n", "a=1,\"seq_length\",", "", NULL}},
  {settings, "nemo", {"lines of a recipe", "import nemo_run as run\n", "recipe.k%d = 1\n", "", NULL}},
  {settings, NULL, {"any text", "", "a b %d\n", "", NULL}},
  {model, NULL, {"keys of a model", LLAMA, ",\"k%d\":1", "}", NULL}},
  {model, NULL, {"kinds of layers", LLAMA ",\"layer_types\":[\"full_attention\"", ",\"full_attention\"", "]}", NULL}},
  {model, NULL, {"levels of a model", LLAMA ",\"text_config\":", "{\"text_config\":", "}", NULL}},
  {model, NULL, {"stages of images", "{\"model_type\":\"swin\",\"depths\":[0", ",0", "]}", NULL}},
  {model, NULL, {"kinds of scores", DEBERTA ",\"pos_att_type\":[\"c2p\"", ",\"c2p\"", "]}", NULL}},
  {model, NULL, {"frames of sound", "{\"model_type\":\"hubert\",\"conv_dim\":[8", ",8", "]}", NULL}},
  {model, NULL, {"a name of a model", LLAMA ",\"torch_dtype\":\"", "a", "\"}", NULL}},
  {model, NULL, {"layers of compressed keys", V4 ",\"layer_types\":[\"sliding_attention\"",
                 ",\"compressed_sparse_attention\"", "]}", NULL}},
  {model, NULL, {"rates of compressed keys", V4 ",\"compress_ratios\":[0", ",4", "]}", NULL}},
  {model, NULL, {"layers of chosen blocks", M3 ",\"layer_types\":[\"full_attention\"", ",\"minimax_m3_sparse\"",
                 "]}", NULL}},
  {model, NULL, {"a pattern of layers", HYBRID ",\"hybrid_override_pattern\":\"", "M*", "\"}", NULL}},
  {model, NULL, {"layers that see all", TOWER ",\"fullatt_block_indexes\":[1", ",1", "]}", NULL}},
  {model, NULL, {"layers that give rows", DEEP ",\"deepstack_visual_indexes\":[1", ",1", "]}", NULL}},
  {model, NULL, {"dense layers", "{\"model_type\":\"qwen3_moe\"," SMALL ",\"mlp_only_layers\":[1", ",1", "]}", NULL}},
  {model, NULL, {"parts of a composite", LLAMA ",\"model_type\":\"x\",\"text_config\":" LLAMA "}",
                 ",\"a%d_config\":{}", "}", NULL}},
  {model, NULL, {"groups of weights", LLAMA ",\"quantization_config\":{\"quant_method\":\"fp8\",\"ignore\":[\"a\"",
                 ",\"a\"",
                 "]}}", NULL}},
  {name, NULL, {"machines of machines", "", "2x", "8xh100", NULL}},
  {name, NULL, {"stars of a machine", "h100", "*8", "", NULL}},
  {name, NULL, {"words of a name", "", "h20-", "", NULL}},
  {name, NULL, {"owners of a model", "", "meta-llama/", "Llama-3-8B", NULL}},
  {name, NULL, {"endings of a model", "meta-llama/Llama-3-8B", "-Instruct", "", NULL}},
  {machine, "nccl", {"CPUs", "<system version=\"1\">", "<cpu numaid=\"%d\"/>", "</system>", NULL}},
  {machine, "nccl", {"PCI devices", "<system version=\"1\"><cpu numaid=\"0\">",
                     "<pci busid=\"0000:%d:00.0\" class=\"0x060400\"/>",
                     "</cpu></system>", NULL}},
  {machine, "hwloc", {"objects", "<topology version=\"2.0\">",
                      "<object type=\"Machine\" gp_index=\"%d\"/>", "</topology>", NULL}},
  {machine, "topo", {"lines of a matrix", "\tGPU0\tCPU Affinity\n", "GPU%d\t X \t0-3\n", "", NULL}},
  {machine, "topo", {"columns of a matrix", "", "\tGPU%d", "\nGPU0\t X \n", NULL}},
  {machine, "rocm", {"lines of ROCm", "", "GPU%d          0            XGMI\n", "", NULL}},
  {measured, NULL, {"messages", TESTS, "%d 2 float sum -1 9.1 0.1 0.2 0\n", "", NULL}},
  {measured, NULL, {"events", TRACE,
                    ",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k%d\",\"ts\":1,\"dur\":1}", "]}", NULL}},
  {measured, NULL, {"results of serving", "", RESULT, "", NULL}},
  {measured, NULL, {"times of tokens", SERVED "0.1", ",0.1", "]]}", NULL}},
  {measured, NULL, {"samples of power", "timestamp, index, power.draw [W]\n",
                    "2024/01/01 00:00:0%d.000, 0, 70.1 W\n", "", NULL}},
  {measured, NULL, {"lines of dmon", "# gpu   pwr\n# Idx     W\n", "    0    %d\n", "", NULL}},
  {measured, NULL, {"ranks of a run", "", RANK, TESTS "8 2 float sum -1 9.1 0.1 0.2 0\n", NULL}},
  {measured, "steps", {"steps of Megatron", "", STEP, "", NULL}},
  {measured, "steps", {"steps of torchtitan", "", "step: %d  loss: 1  memory: 1GiB(1 of 2)  tps: 5,762\n", "", NULL}},
  {measured, "steps", {"steps of NeMo", "", "train_step_timing in s: 10.2, global_step: %d\n", "", NULL}},
  {measured, "steps", {"lines of MLPerf", ":::MLLOG {\"key\": \"global_batch_size\", \"value\": 64}\n",
                       ":::MLLOG {\"key\": \"tracked_stats\", \"value\": {\"throughput\": 1.%d}}\n", "", NULL}},
  {measured, "storage", {"rates of MLPerf Storage",
                         "{\"num_accelerators\":8,\"metric\":{\"train_throughput_samples_per_second\":[1", ",1",
                         "]}}", NULL}},
  {measured, NULL, {"rows of llama-bench", "[{\"model_filename\":\"a\",\"n_prompt\":1,\"n_gen\":0,\"avg_ts\":1}",
                    ",{\"model_filename\":\"a%d\",\"n_prompt\":1,\"n_gen\":0,\"avg_ts\":1}", "]", NULL}},
  {measured, NULL, {"windows of Zeus", "start_time,window_name,elapsed_time,gpu0_energy\n", "1,w%d,1,100\n", "",
                    NULL}},
  {measured, NULL, {"rows of bars", "| model | gpu | img/s |\n|---|---|---|\n", "| a%d | b | 1 |\n", "", NULL}},
  {measured, NULL, {"rows of a table", RATES, "resnet18,PyTorch,V100,%d,fp32,9,images/s\n", "", NULL}},
  {measured, NULL, {"columns of a table", "model", ",c%d", "\n", NULL}},
};

static uint64_t work_of_input(const input *i, size_t size)
{
  char *text = write_file(&i->of, size);
  const uint64_t before = work_done;
  i->read(i->format, text);
  free(text);
  return work_done - before;
}

START_TEST(inputs_of_a_size)
{
  const input *i = &inputs[_i];
  check_growth(i->of.what, work_of_input(i, SOME / 2), work_of_input(i, SOME));
}
END_TEST

/* ---- Machines of many GPUs ---- */

enum { GPUS = 256 };
static const double SQUARE = 4.5;

/* So many GPUs at one CPU, with a link to the next one over NVLink if they are joined. */
static char *write_machine(int gpus, bool joined)
{
  const size_t room = 300 + 160 * (size_t)gpus;
  char *text = (char *)malloc(room);
  ck_assert_ptr_nonnull(text);
  int used = snprintf(text, room, HEAD "<system id=\"s\" name=\"S\"><gpu>v100-sxm2-16gb</gpu><gpus>%d</gpus><graph>"
                      "<vertex kind=\"cpu\" names=\"c\"/>", gpus);
  for (int i = 0; i < gpus; i++) {
    used += snprintf(text + used, room - (size_t)used, "<link type=\"pcie3-x16\" from=\"c\" to=\"gpu%d\"/>", i);
    if (joined)
      used += snprintf(text + used, room - (size_t)used, "<link type=\"nvlink2\" from=\"gpu%d\" to=\"gpu%d\"/>", i,
                       (i + 1) % gpus);
  }
  snprintf(text + used, room - (size_t)used, "</graph></system></perfmodel>");
  return text;
}

static void ask_of(pm_catalog *catalog, int gpus)
{
  static const char *const drawings[] = {"matrix", "copies", "dot", "svg"};
  pm_ring ring;
  pm_error error = PM_ERROR_NONE;
  pm_system *system = pm_catalog_new_system(catalog, "s", &error);
  ck_assert_msg(system != NULL, "%s", error.text);
  ck_assert_int_eq(pm_ring_find(system, gpus, 1, &ring, &error), PM_OK);
  for (size_t i = 0; i < sizeof drawings / sizeof drawings[0]; i++) {
    char *drawn = pm_system_format(system, drawings[i], &error);
    ck_assert_msg(drawn != NULL, "%s: %s", drawings[i], error.text);
    pm_string_free(drawn);
  }
  pm_system_free(system);
}

static uint64_t work_of_machine(int gpus, bool joined)
{
  pm_error error = PM_ERROR_NONE;
  pm_catalog *catalog = pm_catalog_new(NULL);
  char *text = write_machine(gpus, joined);
  const uint64_t before = work_done;
  ck_assert_msg(pm_catalog_load_text(catalog, text, "worst.xml", &error) == PM_OK, "%s", error.text);
  ask_of(catalog, gpus);
  const uint64_t work = work_done - before;
  pm_catalog_free(catalog);
  free(text);
  return work;
}

/* There are as many pairs as GPUs times GPUs. */
START_TEST(machines_of_a_size)
{
  const double growth = (double)work_of_machine(GPUS, _i == 1) / (double)work_of_machine(GPUS / 2, _i == 1);
  ck_assert_msg(growth < SQUARE, "twice as many GPUs take %.2f times the work", growth);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("worst");
  TCase *tests = tcase_create("worst");
  tcase_set_timeout(tests, 100);
  tcase_add_loop_test(tests, xml_of_a_size, 0, sizeof files / sizeof files[0]);
  tcase_add_loop_test(tests, tables_of_a_size, 0, sizeof tables / sizeof tables[0]);
  tcase_add_loop_test(tests, inputs_of_a_size, 0, sizeof inputs / sizeof inputs[0]);
  tcase_add_loop_test(tests, machines_of_a_size, 0, 2);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
