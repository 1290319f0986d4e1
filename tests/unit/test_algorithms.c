/*
** Every algorithm of collectives: that its descriptor says all it must, and that what it says is so.
*/
#include <math.h>
#include "collective/algorithm.h"
#include "fixtures.h"
#include "shipped.h"

static const pm_choice *choices_of(const char *field)
{
  return pm_record_find_field(pm_record_type_find("call"), field)->choices;
}

START_TEST(each_says_everything)
{
  for (int id = PM_ALGORITHM_AUTO + 1; id < PM_ALGORITHM_COUNT; id++) {
    const pm__collective_algorithm *a = pm__collective_algorithm_of(id);
    const pm_choice *text = &choices_of("algorithm")[id];
    ck_assert_msg(a != NULL, "algorithm %d has no descriptor", id);
    ck_assert_msg(text->name != NULL && text->name[0] != '\0', "algorithm %d has no name", id);
    ck_assert_msg(text->doc != NULL && text->doc[0] != '\0', "%s has no doc", text->name);
    ck_assert_msg(a->collectives != 0 && a->collectives < PM__BIT(PM_COLLECTIVE_COUNT), "%s: collectives", text->name);
    ck_assert_msg(a->protocols != 0 && a->protocols <= PM__ANY_PROTOCOL, "%s: protocols", text->name);
    ck_assert_msg(a->nccl != 0 && a->nccl <= PM__ANY_NCCL, "%s: eras", text->name);
    ck_assert_msg(a->needs != 0, "%s: needs", text->name);
    ck_assert_msg(pm_record_find_field(pm_record_type_find("collective"), "algorithm")->choices[id].name == text->name,
                  "%s: results name it otherwise", text->name);
    ck_assert_msg(a->selection >= PM__SELECTED_ALWAYS && a->selection <= PM__SELECTED_BY_NAME, "%s: selection",
                  text->name);
    ck_assert_msg(a->cost != NULL && a->traffic != NULL, "%s: cost, traffic", text->name);
  }
  ck_assert(pm__collective_algorithm_of(PM_ALGORITHM_AUTO) == NULL);
  ck_assert(pm__collective_algorithm_of(PM_ALGORITHM_COUNT) == NULL && pm__collective_algorithm_of(-1) == NULL);
}
END_TEST

/* ---- What it says, on groups of every sort ---- */

static void check_cost(const char *name, const pm__collective_parameters *group, int collective,
                       const pm__collective_cost *cost)
{
  ck_assert_msg(isfinite(cost->latency) && cost->latency >= 0, "%s, %d: latency %g", name, collective, cost->latency);
  ck_assert_msg(isfinite(cost->per_byte) && cost->per_byte > 0, "%s, %d: per byte %g", name, collective,
                cost->per_byte);
  ck_assert_msg(cost->limit != NULL && cost->limit[0] != '\0', "%s, %d: no limit", name, collective);
  ck_assert_msg(cost->launches > 0 && cost->knee >= 0, "%s, %d: launches, knee", name, collective);
  for (int i = 0; cost->correction != NULL && i < PM__CORRECTIONS; i++)
    ck_assert_msg(cost->correction[i] > 0 && cost->correction[i] <= 1, "%s: correction %d", name, i);
  (void)group;
}

/* Bytes on the links grow with the buffer, and there are some inside a node of several GPUs and between several nodes.
** */
static void check_traffic(const char *name, const pm__collective_algorithm *a, const pm__collective_parameters *group,
                          int collective)
{
  pm__collective_traffic one = a->traffic(group, (pm_collective)collective, 1e6);
  pm__collective_traffic two = a->traffic(group, (pm_collective)collective, 2e6);
  ck_assert_msg(one.route >= PM__ROUTE_RINGS && one.route <= PM__ROUTE_HOST, "%s: no route", name);
  if (group->per_node > 1) ck_assert_msg(one.inside > 0, "%s, %d: nothing moves inside", name, collective);
  if (group->nodes > 1) ck_assert_msg(one.between > 0, "%s, %d: nothing moves between nodes", name, collective);
  ck_assert_double_eq_tol(two.inside, 2 * one.inside, 1e-6);
  ck_assert_double_eq_tol(two.between, 2 * one.between, 1e-6);
}

