/* Tables of published kernel times: what lines mean, which are left out, what is wrong. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perfmodel-lab.h"
#include "validation/kernel_row.h"
#include "shipped.h"

static pm__lab_kernel_rows *read_rows(const char *csv)
{
  pm_error error = PM_ERROR_NONE;
  pm__lab_kernel_rows *rows = pm__lab_kernel_rows_of_text(catalog, csv, "t.csv", &error);
  ck_assert_msg(rows != NULL, "%s", error.text);
  return rows;
}

START_TEST(lines_become_kernels)
{
  pm__lab_kernel_rows *rows = read_rows(
    "kernel,op,pass,B,M,N,K,conv_N,conv_C,conv_K,conv_H,conv_W,filt_R_h,filt_S_w,pad_h,pad_w,stride_h,stride_w,"
    "shape,precision,gpu,time_us,library,source_repo\r\n"
    "gemm,linear,fwd,4,8,16,32,,,,,,,,,,,,,fp32,Tesla V100-PCIE-32GB,50,PyTorch,sitar-lab/NeuSight\r\n"
    "gemm,gemm,fwd,,8,16,32,,,,,,,,,,,,,fp16-mixed,Tesla T4,7.5,CUDA 10.1.243 cuDNN,baidu-research/DeepBench\n"
    "conv,conv2d,bwd_weight,,,,,2,3,4,9,10,3,5,1,2,2,1,,fp32,Tesla M40,90,CUDA 7.5.18,\"baidu-research/DeepBench\"\n"
    "elementwise,add,fwd,,,,,,,,,,,,,,,,20x30,fp32,L40S-like TPU,1,,x\n"
    "elementwise,mul,fwd,,,,,,,,,,,,,,,,20x30,fp32,T4,33,,sitar-lab/NeuSight\n");
  const pm_kernel *k = pm__lab_kernel_rows_kernels(rows);
  const pm_measured_kernel *m = pm__lab_kernel_rows_measured(rows);
  ck_assert_uint_eq(pm__lab_kernel_rows_count(rows), 4);
  ck_assert(k[0].operation == PM_OPERATOR_GEMM && k[0].count == 1 && k[0].m == 32 && k[0].n == 16 && k[0].k == 32);
  ck_assert_str_eq(m[0].group, "v100-pcie-32gb gemm-linear fp32 neusight");
  ck_assert(m[0].time == 50e-6 && m[0].overhead > 1e-5);
  ck_assert_str_eq(m[1].group, "t4 gemm fp16 deepbench/cuda-10.1");
  ck_assert(k[2].operation == PM_OPERATOR_CONV_WGRAD && k[2].n == 2 && k[2].channels == 3);
  ck_assert(k[2].out_channels == 4 && k[2].height == 9 && k[2].width == 10 && k[2].kernel_width == 5);
  ck_assert(k[2].padding_width == 2 && k[2].stride_height == 2 && k[2].stride_width == 1);
  ck_assert(k[3].count == 3 && k[3].m == 600 && m[3].floor > 0);
  ck_assert_str_eq(m[3].id, "line 6");
  ck_assert_str_eq(pm__lab_kernel_rows_note(rows, 0),
                   "1 row left out: no GPU of the catalogue is called \"L40S-like TPU\"");
  ck_assert_uint_eq(pm__lab_kernel_rows_group_count(rows), 4);
  pm__lab_kernel_rows_free(rows);
}
END_TEST

static const char *gpu_called(const char *name, const char *memory)
{
  static char id[PM_TEXT_MAX];
  char csv[400];
  snprintf(csv, sizeof csv, "kernel,M,N,K,precision,gpu,gpu_memory_GB,time_us\ngemm,8,8,8,fp32,%s,%s,9\n", name,
           memory);
  pm__lab_kernel_rows *rows = read_rows(csv);
  snprintf(id, sizeof id, "%s", pm__lab_kernel_rows_count(rows) > 0 ? pm__lab_kernel_rows_measured(rows)->gpu : "none");
  pm__lab_kernel_rows_free(rows);
  return id;
}

/* And what the catalogue knows of the software of a line: whose heads share blocks of threads. */
START_TEST(lines_of_operators_become_kernels)
{
  pm__lab_kernel_rows *rows = read_rows(
    "gpu,library,op,dtype,kv_dtype,m,n,k,batch,new_tokens,past_tokens,heads,kv_heads,head_dim,time_us,check\n"
    "H200 SXM,vllm 0.19.0,gemm,bfloat16,,64,4096,2048,,,,,,,20,ok\n"
    "B200 SXM,trtllm 1.3.0,context_attention,bfloat16,bfloat16,,,,4,16,0,32,8,128,30,ok\n"
    "H200 SXM,trtllm 1.3.0,generation_attention,bfloat16,bfloat16,,,,4,,1023,64,1,128,30,ok\n"
    "H200 SXM,trtllm 1.3.0,generation_attention,bfloat16,bfloat16,,,,4,,1023,32,1,128,30,ok\n"
    "H200 SXM,trtllm 1.3.0,generation_attention,bfloat16,fp8,,,,4,,1023,32,1,128,30,ok\n"
    "H200 SXM,vllm 0.19.0,gemm,bfloat16,,64,4096,2048,,,,,,,20,doubted\n");
  const pm_kernel *k = pm__lab_kernel_rows_kernels(rows);
  const pm_measured_kernel *m = pm__lab_kernel_rows_measured(rows);
  ck_assert_uint_eq(pm__lab_kernel_rows_count(rows), 5);
  ck_assert(k[0].operation == PM_OPERATOR_GEMM && k[0].m == 64 && k[0].n == 4096 && k[0].k == 2048);
  ck_assert_str_eq(m[0].gpu, "h200-sxm5");
  ck_assert(k[1].operation == PM_OPERATOR_ATTENTION && k[1].count == 128 && k[1].kv_count == 32 && k[1].ungrouped == 1);
  ck_assert(k[2].k == 1024 && k[2].ungrouped == 1 && k[3].ungrouped == 0);
  ck_assert(k[4].kv_bytes == 1 && k[4].rate != k[3].rate && k[4].block_start != k[3].block_start &&
            isnan(k[1].block_start));
  pm__lab_kernel_rows_free(rows);
}
END_TEST

