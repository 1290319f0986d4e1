/* Runs as other programs have them. */
#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fixtures.h"

static size_t column_of(const pm_table *table, const char *name)
{
  for (size_t i = 0; i < pm_table_count_columns(table); i++)
    if (strcmp(pm_table_get_column(table, i)->name, name) == 0) return i;
  ck_abort_msg("no column %s", name);
}

static const char *cell(const pm_table *table, size_t row, const char *column)
{
  static char buffer[PM_TEXT_MAX];
  return pm_table_get_text(table, column_of(table, column), row, buffer);
}

/* "option=value option=value ..." of what a text sets, in its order; what is not understood as "?key", what is not
** modelled as "!key". */
static char *summary(const char *format, const char *text)
{
  static char out[4000];
  pm_error error = PM_ERROR_NONE;
  pm_table *table = pm_settings_read(format, text, "file", &error);
  ck_assert_msg(table != NULL, "%s", error.text);
  out[0] = '\0';
  for (size_t i = 0; i < pm_table_count_rows(table); i++) {
    size_t used = strlen(out);
    bool unknown = strcmp(cell(table, i, "state"), "not understood") == 0;
    bool left_out = strcmp(cell(table, i, "state"), "not modelled") == 0;
    if (left_out) snprintf(out + used, sizeof out - used, "!%s ", cell(table, i, "key"));
    else if (unknown) snprintf(out + used, sizeof out - used, "?%s ", cell(table, i, "key"));
    else if (cell(table, i, "option")[0] != '\0') {
      snprintf(out + used, sizeof out - used, "%s=", cell(table, i, "option"));
      used = strlen(out);
      snprintf(out + used, sizeof out - used, "%s ", cell(table, i, "set_to"));
    }
  }
  pm_table_free(table);
  return out;
}

static char *file_summary(const char *name)
{
  char path[500];
  pm_error error = PM_ERROR_NONE;
  snprintf(path, sizeof path, "%s/tests/settings/%s", PM_SOURCE_DIR, name);
  char *text = pm_file_read(path, &error);
  ck_assert_msg(text != NULL, "%s", error.text);
  char *out = summary(NULL, text);
  pm_string_free(text);
  return out;
}

START_TEST(flags_of_megatron)
{
  ck_assert_str_eq(file_summary("train.sh"),
                   "gpus=8 nodes=128 network.layers=96 network.hidden=12288 network.heads=96 network.seq=2048 "
                   "micro_batch=1 "
                   "global_batch=1536 precision=bf16 zero=1 recompute=selective ?tp-comm-overlap tensor_parallel=8 "
                   "pipeline_parallel=16 sequence_parallel=yes virtual_pipeline=2 optimizer=adam ");
  ck_assert_str_eq(summary("megatron", "--cp-comm-type p2p --tensor-model-parallel-size $TP --fp8-format hybrid"),
                   "context_exchange=ring ?tensor-model-parallel-size precision=fp8 optimizer=adam ");
  ck_assert_str_eq(summary("megatron", "--account-for-embedding-in-pipeline-split --pipeline-model-parallel-size 4"),
                   "stage_layers=balanced pipeline_parallel=4 optimizer=adam ");
}
END_TEST

/* What is false or null there is no flag of the run. */
START_TEST(model_config_of_megatron)
{
  ck_assert_str_eq(file_summary("model_config.yaml"),
                   "network.layers=12 network.hidden=512 network.heads=8 ?log-params-norm micro_batch=4 "
                   "global_batch=32 network.seq=1024 network.positions=1024 tensor_parallel=2 pipeline_parallel=2 "
                   "sequence_parallel=yes zero=1 recompute=full precision=bf16 virtual_pipeline=6 optimizer=adam ");
  ck_assert_str_eq(summary(NULL, "MODEL_ARGS:\n  --micro-batch-size: 2\n  --bf16: false\n  --fp8-format: null\n"),
                   "micro_batch=2 optimizer=adam ");
}
END_TEST

