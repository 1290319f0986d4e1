/*
** Networks sharded over GPUs, as a whole: predictions, their laws, what is refused, the search.
*/
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "fixtures.h"
#include "search/parallel_search.h"
#include "shipped.h"

static pm_network *network;
static pm_system *host;
static pm_plan *plan;

static void set_up(void)
{
  pm_error error = PM_ERROR_NONE;
  open_catalog();
  network = pm_catalog_new_network(catalog, "gpt3-13b", NULL, 0, &error);
  host = pm_catalog_new_system(catalog, "dgx-a100-80gb", &error);
  const pm_network *networks[] = {network};
  const pm_system *systems[] = {host};
  plan = network != NULL && host != NULL ? pm_plan_new(networks, 1, systems, 1, &error) : NULL;
  ck_assert_msg(plan != NULL, "%s", error.text);
}

static void tear_down(void)
{
  pm_plan_free(plan);
  pm_system_free(host);
  pm_network_free(network);
  close_catalog();
}

/* 64 GPUs, 8 samples on each data-parallel rank, memory left aside. */
static pm_run base(void)
{
  pm_run run = pm_run_make();
  run.gpus = 8;
  run.nodes = 8;
  run.batch = 64;
  run.micro_batch = 1;
  run.precision = PM_PRECISION_BF16;
  run.optimizer = PM_OPTIMIZER_ADAM;
  run.ignore_memory = 1;
  return run;
}

static pm_prediction predict(const pm_run *run)
{
  pm_prediction p;
  pm_error error = PM_ERROR_NONE;
  ck_assert_msg(pm_run_check(plan, run, &error) == PM_OK, "%s", error.text);
  ck_assert_int_eq(pm_predict(plan, run, &p, 1), PM_OK);
  ck_assert_int_eq(p.status, PM_OK);
  return p;
}

static pm_run shared_out(int tensor, int pipeline)
{
  pm_run run = base();
  run.tensor_parallel = tensor;
  run.pipeline_parallel = pipeline;
  run.sequence_parallel = tensor > 1;
  return run;
}

/* Host seconds of Mixtral's step, its experts over so many GPUs, launched at once or one by one. */
static double host_of_experts(pm_framework_profile *profile, int each, int over, const pm_run *like)
{
  pm_error error = PM_ERROR_NONE;
  pm_prediction p;
  pm_network *mixtral = pm_catalog_new_network(catalog, "mixtral-8x7b", NULL, 0, &error);
  const pm_network *networks[] = {mixtral};
  const pm_system *systems[] = {host};
  pm_plan *own = mixtral != NULL ? pm_plan_new(networks, 1, systems, 1, &error) : NULL;
  ck_assert_msg(own != NULL, "%s", error.text);
  profile->framework.launches_experts = each;
  pm_run run = *like;
  run.expert_parallel = over;
  run.framework_index = pm_plan_add_framework(own, profile, &error);
  ck_assert_int_eq(pm_predict(own, &run, &p, 1), PM_OK);
  pm_plan_free(own);
  pm_network_free(mixtral);
  return p.launch_time;
}

/* A call for each of two products in three passes and 32 layers, for each further expert of a GPU. */
START_TEST(experts_are_launched_at_once_or_one_by_one)
{
  pm_framework_profile profile;
  pm_run run = base();
  ck_assert_int_eq(pm_catalog_get_framework(catalog, "megatron-core-0.12", &profile, NULL), PM_OK);
  for (int over = 1; over <= 8; over *= 2) {
    double calls = 64 * 2 * 3 * 32 * (8.0 / over - 1);
    double more = host_of_experts(&profile, 1, over, &run) - host_of_experts(&profile, 0, over, &run);
    ck_assert_double_eq_tol(more, calls * profile.framework.kernel_time, 1e-9);
  }
}
END_TEST

/* Seconds of exchanges of Mixtral's experts on the machine, over so many GPUs. */
static pm_prediction of_experts(const pm_plan *own, int over, int dispatch, int overlap, double batch)
{
  pm_prediction p;
  pm_run run = base();
  run.batch = batch;
  run.expert_parallel = over;
  run.expert_dispatch = dispatch;
  run.expert_overlap = overlap;
  ck_assert_int_eq(pm_predict(own, &run, &p, 1), PM_OK);
  ck_assert_int_eq(p.status, PM_OK);
  return p;
}

/* A token's 8 of 64 experts are on fewer than 8 GPUs, and on no more than the two nodes. */
START_TEST(copies_for_nodes_are_fewer_than_for_experts)
{
  pm_error error = PM_ERROR_NONE;
  const pm_attribute many[] = {{"experts", "64"}, {"top_k", "8"}, {"expert_ffn", "1024"}};
  pm_network *moe = pm_catalog_new_network(catalog, "moe", many, 3, &error);
  const pm_network *networks[] = {moe};
  const pm_system *systems[] = {host};
  pm_plan *own = moe != NULL ? pm_plan_new(networks, 1, systems, 1, &error) : NULL;
  ck_assert_msg(own != NULL, "%s", error.text);
  for (int over = 2; over <= 64; over *= 2) {
    double each = of_experts(own, over, PM_EXPERT_DISPATCH_ALL_TO_ALL, 0, 64).expert_communication_time;
    double fewer = of_experts(own, over, PM_EXPERT_DISPATCH_DEEPEP, 0, 64).expert_communication_time;
    ck_assert(fewer > 0 && fewer < each);
    if (over == 16) ck_assert(fewer < 0.5 * each); /* 2 of 8 copies go to the other node */
  }
  pm_plan_free(own);
  pm_network_free(moe);
}
END_TEST

