/*
** Sizing of serving: the largest rate of a replica within the limits, how many replicas the wanted rate takes, what a
** million tokens cost, and ranks.
*/
#include "search/serving_goal.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "plan/energy.h"
#include "plan/plan.h"
#include "record/count.h"
#include "record/sized.h"
#include "search/serving_layouts.h"
#include "search/size.h"
#include "serving/cost.h"
#include "serving/serve.h"

enum { BISECTIONS = 20 };

/* What twice the load must add to the rate to be a point of the front. */
static const double worth = 1.02;

/* Rows so far, and what they are made of. */
typedef struct service_rows {
  const pm_serving_goal_setup *setup;
  const pm_serving_goal *goal;
  pm_serving_goal limits; /* of the run whose layouts are visited */
  size_t choice;        /* the run whose layouts are visited */
  double wanted, price; /* its rate, NAN: none; of a GPU for an hour */
  double fed;           /* nodes that its power budget feeds; NAN: any */
  const pm__plan_system *system;
  pm__serving_memos *memos; /* what loads of one layout share */
  pm_serving_choice *rows;
  size_t count, capacity;
  bool failed; /* without memory */
} service_rows;

/* ---- Checks ---- */

static int check_limit(const char *name, double limit, pm_error *error)
{
  if (isnan(limit) || limit > 0) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "%s %g is not positive", name, limit);
}

/* Fields that sizing finds. */
static int check_found(const pm_given *given, pm_error *error)
{
  static const char *const found[] = {"gpus", "nodes", "concurrency", "arrivals"};
  for (size_t i = 0; i < sizeof found / sizeof found[0]; i++)
    if (pm__service_is_given(given, found[i]))
      return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "sizing determines %s; leave it out", found[i]);
  return PM_OK;
}

/* A front has an order of its own. */
static int check_order(const pm_serving_goal *goal, pm_error *error)
{
  if (goal->minimize < 0 || goal->minimize >= PM_MINIMIZE_COUNT || goal->minimize == PM_MINIMIZE_RACK_UNITS)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT,
                    "sizing of serving can minimize nodes, cost, power, energy, carbon or energy-cost");
  if (goal->minimize == PM_MINIMIZE_NODES || !goal->front) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "the front is ordered by rates: minimize has no effect");
}

enum { WORKERS_MOST = 32 }; /* their pairs are as many as the square of this */

static int check(const pm_serving_goal_setup *setup, const pm_serving_goal *goal, pm_error *error)
{
  bool whole = setup != NULL && goal != NULL && setup->plan != NULL && setup->runs != NULL && setup->given != NULL;
  if (!whole || setup->count == 0)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "sizing of serving needs a plan, a goal and a run");
  int status = pm__record_size_check("serving_run", setup->run_size, error);
  if (status == PM_OK) status = check_limit("ttft", goal->ttft, error);
  if (status == PM_OK) status = check_limit("tpot", goal->tpot, error);
  if (status == PM_OK && (goal->layouts < 0 || goal->layouts >= PM_SERVING_LAYOUTS_COUNT))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "there are no layouts %d", goal->layouts);
  if (status == PM_OK) status = pm__count_check("max_gpus", goal->max_gpus, 1, error);
  if (status == PM_OK && (goal->max_workers < 1 || goal->max_workers > WORKERS_MOST))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "max_workers %d is not from 1 to %d", goal->max_workers,
                    WORKERS_MOST);
  if (status == PM_OK) status = check_order(goal, error);
  return status == PM_OK ? check_found(setup->given, error) : status;
}

/* ---- Limits that are assumed ---- */

pm_serving_goal pm__serving_goal_of(const pm_serving_goal *goal, const pm_serving_run *run)
{
  pm_serving_goal limits = *goal;
  double longer = fmax(0, run->isl - PM_SERVING_GOAL_PROMPT);
  if (isnan(goal->ttft)) limits.ttft = PM_SERVING_GOAL_TTFT + PM_SERVING_GOAL_TOKEN * longer;
  if (isnan(goal->tpot)) limits.tpot = PM_SERVING_GOAL_TPOT;
  return limits;
}

/* ---- The rate of a replica ---- */

