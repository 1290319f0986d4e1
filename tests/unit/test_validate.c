/* Measured beside predicted: tables, names, formulas, and the laws of errors. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perfmodel-lab.h"
#include "validation/formula.h"
#include "validation/machines.h"
#include "validation/quantity.h"
#include "base/words.h"

static pm_catalog *catalog;

static void open_catalog(void)
{
  pm_error error = PM_ERROR_NONE;
  catalog = pm_catalog_new(&error);
  ck_assert_msg(catalog != NULL, "%s", error.text);
}

static void close_catalog(void)
{
  pm_catalog_free(catalog);
}

/* ---- Words ---- */

START_TEST(words_are_letters_and_digits)
{
  ck_assert(pm__words_hold("v100 sxm2", "Tesla V100-SXM2-16GB"));
  ck_assert(pm__words_hold("16gb", "V100 16 GB"));
  ck_assert(pm__words_hold("16 GB", "8x V100 16G"));
  ck_assert(!pm__words_hold("1080 ti", "GTX 1080"));
  ck_assert(pm__words_hold("1080 ti | 1080", "GTX 1080"));
  ck_assert(pm__words_hold("!ti", "GTX 1080"));
  ck_assert(pm__words_hold("-", ""));
  ck_assert(!pm__words_hold("-", "x"));
  ck_assert(pm__words_hold("", "anything"));
  ck_assert(pm__words_hold("\"# of GPUs=1;\"", "x; # of GPUs=1; y"));
  ck_assert(!pm__words_hold("\"# of GPUs=1;\"", "x; # of GPUs=16; y"));
}
END_TEST

/* ---- Formulas ---- */

static int numbered(void *user, const char *name, const char *arguments, double *value, pm_error *error)
{
  (void)user;
  (void)error;
  *value = strcmp(name, "x") == 0 ? 3 : (double)strlen(arguments);
  return PM_OK;
}

static double formula(const char *text)
{
  pm__lab_formula out;
  pm_error error = PM_ERROR_NONE;
  int status = pm__lab_formula_evaluate(text, numbered, NULL, &out, &error);
  ck_assert_msg(status == PM_OK, "%s", error.text);
  return out.value;
}

START_TEST(formulas_follow_the_rules_of_arithmetic)
{
  ck_assert_double_eq(formula("1 + 2 * 3 - 4 / 2"), 5);
  ck_assert_double_eq(formula("-(x + 1) * 2"), -8);
  ck_assert_double_eq(formula("max(1, x, 2) - min(x, 7) + mean(1, 2, 6) + abs(-2)"), 5);
  ck_assert_double_eq(formula("floor(7 / 2) + floor(-1 / 2)"), 2);
  ck_assert_double_eq(formula("f(a=(1), b) / 2"), 4);
  ck_assert_double_eq(formula("2 < x"), 1);
  ck_assert_double_eq(formula("2 < x <= 3 and 1 > 2"), 0);
  ck_assert_double_eq(formula("0.5 <= x / 6 <= 0.5"), 1);
}
END_TEST

START_TEST(a_comparison_keeps_its_sides)
{
  pm__lab_formula out;
  ck_assert_int_eq(pm__lab_formula_evaluate("x / 2 < 1 + 1", numbered, NULL, &out, NULL), PM_OK);
  ck_assert(out.compared);
  ck_assert_double_eq(out.left, 1.5);
  ck_assert_double_eq(out.right, 2);
  ck_assert_int_eq(pm__lab_formula_evaluate("0.5 <= x / 2 <= 2", numbered, NULL, &out, NULL), PM_OK);
  ck_assert_double_eq(out.left, 1.5);
}
END_TEST

START_TEST(bad_formulas_are_errors)
{
  static const char *const bad[] = {"", "1 +", "(1", "1)", "f(1", "1 2", "max(1", "x <",
                                    "((((((((((((((((((((((((((((((((((("};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    pm__lab_formula out;
    pm_error error = PM_ERROR_NONE;
    ck_assert_msg(pm__lab_formula_evaluate(bad[i], numbered, NULL, &out, &error) != PM_OK, "\"%s\"", bad[i]);
    ck_assert(error.text[0] != '\0');
  }
}
END_TEST

/* ---- Machines ---- */

static const char *machine(const char *gpu, const char *memory, const char *system, int gpus)
{
  static pm__lab_machines *machines; /* for one test program */
  pm__lab_row row;
  pm_error error = PM_ERROR_NONE;
  if (machines == NULL) machines = pm__lab_machines_new(catalog, &error);
  ck_assert_msg(machines != NULL, "%s", error.text);
  for (int i = 0; i < PM__COLUMNS; i++) row.cell[i] = "";
  row.cell[PM__COLUMN_GPU] = gpu;
  row.cell[PM__COLUMN_MEMORY] = memory;
  row.cell[PM__COLUMN_SYSTEM] = system;
  const char *id = pm__lab_machines_find(machines, &row, gpus, 1, NULL);
  return id != NULL ? id : "none";
}