/* With the passes of another micro-batch beside them exchanges take less, and no less than what nothing hides. */
START_TEST(exchanges_of_experts_hide_behind_another_micro_batch)
{
  pm_error error = PM_ERROR_NONE;
  pm_network *mixtral = pm_catalog_new_network(catalog, "mixtral-8x7b", NULL, 0, &error);
  const pm_network *networks[] = {mixtral};
  const pm_system *systems[] = {host};
  pm_plan *own = mixtral != NULL ? pm_plan_new(networks, 1, systems, 1, &error) : NULL;
  ck_assert_msg(own != NULL, "%s", error.text);
  double open = of_experts(own, 8, 0, 0, 64).expert_communication_time;
  double hidden = of_experts(own, 8, 0, 1, 64).expert_communication_time;
  ck_assert(hidden > open / 64 && hidden < open / 2);
  pm_prediction alone = of_experts(own, 8, 0, 0, 1), same = of_experts(own, 8, 0, 1, 1);
  ck_assert_mem_eq(&alone, &same, sizeof alone);
  pm_plan_free(own);
  pm_network_free(mixtral);
}
END_TEST

/* ---- Laws ---- */

/* The step is its parts, on one stage and on several. */
START_TEST(parts_are_the_step)
{
  static const int plans[][2] = {{8, 1}, {4, 4}, {1, 8}, {8, 8}};
  for (int i = 0; i < 4; i++) {
    pm_run run = shared_out(plans[i][0], plans[i][1]);
    run.recompute = i % 2 ? PM_RECOMPUTE_FULL : PM_RECOMPUTE_NONE;
    pm_prediction p = predict(&run);
    double kernels = p.forward_time + p.dgrad_time + p.wgrad_time + p.recompute_time + p.update_time;
    ck_assert_double_eq_tol(p.compute_time / kernels, 1, 1e-12);
    double exchanges = p.tensor_communication_time + p.context_communication_time + p.expert_communication_time +
                       p.pipeline_communication_time + p.exposed_data_communication_time;
    ck_assert_double_eq_tol(p.exposed_communication_time / exchanges, 1, 1e-12);
    double step = p.compute_time + p.launch_overhead_time + exchanges + p.straggler_wait_time + p.bubble_time;
    ck_assert_double_eq_tol(p.step_time / step, 1, 1e-12);
    ck_assert_int_eq(p.data_parallel, 64 / (plans[i][0] * plans[i][1]));
    ck_assert_double_eq(p.micro_batches, 64);
    ck_assert((p.bubble_time > 0) == (plans[i][1] > 1));
    ck_assert((p.recompute_time > 0) == (run.recompute != PM_RECOMPUTE_NONE));
    ck_assert(p.hfu >= p.mfu && p.mfu > 0.05 && p.mfu < 1);
  }
}
END_TEST

/* One at a time gives the bits of many at once. */
START_TEST(batch_equals_scalar)
{
  pm_run runs[6];
  pm_prediction many[6];
  for (int i = 0; i < 6; i++) {
    runs[i] = shared_out(1 << (i % 4), 1 << (i / 2));
    runs[i].zero = i % 2;
  }
  ck_assert_int_eq(pm_predict(plan, runs, many, 6), PM_OK);
  for (int i = 0; i < 6; i++) {
    pm_prediction one = predict(&runs[i]);
    ck_assert_mem_eq(&one, &many[i], sizeof one);
  }
}
END_TEST

/* A batch in micro-batches accumulates gradients over them. */
START_TEST(micro_batches_are_accumulation)
{
  pm_run cut = base(), whole = base();
  whole.batch = 1;
  whole.micro_batch = NAN;
  whole.gradient_accumulation_steps = 64;
  pm_prediction a = predict(&cut), b = predict(&whole);
  ck_assert_double_eq(a.step_time, b.step_time);
  ck_assert_double_eq(a.throughput, b.throughput);
  ck_assert_double_eq(a.memory, b.memory);
}
END_TEST

/* Sharing nothing but the optimizer costs about what data parallelism does, and memory falls with every stage. */
START_TEST(zero_stages)
{
  pm_run run = base();
  run.micro_batch = run.batch = 1;
  double memory = predict(&run).memory, step = predict(&run).step_time;
  for (run.zero = 1; run.zero <= 3; run.zero++) {
    pm_prediction p = predict(&run);
    ck_assert_msg(p.memory < memory, "zero %d: %g", run.zero, p.memory);
    ck_assert_msg(p.step_time < 2 * step, "zero %d: %g s", run.zero, p.step_time);
    memory = p.memory;
  }
}
END_TEST

