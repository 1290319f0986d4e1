/*
** Cutting a network into pieces changes neither times nor memory: what pieces sum to is what the whole network has,
** whatever neighbours software fuses across a cut, and whichever tensors cross it.
*/
#include <math.h>
#include <stdlib.h>
#include "fixtures.h"
#include "plan/sharded.h"
#include "shipped.h"

static const char *const frameworks[] = {"pytorch", "pytorch-2.4-fsdp", "tf1-nchw", "tensorflow-2.4-xla", "mxnet-1.2",
                                         "megatron-core-0.9"};
enum { FRAMEWORKS = sizeof frameworks / sizeof frameworks[0] };

static void ck_near(const char *network, const char *what, double sum, double whole)
{
  double scale = fmax(fabs(sum), fabs(whole));
  ck_assert_msg(fabs(sum - whole) <= 1e-12 * scale, "%s: %s of pieces %.17g, of the whole %.17g", network, what, sum,
                whole);
}

/* ---- Times ---- */

typedef struct total {
  double conv, product, framework, other, spared, saved, launches, calls, layout, waited;
} total;

static void add(const pm__units *units, const pm__device *device, double count, total *sum)
{
  pm__costs costs;
  pm__plan_kernels_price(&units->kernels, NULL, device, 32, &costs);
  for (int pass = 0; pass < PM__PASSES; pass++) {
    const pm__part *part = &costs.pass[pass];
    sum->saved += count * costs.saved[pass];
    const pm__fixed *fixed = &units->pass[pass];
    sum->conv += count * part->conv;
    sum->product += count * part->product;
    sum->framework += count * part->framework;
    sum->other += count * part->other;
    sum->spared += count * part->spared;
    sum->launches += count * fixed->launches;
    sum->calls += count * fixed->host_calls;
    sum->layout += count * fixed->layout;
    sum->waited += count * fixed->waited;
  }
}

static int count_of(const pm__plan_pieces *of, int kind)
{
  int count = 0;
  for (int i = 0; i < of->pieces->count; i++) count += of->pieces->of[i] == kind;
  return count;
}

static void check_times(const pm_plan *plan, const pm__plan_sharded *cut, int mode, const pm__device *device)
{
  total pieces = {0}, whole = {0};
  const char *id = plan->networks[0].network->id;
  for (int k = 0; k < cut->of->pieces->kinds; k++) add(cut->piece[k].units, device, count_of(cut->of, k), &pieces);
  add(plan->networks[0].units[mode], device, 1, &whole);
#define CHECK(field) ck_near(id, #field, pieces.field, whole.field)
  CHECK(conv);
  CHECK(product);
  CHECK(framework);
  CHECK(other);
  CHECK(spared);
  CHECK(saved);
  CHECK(launches);
  CHECK(calls);
  CHECK(layout);
  CHECK(waited);
#undef CHECK
}

/* ---- Memory ---- */

static void check_memory(const pm_plan *plan, const pm__plan_sharded *cut, int memory)
{
  static const int how[] = {PM_RECOMPUTE_NONE, PM_RECOMPUTE_SELECTIVE};
  const pm__pieces *pieces = cut->of->pieces;
  pm_memory_plan *all = pm__memory_plan_new(plan->networks[0].network, &plan->memories[memory],
                                            pm_optimizer_get(PM_OPTIMIZER_NONE), PM__CLASSES, NULL);
  ck_assert_ptr_nonnull(all);
  for (int i = 0; i < PM__CLASSES; i++)
    for (int scores = 0; scores < PM__PIECE_SCORES; scores++) {
      double saved = 0, top = 0, once = 0;
      const pm__alive whole = all->alive[i][how[scores]];
      for (int k = 0; k < pieces->count; k++) {
        const pm__memory_piece *piece = &cut->memory[i][scores][k];
        top = fmax(top, saved + piece->top);
        saved += piece->saved;
        once = fmax(once, piece->once);
      }
      ck_near(plan->networks[0].network->id, "saved tensors", saved, whole.saved);
      ck_near(plan->networks[0].network->id, "peak", fmax(top, saved + once), whole.peak);
    }
  pm_memory_plan_free(all);
}

static void check_network(const pm_network *network, const pm_system *system)
{
  pm_error error = PM_ERROR_NONE;
  const pm_network *networks[] = {network};
  const pm_system *systems[] = {system};
  pm_plan *plan = pm_plan_new(networks, 1, systems, 1, &error);
  ck_assert_msg(plan != NULL, "%s", error.text);
  for (int i = 0; i < FRAMEWORKS; i++) {
    pm_framework_profile profile;
    ck_assert_int_eq(pm_catalog_get_framework(catalog, frameworks[i], &profile, &error), PM_OK);
    int number = pm_plan_add_framework(plan, &profile, &error);
    ck_assert_msg(number >= 0, "%s", error.text);
    const pm__plan_framework *f = &plan->frameworks[number];
    for (int narrow = 0; narrow < 2; narrow++) {
      const pm__plan_sharded_key key = {.network = &plan->networks[0], .mode = f->mode[narrow], .memory = f->memory,
                                        .degrees = {.tensor = 1, .context = 1, .expert = 1, .expert_tensor = 1}};
      const pm__plan_sharded *cut = pm__plan_sharded_find(plan, &key, &error);
      if (cut == NULL) continue; /* more kinds of pieces than a plan has room for */
      const pm__device *device = &plan->libraries[f->library].devices[0][narrow ? PM_PRECISION_FP16
                                                                         : PM_PRECISION_FP32];
      check_times(plan, cut, f->mode[narrow], device);
      check_memory(plan, cut, f->memory);
    }
  }
  pm_plan_free(plan);
}

START_TEST(pieces_sum_to_the_whole)
{
  pm_error error = PM_ERROR_NONE;
  open_catalog();
  pm_system *system = build_system("dgx-a100");
  int count = pm_catalog_count(catalog, "network");
  for (int i = 0; i < count; i++) {
    const char *id = pm_catalog_get_id(catalog, "network", (size_t)i);
    pm_network *network = pm_catalog_new_network(catalog, id, NULL, 0, &error);
    ck_assert_msg(network != NULL, "%s", error.text);
    check_network(network, system);
    pm_network_free(network);
  }
  pm_system_free(system);
  close_catalog();
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("cut");
  TCase *tcase = tcase_create("cut");
  tcase_add_test(tcase, pieces_sum_to_the_whole);
  tcase_set_timeout(tcase, 120);
  suite_add_tcase(suite, tcase);
  return fixture_main(suite);
}