START_TEST(flags_of_engines)
{
  ck_assert_str_eq(file_summary("vllm.sh"), "tensor_parallel=4 kv_cache=fp8 sequences=256 token_budget=8192 "
                                            "memory_fraction=0.9 isl=2048 osl=256 concurrency=64 gpus=4 engine=vllm "
                                            "weights=fp8 precision=fp8 ");
  ck_assert_str_eq(summary(NULL, "sglang serve --tp 16 --dp 8 --enable-dp-attention --ep 16 --nnodes 2"),
                   "expert_parallel=16 nodes=2 tensor_parallel=2 attention_parallel=8 gpus=8 engine=sglang ");
  ck_assert_str_eq(summary(NULL, "vllm serve --data-parallel-size 4 --request-rate 2.5 --enforce-eager"),
                   "rate=2.5 !enforce-eager gpus=4 engine=vllm arrivals=open ");
  ck_assert_str_eq(summary(NULL, "trtllm-serve x --tp_size 4 --kv_cache_free_gpu_memory_fraction 0.5"),
                   "!kv_cache_free_gpu_memory_fraction tensor_parallel=4 gpus=4 engine=trtllm ");
}
END_TEST

static const char *value_among(const pm_attribute *items, size_t count, const char *name)
{
  for (size_t i = 0; i < count; i++)
    if (strcmp(items[i].name, name) == 0) return items[i].value;
  return "";
}

/* Law: what an engine is told is read as what was told. */
START_TEST(engines_are_told_and_read)
{
  static const pm_attribute told[] = {{"tensor_parallel", "2"}, {"attention_parallel", "4"}, {"expert_parallel", "8"},
                                      {"precision", "fp8"}, {"weights", "fp8"}, {"kv_cache", "fp8"},
                                      {"sequences", "512"}, {"token_budget", "4096"}, {"memory_fraction", "0.8"}};
  static const char *const engines[] = {"vllm", "sglang", "trtllm"};
  for (size_t e = 0; e < 3; e++) {
    /* TensorRT-LLM has no word for some */
    const size_t count = e < 2 ? sizeof told / sizeof told[0] : 1;
    pm_error error = PM_ERROR_NONE;
    char *text = pm_settings_write(engines[e], told, count, &error);
    ck_assert_msg(text != NULL && strchr(text, '#') == NULL, "%s", text != NULL ? text : error.text);
    pm_table *table = pm_settings_read(NULL, text, "file", &error); /* by what the text looks like */
    ck_assert_msg(table != NULL, "%s", error.text);
    size_t found = 0;
    for (size_t i = 0; i < pm_table_count_rows(table); i++) {
      const char *expected = value_among(told, count, cell(table, i, "option"));
      if (expected[0] == '\0') continue;
      ck_assert_str_eq(cell(table, i, "set_to"), expected);
      found++;
    }
    ck_assert_uint_eq(found, count);
    pm_table_free(table);
    pm_string_free(text);
  }
}
END_TEST

START_TEST(files_of_others)
{
  ck_assert_str_eq(file_summary("llama.toml"),
                   "network.name=llama3 network.name=70B precision=fp8 optimizer=adamw batch=16 network.seq=8192 "
                   "precision=fp8 ?training.compile tensor_parallel=8 context_parallel=1 "
                   "?parallelism.enable_async_tensor_parallel recompute=full zero=3 sequence_parallel=yes ");
  ck_assert_str_eq(file_summary("zero.json"),
                   "global_batch=512 micro_batch=4 precision=bf16 zero=3 overlap=backward offload=gradients "
                   "!zero_optimization.offload_optimizer.ratio ?zero_optimization.stage3_prefetch_bucket_size "
                   "optimizer=adamw ");
  ck_assert_str_eq(file_summary("fsdp.yaml"),
                   "zero=2 recompute=full ?fsdp_config.fsdp_auto_wrap_policy precision=bf16 nodes=4 gpus=8 "
                   "optimizer=adam ");
  ck_assert_str_eq(file_summary("recipe.py"),
                   "tensor_parallel=4 pipeline_parallel=8 virtual_pipeline=5 context_parallel=2 sequence_parallel=yes "
                   "nodes=8 "
                   "gpus=8 global_batch=512 micro_batch=1 recompute=none zero=1 expert_dispatch=all-to-all "
                   "precision=bf16 optimizer=adam ");
}
END_TEST