START_TEST(memory_falls_with_degrees)
{
  double last = INFINITY;
  for (int t = 1; t <= 8; t *= 2) {
    pm_run run = shared_out(t, 4);
    double memory = predict(&run).memory;
    ck_assert(memory < last);
    last = memory;
  }
  pm_run none = shared_out(8, 4), full = none;
  full.recompute = PM_RECOMPUTE_FULL;
  ck_assert(predict(&full).memory < predict(&none).memory);
}
END_TEST

/* More chunks, a shorter bubble; zero-bubble schedules, shorter than 1f1b. */
START_TEST(schedules_in_order)
{
  pm_run run = shared_out(1, 8);
  double last = predict(&run).bubble_time;
  run.virtual_pipeline = 5;
  ck_assert(predict(&run).bubble_time < last);
  run.virtual_pipeline = 1;
  run.pipeline_schedule = PM_PIPELINE_SCHEDULE_ZB_H1;
  double h1 = predict(&run).bubble_time;
  run.pipeline_schedule = PM_PIPELINE_SCHEDULE_ZB_H2;
  ck_assert(h1 < last && predict(&run).bubble_time <= h1);
}
END_TEST

/* ---- What is refused ---- */

static void refuse(pm_run run, const char *why)
{
  pm_prediction p;
  pm_error error = PM_ERROR_NONE;
  ck_assert_int_ne(pm_run_check(plan, &run, &error), PM_OK);
  ck_assert_msg(strstr(error.text, why) != NULL, "\"%s\" has no \"%s\"", error.text, why);
  pm_predict(plan, &run, &p, 1);
  ck_assert_int_ne(p.status, PM_OK);
  ck_assert(isnan(p.step_time));
}

#define REFUSED(field, value, why) \
  do {                             \
    pm_run bad = base();           \
    bad.field = value;             \
    refuse(bad, why);              \
  } while (0)

START_TEST(bad_plans)
{
  REFUSED(tensor_parallel, 0, "tensor_parallel 0 is not at least 1");
  REFUSED(tensor_parallel, -8, "tensor_parallel -8");
  REFUSED(tensor_parallel, 3, "3 x 1 x 1 = 3");
  REFUSED(tensor_parallel, 64, "heads");
  REFUSED(tensor_parallel, INT32_MAX, "more than 1048576");
  REFUSED(pipeline_parallel, 0, "pipeline_parallel 0");
  REFUSED(pipeline_parallel, 64, "40 layers, fewer than 64 stages");
  REFUSED(pipeline_parallel, 128, "not a multiple");
  REFUSED(virtual_pipeline, 0, "virtual_pipeline 0");
  REFUSED(context_parallel, -1, "context_parallel -1");
  REFUSED(expert_parallel, 0, "expert_parallel 0");
  REFUSED(sequence_parallel, 2, "sequence_parallel 2");
  REFUSED(pipeline_schedule, 99, "pipeline_schedule 99");
  REFUSED(pipeline_schedule, -1, "pipeline_schedule -1");
  REFUSED(zero, 4, "zero 4");
  REFUSED(zero, -1, "zero -1");
  REFUSED(shard_group, -1, "shard_group -1");
  REFUSED(recompute, 4, "recompute 4");
  REFUSED(recompute_layers, -1, "recompute_layers -1");
  REFUSED(gradient_bytes, 3, "gradient_bytes 3");
  REFUSED(micro_batch, 3, "not a multiple of micro_batch 3");
  REFUSED(micro_batch, 0, "micro_batch 0");
  REFUSED(micro_batch, -1, "micro_batch -1");
  REFUSED(precision, PM_PRECISION_FP8, "fp8");
  pm_run run = base();
  run.zero = 3;
  run.shard_group = 7;
  refuse(run, "shard_group 7");
  run = shared_out(1, 8);
  run.virtual_pipeline = 2;
  run.batch = 7;
  refuse(run, "7 micro-batches are fewer than the 8 stages");
  run = shared_out(1, 8);
  run.virtual_pipeline = 6;
  refuse(run, "fewer than 8 stages of 6 chunks");
  run = shared_out(1, 8);
  run.pipeline_schedule = PM_PIPELINE_SCHEDULE_ZB_H1;
  run.recompute = PM_RECOMPUTE_FULL;
  refuse(run, "that recomputation drops");
  run.recompute = PM_RECOMPUTE_NONE;
  run.virtual_pipeline = 2;
  refuse(run, "virtual_pipeline 2");
  run = shared_out(2, 1);
  run.rank_order = 99;
  refuse(run, "rank_order 99");
  run = shared_out(2, 1);
  run.micro_batch = NAN;
  run.batch = 0;
  refuse(run, "batch 0");
  run = shared_out(2, 1);
  run.expert_imbalance = 0.5;
  refuse(run, "expert_imbalance 0.5");
  run = shared_out(2, 1);
  run.capacity_factor = 0;
  refuse(run, "capacity_factor 0");
  run = shared_out(2, 1);
  run.stage_layers = 7;
  refuse(run, "stage_layers 7");
}
END_TEST

