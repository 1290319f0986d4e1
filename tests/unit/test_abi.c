/*
** Sizes and offsets of public structs are those of tests/compat/records.txt, as long as the soname is the same: a program
** that was compiled with an earlier release of it goes on working.
**
** Records that grow may have further fields at their end; all others change with the soname alone. The target
** records_update writes the list anew.
*/
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fixtures.h"

enum { LINE_MOST = 8192, LINES_MOST = 200 };

static const char list[] = PM_SOURCE_DIR "/tests/compat/records.txt";

/* Those whose size the functions are told that take or give them. */
static const char *const growing[] = {"run", "prediction", "inference_run", "inference", "memory_run", "memory_use",
                                      "input_run", "input_rates", "kernel", "kernel_time", "call", "collective"};

typedef struct other_struct {
  const char *name;
  size_t size;
  const char *members[12];
  size_t offsets[12];
} other_struct;

#define AT(type, member) offsetof(type, member)
static const other_struct others[] = {
  {"pm_error", sizeof(pm_error), {"status", "line", "file_length", "text"},
   {AT(pm_error, status), AT(pm_error, line), AT(pm_error, file_length), AT(pm_error, text)}},
  {"pm_choice", sizeof(pm_choice), {"name", "doc"}, {AT(pm_choice, name), AT(pm_choice, doc)}},
  {"pm_field", sizeof(pm_field), {"name", "unit", "doc", "offset", "kind", "choices", "otherwise", "option", "former", "show",
                                   "asked", "needs"},
   {AT(pm_field, name), AT(pm_field, unit), AT(pm_field, doc), AT(pm_field, offset), AT(pm_field, kind),
    AT(pm_field, choices), AT(pm_field, otherwise), AT(pm_field, option), AT(pm_field, former),
    AT(pm_field, show), AT(pm_field, asked), AT(pm_field, needs)}},
  {"pm_record_type", sizeof(pm_record_type), {"name", "doc", "size", "fields", "field_count"},
   {AT(pm_record_type, name), AT(pm_record_type, doc), AT(pm_record_type, size), AT(pm_record_type, fields),
    AT(pm_record_type, field_count)}},
  {"pm_column", sizeof(pm_column), {"name", "unit", "doc", "kind"},
   {AT(pm_column, name), AT(pm_column, unit), AT(pm_column, doc), AT(pm_column, kind)}},
  {"pm_attribute", sizeof(pm_attribute), {"name", "value"}, {AT(pm_attribute, name), AT(pm_attribute, value)}},
  {"pm_axis", sizeof(pm_axis), {"field", "values", "count"},
   {AT(pm_axis, field), AT(pm_axis, values), AT(pm_axis, count)}},
  {"pm_space", sizeof(pm_space), {"type", "base", "axes", "axis_count", "global_batch", "run_size"},
   {AT(pm_space, type), AT(pm_space, base), AT(pm_space, axes), AT(pm_space, axis_count), AT(pm_space, global_batch),
    AT(pm_space, run_size)}},
  {"pm_hardware_axis", sizeof(pm_hardware_axis), {"path", "values", "count"},
   {AT(pm_hardware_axis, path), AT(pm_hardware_axis, values), AT(pm_hardware_axis, count)}},
  {"pm_run_sizes", sizeof(pm_run_sizes), {"run", "inference_run", "input_run"},
   {AT(pm_run_sizes, run), AT(pm_run_sizes, inference_run), AT(pm_run_sizes, input_run)}},
  {"pm_size_setup", sizeof(pm_size_setup),
   {"plan", "choices", "prices", "count", "inputs", "input_runs"},
   {AT(pm_size_setup, plan), AT(pm_size_setup, choices), AT(pm_size_setup, prices), AT(pm_size_setup, count),
    AT(pm_size_setup, inputs), AT(pm_size_setup, input_runs)}},
  {"pm_study_setup", sizeof(pm_study_setup),
   {"catalog", "networks", "network_count", "systems", "system_count", "frameworks", "framework_count", "inference"},
   {AT(pm_study_setup, catalog), AT(pm_study_setup, networks), AT(pm_study_setup, network_count), AT(pm_study_setup, systems),
    AT(pm_study_setup, system_count), AT(pm_study_setup, frameworks), AT(pm_study_setup, framework_count),
    AT(pm_study_setup, inference)}},
  {"pm_given", sizeof(pm_given), {"fields", "global_batch"}, {AT(pm_given, fields), AT(pm_given, global_batch)}},
  {"pm_size_service", sizeof(pm_size_service), {"plan", "choices", "prices", "count", "latency"},
   {AT(pm_size_service, plan), AT(pm_size_service, choices), AT(pm_size_service, prices), AT(pm_size_service, count),
    AT(pm_size_service, latency)}},
  {"pm_sensitivity_setup", sizeof(pm_sensitivity_setup),
   {"network", "system", "run", "framework", "input", "input_run", "call", "profile"},
   {AT(pm_sensitivity_setup, network), AT(pm_sensitivity_setup, system), AT(pm_sensitivity_setup, run),
    AT(pm_sensitivity_setup, framework), AT(pm_sensitivity_setup, input), AT(pm_sensitivity_setup, input_run),
    AT(pm_sensitivity_setup, call), AT(pm_sensitivity_setup, profile)}},
  {"pm_upgrade_choice", sizeof(pm_upgrade_choice), {"name", "system", "input", "gpus", "price", "framework", "profile",
                                                    "network", "run", "call"},
   {AT(pm_upgrade_choice, name), AT(pm_upgrade_choice, system), AT(pm_upgrade_choice, input),
    AT(pm_upgrade_choice, gpus), AT(pm_upgrade_choice, price), AT(pm_upgrade_choice, framework), AT(pm_upgrade_choice, profile),
    AT(pm_upgrade_choice, network), AT(pm_upgrade_choice, run), AT(pm_upgrade_choice, call)}},
  {"pm_input_setup", sizeof(pm_input_setup), {"dataset", "storage", "access", "decoder", "loader", "machine", "interval"},
   {AT(pm_input_setup, dataset), AT(pm_input_setup, storage), AT(pm_input_setup, access), AT(pm_input_setup, decoder),
    AT(pm_input_setup, loader), AT(pm_input_setup, machine), AT(pm_input_setup, interval)}},
  {"pm_framework_profile", sizeof(pm_framework_profile), {"framework", "cudnn", "interval", "memory"},
   {AT(pm_framework_profile, framework), AT(pm_framework_profile, cudnn), AT(pm_framework_profile, interval),
    AT(pm_framework_profile, memory)}},
  {"pm_counts_question", sizeof(pm_counts_question), {"view", "depth", "batch", "precision", "profile"},
   {AT(pm_counts_question, view), AT(pm_counts_question, depth), AT(pm_counts_question, batch),
    AT(pm_counts_question, precision), AT(pm_counts_question, profile)}},
  {"pm_fit_options", sizeof(pm_fit_options), {"robust", "huber", "step", "tolerance", "iterations", "starts"},
   {AT(pm_fit_options, robust), AT(pm_fit_options, huber), AT(pm_fit_options, step), AT(pm_fit_options, tolerance),
    AT(pm_fit_options, iterations), AT(pm_fit_options, starts)}},
  {"pm_fit_result", sizeof(pm_fit_result), {"start_cost", "cost", "iterations", "evaluations"},
   {AT(pm_fit_result, start_cost), AT(pm_fit_result, cost), AT(pm_fit_result, iterations),
    AT(pm_fit_result, evaluations)}},
  {"pm_validation", sizeof(pm_validation), {"set", "data", "file", "rows", "only", "system"},
   {AT(pm_validation, set), AT(pm_validation, data), AT(pm_validation, file), AT(pm_validation, rows),
    AT(pm_validation, only), AT(pm_validation, system)}},
  {"pm_calibration_options", sizeof(pm_calibration_options),
   {"set", "data", "file", "entries", "hold_out", "hold_out_shapes", "date", "system"},
   {AT(pm_calibration_options, set), AT(pm_calibration_options, data), AT(pm_calibration_options, file),
    AT(pm_calibration_options, entries), AT(pm_calibration_options, hold_out), AT(pm_calibration_options, hold_out_shapes),
    AT(pm_calibration_options, date), AT(pm_calibration_options, system)}},
};