/* How many collectives each algorithm does on this group; their costs and traffic are checked. */
static void check_group(const pm__collective_parameters *group, int *done)
{
  for (int id = PM_ALGORITHM_AUTO + 1; id < PM_ALGORITHM_COUNT; id++) {
    const pm__collective_algorithm *a = pm__collective_algorithm_of(id);
    const char *name = choices_of("algorithm")[id].name;
    for (int c = 0; c < PM_COLLECTIVE_COUNT; c++)
      for (int p = group->protocols ? PM__LL : PM__SIMPLE; p < PM__PROTOCOLS; p++) {
        pm__collective_cost cost = {.launches = 1};
        if (!pm__collective_algorithm_serves(a, group, (pm_collective)c)) continue;
        if (!pm__collective_algorithm_speaks(a, group, p)) continue;
        a->cost(group, (pm_collective)c, p, &cost);
        check_cost(name, group, c, &cost);
        check_traffic(name, a, group, c);
        done[id]++;
      }
  }
}

START_TEST(each_does_what_it_says)
{
  static const char *const machines[] = {"dgx1-v100", "dgx2", "dgx-h100", "mi300x-node", "p3dn", "smc4028gr-m40"};
  int done[PM_ALGORITHM_COUNT] = {0};
  for (size_t m = 0; m < sizeof machines / sizeof machines[0]; m++) {
    pm_system *system = build_system(machines[m]);
    for (int gpus = 1; gpus <= 8; gpus += 7)
      for (int nodes = 1; nodes <= 4; nodes++)
        for (int nccl = 0; nccl < PM_NCCL_COUNT; nccl++) {
          pm__collective_group group;
          pm__collective_parameters parameters;
          if (gpus * nodes == 1) continue;
          int status = pm__collective_group_init(&group, system, 0, 1, gpus, nodes);
          group.nccl = nccl;
          if (status == PM_OK) status = pm__collective_parameters_init(&parameters, &group, NULL);
          if (status == PM_OK) check_group(&parameters, done);
        }
    pm_system_free(system);
  }
  for (int id = PM_ALGORITHM_AUTO + 1; id < PM_ALGORITHM_COUNT; id++)
    ck_assert_msg(done[id] > 0, "%s is never possible", choices_of("algorithm")[id].name);
}
END_TEST

/* The load on the links is what the descriptor says: all bytes inside a node of a cube mesh, those between nodes. */
START_TEST(loads_are_the_descriptors)
{
  pm_system *system = build_system("dgx1-v100");
  for (int nodes = 1; nodes <= 2; nodes++) {
    pm_group_choice choice = pm_group_choice_make();
    pm__collective_group members;
    pm__collective_parameters parameters;
    choice.nodes = nodes;
    pm_group *group = pm_group_new(system, NULL, 8, &choice, NULL);
    ck_assert_int_eq(pm__collective_group_init(&members, system, 0, 1, 8, nodes), PM_OK);
    ck_assert_int_eq(pm__collective_parameters_init(&parameters, &members, NULL), PM_OK);
    for (int id = PM_ALGORITHM_AUTO + 1; id < PM_ALGORITHM_COUNT; id++) {
      pm_call call = {.collective = PM_COLLECTIVE_ALL_REDUCE, .bytes = 1e9, .algorithm = id,
                      .protocol = PM_PROTOCOL_ANY};
      pm_table *table = pm_group_tabulate_loads(group, &call, NULL);
      if (table == NULL) continue; /* not on this machine */
      pm__collective_traffic traffic = pm__collective_algorithm_of(id)->traffic(&parameters, PM_COLLECTIVE_ALL_REDUCE,
                                                                                1e9);
      size_t rows = pm_table_count_rows(table) - (nodes > 1);
      const double *forward = pm_table_get_numbers(table, 4), *backward = pm_table_get_numbers(table, 5);
      double sum = 0;
      for (size_t i = 0; i < rows; i++) sum += forward[i] + backward[i];
      if (traffic.route == PM__ROUTE_RINGS) ck_assert_double_eq_tol(sum / (8 * traffic.inside), 1, 1e-9);
      if (nodes > 1) ck_assert_double_eq_tol(forward[rows], traffic.between, 1);
      pm_table_free(table);
    }
    pm_group_free(group);
  }
  pm_system_free(system);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("algorithms");
  TCase *tests = tcase_create("algorithms");
  tcase_add_checked_fixture(tests, open_catalog, close_catalog);
  tcase_set_timeout(tests, 60);
  tcase_add_test(tests, each_says_everything);
  tcase_add_test(tests, each_does_what_it_says);
  tcase_add_test(tests, loads_are_the_descriptors);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