static bool are_within(const pm_serving_goal *goal, double ttft, double tpot, int limit)
{
  return limit != PM_SERVING_LIMIT_OVERLOAD && ttft <= goal->ttft && (isnan(tpot) || tpot <= goal->tpot);
}

static bool is_within(const pm_serving_goal *goal, const pm_serving *p)
{
  return p->status == PM_OK && are_within(goal, p->ttft_percentile, p->tpot_percentile, p->bottleneck);
}

static bool answers(const service_rows *all, const pm_serving_run *run, double rate, pm_serving *p)
{
  pm_serving_run open = *run;
  open.arrivals = PM_ARRIVALS_OPEN;
  open.rate = rate;
  pm__serve_predict(all->setup->plan, &open, all->memos, p);
  return is_within(&all->limits, p);
}

/* The largest rate within the limits, 0 if there is none; the answer is then that of a replica almost without load. */
static double largest_rate(const service_rows *all, const pm_serving_run *run, pm_serving *p)
{
  double low = 1e-6;
  if (!answers(all, run, low, p)) return 0;
  double high = p->largest_rate;
  if (!(high > low)) return 0;
  pm_serving_run open = *run;
  open.arrivals = PM_ARRIVALS_OPEN;
  for (int i = 0; i < BISECTIONS && high > low; i++) {
    open.rate = (low + high) / 2;
    pm__serving_service tried = pm__serve_again(all->setup->plan, &open, all->memos);
    if (are_within(&all->limits, tried.ttft_late, tried.tpot_late, tried.limit)) low = open.rate;
    else high = open.rate;
  }
  answers(all, run, low, p);
  return low;
}

/* ---- Rows ---- */

static pm_serving_choice *add_row(service_rows *all)
{
  if (all->count == all->capacity) {
    size_t capacity = 2 * all->capacity + 64;
    pm_serving_choice *more = (pm_serving_choice *)realloc(all->rows, capacity * sizeof *more);
    all->failed = all->failed || more == NULL;
    if (more == NULL) return NULL;
    all->rows = more;
    all->capacity = capacity;
  }
  return &all->rows[all->count++];
}

static void set_layout(const service_rows *all, const pm_serving_run *run, pm_serving_choice *row)
{
  pm_record_clear(pm_record_type_find("serving_choice"), row);
  row->choice = (int32_t)all->choice;
  snprintf(row->system, sizeof row->system, "%s", pm_system_get_machine(all->system->system)->id);
  const pm__plan_engine *engine = pm__plan_engine_at(all->setup->plan, run->engine_index, run->system_index);
  if (engine != NULL) snprintf(row->engine, sizeof row->engine, "%s", engine->profile.engine.id);
  row->precision = run->precision;
  row->weights = run->weights;
  row->tp = run->tensor_parallel;
  row->pp = run->pipeline_parallel;
  row->attention_dp = run->attention_parallel;
  row->ep = run->expert_parallel;
  row->prefill_workers = run->prefill_workers;
  row->prefill_tp = run->prefill_workers > 0 ? run->prefill_tensor_parallel : 0;
  row->replica_gpus = run->gpus * run->nodes;
  row->node_gpus = run->gpus;
  int decode = row->replica_gpus - row->prefill_workers * row->prefill_tp * run->prefill_attention_parallel;
  row->decode_workers = run->prefill_workers > 0 ? decode / (row->tp * row->pp * row->attention_dp) : 0;
  row->price = all->price;
}

static void set_answer(const pm_serving *p, pm_serving_choice *row)
{
  row->ttft = p->ttft_percentile;
  row->tpot = p->tpot_percentile;
  row->user_rate = p->user_rate;
  row->bottleneck = p->bottleneck;
  row->calibration = p->calibration;
}

/* Replicas on a node, and nodes of a replica; one of both is 1. */
typedef struct service_place {
  int to_node, nodes_each;
} service_place;

static service_place place_of(const service_rows *all, const pm_serving_choice *row)
{
  int node = (int)all->system->system->gpu_count, each = row->replica_gpus;
  return (service_place){each <= node ? node / each : 1, (each + node - 1) / node};
}