/* Parameters take the rest with them, and less goes to the host where the ranks keep more. */
START_TEST(offloads)
{
  static const char *const texts[][2] = {
    {"{\"zero_optimization\": {\"stage\": 3, \"offload_param\": {\"device\": \"cpu\"}, \"offload_optimizer\": "
     "{\"device\": \"cpu\"}}}",
     "zero=3 offload=parameters offload=parameters optimizer=adam "},
    {"{\"zero_optimization\": {\"stage\": 2, \"offload_optimizer\": {\"device\": \"cpu\"}}}",
     "zero=2 offload=gradients optimizer=adam "},
    {"{\"zero_optimization\": {\"stage\": 1, \"offload_optimizer\": {\"device\": \"cpu\"}}}",
     "zero=1 offload=optimizer optimizer=adam "},
    {"{\"zero_optimization\": {\"stage\": 2, \"offload_optimizer\": {\"device\": \"none\"}}}",
     "zero=2 offload=none optimizer=adam "}};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    ck_assert_str_eq(summary("deepspeed", texts[i][0]), texts[i][1]);
  ck_assert_str_eq(summary("megatron", "--use-distributed-optimizer --optimizer-cpu-offload"),
                   "zero=1 offload=optimizer optimizer=adam ");
  ck_assert_str_eq(summary("torchtitan", "[training]\nenable_cpu_offload = true\n"),
                   "offload=parameters optimizer=adam zero=3 ");
  ck_assert_str_eq(summary("accelerate", "distributed_type: FSDP\nfsdp_config:\n  fsdp_offload_params: true\n"),
                   "offload=parameters optimizer=adam zero=3 ");
}
END_TEST

#define FOUR_DEEP "{\"a\": {\"a\": {\"a\": {\"a\": "

START_TEST(what_is_no_run_is_said)
{
  static const char *const formats[] = {NULL, "slurm", "deepspeed", "deepspeed"};
  static const char *const texts[] = {"hello", "", "{\"a\": ",
                                      FOUR_DEEP FOUR_DEEP FOUR_DEEP FOUR_DEEP FOUR_DEEP FOUR_DEEP FOUR_DEEP FOUR_DEEP
                                      "{"};
  static const char *const reasons[] = {"neither flags of Megatron-LM", "format \"slurm\" is unknown", "file",
                                        "too deep"};
  for (size_t i = 0; i < 4; i++) {
    pm_error error = PM_ERROR_NONE;
    ck_assert_ptr_null(pm_settings_read(formats[i], texts[i], "file", &error));
    ck_assert_msg(strstr(error.text, reasons[i]) != NULL, "%s", error.text);
  }
  pm_error error = PM_ERROR_NONE;
  ck_assert_ptr_null(pm_settings_read("megatron", NULL, "file", &error));
}
END_TEST

/* What is written is read as what it was. */
START_TEST(plans_are_written)
{
  static const pm_attribute settings[] = {{"tensor_parallel", "8"}, {"pipeline_parallel", "4"}, {"micro_batch", "2"},
                                          {"zero", "1"}, {"recompute", "full"}, {"global_batch", "512"},
                                            {"stage_layers", "balanced"}};
  pm_error error = PM_ERROR_NONE;
  char *text = pm_settings_write("megatron", settings, 7, &error);
  ck_assert_str_eq(text, "--tensor-model-parallel-size 8 \\\n--pipeline-model-parallel-size 4 \\\n"
                         "--account-for-embedding-in-pipeline-split \\\n--account-for-loss-in-pipeline-split \\\n"
                         "--micro-batch-size 2 \\\n"
                         "--global-batch-size 512 \\\n--use-distributed-optimizer \\\n--recompute-granularity full\n");
  ck_assert_str_eq(summary("megatron", text),
                   "tensor_parallel=8 pipeline_parallel=4 stage_layers=balanced stage_layers=balanced micro_batch=2 "
                   "global_batch=512 zero=1 recompute=full optimizer=adam ");
  pm_string_free(text);
  text = pm_settings_write("deepspeed", settings, 7, &error);
  ck_assert_str_eq(summary("deepspeed", text),
                   "global_batch=512 micro_batch=2 zero=1 tensor_parallel=8 pipeline_parallel=4 optimizer=adam ");
  pm_string_free(text);
  text = pm_settings_write("torchtitan", settings, 7, &error);
  ck_assert_str_eq(text, "[parallelism]\ntensor_parallel_degree = 8\npipeline_parallel_degree = 4\n"
                         "pipeline_parallel_microbatch_size = 2\n\n[training]\nglobal_batch_size = 512\n\n"
                         "[activation_checkpoint]\nmode = \"full\"\n# torchtitan has no setting for zero = 1\n"
                         "# torchtitan has no setting for stage_layers = balanced\n");
  pm_string_free(text);
  const pm_attribute shards[] = {{"zero", "3"}, {"offload", "parameters"}};
  text = pm_settings_write("deepspeed", shards, 2, &error);
  ck_assert_str_eq(text, "{\n  \"zero_optimization\": {\n    \"stage\": 3,\n    \"offload_param\": {\"device\": "
                         "\"cpu\"},\n"
                         "    \"offload_optimizer\": {\"device\": \"cpu\"}\n  }\n}\n");
  pm_string_free(text);
  ck_assert_ptr_null(pm_settings_write("nemo", settings, 7, &error));
}
END_TEST