START_TEST(machines_are_found_by_what_tables_call_them)
{
  ck_assert_str_eq(machine("V100", "16", "NVIDIA DGX-1", 8), "dgx1-v100");
  ck_assert_str_eq(machine("V100", "32", "NVIDIA DGX-1", 1), "dgx1-v100-32gb");
  ck_assert_str_eq(machine("P100", "16", "NVIDIA DGX-1", 8), "dgx1-p100");
  ck_assert_str_eq(machine("V100", "32", "NVIDIA DGX-2", 16), "dgx2");
  ck_assert_str_eq(machine("A100", "80", "NVIDIA DGX A100", 8), "dgx-a100-80gb");
  ck_assert_str_eq(machine("A100", "40", "NVIDIA DGX A100", 4), "dgx-a100");
  ck_assert_str_eq(machine("NVIDIA A100-SXM4-80GB", "", "DGX A100", 8), "dgx-a100-80gb");
  ck_assert_str_eq(machine("GTX 9999 Ti", "", "", 1), "none");
  ck_assert_str_eq(machine("V100", "", "", 500), "none");
}
END_TEST

/* One GPU is its own entry, of the form that the row says, whatever other machine has one like it. */
START_TEST(one_gpu_is_its_own_entry)
{
  ck_assert_str_eq(machine("h100-pcie", "", "", 1), "h100-pcie");
  ck_assert_str_eq(machine("H100 PCIe", "80", "", 1), "h100-pcie");
  ck_assert_str_eq(machine("NVIDIA H100", "80", "", 1), "h100-sxm5");
  ck_assert_str_eq(machine("A100-PCIE", "", "", 1), "a100-pcie-40gb");
  ck_assert_str_eq(machine("A100-PCIE", "80", "", 1), "a100-pcie-80gb");
  ck_assert_str_eq(machine("V100", "16", "", 1), "v100-sxm2-16gb");
  ck_assert_str_eq(machine("V100-PCIE-16GB", "16", "NVIDIA DGX-1", 1), "v100-pcie");
  ck_assert_str_eq(machine("T4 PCIe", "16", "", 1), "t4");
}
END_TEST

/* Another form or memory than the row says is another GPU. */
START_TEST(another_gpu_is_not_matched)
{
  ck_assert_str_eq(machine("H200 PCIe", "", "", 1), "none");
  ck_assert_str_eq(machine("H200 NVL", "141", "H200 NVL", 8), "none");
  ck_assert_str_eq(machine("H100 PCIe", "", "DGX H100", 8), "none");
  ck_assert_str_eq(machine("H100 NVL", "94", "", 2), "none");
  ck_assert_str_eq(machine("T4 SXM2", "", "", 1), "none");
  ck_assert_str_eq(machine("M40", "24", "", 1), "none");
  ck_assert_str_eq(machine("P100-PCIE-12GB", "", "", 1), "none");
  ck_assert_str_eq(machine("V100", "16", "DGX-2", 16), "none");
}
END_TEST

/* Two to eight cards without a system are in the usual server for them. */
START_TEST(cards_without_a_system_are_in_a_usual_server)
{
  ck_assert_str_eq(machine("h100-pcie", "", "", 8), "h100-pcie*8:pcie");
  ck_assert_str_eq(machine("GeForce RTX 3090", "24", "", 3), "rtx-3090*3:pcie");
  ck_assert_str_eq(machine("RTX A6000", "48", "", 2), "rtx-a6000*2:pcie");
  ck_assert_str_eq(machine("RTX A6000", "48", "", 16), "none");
  ck_assert_str_eq(machine("RTX A6000", "48", "a machine without an entry", 2), "none");
}
END_TEST

/* A part of a name is not the machine. */
START_TEST(part_of_a_name_is_not_matched)
{
  ck_assert_str_eq(machine("H100", "80", "GCP A3 Mega", 8), "gcp-a3-mega");
  ck_assert_str_eq(machine("H100", "80", "A3 Edge", 8), "none");
  ck_assert_str_eq(machine("H100", "80", "GCP A3 Edge", 8), "none");
  ck_assert_str_eq(machine("V100", "32", "AWS p3dn.24xlarge", 8), "p3dn");
  ck_assert_str_eq(machine("V100", "32", "p3dn over TCP", 8), "none");
  ck_assert_str_eq(machine("V100", "32", "p3dn over TCP", 4), "none");
  ck_assert_str_eq(machine("V100", "32", "NVIDIA DGX-1", 16), "none");
  ck_assert_str_eq(machine("", "", "abacus", 1), "none");
  ck_assert_str_eq(machine("", "", "", 1), "none");
}
END_TEST

/* ---- Errors ---- */

static const char header[] = "model,framework,framework_version,gpu,gpu_memory_GB,system,gpus,nodes,batch_per_gpu,"
                             "precision,seq_len,throughput,unit,source_repo,source_path,note\n";

enum { NOTES = 2000 };

