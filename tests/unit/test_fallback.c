/* What entries do not state: each field of every shipped entry is its own, or that of the entry it falls back to. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "catalog/entry.h"
#include "fixtures.h"
#include "perfmodel/kernel.h"

enum { RECORD_MOST = 4096 };

static const pm__entry *find(const pm_catalog *catalog, int kind, const char *id)
{
  const pm__entry *entry;
  ck_assert_int_eq(pm__catalog_find(catalog, kind, id, &entry, NULL), PM_OK);
  return entry;
}

/* What all entries of its kind have in common, or NULL. */
static const pm__entry *general_of(const pm_catalog *catalog, const pm__entry *entry)
{
  if (entry->kind == PM__KERNEL_CALIBRATIONS) return find(catalog, entry->kind, PM_KERNEL_GENERAL_ID);
  for (size_t i = 0; entry->kind == PM__KERNEL_HARNESSES && i < catalog->lists[entry->kind].count; i++) {
    const pm__entry *other = find(catalog, entry->kind, pm__catalog_name(catalog, entry->kind, i, 1));
    const pm_kernel_harness *h = (const pm_kernel_harness *)other->record;
    const pm_kernel_harness *own = (const pm_kernel_harness *)entry->record;
    if (h->gpu[0] == '\0' && strcmp(h->repository, own->repository) == 0) return other;
  }
  return NULL;
}

static const pm__entry *like_of(const pm_catalog *catalog, const pm__entry *entry)
{
  const pm__element *like = pm__entry_child(entry, "like");
  return like != NULL ? find(catalog, entry->kind, like->text) : NULL;
}

/* The entry whose element the value of a field is. */
static const pm__entry *source_of(const pm_catalog *catalog, const pm__entry *entry, const char *field)
{
  const pm__entry *general = general_of(catalog, entry), *like = like_of(catalog, entry);
  if (pm__entry_child(entry, field) != NULL || pm__list_has(pm__kind_at((size_t)entry->kind)->own, field)) return entry;
  if (general != NULL && pm__entry_child(general, field) != NULL) return general;
  return like != NULL ? source_of(catalog, like, field) : entry;
}

/* Energies are those of the other architecture times a factor. */
static bool is_scaled(const pm__entry *entry, const char *field)
{
  return strcmp(entry->element->name, "kernel_calibration") == 0 && strstr(field, "_energy") != NULL;
}

static void check_energy(const pm_catalog *catalog, const pm__entry *entry, const pm_field *field, const void *record)
{
  pm_kernel_calibration like;
  const char *id = like_of(catalog, entry)->id;
  const double factor = ((const pm_kernel_calibration *)entry->record)->energy_factor;
  ck_assert_int_eq(pm_catalog_get_record(catalog, "kernel_calibration", id, &like, NULL), PM_OK);
  const double expected = pm_record_get_number(field, &like) * (factor > 0 ? factor : 1);
  const double value = pm_record_get_number(field, record);
  ck_assert_msg(isnan(expected) ? isnan(value) : value == expected, "%s %s: %g, not %g", entry->id, field->name, value,
                expected);
}

/* How many of its fields are from other entries. */
static int check_entry(const pm_catalog *catalog, const pm__entry *entry)
{
  char record[RECORD_MOST], value[PM_TEXT_MAX], expected[PM_TEXT_MAX];
  const char *kind = pm__kind_at((size_t)entry->kind)->singular;
  int others = 0;
  ck_assert_uint_le(entry->type->size, sizeof record);
  ck_assert_int_eq(pm_catalog_get_record(catalog, kind, entry->id, record, NULL), PM_OK);
  for (size_t i = 0; i < entry->type->field_count; i++) {
    const pm_field *field = &entry->type->fields[i];
    const pm__entry *source = source_of(catalog, entry, field->name);
    pm_record_format(field, record, value);
    pm_record_format(field, source->record, expected);
    if (source != entry && is_scaled(entry, field->name)) check_energy(catalog, entry, field, record);
    else ck_assert_msg(strcmp(value, expected) == 0, "%s \"%s\": %s is %s, of \"%s\" %s", kind, entry->id, field->name,
                       value, source->id, expected);
    others += source != entry;
  }
  return others;
}

