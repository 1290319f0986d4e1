/* Rows of the user of the sets of kernels and collectives. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "perfmodel-lab.h"
#include "fixtures.h"
#include "shipped.h"

enum { TEXT = 2000 };

/* The rows of a table of the user. */
static pm_table *compare(const char *set, const char *header, const char *rows)
{
  char text[TEXT];
  pm_error error = PM_ERROR_NONE;
  snprintf(text, sizeof text, "%s%s", header, rows);
  pm_validation what = {set, text, "own.csv", 1, NULL, NULL};
  pm_table *table = pm_validate(catalog, &what, &error);
  ck_assert_msg(table != NULL, "%s", error.text);
  return table;
}

static size_t column_of(const pm_table *table, const char *name)
{
  for (size_t i = 0; i < pm_table_count_columns(table); i++)
    if (strcmp(pm_table_get_column(table, i)->name, name) == 0) return i;
  ck_abort_msg("no column %s", name);
}

static double number(const pm_table *table, const char *column, size_t row)
{
  return pm_table_get_numbers(table, column_of(table, column))[row];
}

static const char *text_of(const pm_table *table, const char *column, size_t row)
{
  static char buffer[PM_TEXT_MAX];
  return pm_table_get_text(table, column_of(table, column), row, buffer);
}

/* ---- Kernels ---- */

static const char kernel_header[] = "kernel,M,N,K,precision,gpu,time_us,overhead_us\n";

START_TEST(a_kernel_is_compared_with_what_it_takes)
{
  pm_gpu gpu;
  pm_kernel_calibration constants;
  pm_kernel_time time;
  pm_kernel kernel;
  memset(&kernel, 0, sizeof kernel);
  kernel.operation = PM_OPERATOR_GEMM;
  kernel.precision = PM_PRECISION_FP32;
  kernel.count = 1;
  kernel.m = 512;
  kernel.n = 1024;
  kernel.k = 2048;
  ck_assert_int_eq(pm_catalog_get_record(catalog, "gpu", "v100-sxm2-16gb", &gpu, NULL), PM_OK);
  ck_assert_int_eq(pm_catalog_get_kernels(catalog, &gpu, &constants, NULL), PM_OK);
  ck_assert_int_eq(pm_kernel_predict(&gpu, &constants, &kernel, &time, 1, NULL), PM_OK);
  pm_table *t = compare("kernels", kernel_header, "gemm,512,1024,2048,fp32,v100-sxm2-16gb,100,0\n"
                                                  "gemm,512,1024,2048,fp32,v100-sxm2-16gb,100,7\n");
  ck_assert_double_eq_tol(number(t, "predicted", 0), time.time * 1e6, 1e-9);
  ck_assert_double_eq_tol(number(t, "predicted", 1), time.time * 1e6 + 7, 1e-9);
  ck_assert_double_eq_tol(number(t, "error", 0), time.time * 1e6 - 100, 1e-9);
  ck_assert_str_eq(text_of(t, "id", 0), "line 2");
  pm_table_free(t);
}
END_TEST

START_TEST(kernels_that_are_left_out_are_said)
{
  pm_table *t = compare("kernels", kernel_header, "gemm,512,1024,2048,fp32,NoSuchGPU,100,0\n"
                                                  "gemm,512,1024,0,fp32,v100-sxm2-16gb,100,0\n");
  ck_assert_uint_eq(pm_table_count_rows(t), 0);
  ck_assert_ptr_nonnull(strstr(pm_table_get_notes(t), "no GPU of the catalogue is called \"NoSuchGPU\""));
  ck_assert_ptr_nonnull(strstr(pm_table_get_notes(t), "a size is missing or below 1"));
  pm_table_free(t);
}
END_TEST

/* ---- Operators ---- */

static const char operator_header[] = "gpu,op,dtype,kv_dtype,m,n,k,batch,new_tokens,past_tokens,heads,kv_heads,"
                                      "head_dim,time_us,check\n";

static double kernel_time(const char *id, const pm_kernel *kernel)
{
  pm_gpu gpu;
  pm_kernel_calibration constants;
  pm_kernel_time time;
  ck_assert_int_eq(pm_catalog_get_record(catalog, "gpu", id, &gpu, NULL), PM_OK);
  ck_assert_int_eq(pm_catalog_get_kernels(catalog, &gpu, &constants, NULL), PM_OK);
  ck_assert_int_eq(pm_kernel_predict(&gpu, &constants, kernel, &time, 1, NULL), PM_OK);
  return time.time * 1e6;
}

