/*
** Layouts of a run of serving. Degrees are powers of two; workers of two pools come in ratios in lowest terms, since a
** multiple of a pair of pools is as many replicas of it.
*/
#include "search/serving_layouts.h"

enum { STAGES_MOST = 4 };

bool pm__service_is_given(const pm_given *given, const char *field)
{
  const pm_record_type *type = pm_record_type_find("serving_run");
  return pm_given_has(given, (int)(pm_record_find_field(type, field) - type->fields)) != 0;
}

static bool is_given(const pm__service_layouts *of, const char *field)
{
  return pm__service_is_given(of->given, field);
}

/* Of a replica, or of a pair of pools with so many workers that decode; each degree is a million at most. */
static double gpus_of(const pm_serving_run *run, int decode_workers)
{
  double each = (double)run->tensor_parallel * run->pipeline_parallel * run->attention_parallel;
  if (run->prefill_workers == 0) return each;
  return decode_workers * each +
         (double)run->prefill_workers * run->prefill_tensor_parallel * run->prefill_attention_parallel;
}

static int larger(int a, int b)
{
  return a > b ? a : b;
}

/* Spread evenly over as few nodes as it can be, on which a layer's GPUs stay together. */
static void visit_on(const pm__service_layouts *of, const pm_serving_run *run, int decode_workers,
                     pm__service_visit *visit, void *context)
{
  pm_serving_run placed = *run;
  double wanted = gpus_of(run, decode_workers);
  bool all = of->goal->layouts == PM_SERVING_LAYOUTS_ALL;
  if (wanted > (all ? of->goal->max_gpus : PM_COUNT_MAX)) return;
  int gpus = (int)wanted, nodes = (gpus + of->node_gpus - 1) / of->node_gpus;
  while (gpus % nodes != 0) nodes++;
  int together = larger(run->tensor_parallel, run->prefill_workers > 0 ? run->prefill_tensor_parallel : 1);
  if (gpus / nodes < together && all) return;
  placed.gpus = gpus / nodes;
  placed.nodes = nodes;
  visit(context, &placed);
}

static int common_divisor(int a, int b)
{
  return b == 0 ? a : common_divisor(b, a % b);
}

/* Pools: the workers of each kind. Those that decode follow from the GPUs that are left. */
static void walk_pools(const pm__service_layouts *of, const pm_serving_run *run, pm__service_visit *visit,
                       void *context)
{
  pm_serving_run pools = *run;
  int most = of->goal->max_workers;
  bool fixed = is_given(of, "prefill_workers");
  for (int tensor = 1; tensor <= of->node_gpus; tensor *= 2) {
    pools.prefill_tensor_parallel = is_given(of, "prefill_tensor_parallel") ? run->prefill_tensor_parallel : tensor;
    if (pools.prefill_tensor_parallel != tensor) continue;
    for (int prefill = 1; prefill < most; prefill++) {
      pools.prefill_workers = prefill;
      for (int decode = 1; prefill + decode <= most && gpus_of(&pools, decode) <= of->goal->max_gpus; decode++) {
        bool tried = fixed ? prefill == run->prefill_workers : common_divisor(prefill, decode) == 1;
        if (tried) visit_on(of, &pools, decode, visit, context);
      }
    }
  }
}

static void walk_workers(const pm__service_layouts *of, const pm_serving_run *run, pm__service_visit *visit,
                         void *context)
{
  bool pools = run->prefill_workers > 0 || (!is_given(of, "prefill_workers") && run->attention_parallel == 1);
  if (run->prefill_workers == 0) visit_on(of, run, 1, visit, context);
  pools = pools && run->pipeline_parallel == 1;
  if (pools) walk_pools(of, run, visit, context);
}

static void walk_experts(const pm__service_layouts *of, const pm_serving_run *run, pm__service_visit *visit,
                         void *context)
{
  pm_serving_run own = *run;
  int64_t all = (int64_t)run->tensor_parallel * run->attention_parallel;
  bool fixed = !of->experts || is_given(of, "expert_parallel");
  for (int experts = 1; experts <= all && experts <= of->goal->max_gpus; experts *= 2) {
    if (!fixed) own.expert_parallel = experts;
    walk_workers(of, &own, visit, context);
    if (fixed) return;
  }
}

static void walk_groups(const pm__service_layouts *of, const pm_serving_run *run, pm__service_visit *visit,
                        void *context)
{
  pm_serving_run own = *run;
  bool fixed = !of->experts || is_given(of, "attention_parallel");
  for (int groups = 1; (int64_t)groups * run->tensor_parallel <= of->goal->max_gpus; groups *= 2) {
    if (!fixed) own.attention_parallel = groups;
    walk_experts(of, &own, visit, context);
    if (fixed) return;
  }
}

static void walk_stages(const pm__service_layouts *of, const pm_serving_run *run, pm__service_visit *visit,
                        void *context)
{
  pm_serving_run own = *run;
  bool fixed = is_given(of, "pipeline_parallel");
  for (int stages = 1; stages <= STAGES_MOST; stages *= 2) {
    if (!fixed) own.pipeline_parallel = stages;
    walk_groups(of, &own, visit, context);
    if (fixed) return;
  }
}

/* The run's precision and, where neither it nor the weights were given, FP8: GPUs without it have no prediction. */
static void walk_precisions(const pm__service_layouts *of, const pm_serving_run *run, pm__service_visit *visit,
                            void *context)
{
  pm_serving_run own = *run;
  walk_stages(of, &own, visit, context);
  if (is_given(of, "precision") || is_given(of, "weights")) return;
  own.precision = PM_PRECISION_FP8;
  walk_stages(of, &own, visit, context);
}

void pm__service_layouts_walk(const pm__service_layouts *of, const pm_serving_run *run, pm__service_visit *visit,
                              void *context)
{
  pm_serving_run own = *run;
  bool all = of->goal->layouts == PM_SERVING_LAYOUTS_ALL;
  bool fixed = of->goal->layouts == PM_SERVING_LAYOUTS_GIVEN || is_given(of, "tensor_parallel");
  for (int tensor = 1; tensor <= of->node_gpus; tensor *= 2) {
    if (!fixed) own.tensor_parallel = tensor;
    if (all) walk_precisions(of, &own, visit, context);
    else visit_on(of, &own, 1, visit, context);
    if (fixed) return;
  }
}
