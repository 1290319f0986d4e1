/* Field tables: every record, through the functions that know nothing of any of them. */
#include <math.h>
#include <string.h>
#include "fixtures.h"

START_TEST(tables_cover_their_structs)
{
  const pm_record_type *type;
  for (size_t t = 0; (type = pm_record_type_get(t)) != NULL; t++) {
    size_t end = 0;
    ck_assert_ptr_eq(pm_record_type_find(type->name), type);
    for (size_t i = 0; i < type->field_count; i++) {
      const pm_field *field = &type->fields[i];
      size_t size = field->kind == PM_FIELD_TEXT ? PM_TEXT_MAX : field->kind == PM_FIELD_REAL ? 8 : 4;
      ck_assert_msg(field->offset >= end && field->offset + size <= type->size, "%s.%s", type->name, field->name);
      ck_assert_msg(field->offset - end < 8, "%s has a member that is no field before %s", type->name, field->name);
      ck_assert_msg(strlen(field->doc) > 0, "%s.%s says nothing", type->name, field->name);
      ck_assert_ptr_eq(pm_record_find_field(type, field->name), field);
      end = field->offset + size;
    }
    ck_assert_msg(type->size - end < 8, "%s has a member that is no field", type->name);
  }
  ck_assert_uint_gt(sizeof(pm_prediction), 0);
}
END_TEST

START_TEST(nothing_given_is_unknown_not_zero)
{
  pm_gpu gpu;
  memset(&gpu, 1, sizeof gpu);
  pm_record_clear(pm_record_type_find("gpu"), &gpu);
  ck_assert(isnan(gpu.peak_fp32));
  ck_assert_str_eq(gpu.id, "");
}
END_TEST

START_TEST(fields_are_set_from_text_with_units)
{
  pm_link link;
  char text[PM_TEXT_MAX];
  pm_error error = PM_ERROR_NONE;
  const pm_record_type *type = pm_record_type_find("link");
  pm_record_clear(type, &link);
  ck_assert_int_eq(pm_record_set(pm_record_find_field(type, "bandwidth"), &link, "25 GB/s", NULL), PM_OK);
  ck_assert_int_eq(pm_record_set(pm_record_find_field(type, "kind"), &link, "Ethernet", NULL), PM_OK);
  ck_assert(link.bandwidth == 25e9);
  ck_assert_int_eq(link.kind, PM_LINK_ETHERNET);
  ck_assert_str_eq(pm_record_format(pm_record_find_field(type, "kind"), &link, text), "ethernet");
  ck_assert_int_eq(pm_record_set(pm_record_find_field(type, "kind"), &link, "carrier pigeon", &error),
                   PM_STATUS_BAD_VALUE);
  ck_assert_msg(strstr(error.text, "carrier pigeon") && strstr(error.text, "infiniband"), "%s", error.text);
  ck_assert_int_eq(link.kind, PM_LINK_ETHERNET);
}
END_TEST

START_TEST(units_are_read_as_people_write_them)
{
  static const struct {
    const char *text, *unit;
    double value; /* NAN: refused */
  } cases[] = {
    {"6 hours", "s", 21600}, {"6h", "s", 21600}, {"1 Day", "s", 86400}, {"3 msec", "s", 3e-3}, {"80GB", "B", 80e9},
    {"80 gB", "B", 80e9}, {"80 gbytes", "B", 80e9}, {"1 kiB", "B", 1024}, {"25 gbps", "B/s", 3.125e9},
    {"25 Gb/s", "B/s", 3.125e9}, {"25 GBps", "B/s", 25e9}, {"25 TB/sec", "B/s", 25e12}, {"25 kb/s", "B/s", 3125},
    {"312 tflops", "FLOP/s", 312e12}, {"4 GFLOPs", "FLOP", 4e9}, {"90 img/s", "1/s", 90}, {"80 gb", "B", NAN},
    {"80 Gb", "B", NAN}, {"25 gb/s", "B/s", NAN}, {"25 mb/s", "B/s", NAN}, {"6", "s", NAN}, {"6 H2O", "s", NAN},
    {"80 GB", "s", NAN}, {"6 hours", "B", NAN}, {"1 GX", "B", NAN}, {"1 ", "B", NAN},
    {"8 kibit", "B", 1024}, {"8 Kib/s", "B/s", 1024}, {"2 kiX", "B", NAN}, {"6 kh", "s", NAN}, {"5 k%", "1", NAN},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    double value = NAN;
    int status = pm_quantity_parse(cases[i].text, cases[i].unit, &value, NULL);
    ck_assert_msg(isnan(cases[i].value) ? status == PM_STATUS_BAD_UNIT : status == PM_OK && value == cases[i].value,
                  "%s: %g",
                  cases[i].text, value);
  }
}
END_TEST

START_TEST(fields_are_guessed_from_what_was_meant)
{
  const pm_record_type *type = pm_record_type_find("run");
  ck_assert_str_eq(pm_field_find_meant(type, "bacth"), "batch");
  ck_assert_str_eq(pm_field_find_meant(type, "preci"), "precision");
  ck_assert_ptr_null(pm_field_find_meant(type, "voltage"));
  ck_assert_ptr_null(pm_field_find_meant(type, NULL));
  ck_assert_ptr_null(pm_field_find_meant(NULL, "batch"));
}
END_TEST

START_TEST(text_that_does_not_fit_is_refused_whole)
{
  pm_link link;
  char longest[PM_TEXT_MAX + 1];
  memset(longest, 'x', PM_TEXT_MAX);
  longest[PM_TEXT_MAX] = '\0';
  pm_record_clear(pm_record_type_find("link"), &link);
  ck_assert_int_eq(pm_record_set(pm_record_find_field(pm_record_type_find("link"), "name"), &link, longest, NULL),
                   PM_STATUS_BAD_VALUE);
  ck_assert_str_eq(link.name, "");
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("record");
  TCase *tests = tcase_create("record");
  tcase_add_test(tests, tables_cover_their_structs);
  tcase_add_test(tests, nothing_given_is_unknown_not_zero);
  tcase_add_test(tests, fields_are_set_from_text_with_units);
  tcase_add_test(tests, units_are_read_as_people_write_them);
  tcase_add_test(tests, fields_are_guessed_from_what_was_meant);
  tcase_add_test(tests, text_that_does_not_fit_is_refused_whole);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