START_TEST(an_operator_is_compared_with_its_kernels)
{
  pm_kernel product = {.operation = PM_OPERATOR_GEMM, .precision = PM_PRECISION_BF16, .count = 1, .m = 63, .n = 4096,
                       .k = 1024, .tn = 1};
  pm_kernel attention = {.operation = PM_OPERATOR_ATTENTION, .precision = PM_PRECISION_BF16, .count = 64, .m = 1,
                         .k = 2000, .n = 128, .kv_count = 16, .causal = 1, .kv_bytes = 1};
  pm_table *t = compare("operators", operator_header, "H200 SXM,gemm,bfloat16,,63,4096,1024,,,,,,,10,ok\n"
                                                      "H200 SXM,gemm,bfloat16,,64,4096,1024,,,,,,,10,\n"
                        "H200 SXM,generation_attention,bfloat16,fp8,,,,2,1,1999,32,8,128,10,in cache\n");
  ck_assert_double_eq_tol(number(t, "predicted", 0), kernel_time("h200-sxm5", &product), 1e-9);
  ck_assert_double_eq_tol(number(t, "predicted", 2), kernel_time("h200-sxm5", &attention), 1e-9);
  ck_assert_str_eq(text_of(t, "group", 0), "h200-sxm5 products bf16 m<64");
  ck_assert_str_eq(text_of(t, "group", 1), "h200-sxm5 products bf16 m>=64");
  ck_assert_str_eq(text_of(t, "group", 2), "h200-sxm5 attention-decode bf16/fp8 doubted");
  pm_table_free(t);
}
END_TEST

/* Of DeepSeek: all heads share a latent of 576 numbers, of which 512 are the value; prompts make keys and values of
** it. */
START_TEST(latents_windows_and_short_weights_are_read)
{
  pm_kernel decode = {.operation = PM_OPERATOR_ATTENTION, .precision = PM_PRECISION_BF16, .count = 256, .m = 1,
                      .k = 2000,
                      .n = 576, .kv_count = 2, .causal = 1, .kv_bytes = 2, .value_size = 512, .latent = 1};
  pm_kernel prompt = {.operation = PM_OPERATOR_ATTENTION, .precision = PM_PRECISION_BF16, .count = 256, .m = 2000,
                      .k = 2000, .n = 192, .causal = 1, .kv_bytes = 2, .value_size = 128};
  pm_kernel window = {.operation = PM_OPERATOR_ATTENTION, .precision = PM_PRECISION_BF16, .count = 256, .m = 2000,
                      .k = 2000, .n = 64, .kv_count = 16, .causal = 1, .kv_bytes = 2, .window = 128};
  pm_kernel product = {.operation = PM_OPERATOR_GEMM, .precision = PM_PRECISION_BF16, .count = 1, .m = 8, .n = 4096,
                       .k = 1024, .tn = 1, .operand_bytes = 0.515625};
  pm_table *t = compare("operators", "gpu,op,dtype,kv_dtype,m,n,k,batch,new_tokens,past_tokens,heads,kv_heads,head_dim,"
                        "window,time_us\n",
                        "H200,generation_mla,bfloat16,bfloat16,,,,2,1,1999,128,,,,10\n"
                        "H200,context_mla,bfloat16,bfloat16,,,,2,2000,0,128,,,,10\n"
                        "H200,context_attention,bfloat16,bfloat16,,,,2,2000,0,128,8,64,128,10\n"
                        "H200,gemm,int4_wo,,8,4096,1024,,,,,,,,10\n");
  ck_assert_double_eq_tol(number(t, "predicted", 0), kernel_time("h200-sxm5", &decode), 1e-9);
  ck_assert_double_eq_tol(number(t, "predicted", 1), kernel_time("h200-sxm5", &prompt), 1e-9);
  ck_assert_double_eq_tol(number(t, "predicted", 2), kernel_time("h200-sxm5", &window), 1e-9);
  ck_assert_double_eq_tol(number(t, "predicted", 3), kernel_time("h200-sxm5", &product), 1e-9);
  ck_assert_str_eq(text_of(t, "group", 0), "h200-sxm5 latent-decode bf16");
  ck_assert_str_eq(text_of(t, "group", 1), "h200-sxm5 latent-prompt bf16");
  ck_assert_str_eq(text_of(t, "group", 2), "h200-sxm5 attention-window bf16");
  ck_assert_str_eq(text_of(t, "group", 3), "h200-sxm5 products w4a16 m<64");
  pm_table_free(t);
}
END_TEST

