/* Calibration of kernels: constants that made the times come back, and what is held out is not looked at. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* mkstemps */
#endif
#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perfmodel-lab.h"
#include "calibration/kernel_stages.h"
#include "shipped.h"

enum { ROWS = 700, LINE = 160 };

/* Products of many sizes on a GPU, timed with these constants. */
static char *timed_rows(const char *id, const pm_kernel_calibration *constants)
{
  pm_gpu device = gpu(id);
  char *csv = (char *)malloc((ROWS + 1) * LINE), *end = csv;
  end += sprintf(end, "kernel,op,pass,M,N,K,precision,gpu,time_us\n");
  unsigned state = 12345;
  for (int i = 0; i < ROWS; i++) {
    pm_kernel k;
    pm_kernel_time t;
    pm_record_clear(pm_record_type_find("kernel"), &k);
    k.operation = PM_OPERATOR_GEMM;
    k.precision = PM_PRECISION_FP32;
    k.count = 1;
    double *sizes[] = {&k.m, &k.n, &k.k};
    for (int j = 0; j < 3; j++) {
      state = state * 1664525u + 1013904223u;
      *sizes[j] = 4 * (1 + floor(pow(2, 10.0 * (state >> 8) / (1 << 24))));
    }
    ck_assert_int_eq(pm_kernel_predict(&device, constants, &k, &t, 1, NULL), PM_OK);
    end += sprintf(end, "gemm,gemm,fwd,%.0f,%.0f,%.0f,fp32,%s,%.9g\n", k.m, k.n, k.k, id, t.time * 1e6);
  }
  return csv;
}

static pm_calibration *fit_rows(const char *csv, pm_calibration_options options)
{
  pm_error error = PM_ERROR_NONE;
  options.data = csv;
  pm_calibration *fit = pm_calibrate(catalog, &options, &error);
  ck_assert_msg(fit != NULL, "%s", error.text);
  return fit;
}

static const pm_fitted_constant *constant(const pm_calibration *fit, const char *name)
{
  size_t count;
  const pm_fitted_constant *c = pm_calibration_get_constants(fit, &count);
  for (size_t i = 0; i < count; i++)
    if (strcmp(c[i].constant, name) == 0) return &c[i];
  return NULL;
}

static pm_kernel_calibration constants_of(const char *id)
{
  pm_kernel_calibration c;
  pm_gpu device = gpu(id);
  ck_assert_int_eq(pm_catalog_get_kernels(catalog, &device, &c, NULL), PM_OK);
  return c;
}

static bool near(double a, double b, double share)
{
  return fabs(a - b) <= share * b;
}

START_TEST(constants_that_made_the_times_come_back)
{
  pm_kernel_calibration c = constants_of("v100-pcie");
  pm_calibration_options options = pm_calibration_options_make();
  c.simt_efficiency = 0.87;
  c.simt_latency_threads = 450;
  c.simt_split_threads = 150;
  c.simt_flop_energy = 31e-12;
  options.entries = "volta";
  char *csv = timed_rows("v100-pcie", &c);
  pm_calibration *fit = fit_rows(csv, options);
  ck_assert(near(constant(fit, "simt_efficiency")->value, 0.87, 0.01));
  ck_assert(near(constant(fit, "simt_latency_threads")->value, 450, 0.03));
  ck_assert(near(constant(fit, "simt_split_threads")->value, 150, 0.1));
  ck_assert(near(constant(fit, "simt_flop_energy")->value, 31e-12, 0.01));
  ck_assert_int_eq(constant(fit, "simt_efficiency")->state, PM_FIT_STATE_FITTED);
  ck_assert(near(constant(fit, "wave")->value, c.wave, 0.05)); /* of all, and now of Volta: as it made the times */
  size_t count;
  const pm_fit_error *e = pm_calibration_get_errors(fit, &count);
  ck_assert_uint_eq(count, 2);
  ck_assert(e[0].use == PM_FIT_USE_FITTED && e[1].use == PM_FIT_USE_HOLD_OUT_SHAPE);
  ck_assert(e[0].rows + e[1].rows == ROWS && near(e[1].rows, ROWS / 5.0, 0.25));
  ck_assert(e[0].mape < 1 && e[1].mape < 1);
  pm_calibration_free(fit);
  free(csv);
}
END_TEST