/* ---- What there is, a line for each struct: name, size, then member@offset -------------------------------------- */

static char lines[LINES_MOST][LINE_MOST];
static int line_count;

static void add(char *line, const char *name, const char *kind, size_t offset)
{
  size_t used = strlen(line);
  snprintf(line + used, LINE_MOST - used, " %s%s@%lu", name, kind, (unsigned long)offset);
}

static void describe(void)
{
  static const char *const kinds[] = {[PM_FIELD_TEXT] = ":text", [PM_FIELD_INT] = ":int", [PM_FIELD_REAL] = ":real",
                                      [PM_FIELD_CHOICE] = ":choice"};
  const pm_record_type *type;
  line_count = 0;
  for (size_t i = 0; (type = pm_record_type_get(i)) != NULL; i++) {
    snprintf(lines[line_count], LINE_MOST, "%s %lu", type->name, (unsigned long)type->size);
    for (size_t k = 0; k < type->field_count; k++)
      add(lines[line_count], type->fields[k].name, kinds[type->fields[k].kind], type->fields[k].offset);
    line_count++;
  }
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    snprintf(lines[line_count], LINE_MOST, "%s %lu", others[i].name, (unsigned long)others[i].size);
    for (size_t k = 0; k < 10 && others[i].members[k] != NULL; k++)
      add(lines[line_count], others[i].members[k], "", others[i].offsets[k]);
    line_count++;
  }
}