/* SGLang makes numbers of two bytes of a cache of FP8 before FlashAttention reads them. */
START_TEST(a_cache_of_one_byte_is_converted_first)
{
  pm_kernel_harness h;
  ck_assert_int_eq(pm_catalog_get_record(catalog, "kernel_harness", "aiconfigurator-sglang-h200", &h, NULL), PM_OK);
  pm_kernel decode = {.operation = PM_OPERATOR_ATTENTION, .precision = PM_PRECISION_BF16, .count = 256, .m = 1,
                      .k = 2000,
                      .n = 576, .kv_count = 2, .causal = 1, .kv_bytes = 2, .value_size = 512, .latent = 1, .turns = 1,
                      .rate = h.latent_decode_rate};
  pm_kernel convert = {.operation = PM_OPERATOR_ELEMENTWISE, .precision = PM_PRECISION_BF16,
                       .count = h.latent_converting,
                       .m = 2 * 2000 * 576};
  pm_table *t = compare("operators", "gpu,library,op,dtype,kv_dtype,batch,new_tokens,past_tokens,heads,time_us\n",
                        "H200,sglang 0.5,generation_mla,bfloat16,bfloat16,2,1,1999,128,10\n"
                        "H200,sglang 0.5,generation_mla,bfloat16,fp8,2,1,1999,128,10\n");
  double read = h.latent_decode * 1e6 + kernel_time("h200-sxm5", &decode);
  ck_assert_double_eq_tol(number(t, "predicted", 0), read, 1e-9);
  ck_assert_double_eq_tol(number(t, "predicted", 1), read + kernel_time("h200-sxm5", &convert), 1e-9);
  pm_table_free(t);
}
END_TEST

START_TEST(operators_that_are_left_out_are_said)
{
  static const char *const rows[] = {"NoSuchGPU,gemm,half,,1,2,3,,,,,,,10,\n", "L40S,gemm,half,,1,0,3,,,,,,,10,\n",
                                     "L40S,moe,w4a8_mxfp4_mxfp8,,1,2,3,,,,,,,10,\n",
                                       "L40S,gemm,nvfp4,,1,2,3,,,,,,,10,\n", "L40S,sort,half,,1,2,3,,,,,,,10,\n",
                                     "L40S,gemm,half,,1,2,3,,,,,,,0,\n"};
  static const char *const why[] = {"no GPU of the catalogue is called \"NoSuchGPU\"", "below 1: \"n\"",
                                    "\"w4a8_mxfp4_mxfp8\"",
                                    "has no rate for fp4",
                                    "\"sort\"", "no time above 0"};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    pm_table *t = compare("operators", operator_header, rows[i]);
    ck_assert(isnan(number(t, "predicted", 0)));
    ck_assert_msg(strstr(pm_table_get_notes(t), why[i]) != NULL, "%s", pm_table_get_notes(t));
    pm_table_free(t);
  }
}
END_TEST

/* An H100 those of H200, a GB200 those of B200, an A100 those of L40S; for a V100 there are none. */
START_TEST(a_gpu_without_constants_of_the_software_takes_those_of_its_kind)
{
  const struct { const char *gpu, *id, *harness; } on[] = {{"H200", "h200-sxm5", "aiconfigurator-vllm-h200"},
    {"H100", "h100-sxm5", "aiconfigurator-vllm-h200"}, {"GB200", "gb200", "aiconfigurator-vllm-b200"},
    {"A100", "a100-sxm4-40gb", "aiconfigurator-vllm-l40s"}, {"V100", "v100-sxm2-16gb", NULL}};
  static const char header[] = "gpu,library,op,dtype,batch,new_tokens,past_tokens,heads,kv_heads,head_dim,time_us\n";
  for (size_t i = 0; i < sizeof on / sizeof on[0]; i++) {
    char row[120];
    pm_kernel_harness h = {.decode = 0, .decode_rate = 1};
    pm_kernel kernel = {.operation = PM_OPERATOR_ATTENTION, .precision = PM_PRECISION_FP16, .count = 256, .m = 1,
                        .k = 2000,
                        .n = 128, .kv_count = 64, .causal = 1, .kv_bytes = 2};
    if (on[i].harness != NULL) {
      ck_assert_int_eq(pm_catalog_get_record(catalog, "kernel_harness", on[i].harness, &h, NULL), PM_OK);
      kernel.rate = h.decode_rate;
      kernel.block_start = h.decode_start;
      kernel.turns = 1;
    }
    snprintf(row, sizeof row, "%s,vllm 0.19,generation_attention,half,8,1,1999,32,8,128,10\n", on[i].gpu);
    pm_table *t = compare("operators", header, row);
    ck_assert_double_eq_tol(number(t, "predicted", 0), h.decode * 1e6 + kernel_time(on[i].id, &kernel), 1e-9);
    pm_table_free(t);
  }
}
END_TEST