/* Whatever stands in held-out rows, the constants are the same. */
START_TEST(rows_kept_out_are_not_looked_at)
{
  pm_kernel_calibration slow = constants_of("v100-pcie");
  slow.simt_efficiency = 0.5;
  pm_kernel_calibration usual = constants_of("v100-pcie");
  char *a = timed_rows("v100-pcie", &usual), *b = timed_rows("v100-sxm2-16gb", &slow);
  char *both = (char *)malloc(strlen(a) + strlen(b) + 1);
  strcpy(both, a);
  strcat(both, strchr(b, '\n') + 1);
  pm_calibration_options options = pm_calibration_options_make();
  options.entries = "volta";
  pm_calibration *alone = fit_rows(a, options), *mixed = fit_rows(both, options);
  options.hold_out = "v100-sxm2-16gb";
  pm_calibration *kept = fit_rows(both, options);
  double value = constant(alone, "simt_efficiency")->value;
  ck_assert(constant(kept, "simt_efficiency")->value == value);
  ck_assert(constant(mixed, "simt_efficiency")->value < 0.97 * value);
  size_t count;
  const pm_fit_error *e = pm_calibration_get_errors(kept, &count);
  ck_assert(e[count - 1].use == PM_FIT_USE_HOLD_OUT_GPU && e[count - 1].rows == ROWS && e[count - 1].bias < -15);
  pm_calibration_free(alone);
  pm_calibration_free(mixed);
  pm_calibration_free(kept);
  free(a);
  free(b);
  free(both);
}
END_TEST

/* The file that it writes makes the catalogue predict with its constants, and leaves the other entries as they are. */
START_TEST(the_file_brings_the_constants_in)
{
  pm_error error = PM_ERROR_NONE;
  pm_kernel_calibration c = constants_of("v100-pcie"), other = constants_of("a100-sxm4-40gb"), now;
  c.simt_efficiency = 0.92;
  pm_calibration_options options = pm_calibration_options_make();
  options.entries = "volta";
  char *csv = timed_rows("v100-pcie", &c), name[] = "/tmp/perfmodel-fit-XXXXXX.xml";
  pm_calibration *fit = fit_rows(csv, options);
  int descriptor = mkstemps(name, 4);
  FILE *file = fdopen(descriptor, "w");
  fputs(pm_calibration_get_xml(fit), file);
  fclose(file);
  ck_assert_msg(pm_catalog_load(catalog, name, &error) == PM_OK, "%s", error.text);
  remove(name);
  now = constants_of("v100-pcie");
  ck_assert(near(now.simt_efficiency, 0.92, 0.01));
  ck_assert(now.simt_efficiency == constant(fit, "simt_efficiency")->value);
  ck_assert(now.tensor_efficiency == c.tensor_efficiency && now.wave == c.wave && now.threads == c.threads);
  now = constants_of("a100-sxm4-40gb");
  ck_assert(memcmp(&now, &other, sizeof now) == 0);
  pm_calibration_free(fit);
  free(csv);
}
END_TEST

/* Loads a text as a file of the catalogue. */
static void load_text(const char *text)
{
  pm_error error = PM_ERROR_NONE;
  char name[] = "/tmp/perfmodel-fit-XXXXXX.xml";
  int descriptor = mkstemps(name, 4);
  FILE *file = fdopen(descriptor, "w");
  fputs(text, file);
  fclose(file);
  int status = pm_catalog_load(catalog, name, &error);
  remove(name);
  ck_assert_msg(status == PM_OK, "%s", error.text);
}

