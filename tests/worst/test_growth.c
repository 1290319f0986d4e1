/*
** Growth of every reader, over samples that come from the tables of readers (samples.c): each piece of a text (a line,
** or an item between commas where lines are long) is repeated, as it is and with its digits counted up, until the text
** has a size, twice and four times that size. Twice the bytes may take 2.5 times the work, and a piece no more than a
** thousand blocks and bytes for each byte of it and of 32 more, since three letters can be a layer of a model.
*/
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "samples.h"
#include "work.h"

enum { SMALLEST = 6 << 10, LARGEST = 6 * SMALLEST, PIECES = 400, LONG_LINE = 300 };
static const double PER_BYTE = 1000, FREE_BYTES = 32;
static const double GROWTH = 2.5 /* work of n log n, blocks that double; n to 1.5 takes 2.8 */, SQUARE = 4.5;

/* ---- Pieces that are repeated ---- */

typedef struct piece {
  size_t from, length;
} piece;

static bool is_compact(const char *text)
{
  const char *end = strchr(text, '\n');
  return end == NULL || end[1] == '\0' || end - text > LONG_LINE;
}

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

/* Whether two pieces differ by digits only: repeating one of them is enough. */
static bool is_alike(const char *a, size_t a_length, const char *b, size_t b_length)
{
  size_t i = 0, k = 0;
  for (;;) {
    while (i < a_length && is_digit(a[i])) i++;
    while (k < b_length && is_digit(b[k])) k++;
    if (i == a_length || k == b_length) return i == a_length && k == b_length;
    if (a[i++] != b[k++]) return false;
  }
}

static bool is_known(const char *text, const piece *pieces, int count, piece p)
{
  for (int i = 0; i < count; i++)
    if (is_alike(text + pieces[i].from, pieces[i].length, text + p.from, p.length)) return true;
  return false;
}

static int cut(const char *text, piece *pieces)
{
  const char *ends = is_compact(text) ? "\n," : "\n";
  int count = 0;
  for (size_t at = 0; text[at] != '\0' && count < PIECES;) {
    size_t length = strcspn(text + at, ends);
    length += text[at + length] != '\0';
    const piece p = {at, length};
    if (!is_known(text, pieces, count, p)) pieces[count++] = p;
    at += length;
  }
  return count;
}

/* One copy of a piece, its numbers replaced by a counter, or left. */
static size_t add_copy(char *to, const char *from, size_t length, bool counted, int counter)
{
  size_t used = 0;
  for (size_t i = 0; i < length; i++) {
    if (!counted || !is_digit(from[i])) to[used++] = from[i];
    else if (i == 0 || !is_digit(from[i - 1])) used += (size_t)sprintf(to + used, "%d", counter);
  }
  return used;
}

static char *repeat(const char *text, piece p, bool counted, size_t size)
{
  const size_t all = strlen(text);
  char *grown = (char *)malloc(size + all + 12 * p.length + 100);
  ck_assert_ptr_nonnull(grown);
  size_t used = p.from;
  memcpy(grown, text, used);
  for (int i = 1; used < size + p.from; i++) used += add_copy(grown + used, text + p.from, p.length, counted, i);
  memcpy(grown + used, text + p.from, all - p.from + 1);
  return grown;
}

/* ---- Growth ---- */

static double work_of(const sample *s, piece p, bool counted, size_t size)
{
  char *text = repeat(s->text, p, counted, size);
  const uint64_t before = work_done;
  s->read(text);
  free(text);
  return (double)(work_done - before);
}

typedef struct growth {
  double twice;    /* work of twice as many */
  double per_byte; /* work of one more */
} growth;

/* What does not grow cancels in differences; a text that is refused from a size on takes less. */
static growth growth_from(const sample *s, piece p, bool counted, size_t size)
{
  const double one = work_of(s, p, counted, size), two = work_of(s, p, counted, 2 * size);
  const double four = work_of(s, p, counted, 4 * size);
  return (growth){two > one ? (four - two) / (two - one) : four / two, (four - two) / (2 * (double)size)};
}

/* Blocks that double once more between two sizes look like growth at one size; what grows does so at every size. */
static void check_piece(const sample *s, piece p, bool counted)
{
  const double most = s->is_machine ? SQUARE : GROWTH, per_byte = PER_BYTE * (1 + FREE_BYTES / (double)p.length);
  growth g = {0};
  for (size_t size = SMALLEST; size <= LARGEST; size = 5 * size / 2) {
    g = growth_from(s, p, counted, size);
    if (g.twice < most && (s->is_machine || g.per_byte < per_byte)) return;
  }
  ck_abort_msg("%s: \"%.*s\" repeated: twice as many take %.2f times the work, one more byte %.0f", s->name,
               (int)p.length, s->text + p.from, g.twice, g.per_byte);
}

START_TEST(pieces_of_a_sample)
{
  const sample *s = samples_get(_i);
  static piece pieces[PIECES];
  const int count = cut(s->text, pieces);
  for (int i = 0; i < count; i++) {
    check_piece(s, pieces[i], false);
    check_piece(s, pieces[i], true);
  }
}
END_TEST

START_TEST(every_reader_has_a_sample)
{
  ck_assert_str_eq(samples_missing(), "");
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("growth");
  TCase *tests = tcase_create("growth");
  tcase_set_timeout(tests, 100);
  tcase_add_test(tests, every_reader_has_a_sample);
  tcase_add_loop_test(tests, pieces_of_a_sample, 0, samples_find());
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