/* What a script prints, or writes to a file, is not its run; what a shell reads is. */
START_TEST(text_is_no_setting)
{
  ck_assert_str_eq(summary("megatron", "echo --tensor-model-parallel-size 8 \"it's --micro-batch-size 4\"\n"
                                       "printf \"x\n --context-parallel-size 4 \"\n"
                                       "cat > x.sh <<EOF\ntorchrun --pipeline-model-parallel-size 4 don't\nEOF\n"
                                       "sbatch <<'END'\nrun --tensor-model-parallel-size 2 \\\n"
                                       " --micro-batch-size 1 && echo --bf16\nEND\n"),
                   "?tensor-model-parallel-size ?micro-batch-size ?context-parallel-size ?pipeline-model-parallel-size "
                   "tensor_parallel=2 micro_batch=1 ?bf16 optimizer=adam ");
  ck_assert_str_eq(summary("torchtitan", "[parallelism]\nx = \"\"\"\ntensor_parallel_degree = 8\n\"\"\"\n"
                                         "pipeline_parallel_degree = 2\n"),
                   "?parallelism.x pipeline_parallel=2 optimizer=adam zero=3 ");
  ck_assert_str_eq(summary("accelerate", "note: |\n  num_machines: 8\nnum_machines: 2\n"),
                   "?note nodes=2 optimizer=adam ");
  ck_assert_str_eq(summary("nemo", "import x\n\"\"\"\nnum_nodes=8\n\"\"\"\nf(num_nodes=2)\n"),
                   "nodes=2 optimizer=adam ");
}
END_TEST

/* Other ways in which a file has text of several lines, or within one. */
START_TEST(text_of_every_syntax_is_none)
{
  static const char *const all[][3] = {
    {"megatron", "/bin/echo --micro-batch-size 4", "?micro-batch-size "},
    {"megatron", "command echo --micro-batch-size 4", "?micro-batch-size "},
    {"megatron", "cat <<< \"--micro-batch-size 4\"", "?micro-batch-size "},
    {"megatron", "bash <<< \"run --micro-batch-size 4\"", "micro_batch=4 "},
    {"megatron", "x=$(( 1 << 3 ))\nrun --micro-batch-size 4", "micro_batch=4 "},
    {"accelerate", "note: \"a\n  num_machines: 8\n  \\\"num_machines: 4\n  b\"\nnum_machines: 2\n", "?note nodes=2 "},
    {"accelerate", "note: 'it''s\n  num_machines: 8'\nnum_machines: 2\n", "?note nodes=2 "},
    {"accelerate", "note: | # why\n  num_machines: 8\nnum_machines: 2\n", "?note nodes=2 "},
    {"accelerate", "note: &n !!str >-\n  num_machines: 8\nnum_machines: 2\n", "?note nodes=2 "},
    {"accelerate", "- |\n  num_machines: 8\n- num_machines: 2\n", "?| nodes=2 "},
    {"torchtitan", "[training]\nx = '''\nlocal_batch_size = 8\n'''\nlocal_batch_size = 2\n", "?training.x batch=2 "},
    {"torchtitan", "[training]\nx = \"\"\"a\\\"\"\"\nlocal_batch_size = 8\n\"\"\"\nlocal_batch_size = 2\n",
     "?training.x batch=2 "},
    {"torchtitan", "[training]\nx = [\"a]\", # ]\n\"local_batch_size = 8\",\n]\nlocal_batch_size = 2\n",
     "?training.x batch=2 "},
    {"torchtitan", "[training]\nx = [[1],\n[2],\nlocal_batch_size = 8\n]\nlocal_batch_size = 2\n",
     "?training.x batch=2 "},
    {"nemo", "import x\nprint('num_nodes=8, 3')\nf(num_nodes=2)  # 'num_nodes=4'\n", "nodes=2 "},
    {"nemo", "import x\nf(a=\"# \\\" \", num_nodes=2)\n", "nodes=2 "},
    {"nemo", "import x\nnum_nodes = 2  # (of 8)\n", "nodes=2 "},
  };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    const char *is = summary(all[i][0], all[i][1]);
    ck_assert_msg(strncmp(is, all[i][2], strlen(all[i][2])) == 0, "%s: %s, not %s", all[i][1], is, all[i][2]);
  }
}
END_TEST