static const char *const five_rows =
  "model,framework,gpu,batch_per_gpu,precision,throughput,unit\n"
  "resnet50,mine,V100,1,fp32,60,images/s\n"
  "resnet50,mine,V100,32,fp32,330,images/s\n"
  "resnet18,mine,V100,1,fp32,150,images/s\n"
  "resnet18,mine,V100,2,fp32,250,images/s\n"
  "resnet18,mine,V100,4,fp32,350,images/s\n";

static const char *basis_of(const char *framework)
{
  static char text[PM_FRAMEWORK_BASIS_MAX]; /* for one test program */
  pm_framework_profile profile;
  ck_assert_int_eq(pm_catalog_get_framework(catalog, framework, &profile, NULL), PM_OK);
  return pm_framework_format_basis(&profile.framework, text);
}

/* After a calibration on rows of the user a framework says what it was fitted to, on how many rows, and when. */
START_TEST(a_framework_says_what_it_was_fitted_to)
{
  pm_calibration_options options = pm_calibration_options_make();
  options.set = "training";
  options.entries = "mine";
  options.file = "some folder/my rows.csv";
  options.date = "2031-05";
  load_text("<perfmodel version=\"1\"><framework id=\"mine\" name=\"Mine\"><cudnn>cudnn8</cudnn>"
            "<evidence>uncalibrated</evidence><kernel_time>30 us</kernel_time><parallelism>all-reduce</parallelism>"
            "<overlap>backward</overlap></framework></perfmodel>");
  ck_assert_str_eq(basis_of("mine"), "assumed: no measured training rate of this framework was fitted");
  pm_calibration *fit = fit_rows(five_rows, options);
  load_text(pm_calibration_get_xml(fit));
  ck_assert_str_eq(basis_of("mine"), "fitted to 5 rows of my-rows.csv, 2031-05");
  pm_calibration_free(fit);
}
END_TEST

/* The shipped ones name their sources, those of documents that they are documents, and one `like` another its rows. */
START_TEST(shipped_frameworks_say_what_they_were_fitted_to)
{
  ck_assert_ptr_nonnull(strstr(basis_of("pt-nchw"), " rows of DeepLearningExamples"));
  ck_assert_ptr_nonnull(strstr(basis_of("cntk"), " rows of dgx1-p100 (source documents)"));
  ck_assert_str_eq(basis_of("generic"), "assumed: no measured training rate of this framework was fitted");
  pm_framework_profile resolved, other;
  ck_assert_int_eq(pm_catalog_get_framework(catalog, "pt-nhwc", &resolved, NULL), PM_OK);
  ck_assert_int_eq(pm_catalog_get_framework(catalog, resolved.framework.like, &other, NULL), PM_OK);
  ck_assert_str_eq(resolved.framework.fitted_to, other.framework.fitted_to);
  ck_assert_int_eq(resolved.framework.rows, other.framework.rows);
}
END_TEST

/* Within what is possible, on rows of documents, which is what the entries then say. */
START_TEST(documents_decide_constants_of_their_own)
{
  static const char *const names[] = {"kernel_time", "simt_factor", "coordinator_time"};
  pm_error error = PM_ERROR_NONE;
  pm_calibration_options options = pm_calibration_options_make();
  options.set = "documents";
  options.date = "2031-05";
  pm_calibration *fit = pm_calibrate(catalog, &options, &error);
  ck_assert_msg(fit != NULL, "%s", error.text);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    const pm_fitted_constant *c = constant(fit, names[i]);
    ck_assert_ptr_nonnull(c);
    ck_assert(c->rows > 0 && c->lower <= c->value && c->value <= c->upper);
  }
  load_text(pm_calibration_get_xml(fit));
  ck_assert_ptr_nonnull(strstr(basis_of("cntk"), ", 2031-05"));
  pm_calibration_free(fit);
}
END_TEST