/* The only row's cell of that column, of a set with rows of the user below the header above. */
static double own(const char *set, const char *rows, const char *column, char *notes)
{
  char text[2000];
  pm_error error = PM_ERROR_NONE;
  snprintf(text, sizeof text, "%s%s", header, rows);
  pm_validation what = {set, text, "own.csv", 1, NULL, NULL};
  pm_table *table = pm_validate(catalog, &what, &error);
  ck_assert_msg(table != NULL, "%s", error.text);
  double value = (double)NAN;
  if (notes != NULL) snprintf(notes, NOTES, "%s", pm_table_get_notes(table));
  for (size_t i = 0; i < pm_table_count_columns(table) && pm_table_count_rows(table) > 0; i++)
    if (strcmp(pm_table_get_column(table, i)->name, column) == 0) value = pm_table_get_numbers(table, i)[0];
  pm_table_free(table);
  return value;
}

static double predicted(const char *row)
{
  return own("training", row, "predicted", NULL);
}

#define ROW(batch, throughput, unit) \
  "ResNet-50 v1.5,PyTorch,NGC 19.05,V100,16,NVIDIA DGX-1,8,1," batch ",fp16-mixed,," throughput "," unit ",a/b,c,\n"

/* What was measured did run, whatever memory the model thinks that it takes. */
START_TEST(memory_is_ignored)
{
  ck_assert(predicted(ROW("100000", "1000", "images/s")) > 0);
  ck_assert(own("inference", ROW("1000000", "1000", "images/s"), "predicted", NULL) > 0);
}
END_TEST

/* The set of statements was called seeds in release 0.1. */
START_TEST(seeds_are_statements)
{
  pm_error error = PM_ERROR_NONE;
  pm_validation now = {.set = "statements"}, then = {.set = "seeds"};
  pm_table *a = pm_validate(catalog, &now, &error), *b = pm_validate(catalog, &then, &error);
  char *x = pm_table_format(a, PM_FORMAT_CSV, 0, &error), *y = pm_table_format(b, PM_FORMAT_CSV, 0, &error);
  ck_assert_msg(x != NULL && y != NULL, "%s", error.text);
  ck_assert_str_eq(x, y);
  ck_assert_str_eq(pm_validation_get_set(0), "statements");
  pm_string_free(x);
  pm_string_free(y);
  pm_table_free(a);
  pm_table_free(b);
}
END_TEST

START_TEST(a_row_that_is_predicted_has_no_error)
{
  char row[400];
  double rate = predicted(ROW("128", "1000", "images/s"));
  ck_assert(rate > 0);
  snprintf(row, sizeof row, "ResNet-50 v1.5,PyTorch,NGC 19.05,V100,16,NVIDIA "
                            "DGX-1,8,1,128,fp16-mixed,,%.17g,images/s,,,\n",
           rate);
  ck_assert_double_eq(own("training", row, "error", NULL), 0);
  ck_assert_double_eq_tol(own("training", ROW("128", "1000", "images/s"), "error", NULL), (rate / 1000 - 1) * 100,
                          1e-9);
}
END_TEST

START_TEST(units_scale_the_prediction)
{
  double rate = predicted(ROW("128", "1000", "images/s"));
  ck_assert_double_eq(predicted(ROW("128", "1000", "images/s/GPU")), rate / 8);
  ck_assert_double_eq(predicted(ROW("128", "2000", "img/s")), rate);
  ck_assert(predicted(ROW("64", "1000", "images/s")) < rate);
}
END_TEST

/* Repeats of a run count once, with their median; errors of another batch or release are their own. */
START_TEST(rows_of_one_setting_count_once)
{
  static const char *const rows = ROW("128", "1000", "images/s") ROW("128", "3000", "images/s") ROW("128", "2000",
      "images/s")
    ROW("64", "1500", "images/s");
  char text[2000];
  pm_error error = PM_ERROR_NONE;
  snprintf(text, sizeof text, "%s%s", header, rows);
  pm_validation what = {"training", text, "own.csv", 0, NULL, NULL};
  pm_table *table = pm_validate(catalog, &what, &error);
  ck_assert_msg(table != NULL, "%s", error.text);
  ck_assert_uint_eq(pm_table_count_rows(table), 1);
  double errors[2] = {fabs(own("training", ROW("128", "2000", "images/s"), "error", NULL)),
                      fabs(own("training", ROW("64", "1500", "images/s"), "error", NULL))};
  ck_assert_double_eq(pm_table_get_numbers(table, 2)[0], 4); /* rows */
  ck_assert_double_eq(pm_table_get_numbers(table, 7)[0], 2); /* settings */
  ck_assert_double_eq_tol(pm_table_get_numbers(table, 3)[0], (errors[0] + errors[1]) / 2, 1e-9);
  ck_assert(strstr(pm_table_get_notes(table), "4 rows are 2 settings") != NULL);
  pm_table_free(table);
}
END_TEST