START_TEST(every_field_is_its_own_or_the_fallback_s)
{
  pm_catalog *catalog = pm_catalog_new(NULL);
  for (int kind = 0; kind < PM__KINDS; kind++) {
    int others = 0;
    if (pm__kind_at((size_t)kind)->own == NULL) continue;
    for (size_t i = 0; i < catalog->lists[kind].count; i++)
      others += check_entry(catalog, find(catalog, kind, pm__catalog_name(catalog, kind, i, 1)));
    ck_assert_msg(others > 0, "no %s has anything from another", pm__kind_at((size_t)kind)->singular);
  }
  pm_catalog_free(catalog);
}
END_TEST

/* A kind whose entries may be `like` another says which fields are their own. */
START_TEST(every_kind_with_like_falls_back)
{
  for (int kind = 0; kind < PM__KINDS; kind++) {
    const pm__kind *k = pm__kind_at((size_t)kind);
    const pm_field *like = pm_record_find_field(pm_record_type_find(k->record), "like");
    ck_assert_msg(like == NULL || (k->own != NULL && pm__list_has(k->own, "like")), "%s", k->singular);
  }
}
END_TEST

static pm_catalog *load(const char *entries)
{
  static char text[20000];
  pm_error error = PM_ERROR_NONE;
  pm_catalog *catalog = pm_catalog_new(NULL);
  snprintf(text, sizeof text, "<perfmodel version=\"1\">%s</perfmodel>", entries);
  ck_assert_msg(pm_catalog_load_text(catalog, text, "own.xml", &error) == PM_OK, "%s", error.text);
  return catalog;
}

START_TEST(a_harness_for_one_gpu_has_the_rest_of_that_for_all)
{
  pm_kernel_harness h;
  pm_catalog *catalog = load("<kernel_harness id=\"own\" name=\"Own\"><repository>Own</repository><gemm>1 us</gemm>"
                             "<conv>2 us</conv></kernel_harness>"
                             "<kernel_harness id=\"own-t4\" name=\"Own on "
                             "T4\"><repository>Own</repository><gpu>t4</gpu>"
                             "<conv>3 us</conv></kernel_harness>");
  ck_assert_int_eq(pm_catalog_get_record(catalog, "kernel_harness", "own-t4", &h, NULL), PM_OK);
  ck_assert_double_eq(h.gemm, 1e-6);
  ck_assert_double_eq(h.conv, 3e-6);
  ck_assert_double_nan(h.softmax);
  ck_assert_int_eq(pm_catalog_get_record(catalog, "kernel_harness", "neusight-a100-pcie-80gb", &h, NULL), PM_OK);
  ck_assert_double_eq(h.elementwise, 15e-6);
  pm_catalog_free(catalog);
}
END_TEST

#define OWN_FRAMEWORK(id, fields) \
  "<framework id=\"" id "\" name=\"" id "\"><evidence>uncalibrated</evidence>" fields "</framework>"

START_TEST(a_framework_has_the_rest_of_the_one_that_it_is_like)
{
  pm_framework_profile own, base;
  pm_catalog *catalog = load(OWN_FRAMEWORK("a", "<like>pytorch-2.1</like><fused>yes</fused>")
                             OWN_FRAMEWORK("b", "<like>a</like>"));
  ck_assert_int_eq(pm_catalog_get_framework(catalog, "pytorch-2.1", &base, NULL), PM_OK);
  ck_assert_int_eq(pm_catalog_get_framework(catalog, "b", &own, NULL), PM_OK);
  ck_assert_int_eq(own.framework.fused, 1);
  ck_assert_double_eq(own.framework.update_kernels, base.framework.update_kernels);
  ck_assert_str_eq(own.framework.cudnn, base.framework.cudnn);
  ck_assert_str_eq(own.framework.fitted_to, base.framework.fitted_to);
  ck_assert_str_eq(own.framework.calibrated_on, "");
  ck_assert_int_eq(own.framework.evidence, PM_EVIDENCE_UNCALIBRATED);
  pm_catalog_free(catalog);
}
END_TEST