/* All-reduces of three machines, as they are predicted. */
static char *predicted_calls(void)
{
  static const char *const machines[] = {"dgx1-v100", "dgx2", "p3dn"};
  char *csv = (char *)malloc(100 * LINE), *end = csv;
  end += sprintf(end, "system,gpus,nodes,collective,message_bytes,time_us,nccl_version,machine,use\n");
  for (size_t m = 0; m < sizeof machines / sizeof machines[0]; m++) {
    pm_system *system = build_system(machines[m]);
    pm_group_choice choice = pm_group_choice_make();
    pm_group *group = pm_group_new(system, NULL, 8, &choice, NULL);
    for (double bytes = 1024; bytes < 4e9; bytes *= 2) {
      pm_call call = pm_call_make();
      pm_collective_time t;
      call.collective = PM_COLLECTIVE_ALL_REDUCE;
      call.bytes = bytes;
      pm_group_evaluate(group, &call, &t, 1);
      end += sprintf(end, "x,8,1,all_reduce,%.0f,%.9g,2.20,%s,fit\n", bytes, t.time * 1e6, machines[m]);
    }
    pm_group_free(group);
    pm_system_free(system);
  }
  return csv;
}

/* Constants that made the times meet them again, also on a machine whose rows are left out. */
START_TEST(machines_left_out_are_met)
{
  pm_error error = PM_ERROR_NONE;
  pm_calibration_options options = pm_calibration_options_make();
  char *csv = predicted_calls();
  size_t count;
  options.set = "collectives";
  options.data = csv;
  pm_calibration *fit = pm_calibrate(catalog, &options, &error);
  ck_assert_msg(fit != NULL, "%s", error.text);
  const pm_fit_error *errors = pm_calibration_get_errors(fit, &count);
  for (size_t i = 0; i < count; i++)
    ck_assert_msg(errors[i].median < 1, "%s: %g %%", errors[i].group, errors[i].median);
  ck_assert_uint_eq(count, 15); /* three sizes: all fitted, all left out, each of three machines left out */
  pm_calibration_free(fit);
  free(csv);
}
END_TEST

/* Attention of an engine on a GPU, with the times of the last column or none that count. */
static char *attention_rows(const double *times)
{
  char *csv = (char *)malloc(100 * LINE), *end = csv;
  int row = 0;
  end += sprintf(end, "gpu,library,op,dtype,kv_dtype,batch,new_tokens,past_tokens,heads,kv_heads,head_dim,time_us\n");
  for (int batch = 1; batch <= 64; batch *= 4)
    for (int length = 256; length <= 16384; length *= 4)
      for (int decode = 0; decode < 2; decode++, row++)
        end += sprintf(end, "H200,mine 1.0,%s_attention,bfloat16,bfloat16,%d,%d,%d,32,8,128,%.9g\n",
                       decode ? "generation" : "context", batch, decode ? 1 : length, decode ? length : 0,
                       times != NULL ? times[row] : 1.0);
  return csv;
}

static void load_host(const char *constants)
{
  char text[600];
  snprintf(text, sizeof text, "<perfmodel version=\"1\"><kernel_harness id=\"mine\" "
                              "name=\"Mine\"><repository>mine</repository>"
           "<gpu>h200-sxm5</gpu>%s</kernel_harness></perfmodel>", constants);
  load_text(text);
}

static const pm_column *column_named(const pm_table *table, const char *name, size_t *index)
{
  const pm_column *column;
  for (*index = 0; (column = pm_table_get_column(table, *index)) != NULL && strcmp(column->name, name) != 0;) ++*index;
  return column;
}