/* The interval of the prediction holds it, and what is measured there is covered. */
START_TEST(intervals_cover_what_is_predicted)
{
  char row[400];
  double low = own("training", ROW("128", "1000", "images/s"), "low", NULL);
  double high = own("training", ROW("128", "1000", "images/s"), "high", NULL);
  double rate = predicted(ROW("128", "1000", "images/s"));
  ck_assert(low > 0 && low < rate && rate < high);
  for (int i = 0; i < 2; i++) {
    snprintf(row, sizeof row, "%sResNet-50 v1.5,PyTorch,NGC 19.05,V100,16,NVIDIA "
                              "DGX-1,8,1,128,fp16-mixed,,%.17g,images/s,,,\n",
             header, i == 0 ? high * 0.999 : high * 1.001);
    pm_validation what = {"training", row, "own.csv", 0, NULL, NULL};
    pm_table *table = pm_validate(catalog, &what, NULL);
    ck_assert_double_eq(pm_table_get_numbers(table, 8)[0], i == 0 ? 100 : 0);
    pm_table_free(table);
  }
}
END_TEST

#define HOST_ROW(system, gpus, rate) \
  "ResNet-50,PyTorch,1.7.0a0+7036e91,A100-SXM4-40GB,40," system "," gpus ",1,256,fp32,," rate ",images/s," \
  "lambdal/deeplearning-benchmark,pytorch,\n"

/* Several GPUs of a host that are far slower than its one have no peer access; those of another host are as they
** are. */
START_TEST(hosts_without_peer_access_are_known_by_their_rates)
{
  static const char *const slow = HOST_ROW("A100_p9", "1", "800") HOST_ROW("4xA100_p9", "4", "1600");
  static const char *const fast = HOST_ROW("A100_p9", "1", "800") HOST_ROW("4xA100_p9", "4", "2400");
  static const char *const other = HOST_ROW("A100_x", "1", "800") HOST_ROW("A100_p9", "1", "400") HOST_ROW("4xA100_p9",
      "4", "1000");
  const char *const all[] = {slow, fast, other};
  for (int i = 0; i < 3; i++) {
    char text[2000];
    snprintf(text, sizeof text, "%s%s", header, all[i]);
    pm_validation what = {"training", text, "own.csv", 1, NULL, NULL};
    pm_table *table = pm_validate(catalog, &what, NULL);
    size_t last = pm_table_count_rows(table) - 1;
    ck_assert(last == (i < 2 ? 1u : 2u));
    char buffer[PM_TEXT_MAX];
    const char *group = pm_table_get_text(table, 1, last, buffer);
    ck_assert_msg((strstr(group, " no-peer ") != NULL) == (i == 0), "%s", group);
    ck_assert(strstr(group, " tf32 ") != NULL); /* a container's FP32 */
    pm_table_free(table);
  }
}
END_TEST

/* Only rows of a GPU, a machine or a source; names as the catalogue or the row has them. */
START_TEST(only_rows_of_something_are_compared)
{
  static const struct {
    const char *only;
    int rows;
  } cases[] = {{"gpu=v100-sxm2-16gb", 1}, {"gpu=V100-SXM2-16GB", 1}, {"machine=dgx1-v100", 1},
               {"source=deeplearning-benchmark", 2},
               {"lambdal/deeplearning-benchmark", 2}, {"gpu=a100-sxm4-40gb,source=b", 3}, {"machine=A100_p9", 1},
                 {"gpu=t4", 0}};
  char text[2000];
  snprintf(text, sizeof text, "%s%s%s%s", header, ROW("128", "1000", "images/s"), HOST_ROW("A100_p9", "1", "800"),
           HOST_ROW("4xA100_p9", "4", "3000"));
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    pm_error error = PM_ERROR_NONE;
    pm_validation what = {"training", text, "own.csv", 1, cases[i].only, NULL};
    pm_table *table = pm_validate(catalog, &what, &error);
    ck_assert_msg((table != NULL) == (cases[i].rows > 0), "%s: %s", cases[i].only, error.text);
    if (table != NULL) ck_assert_uint_eq(pm_table_count_rows(table), (size_t)cases[i].rows);
    else ck_assert_str_eq(error.text, "no row of \"own.csv\" is of gpu=t4");
    pm_table_free(table);
  }
}
END_TEST

