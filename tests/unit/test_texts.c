/* Texts that grow, and names compared, at the ends of what they can hold. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include "base/base.h"
#include "fixtures.h"

/* Letters behind the 80th of a name do not count. */
START_TEST(long_names_are_compared_by_their_beginning)
{
  char a[121], b[121];
  memset(a, 'a', 120);
  memset(b, 'a', 120);
  a[120] = b[120] = '\0';
  ck_assert_int_eq(pm__name_distance(a, b, 80), 0);
  b[100] = 'b';
  ck_assert_int_eq(pm__name_distance(a, b, 80), 0);
  b[79] = 'b';
  ck_assert_int_eq(pm__name_distance(a, b, 80), 1);
  ck_assert_int_eq(pm__name_distance("aa", a, 80), 78);
  ck_assert_int_eq(pm__name_distance(a, "aa", 80), 78);
}
END_TEST

/* The bound changes no answer that it allows: all pairs of some words, under every bound. */
START_TEST(edits_are_counted_up_to_a_bound)
{
  static const char *const words[] = {"", "a", "h100", "h-200", "dgx1-v100", "gdx1-v100", "resnet50", "rensnet-05"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    for (size_t j = 0; j < sizeof words / sizeof words[0]; j++) {
      int all = pm__name_distance(words[i], words[j], 80);
      ck_assert_int_eq(all, pm__name_distance(words[j], words[i], 80));
      for (int most = 0; most < 12; most++)
        ck_assert_int_eq(pm__name_distance(words[i], words[j], most), all <= most ? all : most + 1);
    }
  ck_assert_int_eq(pm__name_distance("dgx1-v100", "gdx1-v100", 80), 1);
  ck_assert_int_eq(pm__name_distance("resnet50", "rensnet-05", 80), 2);
}
END_TEST

START_TEST(formatted_texts_are_added_whole_or_not_at_all)
{
  pm__string text = {NULL, 0, 0, false};
  char word[2000];
  memset(word, 'x', sizeof word - 1);
  word[sizeof word - 1] = '\0';
  pm__string_format(&text, "%d %.1000s", 7, word);
  ck_assert(!text.failed && text.length == 1002 && strncmp(text.text, "7 xx", 4) == 0);
  const wchar_t none[] = {0x110000, 0}; /* no character */
  pm__string other = {NULL, 0, 0, false};
  pm__string_format(&other, "%ls", none);
  ck_assert(other.failed && other.text == NULL);
  pm__string_format(&text, "%s", word);
  ck_assert(text.failed && text.length == 1002);
  pm__string_add(&text, "more");
  ck_assert_uint_eq(text.length, 1002);
  free(text.text);
}
END_TEST

/* Twice the capacity is no number: the text is not touched. */
START_TEST(a_text_that_cannot_grow_fails)
{
  pm__string text = {NULL, SIZE_MAX / 2, SIZE_MAX / 2 + 1, false};
  pm__string_add(&text, "x");
  ck_assert(text.failed && text.text == NULL && text.length == SIZE_MAX / 2);
}
END_TEST

/* Callers may have asked for no error, or have the first one already. */
START_TEST(the_first_error_is_kept)
{
  pm_error error = PM_ERROR_NONE, other = PM_ERROR_NONE;
  pm__fail(&other, PM_STATUS_BAD_VALUE, "%s", "other");
  pm__error_take(NULL, &other);
  pm__error_take(&error, &other);
  ck_assert_int_eq(error.status, PM_STATUS_BAD_VALUE);
  ck_assert_str_eq(error.text, "other");
  pm__fail(&error, PM_STATUS_BAD_FILE, "%s", "later");
  pm__no_memory(&other);
  pm__error_take(&error, &other);
  ck_assert_str_eq(error.text, "other");
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("texts");
  TCase *tests = tcase_create("texts");
  tcase_add_test(tests, long_names_are_compared_by_their_beginning);
  tcase_add_test(tests, edits_are_counted_up_to_a_bound);
  tcase_add_test(tests, formatted_texts_are_added_whole_or_not_at_all);
  tcase_add_test(tests, a_text_that_cannot_grow_fails);
  tcase_add_test(tests, the_first_error_is_kept);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