/* Else all that comes behind it would be text. */
START_TEST(text_without_an_end_is_refused)
{
  static const char *const all[][3] = {
    {"torchtitan", "[training]\nx = \"\"\"\nlocal_batch_size = 8\n",
     "run:2: a text begins here that does not end with \"\"\""},
    {"torchtitan", "[training]\nx = [\nlocal_batch_size = 8\n", "run:2: a list begins here that does not end with ]"},
    {"accelerate", "num_machines: 2\nnote: \"a\nnum_machines: 8\n",
     "run:2: a text begins here that does not end with \""},
  };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    pm_error error = PM_ERROR_NONE;
    ck_assert_ptr_null(pm_settings_read(all[i][0], all[i][1], "run", &error));
    ck_assert_str_eq(error.text, all[i][2]);
  }
}
END_TEST

/* What only the program that has it knows is said, and never taken for "no". */
START_TEST(values_that_cannot_be_read_are_said)
{
  ck_assert_str_eq(summary("nemo", "import os\nf(tensor_model_parallel_size=int(os.environ[\"TP\"]), num_nodes=2,\n"
                                   "  sequence_parallel=bool(x), layers=[1, 2])\n"),
                   "?tensor_model_parallel_size nodes=2 ?sequence_parallel optimizer=adam ");
  ck_assert_str_eq(summary("nemo", "import os\nf(sequence_parallel=use_sp, fp8=$X)\n"),
                   "?sequence_parallel ?fp8 optimizer=adam ");
  ck_assert_str_eq(summary("megatron", "--use-distributed-optimizer $ZERO --seq-length $(cat n)"),
                   "?use-distributed-optimizer ?seq-length optimizer=adam ");
}
END_TEST

/* A deep key keeps all of its names. */
START_TEST(deep_keys_have_all_their_names)
{
  char text[2000] = "";
  pm_error error = PM_ERROR_NONE;
  size_t used = 0;
  for (int i = 0; i < 33; i++) used += (size_t)snprintf(text + used, sizeof text - used, "%*sa:\n", i, "");
  ck_assert_ptr_null(pm_settings_read("accelerate", text, "deep", &error));
  ck_assert_str_eq(error.text, "deep:33: keys are nested more than 32 deep");
  used = 0;
  for (int i = 0; i < 10; i++) used += (size_t)snprintf(text + used, sizeof text - used, "%*sa:\n", i, "");
  snprintf(text + used, sizeof text - used, "%*sb: 1\nnum_machines: 2\n", 10, "");
  ck_assert_str_eq(summary("accelerate", text), "?a.a.a.a.a.a.a.a.a.a.b nodes=2 optimizer=adam ");
}
END_TEST

START_TEST(a_document_ends_with_its_end)
{
  pm_error error = PM_ERROR_NONE;
  ck_assert_ptr_null(pm_settings_read("deepspeed", "{\"train_batch_size\": 8}\n{}", "run.json", &error));
  ck_assert_str_eq(error.text, "run.json:2: column 1: there is text after the end of the document");
}
END_TEST

START_TEST(too_many_settings_are_refused)
{
  enum { MANY = 20001 };
  static const char flag[] = "--tensor-model-parallel-size 2 ";
  pm_error error = PM_ERROR_NONE;
  char *text = (char *)calloc(MANY, sizeof flag);
  for (size_t i = 0; i < MANY; i++) memcpy(text + i * (sizeof flag - 1), flag, sizeof flag - 1);
  ck_assert_ptr_null(pm_settings_read("megatron", text, "run.sh", &error));
  ck_assert_str_eq(error.text, "run.sh:1: more than 20000 settings; use the lines of one run");
  free(text);
}
END_TEST

