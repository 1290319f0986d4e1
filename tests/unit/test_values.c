/* Values of entries with their evidence: read, written, set; and predictions with other constants than the
** catalogue's. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "shipped.h"

static pm_value value_of(const char *kind, const char *id, const char *field)
{
  pm_error error = PM_ERROR_NONE;
  pm_value value;
  ck_assert_msg(pm_catalog_get_value(catalog, kind, id, field, &value, &error) == PM_OK, "%s", error.text);
  return value;
}

static const char *const kinds[] = {"gpu", "link", "framework", "cudnn_generation", "calibration", "fit", "storage"};

/* The text of a value is what the record of its entry has, and a value that nobody states is unknown. */
START_TEST(values_are_those_of_records)
{
  union {
    pm_gpu gpu;
    pm_framework framework;
    char bytes[1 << 16];
  } read, set;
  size_t stated = 0, inherited = 0;
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
    const pm_record_type *type = pm_catalog_get_record_type(kinds[k]);
    const char *id;
    for (size_t i = 0; (id = pm_catalog_get_id(catalog, kinds[k], i)) != NULL; i++) {
      ck_assert_uint_le(type->size, sizeof read);
      record(kinds[k], id, &read);
      for (size_t f = 0; f < type->field_count; f++) {
        const pm_field *field = &type->fields[f];
        pm_value value = value_of(kinds[k], id, field->name);
        if (field->kind != PM_FIELD_REAL) continue;
        double number = pm_record_get_number(field, &read);
        ck_assert_msg(value.text != NULL || isnan(number), "%s %s", id, field->name);
        if (value.text == NULL) continue;
        ck_assert_int_eq(pm_record_set(field, &set, value.text, NULL), PM_OK);
        ck_assert_msg(pm_record_get_number(field, &set) == number, "%s %s", id, field->name);
        stated += strcmp(value.entry, id) == 0;
        inherited += strcmp(value.entry, id) != 0;
        ck_assert(strcmp(value.origin, "fitted") != 0 || value.fitted_to[0] != '\0');
      }
    }
  }
  ck_assert(stated > 1000 && inherited > 50);
}
END_TEST

/* An entry that is written and loaded again has the same record; with another value, that one and its evidence
** alone. */
START_TEST(an_entry_takes_other_values)
{
  pm_framework before, after;
  pm_error error = PM_ERROR_NONE;
  record("framework", "pt-nchw", &before);
  ck_assert_msg(pm_catalog_set_values(catalog, "framework", "pt-nchw", NULL, 0, &error) == PM_OK, "%s", error.text);
  record("framework", "pt-nchw", &after);
  ck_assert_mem_eq(&before, &after, sizeof before);
  pm_value other = {.field = "kernel_time", .text = "7 us", .fitted_to = "mine", .rows = 12, .date = "2026-11",
                    .note = "a < b"};
  ck_assert_msg(pm_catalog_set_values(catalog, "framework", "pt-nchw", &other, 1, &error) == PM_OK, "%s", error.text);
  record("framework", "pt-nchw", &after);
  ck_assert_double_eq(after.kernel_time, 7e-6);
  pm_value value = value_of("framework", "pt-nchw", "kernel_time");
  ck_assert_str_eq(value.entry, "pt-nchw");
  ck_assert_str_eq(value.fitted_to, "mine");
  ck_assert_str_eq(value.note, "a < b");
  ck_assert_int_eq(value.rows, 12);
  after.kernel_time = before.kernel_time;
  ck_assert_double_eq(after.step_time, before.step_time);
}
END_TEST