/* ---- Search ---- */

static char *best_text(const pm_search *search, const size_t *cuts, size_t count)
{
  pm_error error = PM_ERROR_NONE;
  pm_search_result *all = pm_search_result_new(search, 20, PM_MINIMIZE_NODES, &error);
  for (size_t i = 0; i + 1 < count; i++) {
    pm_search_result *part = pm_search_result_new(search, 20, PM_MINIMIZE_NODES, &error);
    ck_assert_int_eq(pm_search_evaluate(search, cuts[i], cuts[i + 1], part), PM_OK);
    ck_assert_int_eq(pm_search_result_add(all, part), PM_OK);
    pm_search_result_free(part);
  }
  pm_table *table = pm__search_result_tabulate(all, PM_SEARCH_VIEW_PLANS, &error);
  pm_table *front = pm__search_result_tabulate(all, PM_SEARCH_VIEW_FRONT, &error);
  pm_table *choices = pm_study_tabulate_search(NULL, NULL, all, PM_SEARCH_VIEW_CHOICES, &error);
  char *text[] = {pm_table_format(table, PM_FORMAT_CSV, 0, &error), pm_table_format(front, PM_FORMAT_CSV, 0, &error),
                  pm_table_format(choices, PM_FORMAT_CSV, 0, &error)};
  size_t size = strlen(text[0]) + strlen(text[1]) + strlen(text[2]) + 1;
  char *joined = (char *)malloc(size);
  strcpy(joined, text[0]);
  strcat(joined, text[1]);
  strcat(joined, text[2]);
  for (int i = 0; i < 3; i++) pm_string_free(text[i]);
  pm_table_free(table);
  pm_table_free(front);
  pm_table_free(choices);
  pm_search_result_free(all);
  return joined;
}

/* However the plans are distributed, the answer has the same bytes; and no plan is faster than the best. */
START_TEST(search_does_not_depend_on_ranges)
{
  pm_error error = PM_ERROR_NONE;
  pm_run run = pm_search_base_make();
  run.gpus = 8;
  run.nodes = 4;
  run.precision = PM_PRECISION_BF16;
  run.optimizer = PM_OPTIMIZER_ADAM;
  pm_search *search = pm_search_new(plan, &run, 1, 64, &error);
  ck_assert_msg(search != NULL, "%s", error.text);
  size_t count = pm_search_count(search);
  ck_assert(count > 500);
  const size_t one[] = {0, count}, several[] = {0, 1, 17, count / 3, count / 2, count};
  char *a = best_text(search, one, 2), *b = best_text(search, several, 6);
  ck_assert_str_eq(a, b);
  free(a);
  free(b);
  pm_search_result *best = pm_search_result_new(search, 1, PM_MINIMIZE_NODES, &error);
  ck_assert_int_eq(pm_search_evaluate(search, 0, count, best), PM_OK);
  ck_assert_uint_eq(pm_search_result_count(best, 0), count);
  double least = INFINITY;
  for (size_t i = 0; i < count; i++) {
    pm_prediction p;
    ck_assert_int_eq(pm_search_get_run(search, i, &run), PM_OK);
    pm_predict(plan, &run, &p, 1);
    if (p.status == PM_OK && p.step_time < least) least = p.step_time;
  }
  pm_table *table = pm__search_result_tabulate(best, PM_SEARCH_VIEW_PLANS, &error);
  const char *const name = "step_time";
  ck_assert_int_eq(pm_table_keep(table, &name, 1, &error), PM_OK);
  ck_assert_double_eq(pm_table_get_numbers(table, 0)[0], least);
  pm_table_free(table);
  pm_search_result_free(best);
  pm_search_free(search);
}
END_TEST

static pm_search_result *all_of(const pm_search *search, size_t top)
{
  pm_error error = PM_ERROR_NONE;
  pm_search_result *result = pm_search_result_new(search, top, PM_MINIMIZE_NODES, &error);
  ck_assert_msg(result != NULL, "%s", error.text);
  ck_assert_int_eq(pm_search_evaluate(search, 0, pm_search_count(search), result), PM_OK);
  return result;
}

static pm_search *search_from(const pm_run *bases, size_t count)
{
  pm_error error = PM_ERROR_NONE;
  pm_search *search = pm_search_new(plan, bases, count, 64, &error);
  ck_assert_msg(search != NULL, "%s", error.text);
  return search;
}