/* A plan that splits a model is none of data parallelism; numbers may be written as 8.0. */
START_TEST(plans_and_numbers_are_read)
{
  static const struct {
    const char *plan;
    int rows;
  } cases[] = {{"", 1}, {"dp", 1}, {"single", 1}, {"tp1 pp1 dp8", 1}, {"FSDP=0; TP=1; PP=1; CP=1; VP=n/a; EP=n/a", 1},
               {"tp4 pp1 dp2", 0},
               {"tp1 pp16 dp1", 0}, {"fsdp FULL_SHARD", 0}, {"FSDP=0; TP=1; PP=2; CP=1", 0}, {"FSDP=8; TP=1", 0}};
  double rate = predicted(ROW("128", "1000", "images/s"));
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char text[500];
    snprintf(text, sizeof text,
             "model,framework,framework_version,gpu,gpu_memory_GB,system,gpus,nodes,batch_per_gpu,precision,throughput,"
             "unit,parallelism\nResNet-50 v1.5,PyTorch,NGC 19.05,V100,16.0,NVIDIA "
             "DGX-1,8.0,1.0,128.0,fp16-mixed,1000,images/s,%s\n",
             cases[i].plan);
    pm_validation what = {"training", text, "own.csv", 1, NULL, NULL};
    pm_table *table = pm_validate(catalog, &what, NULL);
    ck_assert_uint_eq(pm_table_count_rows(table), (size_t)cases[i].rows);
    if (cases[i].rows > 0) ck_assert_double_eq(pm_table_get_numbers(table, 3)[0], rate);
    else ck_assert(strstr(pm_table_get_notes(table), "is not data parallelism alone") != NULL);
    pm_table_free(table);
  }
}
END_TEST

START_TEST(what_cannot_be_predicted_is_counted_and_said)
{
  char notes[NOTES];
  ck_assert(isnan(own("training", ROW("", "1000", "images/s") ROW("8", "1000", "parsecs/s") ROW("8", "0", "images/s")
                                    "NoSuchNet,PyTorch,,V100,,,1,1,8,fp32,,10,images/s,,,\n",
                      "predicted", notes)));
  ck_assert_ptr_nonnull(strstr(notes, "4 of 4 rows of \"own.csv\" have no prediction"));
  ck_assert_ptr_nonnull(strstr(notes, "1 row: no batch size"));
  ck_assert_ptr_nonnull(strstr(notes, "1 row: unknown model \"NoSuchNet\""));
  ck_assert_ptr_nonnull(strstr(notes, "1 row: unit \"parsecs/s\""));
  ck_assert_ptr_nonnull(strstr(notes, "1 row: no throughput above 0"));
}
END_TEST

/* What is no number is none: not an error of inf per cent, and not part of a mean. */
START_TEST(a_throughput_is_a_finite_number)
{
  char notes[NOTES];
  ck_assert(isnan(own("training", ROW("8", "nan", "images/s") ROW("8", "inf", "images/s") ROW("8", "-nan", "images/s")
                      ROW("8", "1e999", "images/s") ROW("8", "-5", "images/s"), "error", notes)));
  ck_assert_ptr_nonnull(strstr(notes, "5 of 5 rows of \"own.csv\" have no prediction"));
  ck_assert_ptr_nonnull(strstr(notes, "5 rows: no throughput above 0"));
}
END_TEST

START_TEST(suspect_rows_are_left_out)
{
  char notes[NOTES];
  own("training", "ResNet-50,PyTorch,,V100,16,,1,1,64,fp32,,300,images/s,,,SUSPECT columns swapped\n", "predicted",
      notes);
  ck_assert_ptr_nonnull(strstr(notes, "SUSPECT"));
}
END_TEST

static size_t column_of(const pm_table *table, const char *name)
{
  for (size_t i = 0; i < pm_table_count_columns(table); i++)
    if (strcmp(pm_table_get_column(table, i)->name, name) == 0) return i;
  ck_abort_msg("no column %s", name);
}

/* ---- Seeds ---- */

static pm_table *statements(const char *rows)
{
  static const char title[] = "id,document,value,unit,kind,run,formula,remark\n";
  char text[4000];
  pm_error error = PM_ERROR_NONE;
  snprintf(text, sizeof text, "%s%s", title, rows != NULL ? rows : "");
  pm_validation what = {"statements", rows != NULL ? text : NULL, NULL, 1, NULL, NULL};
  pm_table *table = pm_validate(catalog, &what, &error);
  ck_assert_msg(table != NULL, "%s", error.text);
  return table;
}

static double seed_number(const pm_table *table, const char *column, size_t row)
{
  return pm_table_get_numbers(table, column_of(table, column))[row];
}

static const char *seed_text(const pm_table *table, const char *column, size_t row)
{
  static char buffer[PM_TEXT_MAX];
  return pm_table_get_text(table, column_of(table, column), row, buffer);
}

#define RUN "\"network=resnet50, system=dgx1-v100, gpus=8, batch=64\""

START_TEST(formulas_are_of_predictions)
{
  pm_table *t = statements("a,d,100,images/s,value," RUN ",rate,\n"
                      "b,d,100,images/s,value," RUN ",rate(gpus=1),\n"
                      "c,d,8,x,value," RUN ",rate / rate(gpus=1),\n"
                      "d,d,4,x,value,,\"mean(row(a), row(b)) / row(c)\",\n"
                      "e,d,1,x,shown," RUN ",step_time * rate / (8 * 64),\n");
  double many = seed_number(t, "predicted", 0), one = seed_number(t, "predicted", 1);
  ck_assert(many > one && one > 0);
  ck_assert_double_eq(seed_number(t, "predicted", 2), many / one);
  ck_assert_double_eq(seed_number(t, "predicted", 3), (many + one) / 2 / (many / one));
  ck_assert_double_eq_tol(seed_number(t, "predicted", 4), 1, 1e-12);
  ck_assert_double_eq_tol(seed_number(t, "error", 2), (many / one / 8 - 1) * 100, 1e-9);
  ck_assert(isnan(seed_number(t, "error", 4)));
  pm_table_free(t);
}
END_TEST