/* What a host added comes back from the times that it made. */
START_TEST(hosts_that_made_the_times_come_back)
{
  const struct { const char *name; double value; } made[] = {{"attention", 15e-6}, {"attention_rate", 1.4},
                                                            {"decode", 3e-6}, {"decode_rate", 0.7}};
  size_t predicted;
  pm_calibration_options options = pm_calibration_options_make();
  char *csv = attention_rows(NULL);
  load_host("<attention>15 us</attention><attention_rate>1.4</attention_rate><decode>3 "
            "us</decode><decode_rate>0.7</decode_rate>");
  pm_table *table = pm_validate(catalog, &(pm_validation){.set = "operators", .data = csv, .rows = 1}, NULL);
  ck_assert_ptr_nonnull(table);
  ck_assert_ptr_nonnull(column_named(table, "predicted", &predicted));
  free(csv);
  csv = attention_rows(pm_table_get_numbers(table, predicted));
  load_host("<attention>9 us</attention><attention_rate>1</attention_rate><decode>9 "
            "us</decode><decode_rate>1</decode_rate>");
  options.set = "operators";
  pm_calibration *fit = fit_rows(csv, options);
  for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) {
    const pm_fitted_constant *c = constant(fit, made[i].name);
    ck_assert_ptr_nonnull(c);
    ck_assert_msg(near(c->value, made[i].value, 0.06), "%s: %g", c->constant, c->value);
    ck_assert_int_eq(c->rows, 16);
  }
  ck_assert_ptr_nonnull(strstr(pm_calibration_get_xml(fit), "<decode_rate fitted_to=\"data\" rows=\"16\""));
  pm_calibration_free(fit);
  pm_table_free(table);
  free(csv);
}
END_TEST

/* Steps of a GPT in four stages on two schedules, with the times of the last column or none that count. */
static char *plan_rows(const double *times)
{
  static const char *const schedules[] = {"1f1b,1", "interleaved,2", "zb-h1,1"};
  char *csv = (char *)malloc(200 * LINE), *end = csv;
  int row = 0;
  end += sprintf(end, "network,framework,system,gpus,nodes,precision,optimizer,pipeline_parallel,pipeline_schedule,"
                      "virtual_pipeline,micro_batch,batch,quantity,value\n");
  for (int hidden = 512; hidden <= 2048; hidden *= 2)
    for (int batch = 16; batch <= 256; batch *= 2)
      for (int schedule = 0; schedule < 3; schedule++, row++)
        end += sprintf(end, "gpt hidden=%d layers=8 heads=8 vocabulary=50304 seq=1024,megatron-core-0.1,dgx-a100-80gb,"
                       "8,1,bf16,adam,4,%s,1,%d,step_time,%.9g\n",
                       hidden, schedules[schedule], batch / 2, times != NULL ? times[row] / 1e3 : 1.0);
  return csv;
}

static void load_hops(const char *hop_time, const char *straggler)
{
  char text[1000];
  snprintf(text, sizeof text, "<perfmodel version=\"1\"><framework id=\"megatron-core-0.1\" "
                              "name=\"Mine\"><cudnn>cudnn8.9</cudnn>"
           "<evidence>uncalibrated</evidence><like>pytorch-2.1</like><straggler>%s</straggler><fused>yes</fused>"
           "<parallelism>all-reduce</parallelism><overlap>backward</overlap><bucket>160 "
           "MB</bucket><hops_block>yes</hops_block>"
           "<hop_time>%s</hop_time><memory>megatron</memory></framework></perfmodel>", straggler, hop_time);
  load_text(text);
}

/* What hops and stragglers added comes back from the times that they made, of rows that differ in their plans. */
START_TEST(plans_that_made_the_times_come_back)
{
  size_t predicted;
  pm_error error = PM_ERROR_NONE;
  pm_calibration_options options = pm_calibration_options_make();
  char *csv = plan_rows(NULL);
  load_hops("400 us", "0.03");
  pm_table *table = pm_validate(catalog, &(pm_validation){.set = "large-models", .data = csv, .rows = 1}, &error);
  ck_assert_msg(table != NULL, "%s", error.text);
  ck_assert_ptr_nonnull(column_named(table, "predicted", &predicted));
  free(csv);
  csv = plan_rows(pm_table_get_numbers(table, predicted));
  load_hops("50 us", "0.01");
  options.set = "large-models";
  pm_calibration *fit = fit_rows(csv, options);
  const pm_fitted_constant *hop = constant(fit, "hop_time"), *straggler = constant(fit, "straggler");
  ck_assert(hop != NULL && straggler != NULL);
  ck_assert_msg(near(hop->value, 400e-6, 0.06), "%g", hop->value);
  ck_assert_msg(near(straggler->value, 0.03, 0.15), "%g", straggler->value);
  ck_assert_int_eq(hop->rows, 45);
  ck_assert_ptr_nonnull(strstr(pm_calibration_get_xml(fit), "<hop_time fitted_to=\"data\" rows=\"45\""));
  pm_calibration_free(fit);
  pm_table_free(table);
  free(csv);
}
END_TEST