/* GPUs in all are whole nodes; plans of several counts are those of each; no plan of the front is better than another
** in everything, and every plan is no better than some of the front. */
START_TEST(front_of_several_counts)
{
  pm_run bases[3];
  size_t count = 0, number;
  for (int i = 0; i < 3; i++) {
    bases[i] = pm_search_base_make();
    bases[i].gpus = 8;
    bases[i].nodes = 1 << i;
    bases[i].precision = PM_PRECISION_BF16;
    pm_search *one = search_from(&bases[i], 1);
    count += pm_search_count(one);
    pm_search_free(one);
  }
  pm_search *search = search_from(bases, 3);
  ck_assert_uint_eq(pm_search_count(search), count);
  pm_search_result *result = all_of(search, 5);
  pm_prediction front[512], p;
  double gpus[512];
  size_t kept = 0;
  pm_run run;
  while (kept < 512 && pm_search_result_get_plan(result, PM_SEARCH_VIEW_FRONT, kept, &number) == PM_OK) {
    ck_assert_int_eq(pm_search_get_run(search, number, &run), PM_OK);
    ck_assert_int_eq(run.gpus, 8);
    gpus[kept] = (double)run.gpus * run.nodes;
    pm_predict(plan, &run, &front[kept++], 1);
  }
  ck_assert(kept > 5 && kept < 512);
  bool seen[33] = {false};
  for (size_t i = 0; i < kept; i++) seen[(int)gpus[i]] = true;
  ck_assert(seen[8] && seen[16] && seen[32]);
  for (size_t n = 0; n < count; n++) {
    pm_search_get_run(search, n, &run);
    pm_predict(plan, &run, &p, 1);
    bool met = p.status != PM_OK;
    for (size_t i = 0; i < kept && !met; i++)
      met = front[i].step_time <= p.step_time && front[i].memory <= p.memory && gpus[i] <= (double)run.gpus * run.nodes;
    ck_assert_msg(met, "plan %zu is better than the front", n);
  }
  for (size_t i = 0; i < kept; i++)
    for (size_t j = 0; j < kept; j++)
      ck_assert(i == j || front[i].step_time > front[j].step_time || front[i].memory > front[j].memory ||
                gpus[i] > gpus[j] ||
                (front[i].step_time == front[j].step_time && front[i].memory == front[j].memory && gpus[i] == gpus[j]));
  pm_search_result_free(result);
  pm_search_free(search);
}
END_TEST

/* No other choice of the same field is faster than the row of why. */
static void check_others(const pm_table *why, const pm_search_result *result)
{
  char a[PM_TEXT_MAX], b[PM_TEXT_MAX];
  pm_table *all = pm_study_tabulate_search(NULL, NULL, result, PM_SEARCH_VIEW_CHOICES, NULL);
  for (size_t i = 0; i < pm_table_count_rows(why); i++)
    for (size_t k = 0; k < pm_table_count_rows(all); k++) {
      bool same = strcmp(pm_table_get_text(why, 0, i, a), pm_table_get_text(all, 0, k, b)) == 0;
      bool chosen = strcmp(pm_table_get_text(all, 1, k, a), pm_table_get_text(all, 2, k, b)) == 0;
      if (same && !chosen) ck_assert(!(pm_table_get_numbers(all, 4)[k] < pm_table_get_numbers(why, 4)[i]));
    }
  pm_table_free(all);
}

/* Rows of why are the best that a search with that value finds, where it lists the same plans: a schedule, a ZeRO stage
** and chunks that are asked for may be combined with more. */
START_TEST(why_is_what_other_searches_find)
{
  pm_error error = PM_ERROR_NONE;
  char text[PM_TEXT_MAX];
  pm_run base = pm_search_base_make(), run;
  base.gpus = 8;
  base.nodes = 4;
  base.precision = PM_PRECISION_BF16;
  base.optimizer = PM_OPTIMIZER_ADAM;
  pm_search *search = search_from(&base, 1);
  pm_search_result *result = all_of(search, 1);
  size_t number;
  ck_assert_int_eq(pm_search_result_get_plan(result, PM_SEARCH_VIEW_PLANS, 0, &number), PM_OK);
  ck_assert_int_eq(pm_search_result_get_plan(result, PM_SEARCH_VIEW_PLANS, 1, &number), PM_STATUS_NOT_FOUND);
  pm_table *table = pm_study_tabulate_search(NULL, NULL, result, PM_SEARCH_VIEW_WHY, &error);
  ck_assert_msg(table != NULL, "%s", error.text);
  size_t rows = pm_table_count_rows(table);
  ck_assert(rows >= 5);
  for (size_t i = 0; i < rows; i++) {
    const pm_field *field = pm_record_find_field(pm_record_type_find("run"), pm_table_get_text(table, 0, i, text));
    ck_assert_ptr_nonnull(field);
    pm_run fixed = base;
    ck_assert_int_eq(pm_record_set(field, &fixed, pm_table_get_text(table, 2, i, text), &error), PM_OK);
    pm_search *other = search_from(&fixed, 1);
    pm_search_result *best = all_of(other, 1);
    if (pm_search_result_get_plan(best, PM_SEARCH_VIEW_PLANS, 0, &number) == PM_OK) {
      pm_prediction p;
      pm_search_get_run(other, number, &run);
      pm_predict(plan, &run, &p, 1);
      double time = pm_table_get_numbers(table, 4)[i];
      int more = strstr("pipeline_schedule zero virtual_pipeline", field->name) != NULL;
      ck_assert_msg(more ? p.step_time <= time : p.step_time == time, "%s: %g, not %g", field->name, time, p.step_time);
      ck_assert(pm_table_get_numbers(table, 5)[i] >= 0);
    } else ck_assert_str_eq(pm_table_get_text(table, 8, i, text), "memory");
    pm_search_result_free(best);
    pm_search_free(other);
  }
  check_others(table, result);
  pm_table_free(table);
  pm_search_result_free(result);
  pm_search_free(search);
}
END_TEST