START_TEST(gpus_are_known_by_many_names)
{
  const char *const names[][3] = {
    {"Tesla V100", "", "v100-sxm2-16gb"},          {"Tesla V100-PCIE-32GB", "32", "v100-pcie-32gb"},
    {"Tesla P100-PCIE-16GB", "16", "p100-pcie"},   {"NVIDIA A100 80GB PCIe", "", "a100-pcie-80gb"},
    {"A100-PCIE-40GB", "40", "a100-pcie-40gb"},    {"NVIDIA A100-SXM4-80GB", "80", "a100-sxm4-80gb"},
    {"NVIDIA H100 80GB HBM3", "80", "h100-sxm5"},  {"Titan X (Maxwell)", "", "titan-x-maxwell"},
    {"GeForce RTX 2080 Ti", "11", "rtx-2080-ti"},  {"A100-SXM4", "80", "a100-sxm4-80gb"},
    {"A100-SXM-40", "", "a100-sxm4-40gb"},         {"A100 SXM", "", "none"},          
    {"NVIDIA H200 NVL", "", "h200-nvl"},           {"B200-SXM-180", "", "b200-sxm6"},
    {"TPU v3", "", "none"},                        {"", "", "none"},
  };
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    ck_assert_str_eq(gpu_called(names[i][0], names[i][1]), names[i][2]);
}
END_TEST

START_TEST(what_cannot_be_used_is_counted)
{
  pm__lab_kernel_rows *rows = read_rows("kernel,op,pass,M,N,K,sparsity,precision,gpu,time_us\n"
                                   "gemm,gemm,fwd,8,8,8,0.9,fp32,T4,5\ngemm,gemm,fwd,8,8,8,0.95,fp32,T4,5\n"
                                   "allreduce,,,,,,,fp32,T4,5\ngemm,gemm,fwd,8,,8,,fp32,T4,5\n"
                                   "gemm,gemm,fwd,8,8,8,,fp12,T4,5\ngemm,gemm,fwd,8,8,8,,fp32,T4,\n"
                                   "gemm,gemm,fwd,8,8,8,,fp32,T4,6\n");
  ck_assert_uint_eq(pm__lab_kernel_rows_count(rows), 1);
  ck_assert_str_eq(pm__lab_kernel_rows_note(rows, 0), "2 rows left out: products of sparse matrices are not modelled");
  int notes = 0;
  while (pm__lab_kernel_rows_note(rows, (size_t)notes) != NULL) notes++;
  ck_assert_int_eq(notes, 5);
  pm__lab_kernel_rows_free(rows);
}
END_TEST