/* Small messages take a round of the engine's kernel, or what the host takes to start it; large ones are the
** library's. */
START_TEST(an_engine_sums_up_by_its_own_kernel_where_that_is_faster)
{
  pm_kernel_harness h;
  pm_table *t = compare("operators", "gpu,library,op,kernel,dtype,gpus,time_us,message_bytes\n",
                        "H200,vllm 0.19,custom_allreduce,vLLM_custom_graph,bfloat16,8,10,64\n"
                        "H200,vllm 0.19,custom_allreduce,vLLM_custom_eager,bfloat16,8,10,64\n"
                        "H200,vllm 0.19,custom_allreduce,vLLM_custom_graph,bfloat16,8,10,1e9\n"
                        "H200,nccl 2.29,nccl_all_reduce,NCCL,bfloat16,8,10,1e9\n"
                        "H200,nccl 2.29,nccl_all_reduce,NCCL,bfloat16,8,10,64\n"
                        "L40S,vllm 0.19,custom_allreduce,vLLM_custom_graph,bfloat16,4,10,64\n"
                        "L40S,nccl 2.29,nccl_all_reduce,NCCL,bfloat16,4,10,64\n");
  ck_assert_int_eq(pm_catalog_get_record(catalog, "kernel_harness", "aiconfigurator-vllm-h200", &h, NULL), PM_OK);
  ck_assert_double_eq_tol(number(t, "predicted", 0), h.all_reduce * 1e6, 0.01);
  ck_assert_double_eq(number(t, "predicted", 1), h.eager * 1e6);
  ck_assert_double_eq(number(t, "predicted", 2), number(t, "predicted", 3));
  ck_assert_double_gt(number(t, "predicted", 4), 2 * number(t, "predicted", 0));
  ck_assert_double_eq(number(t, "predicted", 5), number(t, "predicted", 6)); /* over PCIe it has the library's alone */
  pm_table_free(t);
}
END_TEST

/* ---- Collectives ---- */

static const char run_header[] = "system,gpus,nodes,collective,message_bytes,time_us,algbw_GBps,note\n";

START_TEST(a_collective_is_compared_with_what_it_takes)
{
  pm_error error = PM_ERROR_NONE;
  pm_system *system = pm_catalog_new_system(catalog, "dgx1-v100", &error);
  ck_assert_msg(system != NULL, "%s", error.text);
  pm_group *group = pm_group_new(system, NULL, 8, NULL, &error);
  pm_call call = pm_call_make();
  pm_collective_time time;
  call.bytes = 1 << 26;
  ck_assert_int_eq(pm_group_evaluate(group, &call, &time, 1), PM_OK);
  pm_table *t = compare("collectives", run_header, "dgx1-v100,8,1,all_reduce,67108864,1000,,8 GPUs/process; -g 1\n"
                                                   "dgx1-v100,8,1,all_reduce,67108864,,67.108864,-g 1\n");
  ck_assert_double_eq(number(t, "predicted", 0), time.time);
  for (size_t i = 0; i < 2; i++) {
    ck_assert_double_eq_tol(number(t, "measured", i), 1e-3, 1e-15);
    ck_assert_double_eq_tol(number(t, "error", i), (time.time / 1e-3 - 1) * 100, 1e-9);
  }
  ck_assert_str_eq(text_of(t, "regime", 0), ">=16 MB");
  ck_assert_str_eq(text_of(t, "use", 0), "user");
  pm_table_free(t);
  pm_group_free(group);
  pm_system_free(system);
}
END_TEST

START_TEST(a_copy_is_compared_with_its_pair)
{
  pm_pair pair;
  pm_system *system = pm_catalog_new_system(catalog, "dgx1-v100", NULL);
  ck_assert_int_eq(pm_system_get_pairs(system, 0, 3, 1, &pair, NULL), PM_OK);
  pm_table *t = compare("collectives", run_header, "dgx1-v100,2,1,p2p_unidir,1e8,,40,GPU0->GPU3\n"
                                                   "dgx1-v100,2,1,p2p_latency,1,5,,GPU0->GPU3\n");
  ck_assert_double_eq(number(t, "predicted", 0), pair.bandwidth);
  ck_assert_double_eq(number(t, "measured", 0), 40e9);
  ck_assert_double_eq(number(t, "predicted", 1), pair.latency);
  ck_assert_str_eq(text_of(t, "regime", 1), "copies");
  pm_table_free(t);
  pm_system_free(system);
}
END_TEST