static int write_list(const char *path)
{
  FILE *file = fopen(path, "w");
  if (file == NULL) return 1;
  fprintf(file, "soname %d.%d\n", PM_VERSION_MAJOR, PM_VERSION_MINOR);
  for (int i = 0; i < line_count; i++) fprintf(file, "%s\n", lines[i]);
  return fclose(file) != 0;
}

/* ---- What there was ---------------------------------------------------------------------------------------------- */

static bool grows(const char *name)
{
  for (size_t i = 0; i < sizeof growing / sizeof growing[0]; i++)
    if (strcmp(growing[i], name) == 0) return true;
  return false;
}

/* Behind "name size", and the size. */
static const char *members_of(const char *line, unsigned long *size)
{
  const char *number = strchr(line, ' ') + 1;
  *size = strtoul(number, NULL, 10);
  return number + strspn(number, "0123456789");
}

/* "" or what is wrong with how a struct came from what it was. */
static const char *compare(const char *was, const char *is, const char *name)
{
  unsigned long old_size, size;
  const char *old = members_of(was, &old_size), *now = members_of(is, &size);
  size_t length = strlen(old);
  if (strncmp(old, now, length) != 0 || (now[length] != '\0' && now[length] != ' '))
    return "a member was removed, moved or changed";
  if (now[length] == '\0') return size == old_size ? "" : "its size changed";
  if (!grows(name)) return "it has further members, and crosses the interface without its size";
  const char *offset = strchr(now + length, '@');
  if (strtoul(offset + 1, NULL, 10) < old_size) return "its new member lies in padding that older programs leave unset";
  return "";
}

static const char *line_of(const char *name)
{
  size_t length = strlen(name);
  for (int i = 0; i < line_count; i++)
    if (strncmp(lines[i], name, length) == 0 && lines[i][length] == ' ') return lines[i];
  return NULL;
}

START_TEST(structs_are_as_older_programs_know_them)
{
  static char was[LINE_MOST];
  char name[PM_TEXT_MAX], soname[16];
  FILE *file = fopen(list, "r");
  describe();
  ck_assert_msg(file != NULL, "%s is not there", list);
  ck_assert_ptr_nonnull(fgets(was, sizeof was, file));
  snprintf(soname, sizeof soname, "%d.%d\n", PM_VERSION_MAJOR, PM_VERSION_MINOR);
  ck_assert_msg(strcmp(was + strlen("soname "), soname) == 0, "another soname: ninja records_update");
  while (fgets(was, sizeof was, file) != NULL) {
    was[strcspn(was, "\n")] = '\0';
    snprintf(name, sizeof name, "%.*s", (int)strcspn(was, " "), was);
    const char *is = line_of(name);
    ck_assert_msg(is != NULL, "%s was removed", name);
    const char *wrong = compare(was, is, name);
    if (strlen(is) > strlen(was)) printf("%s has grown: ninja records_update\n", name);
    ck_assert_msg(wrong[0] == '\0', "%s: %s; that takes another soname\nwas %s\nis  %s", name, wrong, was, is);
  }
  fclose(file);
}
END_TEST

START_TEST(changes_that_break_programs_are_found)
{
  ck_assert_str_eq(compare("run 16 a:int@0 b:real@8", "run 16 a:int@0 b:real@8", "run"), "");
  ck_assert_str_eq(compare("run 16 a:int@0 b:real@8", "run 24 a:int@0 b:real@8 c:real@16", "run"), "");
  ck_assert_str_ne(compare("run 16 a:int@0 b:real@8", "run 16 a:int@0 bb:real@8", "run"), "");
  ck_assert_str_ne(compare("run 16 a:int@0 b:real@8", "run 16 b:int@0 a:real@8", "run"), "");
  ck_assert_str_ne(compare("run 16 a:int@0 b:real@8", "run 8 a:int@0", "run"), "");
  ck_assert_str_ne(compare("run 16 a:real@0 b:int@8", "run 16 a:real@0 b:int@8 c:int@12", "run"), "");
  ck_assert_str_ne(compare("run 16 a:real@0 b:int@8", "run 16 a:real@0 b:int@80", "run"), "");
  ck_assert_str_ne(compare("gpu 8 a:real@0", "gpu 16 a:real@0 b:real@8", "gpu"), "");
}
END_TEST

int main(void)
{
  const char *path = getenv("PM_WRITE_RECORDS");
  if (path != NULL) {
    describe();
    return write_list(path);
  }
  Suite *suite = suite_create("abi");
  TCase *tests = tcase_create("abi");
  tcase_add_test(tests, structs_are_as_older_programs_know_them);
  tcase_add_test(tests, changes_that_break_programs_are_found);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