START_TEST(bad_tables_say_where)
{
  const char *const bad[][2] = {
    {"", "t.csv: the table is empty"},
    {"kernel,precision,gpu\n", "t.csv:1: there is no column \"time_us\""},
    {"kernel,precision,gpu,time_us\n", "t.csv: no measurements"},
    {"kernel,precision,gpu,time_us\ngemm,fp32,T4\n", "t.csv:2: 3 cells where the header has 4"},
    {"kernel,precision,gpu,time_us\ngemm,fp32,T4,soon\n", "t.csv:2: time_us \"soon\" is not a number"},
    {"kernel,precision,gpu,time_us,M\ngemm,fp32,T4,5,\"8\n", "t.csv:2: a quoted cell is not closed"},
    {"kernel,precision,gpu,time_us,M,N,K,overhead_us\ngemm,fp32,T4,5,8,8,8,-1\n",
     "t.csv:2: overhead_us \"-1\" is no time"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    pm_error error = PM_ERROR_NONE;
    ck_assert_ptr_null(pm__lab_kernel_rows_of_text(catalog, bad[i][0], "t.csv", &error));
    ck_assert_str_eq(error.text, bad[i][1]);
  }
}
END_TEST

static double spread(void)
{
  pm_kernel_calibration constants;
  ck_assert_int_eq(pm_catalog_get_record(catalog, "kernel_calibration", "default", &constants, NULL), PM_OK);
  return constants.product_spread;
}

/* The band holds seven to nine of ten. Every hit beyond the peak is another precision's; what is predicted counts the
** host in, and never less than its floor. */
START_TEST(shipped_rows_are_all_understood)
{
  pm_error error = PM_ERROR_NONE;
  char *text = pm_shipped_read("measured/kernels.csv", &error);
  pm__lab_kernel_rows *rows = read_rows(text);
  pm_string_free(text);
  size_t n = pm__lab_kernel_rows_count(rows);
  const pm_measured_kernel *m = pm__lab_kernel_rows_measured(rows);
  double *times = (double *)calloc(2 * n, sizeof *times);
  ck_assert_uint_gt(n, 20000);
  ck_assert_ptr_null(pm__lab_kernel_rows_note(rows, 0));
  ck_assert_uint_eq(pm__lab_kernel_rows_predict(rows, catalog, times, times + n), n);
  double inside = 0, factor = exp(1.28155 * spread());
  for (size_t i = 0; i < n; i++) {
    ck_assert(times[i] >= m[i].floor && times[i] > m[i].overhead && times[n + i] > 0);
    inside += m[i].time >= times[i] / factor && m[i].time <= times[i] * factor;
    ck_assert(pm__lab_kernel_rows_groups(rows)[i] < (int32_t)pm__lab_kernel_rows_group_count(rows));
  }
  ck_assert_double_ge(inside / (double)n, 0.7);
  ck_assert_double_le(inside / (double)n, 0.9);
  free(times);
  pm__lab_kernel_rows_free(rows);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("kernel rows");
  TCase *tables = tcase_create("tables");
  tcase_add_checked_fixture(tables, open_catalog, close_catalog);
  tcase_add_test(tables, lines_become_kernels);
  tcase_add_test(tables, lines_of_operators_become_kernels);
  tcase_add_test(tables, gpus_are_known_by_many_names);
  tcase_add_test(tables, what_cannot_be_used_is_counted);
  tcase_add_test(tables, bad_tables_say_where);
  tcase_add_test(tables, shipped_rows_are_all_understood);
  suite_add_tcase(suite, tables);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