/* What a branch of a script sets is only known when it runs; where nothing else is set, it is the default. */
START_TEST(variables_of_branches_are_said)
{
  const char *all[][2] = {
    {"TP=4\nif [ $BIG ]; then\n  TP=8\nfi\n", "?tensor-model-parallel-size "},
    {"if [ $BIG ]; then TP=8; else TP=4; fi\n", "?tensor-model-parallel-size "},
    {"case $M in\n a) TP=8;;\n b) TP=4;;\nesac\n", "?tensor-model-parallel-size "},
    {"TP=4\n[ $BIG ] && TP=8\n", "?tensor-model-parallel-size "},
    {"TP=4\nTP=8\n", "tensor_parallel=8 "},
    {"TP=4\nif true; then TP=4; fi\n", "tensor_parallel=4 "},
    {"if [ -z $TP ]; then TP=8; fi\n", "tensor_parallel=8 "},
    {"if a; then b; fi\nTP=4\nTP=8\n", "tensor_parallel=8 "}};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    char text[200];
    snprintf(text, sizeof text, "%srun --tensor-model-parallel-size $TP\n", all[i][0]);
    ck_assert_msg(strncmp(summary("megatron", text), all[i][1], strlen(all[i][1])) == 0, "%s: %s", text,
                  summary("megatron", text));
  }
}
END_TEST

/* A job states its nodes; tasks are GPUs only where nothing else says how many there are. */
START_TEST(directives_of_slurm_are_read)
{
  ck_assert_str_eq(summary("megatron", "#!/bin/bash\n#SBATCH --nodes=4 --gpus-per-node=8\n#SBATCH --ntasks-per-node=1\n"
                                       "#SBATCH --job-name=x\n# --tensor-model-parallel-size 8\n--bf16"),
                   "nodes=4 gpus=8 precision=bf16 optimizer=adam ");
  ck_assert_str_eq(summary("megatron", "#SBATCH -N 2\n#SBATCH --gres=gpu:8\n#SBATCH --gpus 16\n--bf16"),
                   "nodes=2 gpus=8 ?gpus precision=bf16 optimizer=adam ");
  ck_assert_str_eq(summary("megatron", "srun --nodes=2 --ntasks-per-node=8 x"), "nodes=2 gpus=8 optimizer=adam ");
  ck_assert_str_eq(summary("megatron", "srun --nodes=2 --ntasks-per-node=1 torchrun x"), "nodes=2 optimizer=adam ");
}
END_TEST

START_TEST(a_second_document_is_refused)
{
  pm_error error = PM_ERROR_NONE;
  ck_assert_ptr_null(pm_settings_read("accelerate", "---\nnum_machines: 2\n---\nnum_machines: 4\n", "a", &error));
  ck_assert_str_eq(error.text, "a:3: a second document begins: take the lines of one run");
  ck_assert_str_eq(summary("accelerate", "%YAML 1.2\n---\nnum_machines: 2\n"), "?%YAML 1.2 nodes=2 optimizer=adam ");
}
END_TEST

static void refuse_adapters(const char *text, const char *why)
{
  pm_error error = PM_ERROR_NONE;
  ck_assert_ptr_null(pm_settings_read("lora", text, "lora", &error));
  ck_assert_msg(strstr(error.text, why) != NULL, "%s", error.text);
}

START_TEST(adapters_in_one_text)
{
  ck_assert_str_eq(summary("lora", "16"), "lora_rank=16 ");
  ck_assert_str_eq(summary("lora", "rank=16,targets=v_proj+q_proj,alpha=32"), "lora_rank=16 lora_targets=qv ");
  ck_assert_str_eq(summary("lora", "r=8, target_modules=gate_proj+up_proj+down_proj+attention, use_dora=True"),
                   "lora_rank=8 lora_targets=all-linear lora_dora=yes ");
  ck_assert_str_eq(summary("lora", "8,layers=24-31,dora"),
                   "lora_rank=8 lora_first_layer=24 lora_layers=8 lora_dora=yes ");
  ck_assert_str_eq(summary("lora", "8,layers=0-3"), "lora_rank=8 lora_layers=4 ");
  ck_assert_str_eq(summary("lora", "8,layers=5"), "lora_rank=8 lora_first_layer=5 lora_layers=1 ");
  ck_assert_str_eq(summary("lora", "8,layers=5-"), "lora_rank=8 lora_first_layer=5 ");
  ck_assert_str_eq(summary("lora", "8,weights=nf4,dropout=0.05"),
                   "lora_rank=8 base_weights=nf4 lora_dropout=0.05 ");
  refuse_adapters("targets=qv", "need a rank");
  refuse_adapters("", "need a rank");
  refuse_adapters("rank=16,modules=qv", "\"modules\" is not an adapter option");
  refuse_adapters("16,layers=8-3", "not a range");
  refuse_adapters("16,layers=-3", "not a range");
  refuse_adapters("16,targets=up_proj", "is unknown");
  refuse_adapters("16,targets=q+", "is unknown");
  refuse_adapters("x", "is not an adapter option");
}
END_TEST