START_TEST(claims_hold_or_do_not)
{
  pm_table *t = statements("a,d,,,claim," RUN ",rate > rate(gpus=4) > rate(gpus=1); rate / (8 * rate(gpus=1)) <= 1,\n"
                      "b,d,,,claim," RUN ",rate < rate(gpus=4),\n"
                      "c,d,,,claim," RUN ",rate > rate(gpus=4); rate < 0,\n"
                      "d,d,8,x,at-most," RUN ",rate / rate(gpus=1),\n"
                      "e,d,8.5,x,at-least," RUN ",rate / rate(gpus=1),\n"
                      "f,d,,,fact,,,because\n");
  static const char *const holds[] = {"yes", "no", "no", "yes", "no", ""};
  for (size_t i = 0; i < 6; i++) {
    ck_assert_str_eq(seed_text(t, "holds", i), holds[i]);
    ck_assert(isnan(seed_number(t, "error", i)));
  }
  ck_assert_str_eq(seed_text(t, "note", 5), "because");
  pm_table_free(t);
}
END_TEST

START_TEST(seeds_that_cannot_be_predicted_say_why)
{
  pm_table *t = statements("a,d,1,x,value,\"network=nosuchnet, system=dgx1-v100\",rate,\n"
                      "b,d,1,x,value,\"network=resnet50, system=dgx1-v100, gpus=9\",rate,\n"
                      "c,d,1,x,value,\"network=resnet50, system=dgx1-v100\",rate(speed=9),\n"
                      "d,d,1,x,value,,row(d),\n"
                      "e,d,1,x,value,,nosuchvalue,\n");
  static const char *const why[] = {"unknown network", "a dgx1-v100 has 8", "no setting \"speed\"", "refers to itself",
                                    "nosuchvalue"};
  for (size_t i = 0; i < 5; i++) {
    ck_assert(isnan(seed_number(t, "predicted", i)));
    ck_assert_msg(strstr(seed_text(t, "note", i), why[i]) != NULL, "%s", seed_text(t, "note", i));
  }
  pm_table_free(t);
}
END_TEST

START_TEST(slips_in_a_table_of_seeds_are_errors)
{
  static const char *const bad[] = {"a,d,1,x,strange,,rate\n", "a,d,1,x,value,,\n", "a,d,,x,value,,1\n",
                                    "a,d,1,x,value,,1 +\n", "a,d,1,x,claim,,1 + 2\n", "a,d,1,x,value,gpus,rate\n"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    char text[300];
    pm_error error = PM_ERROR_NONE;
    snprintf(text, sizeof text, "id,document,value,unit,kind,run,formula\n%s", bad[i]);
    pm_validation what = {"statements", text, "s.csv", 1, NULL, NULL};
    ck_assert_ptr_null(pm_validate(catalog, &what, &error));
    ck_assert_msg(strncmp(error.text, "s.csv:2: ", 9) == 0, "%s", error.text);
  }
}
END_TEST

/* All rows of the documents are there, each once, and those that are compared are predicted. */
START_TEST(the_documents_are_whole)
{
  static const int rows[] = {28, 22, 94, 90, 37};
  char id[PM_TEXT_MAX];
  pm_table *t = statements(NULL);
  size_t at = 0;
  ck_assert_uint_eq(pm_table_count_rows(t), 271);
  for (int document = 0; document < 5; document++)
    for (int i = 1; i <= rows[document]; i++, at++) {
      snprintf(id, sizeof id, "M%03d-%03d", document, i);
      ck_assert_str_eq(seed_text(t, "id", at), id);
      if (strcmp(seed_text(t, "kind", at), "value") == 0 && strcmp(id, "M004-001") != 0)
        ck_assert_msg(!isnan(seed_number(t, "error", at)), "%s: %s", id, seed_text(t, "note", at));
    }
  pm_table_free(t);
}
END_TEST

/* ---- Storage ---- */

