/* The design power of machines: what their makers state, else the sum of published parts; and the share of the rest. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include "fixtures.h"
#include "shipped.h"

enum { MOST = 100 };

static const pm_machine *machines(size_t *count)
{
  static pm_machine all[MOST];
  const char *id;
  for (*count = 0; (id = pm_catalog_get_id(catalog, "system", *count)) != NULL; (*count)++) {
    ck_assert_uint_lt(*count, MOST);
    all[*count] = machine(id);
  }
  return all;
}

static double parts_of(const pm_machine *m)
{
  return m->gpus * gpu(m->gpu).power + m->cpu_sockets * m->cpu_power;
}

START_TEST(every_machine_has_one)
{
  size_t count;
  const pm_machine *all = machines(&count);
  for (size_t i = 0; i < count; i++) {
    bool published = all[i].power_basis == PM_POWER_BASIS_PUBLISHED && isnan(all[i].cpu_power); /* one chip for both */
    ck_assert_msg(published || (all[i].cpu_power > 0 && all[i].power > parts_of(&all[i])), "%s", all[i].id);
    ck_assert_msg(all[i].power_basis != PM_POWER_BASIS_NONE, "%s", all[i].id);
  }
  ck_assert_double_eq(machine("dgx-h100").power, 10200);
  ck_assert_int_eq(machine("dgx-h100").power_basis, PM_POWER_BASIS_PUBLISHED);
  ck_assert_int_eq(machine("mi300x-node").power_basis, PM_POWER_BASIS_PARTS);
}
END_TEST

static int ascending(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The rest of a node over its GPUs and CPUs, the median of the machines whose makers state a power; variants of one
** machine count once, racks cooled by liquid do not. */
static double median_rest(bool dense)
{
  size_t count, n = 0;
  double rests[MOST];
  const pm_machine *all = machines(&count);
  for (size_t i = 0; i < count; i++) {
    const pm_machine *m = &all[i];
    double rest = m->power / parts_of(m) - 1;
    bool seen = isnan(rest) || m->power_basis != PM_POWER_BASIS_PUBLISHED || m->gpus > 16;
    seen = seen || (gpu(m->gpu).power >= 350) != dense;
    for (size_t j = 0; j < n; j++) seen = seen || fabs(rests[j] - rest) < 1e-9;
    if (!seen) rests[n++] = rest;
  }
  ck_assert_uint_gt(n, 1);
  qsort(rests, n, sizeof *rests, ascending);
  return (rests[n / 2] + rests[(n - 1) / 2]) / 2;
}

static double rest(const char *name)
{
  pm_machine m = machine(name);
  ck_assert_int_eq(m.power_basis, PM_POWER_BASIS_PARTS);
  return m.power / parts_of(&m) - 1;
}

START_TEST(the_rest_is_the_median_of_published_machines)
{
  ck_assert_double_eq_tol(rest("p4d"), median_rest(true), 0.006);
  ck_assert_double_eq_tol(rest("c4140-v100-pcie"), median_rest(false), 0.006);
}
END_TEST

static pm_machine load(const char *power)
{
  pm_error error = PM_ERROR_NONE;
  char text[500];
  snprintf(text, sizeof text,
           "<perfmodel version=\"1\"><system id=\"mine\" name=\"Mine\"><gpu>h100-sxm5</gpu><gpus>8</gpus>"
           "<topology>nvswitch</topology><cpu_sockets>2</cpu_sockets>%s</system></perfmodel>", power);
  ck_assert_msg(pm_catalog_load_text(catalog, text, "mine.xml", &error) == PM_OK, "%s", error.text);
  return machine("mine");
}

START_TEST(unknown_parts_stay_unknown)
{
  pm_machine none = load(""), parts = load("<cpu_power>350 W</cpu_power>"), stated = load("<power>9 kW</power>");
  ck_assert(isnan(none.power) && none.power_basis == PM_POWER_BASIS_NONE);
  ck_assert_double_eq_tol(parts.power, (8 * 700 + 2 * 350) * 1.63, 1e-9);
  ck_assert_int_eq(parts.power_basis, PM_POWER_BASIS_PARTS);
  ck_assert(stated.power == 9000 && stated.power_basis == PM_POWER_BASIS_PUBLISHED);
}
END_TEST

/* What predicts has the power of what lists. */
START_TEST(systems_have_it_too)
{
  pm_system *system = build_system("p4d");
  ck_assert_double_eq(pm_system_get_machine(system)->power, machine("p4d").power);
  pm_system_free(system);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("design_power");
  TCase *tests = tcase_create("tests");
  tcase_add_checked_fixture(tests, open_catalog, close_catalog);
  tcase_add_test(tests, every_machine_has_one);
  tcase_add_test(tests, the_rest_is_the_median_of_published_machines);
  tcase_add_test(tests, unknown_parts_stay_unknown);
  tcase_add_test(tests, systems_have_it_too);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