/* By a name in full; words that no entry explains are those of another machine, and a GPU alone names none. */
START_TEST(machines_are_those_that_are_named_in_full)
{
  static const char *const machines[] = {"dgx2", "dgx-a100-80gb", "", "", ""};
  pm_table *t = compare("collectives", run_header, "DGX-2,16,1,all_reduce,1e6,100,,\n"
                                                   "an NVIDIA DGX A100 of 80 GB,8,1,all_reduce,1e6,100,,\n"
                                                   "p3dn over TCP,8,1,all_reduce,1e6,100,,\n"
                                                   "a box with H200 cards,8,1,all_reduce,1e6,100,,\n"
                                                   "abacus,8,1,all_reduce,1e6,100,,\n");
  for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++) {
    ck_assert_str_eq(text_of(t, "machine", i), machines[i]);
    ck_assert_int_eq(isnan(number(t, "predicted", i)) != 0, machines[i][0] == '\0');
  }
  ck_assert_ptr_nonnull(strstr(pm_table_get_notes(t), "1 row: no system is known to be wired as \"abacus\""));
  pm_table_free(t);
}
END_TEST

/* However a table names it: by its GPU, what joins these, and of several nodes what joins those. */
START_TEST(machines_are_found_by_how_they_are_wired)
{
  static const struct { const char *system; int gpus, nodes; const char *machine; } said[] = {
    {"\"H100 HGX (Nebius, 8x400G IB)\"", 16, 2, "dgx-h100"},
    {"B200 HGX (GCP A4 RoCE 8x400G)", 16, 2, "gcp-a4"},
    {"DGX SuperPOD H200", 16, 2, "dgx-h200"},
    {"p5.48xlarge EFA", 16, 2, "p5"},
    {"a3-megagpu-8g TCPXO", 16, 2, "gcp-a3-mega"},
    {"a3-nanogpu-8g", 16, 2, ""}, /* another machine than the A3 Mega, and nothing says how it is wired */
    {"ND H100 v5", 16, 2, "azure-ndh100v5"},
    {"\"A100-80 (AWS p4de, 4x100G EFA)\"", 16, 2, "p4de"},
    {"H200 HGX (8x200G RoCE)", 16, 2, "h200-sxm5*8:nvswitch+8xroce-200g"},
    {"H800 (8x NDR)", 16, 2, "h800-sxm5*8:nvswitch+8xinfiniband-ndr"},
    {"\"8x H100 SXM5, 8x CX-7 400 Gb/s InfiniBand\"", 16, 2, "dgx-h100"},
    {"H200 SXM", 8, 1, "h200-sxm5*8:nvswitch"},
    {"H200 SXM", 16, 2, ""}, /* what joins the nodes is not said */
    {"4xL40S PCIe", 4, 1, "l40s*4:pcie"},
    {"2x RTX 2080 Ti NVLink bridge", 2, 1, "rtx-2080-ti*2:pairs"},
    {"DGX-2 V100 NVSwitch", 4, 1, "dgx2"},
    {"MI300X 8-GPU xGMI mesh", 8, 1, "mi300x-node"},
    {"8-GPU PCIe server", 8, 1, ""}, /* of which GPU? */
  };
  for (size_t i = 0; i < sizeof said / sizeof said[0]; i++) {
    char row[200];
    snprintf(row, sizeof row, "%s,%d,%d,all_reduce,1e6,100,,\n", said[i].system, said[i].gpus, said[i].nodes);
    pm_table *t = compare("collectives", run_header, row);
    ck_assert_msg(strcmp(text_of(t, "machine", 0), said[i].machine) == 0, "%s: %s", said[i].system,
                  text_of(t, "machine", 0));
    ck_assert_int_eq(isnan(number(t, "predicted", 0)) != 0, said[i].machine[0] == '\0');
    pm_table_free(t);
  }
}
END_TEST

START_TEST(trays_of_a_rack_are_no_nodes)
{
  pm_table *t = compare("collectives", run_header, "GB200 NVL72,72,18,all_reduce,1e9,3000,,\n"
                                                   "GB200 NVL72,72,1,all_reduce,1e9,3000,,8 GPUs/process; -g 1\n");
  ck_assert_str_eq(text_of(t, "machine", 0), "gb200-nvl72");
  ck_assert_double_eq(number(t, "nodes", 0), 1);
  pm_table_free(t);
}
END_TEST