/* What cannot be searched from says so in a line. */
/* The first plan has least of what is minimised, of all plans of all counts. */
START_TEST(searches_minimise)
{
  static const pm_minimize least[] = {PM_MINIMIZE_ENERGY, PM_MINIMIZE_CARBON, PM_MINIMIZE_ENERGY_COST,
                                      PM_MINIMIZE_COST};
  pm_run bases[2];
  for (int i = 0; i < 2; i++) {
    bases[i] = pm_search_base_make();
    bases[i].precision = PM_PRECISION_FP16;
    bases[i].gpus = 4 * (i + 1);
    bases[i].carbon = 400;
    bases[i].energy_price = 0.1;
  }
  pm_search *search = search_from(bases, 2);
  for (size_t k = 0; k < sizeof least / sizeof least[0]; k++) {
    size_t first;
    double values[2] = {NAN, INFINITY};
    pm_search_result *result = pm_search_result_new(search, 3, least[k], NULL);
    ck_assert_int_eq(pm_search_evaluate(search, 0, pm_search_count(search), result), PM_OK);
    ck_assert_int_eq(pm_search_result_get_plan(result, PM_SEARCH_VIEW_PLANS, 0, &first), PM_OK);
    for (size_t i = 0; i < pm_search_count(search); i++) {
      pm_run run;
      pm_prediction p;
      pm_search_get_run(search, i, &run);
      pm_predict(plan, &run, &p, 1);
      if (p.status != PM_OK) continue;
      double value = least[k] == PM_MINIMIZE_COST ? run.gpus * p.step_time : p.site_energy_per_sample;
      values[1] = fmin(values[1], value);
      if (i == first) values[0] = value;
    }
    ck_assert_double_eq_tol(values[0] / values[1], 1, 1e-12);
    pm_search_result_free(result);
  }
  ck_assert_ptr_null(pm_search_result_new(search, 3, PM_MINIMIZE_RACK_UNITS, NULL));
  pm_search_free(search);
  bases[0].carbon = NAN;
  search = search_from(bases, 2);
  ck_assert_ptr_null(pm_search_result_new(search, 3, PM_MINIMIZE_CARBON, NULL));
  pm_search_free(search);
}
END_TEST

START_TEST(bad_searches)
{
  pm_run good = pm_search_base_make();
  good.gpus = 8;
  good.precision = PM_PRECISION_BF16;
  pm_run runs[9];
  for (int i = 0; i < 9; i++) runs[i] = good;
  runs[0].gpus = 12;
  runs[1].gpus = -8;
  runs[2].system_index = 1;
  runs[3].framework_index = 3;
  runs[4].precision = 99;
  runs[5].tensor_parallel = 0;
  runs[6].micro_batch = 0.5;
  runs[7].zero = -2;
  runs[8].tensor_parallel = 3;
  for (int i = 0; i < 9; i++) {
    pm_error error = PM_ERROR_NONE;
    ck_assert_ptr_null(pm_search_new(plan, &runs[i], 1, 64, &error));
    ck_assert_msg(error.status != PM_OK && strlen(error.text) > 10, "%d", i);
  }
  ck_assert_ptr_null(pm_search_new(plan, &good, 0, 64, NULL));
  ck_assert_ptr_null(pm_search_new(plan, &good, 1, 0, NULL));
  ck_assert_ptr_null(pm_search_new(plan, &good, 1, NAN, NULL));
  pm_search *search = search_from(&good, 1);
  ck_assert_ptr_null(pm_search_result_new(search, 0, PM_MINIMIZE_NODES, NULL));
  pm_search_free(search);
}
END_TEST

/* Young and Daly on published clusters; Llama 3's 419 interruptions in 54 days, arXiv:2407.21783. */
START_TEST(goodput)
{
  pm_goodput g = {.mtbf = 76992, .checkpoint = 60, .restart = 600, .interval = NAN};
  ck_assert_int_eq(pm_goodput_evaluate(&g, NULL), PM_OK);
  ck_assert_double_eq_tol(g.young, 3040, 1);
  ck_assert_double_eq_tol(g.interval, 3000, 1);
  ck_assert_double_eq_tol(g.goodput, 0.9536, 1e-4);
  g = (pm_goodput){.mtbf = 10008, .checkpoint = 30, .restart = 600, .interval = NAN};
  ck_assert_int_eq(pm_goodput_evaluate(&g, NULL), PM_OK);
  ck_assert_double_eq_tol(g.interval, 755, 1);
  ck_assert_double_eq_tol(g.goodput, 0.8707, 1e-4);
  g.mtbf = 0;
  ck_assert_int_eq(pm_goodput_evaluate(&g, NULL), PM_STATUS_BAD_ARGUMENT);
}
END_TEST