/* Requests of two networks, one with experts, on the GPUs of two sources, with the times of the last column or none
** that count. */
static char *serving_rows(const double *times)
{
  static const char *const places[] = {"llama3-8b,dgx-h100", "qwen3-30b-a3b,dgx-h100", "llama3-8b,dgx-a100-80gb"};
  static const char *const quantities[] = {"tpot", "ttft"};
  char *csv = (char *)malloc(200 * LINE), *end = csv;
  int row = 0;
  end += sprintf(end, "network,system,framework,gpus,precision,concurrency,isl,osl,source,quantity,value\n");
  for (int place = 0; place < 3; place++)
    for (int concurrency = 1; concurrency <= 256; concurrency *= 4)
      for (int prompt = 128; prompt <= 2048; prompt *= 4)
        for (int quantity = 0; quantity < 2; quantity++, row++)
          end += sprintf(end, "%s,mine,1,bf16,%d,%d,128,%s,%s,%.9g\n", places[place], concurrency, prompt,
                         place < 2 ? "one" : "other", quantities[quantity], times != NULL ? times[row] : 1.0);
  return csv;
}

static void load_engine(const char *constants)
{
  char text[600];
  snprintf(text, sizeof text, "<perfmodel version=\"1\"><engine id=\"mine\" name=\"Mine\"><like>vllm-0.11</like>"
           "<since>2025-09</since><origin>rule</origin>%s</engine></perfmodel>", constants);
  load_text(text);
}

/* What an engine and its clients added comes back from the times that they made; every row is predicted well by
** constants of the others, of the networks as of the sources. */
START_TEST(engines_that_made_the_times_come_back)
{
  const struct { const char *name; double value, share; } made[] = {
    {"prefill_factor", 1.3, 0.02}, {"decode_factor", 1.1, 0.02}, {"sequence_time", 20e-6, 0.1},
    {"step_time", 1e-3, 0.15}, /* which goes with the factor of decoding */
    {"client_time", 30e-3, 0.05}};
  size_t predicted, count;
  pm_error error = PM_ERROR_NONE;
  pm_calibration_options options = pm_calibration_options_make();
  char *csv = serving_rows(NULL);
  load_engine("<prefill_factor>1.3</prefill_factor><decode_factor>1.1</decode_factor><step_time>1 ms</step_time>"
              "<sequence_time>20 us</sequence_time><client_time>30 ms</client_time>");
  pm_table *table = pm_validate(catalog, &(pm_validation){.set = "serving", .data = csv, .rows = 1}, &error);
  ck_assert_msg(table != NULL, "%s", error.text);
  ck_assert_ptr_nonnull(column_named(table, "predicted", &predicted));
  free(csv);
  csv = serving_rows(pm_table_get_numbers(table, predicted));
  load_engine("");
  options.set = "serving";
  options.entries = "mine";
  pm_calibration *fit = fit_rows(csv, options);
  for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) {
    const pm_fitted_constant *c = constant(fit, made[i].name);
    ck_assert_ptr_nonnull(c);
    ck_assert_msg(near(c->value, made[i].value, made[i].share), "%s: %g", c->constant, c->value);
  }
  const pm_fit_error *errors = pm_calibration_get_errors(fit, &count);
  for (size_t i = 0; i < count; i++)
    ck_assert_msg(errors[i].median < 2, "%s: %g %%", errors[i].group, errors[i].median);
  ck_assert_uint_eq(count, 5);
  ck_assert_ptr_nonnull(strstr(pm_calibration_get_xml(fit), "<step_time fitted_to=\"data\" rows=\"45\""));
  pm_calibration_free(fit);
  pm_table_free(table);
  free(csv);
}
END_TEST