/* Such columns are no output of nccl-tests. */
START_TEST(tables_may_have_both_bandwidths)
{
  pm_table *t = compare("collectives", "system,gpus,nodes,collective,message_bytes,algbw_GBps,busbw_GBps,time_us\n",
                        "dgx1-v100,8,1,all_reduce,1e8,1,2,1000\n");
  ck_assert_double_eq_tol(number(t, "measured", 0), 1e-3, 1e-12);
  pm_table_free(t);
}
END_TEST

START_TEST(runs_that_cannot_be_predicted_say_why)
{
  static const char *const rows[] = {"dgx2,16,1,all_sing,1e6,100,,\n", "dgx2,,1,all_reduce,1e6,100,,\n",
                                     "dgx2,17,1,all_reduce,1e6,100,,\n", "dgx2,16,0,all_reduce,1e6,100,,\n",
                                     "dgx2,16,1,all_reduce,1e6,,,\n", "dgx2,16,1,all_reduce,,100,,\n",
                                       "dgx2,16,1,all_reduce,nan,100,,\n",
                                     "dgx2,2,1,p2p_unidir,1e6,,40,nothing\n",
                                       "dgx2,2,1,p2p_unidir,1e6,,40,GPU3->GPU99\n"};
  static const char *const why[] = {"unknown collective \"all_sing\"", "gpus \"\"", "16", "nodes \"0\"", "no time_us",
                                    "message_bytes \"\"", "message_bytes \"nan\"", "GPU0->GPU1", "99"};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    pm_table *t = compare("collectives", run_header, rows[i]);
    ck_assert(isnan(number(t, "predicted", 0)) && isnan(number(t, "error", 0)));
    ck_assert_ptr_nonnull(strstr(pm_table_get_notes(t), "1 of 1 rows of \"own.csv\" have no prediction"));
    ck_assert_msg(strstr(strstr(pm_table_get_notes(t), "1 row: "), why[i]) != NULL, "%s", pm_table_get_notes(t));
    pm_table_free(t);
  }
}
END_TEST

START_TEST(tables_without_their_columns_are_errors)
{
  static const char *const sets[] = {"kernels", "collectives", "operators"};
  static const char *const missing[] = {"time_us", "message_bytes", "dtype"};
  static const char *const texts[] = {"kernel,precision,gpu\ngemm,fp32,v100\n",
                                      "system,gpus,nodes,collective\na,1,1,b\n",
                                      "gpu,op,time_us\nl40s,gemm,1\n"};
  for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
    pm_error error = PM_ERROR_NONE;
    pm_validation what = {sets[i], texts[i], "own.csv", 0, NULL, NULL};
    ck_assert_ptr_null(pm_validate(catalog, &what, &error));
    ck_assert_ptr_nonnull(strstr(error.text, missing[i]));
  }
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("validate_runs");
  TCase *tests = tcase_create("validate_runs");
  tcase_add_unchecked_fixture(tests, open_catalog, close_catalog);
  tcase_set_timeout(tests, 60);
  tcase_add_test(tests, a_kernel_is_compared_with_what_it_takes);
  tcase_add_test(tests, kernels_that_are_left_out_are_said);
  tcase_add_test(tests, an_operator_is_compared_with_its_kernels);
  tcase_add_test(tests, latents_windows_and_short_weights_are_read);
  tcase_add_test(tests, a_cache_of_one_byte_is_converted_first);
  tcase_add_test(tests, operators_that_are_left_out_are_said);
  tcase_add_test(tests, a_gpu_without_constants_of_the_software_takes_those_of_its_kind);
  tcase_add_test(tests, an_engine_sums_up_by_its_own_kernel_where_that_is_faster);
  tcase_add_test(tests, a_collective_is_compared_with_what_it_takes);
  tcase_add_test(tests, a_copy_is_compared_with_its_pair);
  tcase_add_test(tests, machines_are_those_that_are_named_in_full);
  tcase_add_test(tests, machines_are_found_by_how_they_are_wired);
  tcase_add_test(tests, trays_of_a_rack_are_no_nodes);
  tcase_add_test(tests, tables_may_have_both_bandwidths);
  tcase_add_test(tests, runs_that_cannot_be_predicted_say_why);
  tcase_add_test(tests, tables_without_their_columns_are_errors);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