START_TEST(what_is_no_value_is_an_error)
{
  pm_value value, none = {.field = "kernel_time"}, unknown = {.field = "nothing", .text = "1"};
  ck_assert_int_eq(pm_catalog_get_value(catalog, "gpu", "v100", "nothing", &value, NULL), PM_STATUS_NOT_FOUND);
  ck_assert_int_eq(pm_catalog_get_value(catalog, "gpu", "no-gpu", "memory", &value, NULL), PM_STATUS_NOT_FOUND);
  ck_assert_int_eq(pm_catalog_get_value(catalog, "abacus", "v100", "memory", &value, NULL), PM_STATUS_NOT_FOUND);
  ck_assert_int_eq(pm_catalog_get_value(catalog, "network", "resnet50", "layers", &value, NULL),
                   PM_STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(pm_catalog_get_value(NULL, "gpu", "v100", "memory", &value, NULL), PM_STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(pm_catalog_set_values(catalog, "framework", "pt-nchw", &none, 1, NULL), PM_STATUS_BAD_VALUE);
  ck_assert_int_eq(pm_catalog_set_values(catalog, "framework", "pt-nchw", &unknown, 1, NULL), PM_STATUS_NOT_FOUND);
  ck_assert_int_eq(pm_catalog_set_values(catalog, "system", "dgx2", NULL, 0, NULL), PM_STATUS_BAD_ARGUMENT);
  pm_value bad = {.field = "kernel_time", .text = "7 apples"};
  ck_assert_int_ne(pm_catalog_set_values(catalog, "framework", "pt-nchw", &bad, 1, NULL), PM_OK);
  ck_assert_str_ne(value_of("framework", "pt-nchw", "kernel_time").text, "7 apples");
}
END_TEST

/* ---- Files ---- */

static char *formatted(const char *text)
{
  pm_error error = PM_ERROR_NONE;
  char *out = pm_catalog_format_file(catalog, text, "file.xml", &error);
  ck_assert_msg(out != NULL, "%s", error.text);
  return out;
}

/* A file of an entry as the catalogue has it, with a comment in it. */
static char *file_of(const char *kind, const char *id)
{
  static const char head[] = "<?xml version=\"1.0\"?>\n<perfmodel version=\"1\">\n  <!-- mine -->";
  static const char tail[] = "</perfmodel>\n";
  char *entry = pm_catalog_format_entry(catalog, kind, id, NULL, 0, NULL);
  ck_assert_ptr_nonnull(entry);
  size_t room = strlen(entry) + sizeof head + sizeof tail;
  char *text = (char *)malloc(room);
  snprintf(text, room, "%s%s%s", head, entry, tail);
  pm_string_free(entry);
  return text;
}

/* Whatever the catalogue has nothing else to say of stays as it is. */
START_TEST(a_file_stays_where_nothing_changed)
{
  size_t entries = 0;
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
    const char *id;
    for (size_t i = 0; (id = pm_catalog_get_id(catalog, kinds[k], i)) != NULL; i++, entries++) {
      char *text = file_of(kinds[k], id), *out = formatted(text);
      ck_assert_str_eq(out, text);
      free(text);
      pm_string_free(out);
    }
  }
  ck_assert_uint_gt(entries, 100);
}
END_TEST

/* Each value that another file lacks, or has otherwise, is written in its place; the bytes around it stay. */
START_TEST(a_file_takes_the_values_of_the_catalogue)
{
  static const char other[] =
    "<perfmodel version='1'>\n  <!-- before -->\n"
    "  <cudnn_generation id='cudnn7'   name='X &amp; Y'><!-- odd --><tensor_factor>7</tensor_factor>\n"
    "    <calibrated_on>kepler</calibrated_on> <!-- kept -->\n  </cudnn_generation>\n"
    "  <cudnn_generation id=\"of-nobody\" name=\"None\"><simt_factor>1</simt_factor></cudnn_generation>\n"
    "</perfmodel>";
  pm_value fitted = {.field = "tensor_factor", .text = "1.5", .fitted_to = "rows <of> \"me\"", .rows = 3};
  pm_error error = PM_ERROR_NONE;
  ck_assert_msg(pm_catalog_load_text(catalog, "<perfmodel version='1'><cudnn_generation id='cudnn7' name='cuDNN 7'>"
                                     "<simt_factor>1.25</simt_factor><tensor_factor>1</tensor_factor>"
                                     "</cudnn_generation></perfmodel>", "mine", &error) == PM_OK, "%s", error.text);
  ck_assert_int_eq(pm_catalog_set_values(catalog, "cudnn_generation", "cudnn7", &fitted, 1, NULL), PM_OK);
  char *out = formatted(other), *again = formatted(out);
  ck_assert_str_eq(out,
                   "<perfmodel version='1'>\n  <!-- before -->\n"
                   "  <cudnn_generation id='cudnn7'   name='X &amp; Y'><!-- odd -->"
                   "<simt_factor>1.25</simt_factor>\n    "
                   "<tensor_factor fitted_to=\"rows &lt;of&gt; &quot;me&quot;\" rows=\"3\">1.5</tensor_factor>"
                   " <!-- kept -->\n  </cudnn_generation>\n"
                   "  <cudnn_generation id=\"of-nobody\" name=\"None\">"
                   "<simt_factor>1</simt_factor></cudnn_generation>\n"
                   "</perfmodel>");
  ck_assert_str_eq(again, out);
  pm_string_free(out);
  pm_string_free(again);
}
END_TEST

START_TEST(what_is_no_file_is_an_error)
{
  pm_error error = PM_ERROR_NONE;
  ck_assert_ptr_null(pm_catalog_format_file(catalog, "<perfmodel version='1'><gpu", "cut.xml", &error));
  ck_assert(strncmp(error.text, "cut.xml:1: ", 11) == 0);
  ck_assert_ptr_null(pm_catalog_format_file(catalog, "<perfmodel version='1'><cudnn_generation id='cudnn6' name='N'/>"
                                            "</perfmodel>", "empty.xml", NULL));
  ck_assert_ptr_null(pm_catalog_format_file(catalog, NULL, "none", NULL));
  ck_assert_ptr_null(pm_catalog_format_file(NULL, "<perfmodel version='1'/>", "none", NULL));
}
END_TEST

/* ---- Other constants ---- */

static double time_of(const pm_group *group, double bytes)
{
  pm_call call = pm_call_make();
  pm_collective_time result;
  call.bytes = bytes;
  ck_assert_int_eq(pm_group_evaluate(group, &call, &result, 1), PM_OK);
  return result.time;
}

/* Half the efficiency is half the rate, a longer launch a longer start; without either the system's own come back. */
START_TEST(a_group_takes_other_constants)
{
  pm_system *system = build_system("dgx-h100");
  pm_group_choice choice = pm_group_choice_make();
  choice.nodes = 2;
  pm_group *group = pm_group_new(system, NULL, 8, &choice, NULL);
  double small = time_of(group, 8), large = time_of(group, 1e10);
  ck_assert_str_eq(pm_group_get_facts(group).link, "nvlink4-nvswitch");
  ck_assert_str_eq(pm_group_get_facts(group).network_link, pm_system_get_network_link(system));
  pm_link_calibration link;
  record("calibration", pm_group_get_facts(group).network_link, &link);
  link.efficiency /= 2;
  ck_assert_int_eq(pm_group_set_constants(group, NULL, &link, 1, NULL), PM_OK);
  ck_assert_double_gt(time_of(group, 1e10), 1.2 * large);
  ck_assert_double_lt(time_of(group, 1e10), 2.1 * large);
  pm_collective_fit fit;
  record("fit", "hopper", &fit);
  fit.launch += 1e-3;
  ck_assert_int_eq(pm_group_set_constants(group, &fit, NULL, 0, NULL), PM_OK);
  ck_assert(time_of(group, 8) >= 1e-3 && time_of(group, 8) > small);
  ck_assert_int_eq(pm_group_set_constants(group, NULL, NULL, 0, NULL), PM_OK);
  ck_assert(time_of(group, 8) == small && time_of(group, 1e10) == large);
  ck_assert_int_eq(pm_group_set_constants(NULL, NULL, NULL, 0, NULL), PM_STATUS_BAD_ARGUMENT);
  pm_group_free(group);
  pm_system_free(system);
}
END_TEST

static double step_of(const pm_plan *plan)
{
  pm_run run = pm_run_make();
  pm_prediction out;
  run.framework_index = 0;
  ck_assert_int_eq(pm_predict(plan, &run, &out, 1), PM_OK);
  ck_assert_int_eq(out.status, PM_OK);
  return out.step_time;
}

START_TEST(a_plan_takes_other_constants)
{
  pm_error error = PM_ERROR_NONE;
  pm_framework_profile profile, other;
  pm_network *network = pm_catalog_new_network(catalog, "resnet50", NULL, 0, NULL);
  pm_system *system = build_system("dgx1-v100");
  pm_plan *plan = pm_plan_new((const pm_network *const *)&network, 1, (const pm_system *const *)&system, 1, NULL);
  ck_assert_int_eq(pm_catalog_get_framework(catalog, "pt-nchw", &profile, NULL), PM_OK);
  ck_assert_int_eq(pm_plan_add_framework(plan, &profile, NULL), 0);
  double before = step_of(plan);
  other = profile;
  other.framework.step_time = (isnan(profile.framework.step_time) ? 0 : profile.framework.step_time) + 1;
  ck_assert_msg(pm_plan_set_framework(plan, 0, &other, &error) == PM_OK, "%s", error.text);
  ck_assert_double_ge(step_of(plan), 1);
  ck_assert_int_eq(pm_plan_set_framework(plan, 0, &profile, NULL), PM_OK);
  ck_assert(step_of(plan) == before);
  pm_kernel_calibration kernels = *pm_system_get_kernels(system), slow = kernels;
  slow.simt_efficiency /= 2;
  ck_assert_int_eq(pm_system_set_kernels(system, &slow, NULL), PM_OK);
  pm_plan_read_kernels(plan);
  ck_assert_double_gt(step_of(plan), 1.3 * before);
  ck_assert_int_eq(pm_system_set_kernels(system, &kernels, NULL), PM_OK);
  pm_plan_read_kernels(plan);
  ck_assert(step_of(plan) == before);
  other.framework.fused = !other.framework.fused;
  ck_assert_int_eq(pm_plan_set_framework(plan, 0, &other, NULL), PM_STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(pm_plan_set_framework(plan, 1, &profile, NULL), PM_STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(pm_plan_set_inference_profile(plan, 0, NULL, NULL), PM_STATUS_BAD_ARGUMENT);
  pm_plan_free(plan);
  pm_system_free(system);
  pm_network_free(network);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("values");
  TCase *tests = tcase_create("values");
  tcase_add_checked_fixture(tests, open_catalog, close_catalog);
  tcase_add_test(tests, values_are_those_of_records);
  tcase_add_test(tests, an_entry_takes_other_values);
  tcase_add_test(tests, what_is_no_value_is_an_error);
  tcase_add_test(tests, a_file_stays_where_nothing_changed);
  tcase_add_test(tests, a_file_takes_the_values_of_the_catalogue);
  tcase_add_test(tests, what_is_no_file_is_an_error);
  tcase_add_test(tests, a_group_takes_other_constants);
  tcase_add_test(tests, a_plan_takes_other_constants);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed > 0;
}