/* Rates of disks within 1 % of what was measured; 70 nodes at the gateway, 50 at a chassis, 32 at the switch, and the
** least of them is the answer. */
START_TEST(the_dell_guide_comes_out)
{
  pm_error error = PM_ERROR_NONE;
  pm_validation what = {"storage", NULL, NULL, 1, NULL, NULL};
  pm_table *t = pm_validate(catalog, &what, &error);
  int disks = 0, nodes = 0, least = 0;
  ck_assert_msg(t != NULL, "%s", error.text);
  for (size_t i = 0; i < pm_table_count_rows(t); i++) {
    const char *group = seed_text(t, "group", i);
    double off = seed_number(t, "error", i);
    if (strcmp(group, "dell2018 disks") == 0) {
      ck_assert_double_le(fabs(off), 1);
      disks++;
    } else if (strcmp(group, "dell2018 nodes") == 0) {
      if (!isnan(off)) ck_assert_double_eq(off, 0);
      else ck_assert_str_eq(seed_text(t, "holds", i), "yes");
      nodes++;
      least += strcmp(seed_text(t, "id", i), "dell-nodes-least") == 0 && seed_number(t, "measured", i) == 32;
    }
  }
  ck_assert_int_eq(disks, 6);
  ck_assert_int_eq(nodes, 5);
  ck_assert_int_eq(least, 1);
  pm_table_free(t);
}
END_TEST

/* ---- Inference ---- */

START_TEST(latency_is_compared_where_there_is_no_rate)
{
  static const char rate[] = "model,framework,gpu,gpus,batch,precision,throughput,unit,latency_avg_ms,serving\n"
                             "ResNet-50,PyTorch,V100,1,32,fp16,1000,images/s,,\n";
  static const char latency[] = "model,framework,gpu,gpus,batch,precision,throughput,unit,latency_avg_ms,serving\n"
                                "ResNet-50,PyTorch,V100,1,32,fp16,,,32,\n";
  double value[2];
  for (int i = 0; i < 2; i++) {
    pm_error error = PM_ERROR_NONE;
    pm_validation what = {"inference", i == 0 ? rate : latency, NULL, 1, NULL, NULL};
    pm_table *t = pm_validate(catalog, &what, &error);
    ck_assert_msg(t != NULL && pm_table_count_rows(t) == 1, "%s", error.text);
    ck_assert_str_eq(seed_text(t, "unit", 0), i == 0 ? "images/s" : "ms");
    value[i] = seed_number(t, "predicted", 0);
    pm_table_free(t);
  }
  ck_assert_double_eq_tol(value[0] * value[1] / 1e3, 32, 1e-9);
}
END_TEST

START_TEST(bad_sets_and_tables_are_errors)
{
  static const pm_validation bad[] = {{.set = "nothing"},
                                      {.set = "training", .data = "model,unit\nx,y\n", .file = "f.csv"},
                                      {.set = "training", .data = "", .file = "f.csv"},
                                      {.set = "training", .data = "model,throughput,unit\n", .file = "f.csv",
                                       .rows = 1},
                                      {.set = NULL}};
  static const char *const texts[] = {"set \"nothing\" is unknown", "f.csv: no column \"throughput\"",
                                      "f.csv: the table is empty", "f.csv: no measurements", "needs a catalogue"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    pm_error error = PM_ERROR_NONE;
    ck_assert_ptr_null(pm_validate(catalog, &bad[i], &error));
    ck_assert_msg(strstr(error.text, texts[i]) != NULL, "%s", error.text);
  }
  ck_assert_ptr_null(pm_validation_get_set(1000));
}
END_TEST

/* Every shipped set runs, has its columns, and its rows add up to its groups: once, but for collectives, where each is
** in the group of all, of its use and of its machine. Errors of rates are those of settings. */
START_TEST(shipped_sets_add_up)
{
  for (size_t i = 0; pm_validation_get_set(i) != NULL; i++) {
    pm_error error = PM_ERROR_NONE;
    pm_validation rows = {.set = pm_validation_get_set(i), .rows = 1}, groups = {.set = pm_validation_get_set(i)};
    pm_table *all = pm_validate(catalog, &rows, &error), *sums = pm_validate(catalog, &groups, &error);
    ck_assert_msg(all != NULL && sums != NULL, "%s: %s", rows.set, error.text);
    static const char *const names[] = {"set", "group", "rows", "mape", "median", "p90", "bias"};
    int times = strcmp(rows.set, "collectives") == 0 ? 3 : 1;
    for (size_t k = 0; k < 7; k++) ck_assert_str_eq(pm_table_get_column(sums, k)->name, names[k]);
    double counted = 0, errors = 0, sum = 0, mean = 0;
    bool rates = pm_table_count_columns(sums) > 7 && strcmp(pm_table_get_column(sums, 7)->name, "settings") == 0;
    bool of_rates = strncmp(rows.set, "training", 8) == 0 || strcmp(rows.set, "inference") == 0;
    bool packed = strcmp(rows.set, "large-models") == 0 || strcmp(rows.set, "plans") == 0;
    ck_assert(rates == (of_rates || packed || strcmp(rows.set, "memory") == 0));
    for (size_t k = 0; k < pm_table_count_rows(sums); k++) {
      if (isnan(pm_table_get_numbers(sums, 3)[k])) continue; /* regret of plans, whose errors are above */
      counted += pm_table_get_numbers(sums, 2)[k];
      mean += pm_table_get_numbers(sums, 2)[k] * pm_table_get_numbers(sums, 3)[k];
      ck_assert(!rates || pm_table_get_numbers(sums, 7)[k] <= pm_table_get_numbers(sums, 2)[k]);
    }
    for (size_t k = 0; k < pm_table_count_rows(all); k++) {
      double error_of = pm_table_get_numbers(all, 5)[k];
      errors += !isnan(error_of);
      sum += isnan(error_of) ? 0 : fabs(error_of);
    }
    ck_assert_double_eq(counted, times * errors);
    if (!rates) ck_assert_double_eq_tol(mean, times * sum, 1e-6 * sum);
    ck_assert(counted > 0);
    pm_table_free(all);
    pm_table_free(sums);
  }
}
END_TEST