/* Sections as TOML writes them, a mark of byte order, and what says nothing of a key. */
START_TEST(lines_that_set_nothing_are_listed)
{
  const char *all[][2] = {
    {"\xef\xbb\xbf[training]\nlocal_batch_size = 2\n", "batch=2"},
    {"[[training]]\nlocal_batch_size = 2\n", "batch=2"},
    {"[ training ]\nlocal_batch_size = 2\n", "batch=2"},
    {"[training] seq_len = 2\n", "?seq_len = 2"},
    {"[training]\nlocal_batch_size 2\n", "?local_batch_size 2"},
    {"[training]\nnotes = [\n  1,\n  2]\nlocal_batch_size = 2\n", "?training.notes batch=2"}};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    ck_assert_msg(strncmp(summary("torchtitan", all[i][0]), all[i][1], strlen(all[i][1])) == 0, "%s: %s", all[i][0],
                  summary("torchtitan", all[i][0]));
}
END_TEST

/* A program can set what it likes, as it likes. */
START_TEST(keys_that_only_a_program_sets_are_listed)
{
  const char *all[] = {"cfg[\"tensor_model_parallel_size\"] = 2", "setattr(cfg, 'tensor_model_parallel_size', 2)",
                       "d = {\"tensor_model_parallel_size\": 2}", "cfg.tensor_model_parallel_size *= 2",
                       "a.tensor_model_parallel_size, a.num_nodes = 8, 2", "(tensor_model_parallel_size := 2)",
                       "a.num_nodes, a.tensor_model_parallel_size = 8, 2"};
  char text[200];
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    snprintf(text, sizeof text, "import nemo_run\n%s\n", all[i]);
    ck_assert_msg(strstr(summary("nemo", text), "?tensor_model_parallel_size ") != NULL, "%s", all[i]);
  }
  ck_assert_str_eq(summary("nemo", "import x\na.num_nodes, a.tensor_model_parallel_size = 8, 2\n"),
                   "?tensor_model_parallel_size ?num_nodes optimizer=adam ");
  ck_assert_str_eq(summary("nemo", "model:\n  x: {num_nodes: 4}\n  devices: 8\n"), "gpus=8 ?num_nodes optimizer=adam ");
  ck_assert_ptr_null(strstr(summary("nemo", "import nemo_run\n# 'micro_batch_size'\nx = a.micro_batch_size >= 2\n"),
                            "micro"));
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("settings");
  TCase *tests = tcase_create("settings");
  tcase_add_test(tests, flags_of_megatron);
  tcase_add_test(tests, model_config_of_megatron);
  tcase_add_test(tests, flags_of_engines);
  tcase_add_test(tests, engines_are_told_and_read);
  tcase_add_test(tests, files_of_others);
  tcase_add_test(tests, offloads);
  tcase_add_test(tests, what_is_no_run_is_said);
  tcase_add_test(tests, plans_are_written);
  tcase_add_test(tests, text_is_no_setting);
  tcase_add_test(tests, text_of_every_syntax_is_none);
  tcase_add_test(tests, text_without_an_end_is_refused);
  tcase_add_test(tests, values_that_cannot_be_read_are_said);
  tcase_add_test(tests, deep_keys_have_all_their_names);
  tcase_add_test(tests, a_document_ends_with_its_end);
  tcase_add_test(tests, too_many_settings_are_refused);
  tcase_add_test(tests, lines_that_set_nothing_are_listed);
  tcase_add_test(tests, keys_that_only_a_program_sets_are_listed);
  tcase_add_test(tests, adapters_in_one_text);
  tcase_add_test(tests, variables_of_branches_are_said);
  tcase_add_test(tests, directives_of_slurm_are_read);
  tcase_add_test(tests, a_second_document_is_refused);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