/* Replicas of whole nodes, or several to a node. Whole nodes are paid for; where neither a rate is wanted nor a budget
** filled, a replica pays for its part of a node that is full of them. */
static void set_machines(const service_rows *all, const pm_serving_run *run, int replicas, pm_serving_choice *row)
{
  int node = (int)all->system->system->gpu_count, each = row->replica_gpus;
  const service_place place = place_of(all, row);
  bool part = isnan(all->wanted) && (isnan(all->fed) || all->goal->front);
  row->replicas = replicas;
  row->gpus = replicas * each;
  row->nodes = (replicas + place.to_node - 1) / place.to_node * place.nodes_each;
  row->paid_gpus = part ? (double)place.nodes_each * node / place.to_node : (double)row->nodes * node;
  row->hour_cost = all->price * row->paid_gpus;
  row->design_power = row->nodes * pm__energy_node_design(all->system->system, run->power_limit) * run->pue;
  row->budget_nodes = all->fed;
}

/* For the rate; without one as many as the power budget feeds, or one. */
static double replicas_for(const service_rows *all, double rate, const pm_serving_choice *row)
{
  const service_place place = place_of(all, row);
  if (!isnan(all->wanted)) return fmax(1, ceil(all->wanted / rate * (1 - 1e-9)));
  return isnan(all->fed) ? 1 : fmax(1, floor(all->fed / place.nodes_each) * place.to_node);
}

/* Of the replicas, each of which has its part of the rate. */
static void set_energy(const pm_serving_run *run, const pm_serving *p, pm_serving_choice *row)
{
  const double million = 1e6 / run->osl;
  row->power = row->replicas * p->site_power;
  row->output_energy = p->site_energy_per_sample / run->osl;
  row->output_carbon = p->carbon_per_sample * million;
  row->output_energy_cost = p->energy_cost_per_sample * million;
}

static void set_costs(const pm_serving_run *run, pm_serving_choice *row)
{
  row->output_cost = pm__serving_token_cost(row->hour_cost, row->request_rate * run->osl);
  row->token_cost = pm__serving_token_cost(row->hour_cost, row->request_rate * (run->isl + run->osl));
}

/* Within the limits: the replicas for the rate, and what they see of it. */
static void set_replicas(const service_rows *all, const pm_serving_run *run, double rate, pm_serving_choice *row)
{
  pm_serving p;
  double count = replicas_for(all, rate, row);
  row->replica_rate = rate;
  row->gpu_rate = rate * run->osl / row->replica_gpus;
  if (count * row->replica_gpus > INT32_MAX) {
    row->status = PM_STATUS_UNREACHABLE;
    return;
  }
  row->request_rate = isnan(all->wanted) ? count * rate : all->wanted;
  set_machines(all, run, (int)count, row);
  if (row->nodes > all->fed) row->status = PM_STATUS_UNREACHABLE;
  set_costs(run, row);
  answers(all, run, row->request_rate / count, &p);
  set_answer(&p, row);
  set_energy(run, &p, row);
}

/* One layout at its largest rate. */
static void size_layout(void *context, const pm_serving_run *run)
{
  service_rows *all = (service_rows *)context;
  pm_serving p;
  double rate = largest_rate(all, run, &p);
  if (rate == 0 && all->goal->layouts == PM_SERVING_LAYOUTS_ALL) return;
  pm_serving_choice *row = add_row(all);
  if (row == NULL) return;
  set_layout(all, run, row);
  row->status = p.status == PM_OK && rate == 0 ? (int32_t)PM_STATUS_UNREACHABLE : p.status;
  if (rate > 0) set_replicas(all, run, rate, row);
  else set_answer(&p, row);
}

/* One layout in closed loops, as long as they are within the limits. */
static void front_layout(void *context, const pm_serving_run *run)
{
  service_rows *all = (service_rows *)context;
  pm_serving_run closed = *run;
  pm_serving p;
  double before = 0;
  closed.arrivals = PM_ARRIVALS_CLOSED;
  for (double requests = 1; requests <= 1 << 20; requests *= 2) {
    closed.concurrency = requests;
    pm__serve_predict(all->setup->plan, &closed, all->memos, &p);
    if (!is_within(&all->limits, &p) || p.request_rate < worth * before) return; /* more only wait */
    pm_serving_choice *row = add_row(all);
    if (row == NULL) return;
    before = p.request_rate;
    set_layout(all, run, row);
    row->concurrency = requests;
    row->request_rate = row->replica_rate = p.request_rate;
    row->gpu_rate = p.gpu_rate;
    set_machines(all, run, 1, row);
    set_costs(run, row);
    set_answer(&p, row);
    set_energy(run, &p, row);
  }
}