START_TEST(shipped_rows_are_there)
{
  pm_error error = PM_ERROR_NONE;
  char *text = pm_shipped_read("measured/collectives.csv", &error);
  ck_assert_msg(text != NULL, "%s", error.text);
  ck_assert(strncmp(text, "system,gpus,nodes,collective,", 29) == 0);
  size_t rows = 0;
  for (const char *p = text; (p = strchr(p, '\n')) != NULL; p++) rows++;
  ck_assert_uint_eq(rows, 2062);
  pm_string_free(text);
  ck_assert(pm_shipped_read("measured/nothing.csv", &error) == NULL);
  ck_assert_int_eq(error.status, PM_STATUS_NOT_FOUND);
}
END_TEST

/* Ranks are read as they are written; what is none is refused. */
START_TEST(ranks_and_quantities_have_names)
{
  static const struct { const char *text; int rank; } ranks[] = {
    {"fullest", PM__RANK_FULLEST}, {"last", PM__RANK_LAST}, {"first", 0}, {"3", 3}};
  pm_error error = PM_ERROR_NONE, other = PM_ERROR_NONE;
  char text[40];
  int rank;
  for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++) {
    ck_assert_int_eq(pm__lab_rank_read(ranks[i].text, &rank, NULL), PM_OK);
    ck_assert_int_eq(rank, ranks[i].rank);
    pm__lab_rank_format(rank, text, sizeof text);
    ck_assert_str_eq(text, rank == 3 ? "stage 3" : ranks[i].text);
  }
  ck_assert_int_ne(pm__lab_rank_read("3rd", &rank, &error), PM_OK);
  ck_assert_str_eq(error.text, "rank \"3rd\" is not first, last, fullest or the number of a stage");
  ck_assert_ptr_null(pm__lab_quantity_find("colour", &other));
  ck_assert_str_eq(other.text, "unknown quantity \"colour\"; it must be one of throughput, step_time, latency, "
                               "allocator_peak, reserved, device_total, static_memory");
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("validate");
  TCase *tests = tcase_create("validate");
  tcase_add_unchecked_fixture(tests, open_catalog, close_catalog);
  tcase_set_timeout(tests, 60);
  tcase_add_test(tests, shipped_rows_are_there);
  tcase_add_test(tests, words_are_letters_and_digits);
  tcase_add_test(tests, formulas_follow_the_rules_of_arithmetic);
  tcase_add_test(tests, a_comparison_keeps_its_sides);
  tcase_add_test(tests, bad_formulas_are_errors);
  tcase_add_test(tests, machines_are_found_by_what_tables_call_them);
  tcase_add_test(tests, one_gpu_is_its_own_entry);
  tcase_add_test(tests, memory_is_ignored);
  tcase_add_test(tests, seeds_are_statements);
  tcase_add_test(tests, another_gpu_is_not_matched);
  tcase_add_test(tests, only_rows_of_something_are_compared);
  tcase_add_test(tests, plans_and_numbers_are_read);
  tcase_add_test(tests, rows_of_one_setting_count_once);
  tcase_add_test(tests, intervals_cover_what_is_predicted);
  tcase_add_test(tests, hosts_without_peer_access_are_known_by_their_rates);
  tcase_add_test(tests, cards_without_a_system_are_in_a_usual_server);
  tcase_add_test(tests, part_of_a_name_is_not_matched);
  tcase_add_test(tests, a_row_that_is_predicted_has_no_error);
  tcase_add_test(tests, units_scale_the_prediction);
  tcase_add_test(tests, what_cannot_be_predicted_is_counted_and_said);
  tcase_add_test(tests, a_throughput_is_a_finite_number);
  tcase_add_test(tests, suspect_rows_are_left_out);
  tcase_add_test(tests, formulas_are_of_predictions);
  tcase_add_test(tests, claims_hold_or_do_not);
  tcase_add_test(tests, seeds_that_cannot_be_predicted_say_why);
  tcase_add_test(tests, slips_in_a_table_of_seeds_are_errors);
  tcase_add_test(tests, the_documents_are_whole);
  tcase_add_test(tests, the_dell_guide_comes_out);
  tcase_add_test(tests, latency_is_compared_where_there_is_no_rate);
  tcase_add_test(tests, bad_sets_and_tables_are_errors);
  tcase_add_test(tests, ranks_and_quantities_have_names);
  tcase_add_test(tests, shipped_sets_add_up);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed > 0;
}