static double cell(const pm_table *table, const char *name, size_t row)
{
  size_t i = 0;
  while (strcmp(pm_table_get_column(table, i)->name, name) != 0) i++;
  return pm_table_get_numbers(table, i)[row];
}

static pm_table *deadline(const pm_run *run, const pm_training_goal *goal)
{
  pm_error error = PM_ERROR_NONE;
  pm_table *table = pm_training_tabulate(plan, run, 64, goal, &error);
  ck_assert_msg(table != NULL, "%s", error.text);
  return table;
}

/* The fastest step that a search finds on so many nodes; NAN if none. */
static double fastest_on(const pm_run *base, int nodes)
{
  pm_run run = *base;
  pm_prediction p = {.step_time = NAN};
  size_t number;
  run.gpus = 8;
  run.nodes = nodes;
  pm_search *search = pm_search_new(plan, &run, 1, 64, NULL);
  if (search == NULL) return NAN;
  pm_search_result *result = all_of(search, 1);
  if (pm_search_result_get_plan(result, PM_SEARCH_VIEW_PLANS, 0, &number) == PM_OK) {
    pm_search_get_run(search, number, &run);
    pm_predict(plan, &run, &p, 1);
  }
  pm_search_result_free(result);
  pm_search_free(search);
  return p.step_time;
}

/* The last count meets the deadline and none before it does; without failures the time is that of the steps. */
START_TEST(fewest_nodes_for_a_deadline)
{
  pm_run base = pm_search_base_make();
  base.precision = PM_PRECISION_BF16;
  base.optimizer = PM_OPTIMIZER_ADAM;
  pm_training_goal goal = pm_training_goal_make();
  goal.samples = 1000 * 64 - 3;
  goal.within = 1000 * fastest_on(&base, 3) * 0.999;
  pm_table *table = deadline(&base, &goal);
  size_t last = pm_table_count_rows(table) - 1;
  int nodes = (int)cell(table, "nodes", last);
  ck_assert(nodes > 3 && cell(table, "reached", last) >= 1);
  ck_assert_double_eq(cell(table, "time", last), 1000 * fastest_on(&base, nodes));
  ck_assert_double_eq(cell(table, "goodput", last), 1);
  ck_assert_double_eq(cell(table, "gpu_hours", last), 8 * nodes * cell(table, "time", last) / 3600);
  for (int n = 1; n < nodes; n++)
    ck_assert_msg(!(1000 * fastest_on(&base, n) <= goal.within), "%d nodes are enough", n);
  for (size_t i = 1; i <= last; i++) ck_assert(cell(table, "time", i) < cell(table, "time", i - 1));
  pm_table_free(table);

  goal.tokens = goal.samples * 2048;
  goal.samples = NAN;
  goal.max_nodes = 2;
  table = deadline(&base, &goal);
  ck_assert(cell(table, "reached", pm_table_count_rows(table) - 1) < 1);
  pm_table_free(table);
}
END_TEST

/* Of all plans on so many nodes that meet the deadline, the least energy; INFINITY if none does. */
static double least_on(const pm_run *base, int nodes, const pm_training_goal *goal)
{
  double least = INFINITY;
  pm_run run = *base;
  run.gpus = 8;
  run.nodes = nodes;
  run.samples = goal->samples;
  run.pue = goal->pue;
  pm_search *search = pm_search_new(plan, &run, 1, 64, NULL);
  for (size_t i = 0; search != NULL && i < pm_search_count(search); i++) {
    pm_prediction p;
    pm_search_get_run(search, i, &run);
    pm_predict(plan, &run, &p, 1);
    if (p.status == PM_OK && p.training_time <= goal->within) least = fmin(least, p.training_energy);
  }
  pm_search_free(search);
  return least;
}

/* Least energy looks at all counts: no plan on any of them that meets the deadline needs less; and a limit of the
** boards below their own needs less still. */
START_TEST(least_energy_for_a_deadline)
{
  double before = INFINITY;
  pm_run base = pm_search_base_make();
  base.precision = PM_PRECISION_BF16;
  base.optimizer = PM_OPTIMIZER_ADAM;
  pm_training_goal goal = pm_training_goal_make();
  goal.samples = 1000 * 64;
  goal.within = 1000 * fastest_on(&base, 3) * 1.05;
  goal.minimize = PM_MINIMIZE_ENERGY;
  goal.max_nodes = 8;
  goal.pue = 1.2;
  for (int i = 0; i < 2; i++, base.power_limit = 0.7 * pm_system_get_gpu(host)->power) {
    double least = INFINITY;
    pm_table *table = deadline(&base, &goal);
    size_t last = pm_table_count_rows(table) - 1;
    for (int n = 1; n <= goal.max_nodes; n++) least = fmin(least, least_on(&base, n, &goal));
    ck_assert_double_eq(cell(table, "energy", last), least);
    ck_assert(cell(table, "reached", last) >= 1 && least < before);
    pm_table_free(table);
    before = least;
  }
}
END_TEST