START_TEST(stages_name_constants_that_exist)
{
  const pm__lab_stage *stage;
  const pm_record_type *type = pm_record_type_find("kernel_calibration");
  for (size_t i = 0; (stage = pm__lab_stage_at(i)) != NULL; i++) {
    int count = 0;
    for (const pm__lab_stage_constant *c = stage->constants; c->name != NULL; c++, count++) {
      ck_assert_msg(pm_record_find_field(type, c->name) != NULL, "%s", c->name);
      ck_assert_msg(c->lower < c->start && c->start < c->upper, "%s", c->name);
    }
    ck_assert_msg(count <= 12, "%s has %d constants", stage->name, count);
  }
}
END_TEST

START_TEST(bad_calibrations_say_why)
{
  const struct {
    const char *set, *entries, *kept, *text;
  } bad[] = {{"kernels", NULL, NULL, "no constant has the 5 measurements that it needs"},
             {"kernels", "voltage", NULL, "no row is of architecture \"voltage\""},
             {"kernels", NULL, "t4, t5", "no row is of gpu \"t5\""},
             {"nosuch", NULL, NULL, "set \"nosuch\" cannot be calibrated; it must be one of kernels, training, "
                                    "language, inference, large-models, plans, grouped, documents, collectives, "
                                    "operators, serving, energy"},
             {"operators", NULL, NULL, "data: no column \"op\""}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    pm_error error = PM_ERROR_NONE;
    pm_calibration_options options = pm_calibration_options_make();
    options.set = bad[i].set;
    options.data = "kernel,M,N,K,precision,gpu,time_us\ngemm,8,8,8,fp32,T4,9\n";
    options.entries = bad[i].entries;
    options.hold_out = bad[i].kept;
    ck_assert_ptr_null(pm_calibrate(catalog, &options, &error));
    ck_assert_str_eq(error.text, bad[i].text);
  }
  ck_assert_ptr_null(pm_calibrate(NULL, NULL, NULL));
}
END_TEST

/* The shipped rows name their systems; it is said before anything is fitted. */
START_TEST(a_system_without_data_is_refused)
{
  pm_error error = PM_ERROR_NONE;
  pm_calibration_options options = pm_calibration_options_make();
  options.system = "dgx1-v100";
  ck_assert_ptr_null(pm_calibrate(catalog, &options, &error));
  ck_assert_str_eq(error.text, "system \"dgx1-v100\" is that of data which do not name theirs: give data with it, or "
                               "no system");
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("calibrate");
  TCase *fits = tcase_create("fits");
  tcase_add_checked_fixture(fits, open_catalog, close_catalog);
  tcase_set_timeout(fits, 120);
  tcase_add_test(fits, constants_that_made_the_times_come_back);
  tcase_add_test(fits, rows_kept_out_are_not_looked_at);
  tcase_add_test(fits, the_file_brings_the_constants_in);
  tcase_add_test(fits, a_framework_says_what_it_was_fitted_to);
  tcase_add_test(fits, shipped_frameworks_say_what_they_were_fitted_to);
  tcase_add_test(fits, documents_decide_constants_of_their_own);
  tcase_add_test(fits, machines_left_out_are_met);
  tcase_add_test(fits, hosts_that_made_the_times_come_back);
  tcase_add_test(fits, plans_that_made_the_times_come_back);
  tcase_add_test(fits, engines_that_made_the_times_come_back);
  tcase_add_test(fits, stages_name_constants_that_exist);
  tcase_add_test(fits, bad_calibrations_say_why);
  tcase_add_test(fits, a_system_without_data_is_refused);
  suite_add_tcase(suite, fits);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