/* ---- Ranks ---- */

static int by_known(double a, double b)
{
  if (isnan(a) || isnan(b)) return isnan(a) - isnan(b);
  return (a > b) - (a < b);
}

/* With a rate the least cost or GPUs, else the least cost or most tokens; of equals the most tokens, then the order of
** the layouts. */
static int by_rank(const void *a, const void *b)
{
  const pm_serving_choice *x = (const pm_serving_choice *)a, *y = (const pm_serving_choice *)b;
  if ((x->status == PM_OK) != (y->status == PM_OK)) return x->status == PM_OK ? -1 : 1;
  int order = by_known(x->output_cost, y->output_cost);
  if (order == 0 && x->rank > 0 && y->rank > 0) order = (x->paid_gpus > y->paid_gpus) - (x->paid_gpus < y->paid_gpus);
  if (order == 0 && x->rank > 0 && y->rank > 0) order = (x->gpus > y->gpus) - (x->gpus < y->gpus);
  if (order == 0) order = by_known(y->gpu_rate, x->gpu_rate);
  if (order == 0) order = by_known(x->tpot, y->tpot);
  if (order == 0) order = x->choice - y->choice;
  return order != 0 ? order : x->tp - y->tp;
}

/* Of what is to be least, where a prediction says it. */
#define LEAST_LIST(X)                                                                                              \
  X(COST, output_cost)                                                                                             \
  X(POWER, design_power)                                                                                           \
  X(ENERGY, output_energy)                                                                                         \
  X(CARBON, output_carbon)                                                                                         \
  X(ENERGY_COST, output_energy_cost)
#define LEAST(name, field)                                                                                         \
  static int by_##field(const void *a, const void *b)                                                              \
  {                                                                                                                \
    const pm_serving_choice *x = (const pm_serving_choice *)a, *y = (const pm_serving_choice *)b;                  \
    bool both = x->status == PM_OK && y->status == PM_OK;                                                          \
    int order = both ? by_known(x->field, y->field) : 0;                                                           \
    return order != 0 ? order : by_rank(a, b);                                                                     \
  }
LEAST_LIST(LEAST)
#define ORDER(name, field) [PM_MINIMIZE_##name] = by_##field,
static int (*const orders[PM_MINIMIZE_COUNT])(const void *, const void *) = {[PM_MINIMIZE_NODES] = by_rank,
                                                                             LEAST_LIST(ORDER)};

static int by_user_rate(const void *a, const void *b)
{
  const pm_serving_choice *x = (const pm_serving_choice *)a, *y = (const pm_serving_choice *)b;
  if ((x->status == PM_OK) != (y->status == PM_OK)) return x->status == PM_OK ? -1 : 1;
  int order = by_known(y->user_rate, x->user_rate);
  return order != 0 ? order : by_known(y->gpu_rate, x->gpu_rate);
}

/* From the fastest for users on: each that has more tokens/s/GPU than all before. */
static void mark_front(service_rows *all)
{
  double best = 0;
  qsort(all->rows, all->count, sizeof *all->rows, by_user_rate);
  for (size_t i = 0; i < all->count && all->rows[i].status == PM_OK; i++) {
    all->rows[i].pareto = all->rows[i].gpu_rate > best;
    if (all->rows[i].pareto) best = all->rows[i].gpu_rate;
  }
}

static void keep_front(service_rows *all)
{
  size_t kept = 0;
  for (size_t i = 0; i < all->count; i++)
    if (all->rows[i].pareto) all->rows[kept++] = all->rows[i];
  all->count = kept;
}

/* `rank` says first whether GPUs count, which they do where a rate is wanted. */
static void rank_rows(service_rows *all)
{
  mark_front(all);
  if (all->goal->front) keep_front(all);
  for (size_t i = 0; i < all->count; i++) all->rows[i].rank = all->wanted > 0;
  if (!all->goal->front) qsort(all->rows, all->count, sizeof *all->rows, orders[all->goal->minimize]);
  for (size_t i = 0; i < all->count; i++) all->rows[i].rank = all->rows[i].status == PM_OK ? (int32_t)i + 1 : 0;
}