/* Failures of GPUs and of nodes add up; a checkpoint is what the network's weights and optimizer take to be written. */
START_TEST(deadline_counts_failures)
{
  pm_run base = pm_search_base_make();
  base.precision = PM_PRECISION_BF16;
  base.optimizer = PM_OPTIMIZER_ADAM;
  pm_training_goal goal = pm_training_goal_make();
  goal.samples = 64e4;
  goal.within = 1e4 * fastest_on(&base, 2) * 1.1;
  goal.gpu_mtbf = 100 * 86400;
  goal.node_mtbf = 50 * 86400;
  goal.checkpoint_rate = 10e9;
  goal.restart = 300;
  goal.price = 2;
  goal.gpu_hour_price = 3;
  pm_table *table = deadline(&base, &goal);
  size_t last = pm_table_count_rows(table) - 1;
  double nodes = cell(table, "nodes", last);
  pm_goodput g = {.mtbf = 86400 / (8 * nodes / 100 + nodes / 50),
                  .checkpoint = cell(table, "checkpoint_size", last) / 10e9,
                  .restart = 300, .interval = NAN};
  ck_assert_int_eq(pm_goodput_evaluate(&g, NULL), PM_OK);
  ck_assert_double_eq_tol(cell(table, "mtbf", last), g.mtbf, 1e-9 * g.mtbf);
  ck_assert_double_eq_tol(cell(table, "goodput", last), g.goodput, 1e-12);
  ck_assert_double_eq_tol(cell(table, "time", last), 1e4 * fastest_on(&base, (int)nodes) / g.goodput,
                          1e-9 * goal.within);
  /* FP32 weights and two moments, GPT-3 13B */
  ck_assert_double_eq_tol(cell(table, "checkpoint_size", last), 12 * 12853.8e6, 1e9);
  ck_assert_double_eq(cell(table, "cost", last), 2 * nodes);
  ck_assert_double_eq(cell(table, "gpu_hour_cost", last), 3 * cell(table, "gpu_hours", last));
  pm_table_free(table);
}
END_TEST

/* What is asked wrongly says so in a line. */
START_TEST(bad_deadlines)
{
  pm_run base = pm_search_base_make();
  pm_training_goal goals[8];
  for (int i = 0; i < 8; i++) {
    goals[i] = pm_training_goal_make();
    goals[i].samples = 100;
    goals[i].within = 100;
  }
  goals[0].samples = NAN;
  goals[1].tokens = 100;
  goals[2].within = NAN;
  goals[3].within = -1;
  goals[4].gpu_mtbf = 100;
  goals[5].max_nodes = 0;
  goals[6].pue = 0;
  goals[7].checkpoint_rate = INFINITY;
  for (int i = 0; i < 8; i++) {
    pm_error error = PM_ERROR_NONE;
    ck_assert_ptr_null(pm_training_tabulate(plan, &base, 64, &goals[i], &error));
    ck_assert_msg(error.status == PM_STATUS_BAD_ARGUMENT && strlen(error.text) > 10, "%d: %s", i, error.text);
  }
  pm_error error = PM_ERROR_NONE;
  goals[0].samples = 100;
  ck_assert_ptr_null(pm_training_tabulate(plan, &base, 0.5, &goals[0], &error));
  base.usable_memory = 1e9;
  error = (pm_error)PM_ERROR_NONE;
  goals[0].max_nodes = 2;
  ck_assert_ptr_null(pm_training_tabulate(plan, &base, 64, &goals[0], &error));
  ck_assert_int_eq(error.status, PM_STATUS_DOES_NOT_FIT);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("parallel");
  TCase *tests = tcase_create("parallel");
  tcase_add_checked_fixture(tests, set_up, tear_down);
  tcase_set_timeout(tests, 60);
  tcase_add_test(tests, parts_are_the_step);
  tcase_add_test(tests, experts_are_launched_at_once_or_one_by_one);
  tcase_add_test(tests, copies_for_nodes_are_fewer_than_for_experts);
  tcase_add_test(tests, exchanges_of_experts_hide_behind_another_micro_batch);
  tcase_add_test(tests, batch_equals_scalar);
  tcase_add_test(tests, micro_batches_are_accumulation);
  tcase_add_test(tests, zero_stages);
  tcase_add_test(tests, memory_falls_with_degrees);
  tcase_add_test(tests, schedules_in_order);
  tcase_add_test(tests, bad_plans);
  tcase_add_test(tests, search_does_not_depend_on_ranges);
  tcase_add_test(tests, front_of_several_counts);
  tcase_add_test(tests, why_is_what_other_searches_find);
  tcase_add_test(tests, searches_minimise);
  tcase_add_test(tests, bad_searches);
  tcase_add_test(tests, fewest_nodes_for_a_deadline);
  tcase_add_test(tests, least_energy_for_a_deadline);
  tcase_add_test(tests, deadline_counts_failures);
  tcase_add_test(tests, bad_deadlines);
  tcase_add_test(tests, goodput);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