/* The message of a file that is not loaded. */
static const char *refusal(const char *entries)
{
  static pm_error error;
  static char text[65536];
  pm_catalog *catalog = pm_catalog_new(NULL);
  memset(&error, 0, sizeof error);
  snprintf(text, sizeof text, "<perfmodel version=\"1\">%s</perfmodel>", entries);
  ck_assert_int_eq(pm_catalog_load_text(catalog, text, "own.xml", &error), PM_STATUS_BAD_VALUE);
  pm_catalog_free(catalog);
  return error.text;
}

/* Of a chain through shipped entries the user's is to blame, with its file and line. */
START_TEST(of_a_chain_without_end_the_user_s_entry_is_named)
{
  ck_assert_str_eq(refusal("<engine id=\"vllm-0.5\" name=\"A\"><like>vllm-0.8</like></engine>"),
                   "own.xml:1: engine \"vllm-0.5\" is like itself");
}
END_TEST

/* What each kind must state besides. */
static const char *const kinds[][2] = {
  {"engine", ""}, {"cudnn_generation", ""}, {"memory_profile", ""}, {"inference_profile", "<origin>none</origin>"},
  {"framework", "<evidence>uncalibrated</evidence>"}, {"kernel_calibration", "<simt_basis>rule</simt_basis>"}};

/* Entries x0 .. x(count - 1), each like the next and the last like the first. */
static const char *circle(const char *const kind[2], int count)
{
  static char text[65536];
  size_t used = 0;
  for (int i = 0; i < count; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "<%s id=\"x%d\" name=\"X%d\"><like>x%d</like>%s</%s>\n",
                             kind[0], i, i, (i + 1) % count, kind[1], kind[0]);
  return text;
}

/* Circles of every length, of every kind that has `like`, are refused when their file is loaded. */
START_TEST(circles_of_any_length_are_refused_for_all_kinds)
{
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
    char expected[200];
    for (int count = 1; count <= LIKES_MAX; count++) {
      snprintf(expected, sizeof expected, "own.xml:1: %s \"x0\" is like itself", kinds[k][0]);
      ck_assert_str_eq(refusal(circle(kinds[k], count)), expected);
    }
    snprintf(expected, sizeof expected, "own.xml:1: %s \"x0\" is like another over more than %d steps", kinds[k][0],
             LIKES_MAX);
    ck_assert_str_eq(refusal(circle(kinds[k], 100)), expected);
  }
}
END_TEST

START_TEST(an_unknown_entry_is_named_with_its_line_for_all_kinds)
{
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
    char text[400];
    pm_error error = PM_ERROR_NONE;
    pm_catalog *catalog = pm_catalog_new(NULL);
    snprintf(text, sizeof text, "<perfmodel version=\"1\">\n\n<%s id=\"x\" name=\"X\"><like>nosuch</like>%s</%s>"
             "</perfmodel>", kinds[k][0], kinds[k][1], kinds[k][0]);
    ck_assert_int_eq(pm_catalog_load_text(catalog, text, "own.xml", &error), PM_STATUS_NOT_FOUND);
    ck_assert_msg(strncmp(error.text, "own.xml:3: unknown ", 19) == 0 && strstr(error.text, "\"nosuch\"") != NULL, "%s",
                  error.text);
    pm_catalog_free(catalog);
  }
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("fallback");
  TCase *tests = tcase_create("fallback");
  tcase_add_test(tests, every_field_is_its_own_or_the_fallback_s);
  tcase_add_test(tests, every_kind_with_like_falls_back);
  tcase_add_test(tests, of_a_chain_without_end_the_user_s_entry_is_named);
  tcase_add_test(tests, circles_of_any_length_are_refused_for_all_kinds);
  tcase_add_test(tests, an_unknown_entry_is_named_with_its_line_for_all_kinds);
  tcase_add_test(tests, a_harness_for_one_gpu_has_the_rest_of_that_for_all);
  tcase_add_test(tests, a_framework_has_the_rest_of_the_one_that_it_is_like);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
