/* Formulas of queues and of speculation: laws, known cases, numbers worked out by hand. */
#include <math.h>
#include "fixtures.h"
#include "serving/queue.h"

START_TEST(erlang_c)
{
  ck_assert_double_eq_tol(pm__serving_erlang_c(4, 3), 0.5094, 1e-4);
  ck_assert_double_eq_tol(pm__serving_erlang_c(1, 0.5), 0.5, 1e-15); /* M/M/1: the load */
  ck_assert_double_eq(pm__serving_erlang_c(4, 4), 1);
  ck_assert_double_eq(pm__serving_erlang_c(4, 0), 0);
  for (double load = 0.1; load < 8; load += 0.1)
    for (double servers = 8; servers < 16; servers++) {
      ck_assert_double_lt(pm__serving_erlang_c(servers + 1, load), pm__serving_erlang_c(servers, load));
      ck_assert_double_lt(pm__serving_erlang_c(servers, load), pm__serving_erlang_c(servers, load + 0.1));
    }
}
END_TEST

START_TEST(waits)
{
  ck_assert_double_eq_tol(pm__serving_wait(1, 0.8, 0.1, 1, 0), 0.2, 1e-12);          /* M/D/1 */
  ck_assert_double_eq_tol(pm__serving_wait(1, 0.8, 0.1, 1, 1), 0.4, 1e-12);          /* M/M/1 */
  ck_assert_double_eq(pm__serving_wait(1, 0.8, 0.1, 0, 0), 0);                       /* D/D/1 */
  ck_assert(isinf(pm__serving_wait(2, 2, 0.1, 1, 0)));
  ck_assert_double_eq(pm__serving_wait_percentile(0.9, 0.05, 1), 0); /* most do not wait */
  ck_assert_double_eq_tol(pm__serving_wait_percentile(0.99, 1, 2), 2 * log(100), 1e-12);
  ck_assert_double_lt(pm__serving_wait_percentile(0.9, 0.5, 1), pm__serving_wait_percentile(0.99, 0.5, 1));
}
END_TEST

/* A chain without a shared part is Erlang's queue, one without a part of its own a processor that is shared: of n
** requests with probability (1 - load) load^n. */
START_TEST(all_places_are_taken)
{
  for (double load = 0.05; load < 1; load += 0.05)
    for (double places = 1; places < 40; places += 3) {
      double queue = pm__serving_full(places, load * places, 0), shared = pm__serving_full(places, 0, load);
      ck_assert_double_eq_tol(queue, pm__serving_erlang_c(places, load * places), 1e-8);
      ck_assert_double_eq_tol(shared, pow(load, places), 1e-8);
    }
  ck_assert_double_eq(pm__serving_full(4, 4, 0), 1);
  ck_assert_double_eq(pm__serving_full(4, 0, 1.5), 1);
  ck_assert_double_le(pm__serving_full(4096, 10, 0.1), 1e-9); /* and no overflow */
}
END_TEST

START_TEST(accepted_drafts)
{
  ck_assert_double_eq_tol(pm__serving_accepted(4, 0.8), 3.3616, 1e-12);
  ck_assert_double_eq_tol(pm__serving_accepted(3, 0.6), 2.176, 1e-12);
  ck_assert_double_eq_tol(pm__serving_accepted(1, 0.9), 1.9, 1e-12);
  ck_assert_double_eq_tol(pm__serving_accepted(5, 0.7), 2.9412, 1e-4);
  ck_assert_double_eq(pm__serving_accepted(0, 0.7), 1);
  ck_assert_double_eq(pm__serving_accepted(4, 0), 1);
  ck_assert_double_eq(pm__serving_accepted(4, 1), 5);
  for (double drafts = 0; drafts < 8; drafts++)
    ck_assert_double_le(pm__serving_accepted(drafts, 0.7), pm__serving_accepted(drafts + 1, 0.7));
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("queue");
  TCase *tests = tcase_create("queue");
  tcase_add_test(tests, erlang_c);
  tcase_add_test(tests, waits);
  tcase_add_test(tests, all_places_are_taken);
  tcase_add_test(tests, accepted_drafts);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