pm_serving_run pm__serving_goal_run(const pm_serving_run *run, const pm_serving_choice *row)
{
  pm_serving_run own = *run;
  own.precision = row->precision;
  own.weights = row->weights;
  own.tensor_parallel = row->tp;
  own.pipeline_parallel = row->pp;
  own.attention_parallel = row->attention_dp;
  own.expert_parallel = row->ep;
  own.prefill_workers = row->prefill_workers;
  own.prefill_tensor_parallel = row->prefill_workers > 0 ? row->prefill_tp : run->prefill_tensor_parallel;
  own.gpus = row->node_gpus;
  own.nodes = row->replica_gpus / row->node_gpus;
  own.arrivals = PM_ARRIVALS_OPEN;
  own.rate = row->request_rate / row->replicas;
  return own;
}

/* ---- All ---- */

/* Whether the network has experts, by a prediction. */
static bool has_experts(const pm_plan *plan, const pm_serving_run *run)
{
  pm_serving p;
  pm_serving_run alone = *run;
  alone.ignore_memory = 1;
  alone.gpus = alone.nodes = alone.tensor_parallel = alone.pipeline_parallel = alone.attention_parallel = 1;
  alone.expert_parallel = 1;
  alone.prefill_workers = 0;
  alone.arrivals = PM_ARRIVALS_STATIC;
  pm_serve(plan, &alone, &p, 1);
  return p.expert_time > 0;
}

static int visit_run(service_rows *all, const pm_serving_run *run, pm_error *error)
{
  const pm_plan *plan = all->setup->plan;
  int status = pm__plan_check_place("system", run->system_index, plan->system_count, error);
  if (status == PM_OK) status = pm__serve_check_sizes(run, error);
  if (status == PM_OK)
    status = pm__size_check_least(all->goal->minimize, run->carbon, run->energy_price, error);
  if (status != PM_OK) return status;
  all->system = &plan->systems[run->system_index];
  const pm__plan_site site = PM__PLAN_SITE(run);
  all->wanted = run->rate;
  all->fed = pm__energy_budget_nodes(all->system->system, site);
  all->limits = pm__serving_goal_of(all->goal, run);
  all->price = run->gpu_hour_price;
  if (all->setup->prices != NULL && !isnan(all->setup->prices[all->choice]))
    all->price = all->setup->prices[all->choice];
  const pm__service_layouts layouts = {all->goal, all->setup->given, (int)all->system->system->gpu_count,
                                       all->goal->layouts == PM_SERVING_LAYOUTS_ALL && has_experts(plan, run)};
  pm__service_layouts_walk(&layouts, run, all->goal->front ? front_layout : size_layout, all);
  return all->failed ? pm__no_memory(error) : PM_OK;
}

static int visit_all(service_rows *all, pm_error *error)
{
  const pm__record_array theirs = {"serving_run", all->setup->runs, all->setup->run_size};
  pm_serving_run own;
  int status = PM_OK;
  for (all->choice = 0; all->choice < all->setup->count && status == PM_OK; all->choice++) {
    const pm_serving_run *run = (const pm_serving_run *)pm__record_read(&theirs, all->choice, &own);
    status = visit_run(all, run, error);
  }
  if (status == PM_OK && all->count == 0)
    return pm__fail(error, PM_STATUS_UNREACHABLE, "no layout reaches a TTFT of %.3g s and a TPOT of %.3g ms",
                    all->limits.ttft, 1e3 * all->limits.tpot);
  return status;
}

pm_table *pm__serving_goal_tabulate(const pm_serving_goal_setup *setup, const pm_serving_goal *goal, pm_error *error)
{
  pm_table *table = NULL;
  pm__serving_memos memos;
  service_rows all = {.setup = setup, .goal = goal, .memos = &memos};
  pm__serving_memos_clear(&memos);
  int status = check(setup, goal, error);
  if (status == PM_OK) status = visit_all(&all, error);
  if (status == PM_OK) {
    rank_rows(&all);
    if (goal->top > 0 && (size_t)goal->top < all.count) all.count = (size_t)goal->top;
    table = pm_table_new_of_records(pm_record_type_find("serving_choice"), all.rows, all.count, error);
  }
  free(all.rows);
  return table;
}
