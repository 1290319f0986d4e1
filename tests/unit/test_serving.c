/* Serving: sizes of models that are known, laws on random settings, bad input. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "events.h"
#include "fixtures.h"
#include "serving/serve.h"
#include "serving_bench.h"
#include "shipped.h"
#include "software/experts.h"

static pm_serving serve(const serving_bench *b, pm_serving_run run)
{
  pm_serving s;
  memset(&s, 0, sizeof s); /* padding too */
  ck_assert_int_eq(pm_serve(b->plan, &run, &s, 1), PM_OK);
  return s;
}

static pm_serving answer(const serving_bench *b, pm_serving_run run)
{
  pm_serving s = serve(b, run);
  ck_assert_msg(s.status == PM_OK, "%s: status %d", b->name, (int)s.status);
  return s;
}

/* ---- Sizes ---- */

typedef struct size_check {
  const char *network;
  double token, parameters, used; /* bytes of a token in the cache; numbers; those of a token, where known */
} size_check;

static const size_check sizes[] = {
  {"llama2-7b", 524288, 6738415616, 0}, {"llama2-13b", 819200, 13015864320, 0}, {"llama2-70b", 327680, 68976648192, 0},
  {"llama3-8b", 131072, 8030261248, 0}, {"llama3-70b", 327680, 70553706496, 0},
  {"llama3-405b", 516096, 405853388800, 0}, {"mistral-7b", 131072, 7241732096, 0}, {"qwen2-7b", 57344, 7615616512, 0},
  {"qwen3-32b", 262144, 0, 0}, {"mixtral-8x7b", 131072, 46702792704, 12.88e9}, {"qwen3-30b-a3b", 98304, 30532122624, 0},
  {"qwen3-235b-a22b", 192512, 235093634560, 22.19e9}, {"gpt-oss-120b", 73728, 0, 0},
  {"deepseek-v3", 70272, 671026419200, 37.55e9},
};

static double used_of(const pm__serving_model *m)
{
  double used = m->product_parameters + m->head_parameters + m->other_parameters;
  for (int i = 0; i < m->count; i++) {
    const pm__serving_operation *op = &m->operation[i];
    if (op->kind == PM__SERVE_EXPERTS) used += op->count * op->top_k * (op->up + 1) * op->n * op->k;
  }
  return used;
}

START_TEST(sizes_of_models)
{
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    const size_check *c = &sizes[i];
    serving_bench b = serving_bench_open(c->network, "hgx-h200", 1, "vllm-0.11");
    const pm__serving_model *m = pm__serving_model_find(b.plan, 0, 1, NULL);
    ck_assert_ptr_nonnull(m);
    double all = m->product_parameters + m->expert_parameters + m->head_parameters + m->other_parameters;
    ck_assert_msg(2 * m->cache_whole == c->token, "%s: %.0f bytes of a token", c->network, 2 * m->cache_whole);
    ck_assert_msg(c->parameters == 0 || fabs(all / c->parameters - 1) < 1e-6, "%s: %.0f parameters", c->network, all);
    ck_assert_msg(c->used == 0 || fabs(used_of(m) / c->used - 1) < 1e-3, "%s: uses %.4g", c->network, used_of(m));
    serving_bench_close(&b);
  }
}
END_TEST

START_TEST(active_experts)
{
  ck_assert_double_eq_tol(pm__serving_active(8, 2, 1), 2, 1e-12);
  ck_assert_double_eq_tol(pm__serving_active(8, 2, 4), 5.46875, 1e-12);
  ck_assert_double_eq_tol(pm__serving_active(8, 2, 16), 7.9198, 1e-4);
  ck_assert_double_eq_tol(pm__serving_active(256, 8, 1), 8, 1e-9);
  ck_assert_double_eq_tol(pm__serving_active(256, 8, 32), 163.314, 1e-3);
  ck_assert_double_eq_tol(pm__serving_active(256, 8, 128), 251.601, 1e-3);
}
END_TEST

typedef struct least_check {
  const char *network, *system;
  int tensor, weights;
  double time;
} least_check;

/* Weights without the embedding, over the bandwidth of the data sheet. */
START_TEST(least_times)
{
  static const least_check checks[] = {{"llama3-8b", "hgx-h100", 1, PM_STORED_AS_RUN, 4.480e-3},
                                       {"llama3-70b", "hgx-h100", 4, PM_STORED_AS_RUN, 10.373e-3}};
  for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
    const least_check *c = &checks[i];
    serving_bench b = serving_bench_open(c->network, c->system, c->tensor, "vllm-0.11");
    pm_serving_run run = serving_run_on(&b);
    run.weights = c->weights;
    pm__serving_replica r;
    serving_replica_on(&b, &run, &r);
    double sheet = pm_system_get_gpu(b.system)->memory_bandwidth / r.device.wide->bandwidth;
    ck_assert_double_eq_tol(pm__serving_least(&r, 1, 0) / sheet, c->time, 2e-3 * c->time);
    serving_bench_close(&b);
  }
}
END_TEST

/* With 0.9 of the memory and nothing but weights in it: tokens of the cache, and sequences of 4,096. */
START_TEST(tokens_of_the_cache)
{
  serving_bench b = serving_bench_open("llama3-8b", "hgx-h100", 1, "vllm-0.11");
  pm_engine *e = &b.engine.engine;
  e->reserve = e->group_reserve = e->sampler_bytes = 0;
  e->block = 1;
  e->memory_fraction = 0.9;
  ck_assert_int_eq(pm_plan_set_engine(b.plan, 0, &b.engine, NULL), PM_OK);
  pm_serving_run run = serving_run_on(&b);
  run.usable_memory = 80e9;
  run.isl = 3840;
  run.osl = 256;
  pm_serving s = answer(&b, run);
  ck_assert_double_eq_tol(s.cache_tokens, 426784, 1);
  ck_assert_double_eq(s.largest_concurrency, 104);
  run.kv_cache = PM_STORED_FP8;
  ck_assert_double_eq_tol(answer(&b, run).cache_tokens, 853568, 2);
  serving_bench_close(&b);
}
END_TEST

/* Two exchanges of a layer and one of the embedding, of the hidden features of each token. */
START_TEST(exchanges_of_a_pass)
{
  serving_bench b = serving_bench_open("llama3-70b", "hgx-h100", 4, "vllm-0.11");
  const pm__serving_model *m = pm__serving_model_find(b.plan, 0, 4, NULL);
  double count = 0;
  for (int i = 0; i < m->count; i++) {
    const pm__serving_operation *op = &m->operation[i];
    if (op->kind != PM__SERVE_EXCHANGE || op->count < 80) continue;
    count += op->count;
    ck_assert_double_eq(64 * op->n * 2, 1048576);
  }
  ck_assert_double_eq(count, 161);
  serving_bench_close(&b);
}
END_TEST

/* ---- Kernels of an engine's own ---- */

/* Attention [s] of a pass in which sequences decode with 3,072 tokens each, two GPUs of an MI250 sharing a layer. */
static double paged_attention(const char *network, double sequences)
{
  serving_bench b = serving_bench_open(network, "mi250x-node", 2, "vllm-rocm-0.5");
  pm_serving_run run = serving_run_on(&b);
  pm__serving_replica r;
  run.gpus = 2;
  serving_replica_on(&b, &run, &r);
  double time = pm__serving_decode_parts(&r, sequences, 3072).attention;
  serving_bench_close(&b);
  return time;
}

/* Above 512 sequences x heads, of which a GPU has 16, a block reads a whole sequence, and the scores of 8,192 tokens
** leave room for one block on a compute unit, those of 4,096 for three. */
START_TEST(paged_attention_of_whole_sequences)
{
  serving_bench b = serving_bench_open("llama3-8b", "mi250x-node", 2, "vllm-rocm-0.5");
  double rate = b.engine.kernels.paged_rate, units = pm_system_get_gpu(b.system)->sms;
  double clock = pm_system_get_gpu(b.system)->clock, waves = 64 * 16 / units;
  double reading = 32 * waves * 3072 * 512 / (rate * clock); /* of all layers */
  double parts = paged_attention("llama3-8b", 32), whole = paged_attention("llama3-8b", 64);
  ck_assert_double_eq(b.engine.kernels.paged_blocks, 32 * 16);
  ck_assert_msg(whole > reading && whole < 1.15 * reading, "%g s, of which reading %g", whole, reading);
  ck_assert_double_gt(whole, 4 * parts);
  ck_assert_double_lt(paged_attention("llama2-7b", 64), whole / 1.5);
  serving_bench_close(&b);
}
END_TEST

/* Layers of latent attention keep the host busy while prompts are read, and not while sequences decode. */
START_TEST(latent_attention_of_prompts_waits_for_the_host)
{
  serving_bench b = serving_bench_open("deepseek-v3", "hgx-h200", 8, "trtllm-1.0");
  pm_serving_run run = serving_run_on(&b);
  pm__serving_replica r;
  pm_engine quick = b.engine.engine;
  serving_replica_on(&b, &run, &r);
  double host = 61 * quick.latent_time, pass = pm__serving_decode(&r, 8, 99);
  double prompt = pm__serving_prefill(&r, 1, 16, 0);
  ck_assert_double_gt(host, 0);
  ck_assert_double_eq_tol(pm__serving_prompt_calls(&r), host, 1e-9 * host);
  ck_assert_double_gt(prompt, host);
  quick.latent_time = quick.layer_time;
  r.engine = &quick;
  ck_assert_double_lt(pm__serving_prefill(&r, 1, 16, 0), prompt);
  ck_assert_double_eq(pm__serving_decode(&r, 8, 99), pass);
  serving_bench_close(&b);
}
END_TEST

/* ---- Laws ---- */

typedef struct setting {
  serving_bench b[4];
  unsigned long long random;
} setting;

enum { BENCHES = 4, DRAWS = 60 };

static void open_benches(setting *s)
{
  s->random = 7;
  s->b[0] = serving_bench_open("llama3-8b", "hgx-h100", 1, "vllm-0.11");
  s->b[1] = serving_bench_open("llama3-70b", "hgx-h100", 4, "sglang-0.5");
  s->b[2] = serving_bench_open("qwen3-30b-a3b", "hgx-h200", 2, "trtllm-1.0");
  s->b[3] = serving_bench_open("deepseek-v3", "hgx-h200", 8, "vllm-0.21");
}

static void close_benches(setting *s)
{
  for (int i = 0; i < BENCHES; i++) serving_bench_close(&s->b[i]);
}

static double draw(setting *s, double least, double most)
{
  return floor(least * pow(most / least, events_random(&s->random)));
}

/* A closed loop that fits. */
static pm_serving_run draw_run(setting *s, int i)
{
  pm_serving_run run = serving_run_on(&s->b[i]);
  run.weights = i == 3 ? PM_STORED_FP8_BLOCK : PM_STORED_AS_RUN;
  run.precision = i == 3 ? PM_PRECISION_FP8 : PM_PRECISION_BF16;
  run.isl = draw(s, 16, 8000);
  run.osl = draw(s, 2, 2000);
  run.concurrency = draw(s, 1, 64);
  return run;
}

static void grows(double before, double after, const char *what)
{
  ck_assert_msg(after >= before * (1 - 1e-9), "%s: %.6g, then %.6g", what, before, after);
}

static void check_closed(const serving_bench *b, pm_serving_run run)
{
  pm_serving s = answer(b, run), more;
  double clients = run.concurrency / s.replicas;
  if (clients >= 1)
    ck_assert_double_eq_tol(s.request_rate * s.latency / run.concurrency, 1, 1e-9); /* Little's law */
  ck_assert_double_eq_tol((s.ttft + (run.osl - 1) * s.tpot) / s.latency, 1, 1e-9);
  ck_assert_double_eq_tol(s.output_rate, s.request_rate * run.osl, 1e-9 * s.output_rate);
  ck_assert_double_le(s.least_step_time, s.step_time);
  ck_assert_double_le(s.least_step_time, s.tpot);
  run.osl *= 2;
  run.hit_ratio = 0.5;
  more = answer(b, run);
  run.hit_ratio = 0;
  grows(more.ttft, answer(b, run).ttft, "first token without hits");
}

START_TEST(closed_loops)
{
  setting s;
  open_benches(&s);
  for (int i = 0; i < DRAWS; i++) check_closed(&s.b[i % BENCHES], draw_run(&s, i % BENCHES));
  close_benches(&s);
}
END_TEST

/* Kernels of tiles may take a little less for one row more, so the steps are large. */
START_TEST(tokens_take_longer_with_more_to_do)
{
  setting s;
  open_benches(&s);
  for (int i = 0; i < DRAWS; i++) {
    const serving_bench *b = &s.b[i % BENCHES];
    pm_serving_run run = draw_run(&s, i % BENCHES), more = run;
    double before = answer(b, run).tpot;
    more.concurrency *= 4;
    grows(before, answer(b, more).tpot, "concurrency");
    more = run;
    more.isl *= 4;
    grows(before, answer(b, more).tpot, "prompts");
  }
  close_benches(&s);
}
END_TEST

START_TEST(more_cache_holds_more)
{
  setting s;
  open_benches(&s);
  for (int i = 0; i < DRAWS; i++) {
    pm_serving_run run = draw_run(&s, i % BENCHES);
    run.memory_fraction = 0.85;
    double before = answer(&s.b[i % BENCHES], run).largest_concurrency;
    run.memory_fraction = 0.95;
    grows(before, answer(&s.b[i % BENCHES], run).largest_concurrency, "largest concurrency");
  }
  close_benches(&s);
}
END_TEST

/* Shares of what they answer for ever. */
START_TEST(first_tokens_wait_longer_at_higher_rates)
{
  setting s;
  open_benches(&s);
  for (int i = 0; i < DRAWS; i++) {
    const serving_bench *b = &s.b[i % BENCHES];
    pm_serving_run run = draw_run(&s, i % BENCHES);
    run.arrivals = PM_ARRIVALS_OPEN;
    run.rate = 1e-3;
    pm_serving slow = answer(b, run);
    double before = slow.ttft;
    for (double busy = 0.2; busy < 1; busy += 0.2) {
      run.rate = busy * slow.largest_rate;
      pm_serving p = answer(b, run);
      if (p.bottleneck == PM_SERVING_LIMIT_OVERLOAD) break;
      grows(before, p.ttft, "rate");
      ck_assert_double_eq_tol(p.request_rate, run.rate, 1e-9 * run.rate);
      ck_assert_double_le(p.ttft, p.ttft_percentile);
      before = p.ttft;
    }
    run.rate = 2 * slow.largest_rate;
    pm_serving over = answer(b, run);
    ck_assert_int_eq(over.bottleneck, PM_SERVING_LIMIT_OVERLOAD);
    ck_assert_double_eq_tol(over.request_rate, slow.largest_rate, 1e-9 * slow.largest_rate);
  }
  close_benches(&s);
}
END_TEST

/* The same batch on more GPUs each: what a GPU makes falls. */
START_TEST(splitting_has_a_price)
{
  serving_bench b = serving_bench_open("llama3-8b", "hgx-h100", 1, "vllm-0.11");
  for (double each = 1; each < 64; each *= 2) {
    double before = INFINITY;
    for (int tensor = 1; tensor <= 8; tensor *= 2) {
      pm_serving_run run = serving_run_on(&b);
      run.tensor_parallel = tensor;
      run.arrivals = PM_ARRIVALS_STATIC;
      run.concurrency = each * 8 / tensor;
      double rate = answer(&b, run).gpu_rate;
      ck_assert_double_le(rate, before);
      before = rate;
    }
  }
  serving_bench_close(&b);
}
END_TEST

/* One worker of each kind and hardly any requests: a prompt alone, the cache sent, one sequence that decodes. */
START_TEST(pools_of_one)
{
  serving_bench b = serving_bench_open("llama3-8b", "hgx-h100", 1, "vllm-0.11");
  pm_serving_run run = serving_run_on(&b);
  run.gpus = 2;
  run.prefill_workers = 1;
  run.arrivals = PM_ARRIVALS_OPEN;
  run.rate = 1e-6;
  run.client_time = 0;
  pm_serving s = answer(&b, run);
  pm__serving_replica r;
  serving_replica_on(&b, &run, &r);
  double alone = pm__serving_prefill(&r, 1, run.isl, 0), decode = pm__serving_decode(&r, 1, run.isl + run.osl / 2);
  ck_assert_double_eq_tol(s.ttft, alone + s.transfer_time, 1e-4 * alone);
  ck_assert_double_eq_tol(s.tpot, decode, 1e-9 * decode);
  serving_bench_close(&b);
}
END_TEST

/* Prompts that wait are read in one pass, as many as the budget takes: faster than one by one. */
START_TEST(pools_read_prompts_together)
{
  serving_bench b = serving_bench_open("llama3-8b", "hgx-h100", 1, "vllm-0.11");
  pm_serving_run run = serving_run_on(&b);
  pm__serving_replica r;
  run.gpus = 4;
  run.prefill_workers = 1;
  run.arrivals = PM_ARRIVALS_OPEN;
  run.isl = 256;
  run.osl = 2;
  run.rate = 1;
  serving_replica_on(&b, &run, &r);
  double alone = pm__serving_prefill(&r, 1, 256, 0), all = pm__serving_prefill(&r, 32, 256, 0);
  ck_assert_double_gt(32 / all, 1.1 / alone); /* 8,192 tokens in a pass */
  ck_assert_double_eq_tol(answer(&b, run).largest_rate, 32 / all, 1e-6 * 32 / all);
  double last = 0;
  for (run.rate = 1; run.rate < 0.95 * 32 / all; run.rate *= 1.1) {
    double ttft = answer(&b, run).ttft;
    ck_assert_msg(ttft >= last, "%g requests/s: %g s, before %g", run.rate, ttft, last);
    last = ttft;
  }
  serving_bench_close(&b);
}
END_TEST

/* In a closed loop a part of all other prompts is before one, half of it on average. */
START_TEST(bunches_wait_for_pools)
{
  serving_bench b = serving_bench_open("llama3-8b", "hgx-h100", 1, "vllm-0.11");
  pm_serving_run run = serving_run_on(&b);
  run.gpus = 4;
  run.prefill_workers = 2;
  for (run.concurrency = 2; run.concurrency <= 128; run.concurrency *= 4) {
    run.bunching = 0;
    pm_serving even = answer(&b, run);
    run.bunching = 0.2;
    double more = 0.2 * (run.concurrency - 2) / 2 * even.prefill_time / 2;
    pm_serving bunched = answer(&b, run);
    ck_assert_double_ge(bunched.ttft, even.ttft + 0.5 * more);
    ck_assert_double_le(bunched.ttft, even.ttft + 1.01 * more);
  }
  serving_bench_close(&b);
}
END_TEST

/* Groups with requests of their own that share all experts send every token to every GPU. */
START_TEST(shared_experts_are_exchanged)
{
  double before = 0;
  serving_bench b = serving_bench_open("mixtral-8x7b", "dgx-h100", 1, "vllm-0.11");
  pm_serving_run run = serving_run_on(&b);
  run.concurrency = 128;
  for (run.attention_parallel = 2; run.attention_parallel <= 8; run.attention_parallel *= 2) {
    double exchange = answer(&b, run).communication_time;
    ck_assert_double_gt(exchange, 0);
    before = exchange;
  }
  run.attention_parallel = 16;
  run.nodes = 2;
  run.concurrency = 256;
  ck_assert_double_gt(answer(&b, run).communication_time, before);
  serving_bench_close(&b);
}
END_TEST

/* ---- Kernels of experts ---- */

static double expert_time(serving_bench *b, int weights, double block_rate)
{
  pm_serving_run run = serving_run_on(b);
  run.precision = PM_PRECISION_FP8;
  run.weights = weights;
  b->engine.kernels.block_experts_rate = block_rate;
  ck_assert_int_eq(pm_plan_set_engine(b->plan, 0, &b->engine, NULL), PM_OK);
  return answer(b, run).expert_time;
}

START_TEST(blocks_of_fp8_have_kernels_of_their_own)
{
  serving_bench b = serving_bench_open("deepseek-v3", "hgx-h200", 8, "trtllm-1.0");
  double fast = expert_time(&b, PM_STORED_FP8_BLOCK, 0.4), slow = expert_time(&b, PM_STORED_FP8_BLOCK, 0.001);
  ck_assert_double_gt(slow, 2 * fast);
  ck_assert_double_eq(expert_time(&b, PM_STORED_FP8, 0.4), expert_time(&b, PM_STORED_FP8, 0.001));
  serving_bench_close(&b);
}
END_TEST

START_TEST(kernels_of_experts_that_nobody_timed)
{
  pm_kernel_harness h;
  pm_record_clear(pm_record_type_find("kernel_harness"), &h);
  h.experts = 3e-5, h.routing = 4, h.experts_rate = 0.6;
  for (int kind = PM__EXPERTS_GENERAL; kind <= PM__EXPERTS_FP4; kind++) {
    pm__software_experts found = pm__software_experts_of(&h, (pm__software_experts_kind)kind);
    ck_assert(found.time == 3e-5 && found.routing == 4 && found.rate == 0.6);
  }
  h.quantized_rate = 0.9, h.block_rate = 0.6; /* slower, as products are */
  ck_assert_double_eq_tol(pm__software_experts_of(&h, PM__EXPERTS_BLOCK).rate, 0.4, 1e-12);
  h.mx_experts_rate = 0.1;
  ck_assert_double_eq(pm__software_experts_of(&h, PM__EXPERTS_MX).rate, 0.1);
  ck_assert_double_eq(pm__software_experts_of(&h, PM__EXPERTS_W4).rate, 0.6);
}
END_TEST

/* A host may say whose kernels of experts engines run on its GPU: of blocks and FP4, not of two bytes. */
START_TEST(kernels_of_experts_of_other_software)
{
  pm_engine_profile own, other, hopper;
  ck_assert_int_eq(pm_catalog_get_engine_on(catalog, "sglang-0.5", "blackwell", &own, NULL), PM_OK);
  ck_assert_int_eq(pm_catalog_get_engine_on(catalog, "trtllm-1.0", "blackwell", &other, NULL), PM_OK);
  ck_assert_int_eq(pm_catalog_get_engine_on(catalog, "sglang-0.5", "hopper", &hopper, NULL), PM_OK);
  ck_assert_str_eq(own.kernels.experts_kernels, "trtllm");
  ck_assert_str_eq(hopper.kernels.experts_kernels, "");
  ck_assert_double_eq(own.kernels.fp4_experts_rate, other.kernels.fp4_experts_rate);
  ck_assert_double_eq(own.kernels.block_experts_rate, pm__software_experts_of(&other.kernels, PM__EXPERTS_BLOCK).rate);
  ck_assert_double_ne(own.kernels.experts_rate, other.kernels.experts_rate);
  ck_assert_double_ne(own.kernels.block_rate, other.kernels.block_rate);
}
END_TEST

static void same_bits(const pm_serving *a, const pm_serving *b)
{
  ck_assert_mem_eq(a, b, sizeof *a);
}

START_TEST(neutral_options_change_nothing)
{
  setting s;
  open_benches(&s);
  for (int i = 0; i < DRAWS; i++) {
    const serving_bench *b = &s.b[i % BENCHES];
    pm_serving_run run = draw_run(&s, i % BENCHES), other = run;
    other.draft_tokens = 0;
    other.acceptance = 0;
    other.draft_time = 3;      /* of none */
    other.rate = 5;            /* of a closed loop */
    other.arrival_cv = 0;
    other.prefill_tensor_parallel = 2;
    other.expert_imbalance = 1;
    pm_serving plain = answer(b, run), same = answer(b, other);
    same_bits(&plain, &same);
  }
  close_benches(&s);
}
END_TEST

/* Whole nodes are paid; input and output tokens share that, and nothing else changes. */
START_TEST(tokens_pay_for_whole_nodes)
{
  setting s;
  open_benches(&s);
  for (int i = 0; i < DRAWS; i++) {
    pm_serving_run run = draw_run(&s, i % BENCHES), priced = run;
    priced.gpu_hour_price = 2.5;
    pm_serving plain = answer(&s.b[i % BENCHES], run), paid = answer(&s.b[i % BENCHES], priced);
    double second = 2.5 * 8 * run.nodes / 3600, request = 1e6 * second / paid.request_rate;
    ck_assert(isnan(plain.output_cost) && isnan(plain.input_cost) && plain.paid_gpus == 8 * run.nodes);
    ck_assert_double_eq(paid.hour_cost, 2.5 * plain.paid_gpus);
    ck_assert_double_eq_tol(paid.output_cost * run.osl, request, 1e-12 * request);
    ck_assert_double_eq_tol(paid.token_cost * (run.isl + run.osl), request, 1e-12 * request);
    ck_assert_double_eq_tol(paid.input_cost * run.isl + paid.decode_cost * run.osl, request, 1e-12 * request);
    ck_assert(paid.input_cost > 0 && paid.decode_cost > 0);
    paid.hour_cost = paid.output_cost = paid.token_cost = paid.input_cost = paid.decode_cost = NAN;
    ck_assert_double_eq(paid.tpot, plain.tpot);
    ck_assert_double_eq(paid.energy, plain.energy);
  }
  close_benches(&s);
}
END_TEST

/* Logarithm of the upper end of the interval over the middle; networks with experts have `spread`. */
static double width_of(const char *network, double spread)
{
  serving_bench b = serving_bench_open(network, "hgx-h200", 4, "vllm-0.11");
  pm_engine_profile engine;
  ck_assert_int_eq(pm_catalog_get_engine_on(catalog, "vllm-0.11", "hopper", &engine, NULL), PM_OK);
  engine.engine.expert_spread = spread;
  ck_assert_int_eq(pm_plan_set_engine(b.plan, 0, &engine, NULL), PM_OK);
  pm_serving s = answer(&b, serving_run_on(&b));
  serving_bench_close(&b);
  return log(s.tpot_p90 / s.tpot);
}

START_TEST(networks_with_experts_have_a_spread_of_their_own)
{
  double narrow = width_of("qwen3-30b-a3b", 0.1), wide = width_of("qwen3-30b-a3b", 0.2);
  ck_assert_double_eq_tol(wide, 2 * narrow, 1e-9);
  ck_assert_double_eq(width_of("llama3-8b", 0.1), width_of("llama3-8b", 0.2));
  ck_assert(width_of("qwen3-30b-a3b", NAN) > 0);
}
END_TEST

START_TEST(many_at_once_are_as_one)
{
  setting s;
  pm_serving_run runs[DRAWS];
  pm_serving all[DRAWS];
  memset(all, 0, sizeof all);
  open_benches(&s);
  for (int i = 0; i < DRAWS; i++) {
    runs[i] = draw_run(&s, 0);
    if (i % 3 == 1) runs[i].arrivals = PM_ARRIVALS_OPEN, runs[i].rate = 4;
    if (i % 7 == 3) runs[i].isl = 0; /* a bad one between them */
    if (i % 5 == 4) runs[i] = runs[i - 1], runs[i].osl += 8; /* passes that were asked for */
    if (i % 10 == 9) runs[i].kv_cache = PM_STORED_FP8;       /* of another layout */
  }
  ck_assert_int_eq(pm_serve(s.b[0].plan, runs, all, DRAWS), PM_OK);
  for (int i = 0; i < DRAWS; i++) {
    pm_serving one = serve(&s.b[0], runs[i]);
    same_bits(&one, &all[i]);
    ck_assert((all[i].status == PM_OK) == (runs[i].isl > 0));
  }
  close_benches(&s);
}
END_TEST

/* ---- Bad input ---- */

static void refuse(const serving_bench *b, const pm_serving_run *run, int status, const char *words)
{
  pm_error error = PM_ERROR_NONE;
  int got = pm_task_check(b->plan, PM_TASK_SERVING, run, sizeof *run, &error);
  ck_assert_msg(got == status && strstr(error.text, words) != NULL, "status %d: \"%s\", not \"%s\"", got, error.text,
                words);
  ck_assert_ptr_null(strchr(error.text, '\n'));
  pm_serving s = serve(b, *run);
  ck_assert_int_eq(s.status, status);
  ck_assert(isnan(s.ttft) && isnan(s.tpot) && isnan(s.request_rate));
}

#define REFUSE(field, value, status, words)                                                                        \
  do {                                                                                                             \
    pm_serving_run bad = serving_run_on(&b);                                                                       \
    bad.field = value;                                                                                             \
    refuse(&b, &bad, status, words);                                                                               \
  } while (0)

/* Tokens of the largest concurrency come in time, those of one more do not. */
START_TEST(as_many_at_once_as_come_in_time)
{
  pm_error error = PM_ERROR_NONE;
  serving_bench b = serving_bench_open("llama3-8b", "hgx-h100", 1, "vllm-0.11");
  pm_serving_run run = serving_run_on(&b);
  pm_serving most, one;
  ck_assert_int_eq(pm__serve_find_concurrency(b.plan, &run, 0.02, &most, &error), PM_OK);
  ck_assert_double_gt(run.concurrency, 1);
  ck_assert_double_le(most.tpot, 0.02);
  run.concurrency++;
  ck_assert_double_gt(answer(&b, run).tpot, 0.02);
  ck_assert_int_eq(pm__serve_find_concurrency(b.plan, &run, 1e-5, &one, &error), PM_STATUS_UNREACHABLE);
  ck_assert_ptr_nonnull(strstr(error.text, "a single request takes"));
  ck_assert(isnan(one.tpot) && one.status == PM_STATUS_UNREACHABLE);
  ck_assert_int_eq(pm__serve_find_concurrency(b.plan, &run, 0, &one, NULL), PM_STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(pm__serve_find_concurrency(b.plan, &run, INFINITY, &one, NULL), PM_STATUS_BAD_ARGUMENT);
  run.isl = 0;
  ck_assert_int_eq(pm__serve_find_concurrency(b.plan, &run, 0.02, &one, NULL), PM_STATUS_BAD_ARGUMENT);
  serving_bench_close(&b);
}
END_TEST

/* A network of a configuration of Hugging Face on a node of H100s. */
static serving_bench model_bench(const char *config)
{
  char path[300];
  pm_error error = PM_ERROR_NONE;
  const pm_attribute seq = {"seq", "128"};
  snprintf(path, sizeof path, "%s/tests/fuzz/corpus/models/%s", PM_SOURCE_DIR, config);
  char *text = pm_file_read(path, &error);
  ck_assert_msg(text != NULL, "%s", error.text);
  serving_bench b = {.name = config, .network = pm_model_read(text, config, &seq, 1, &error),
                     .system = build_system("hgx-h100"), .tensor = 1};
  pm_string_free(text);
  ck_assert_msg(b.network != NULL, "%s", error.text);
  const pm_network *networks = b.network;
  const pm_system *systems = b.system;
  ck_assert_int_eq(pm_catalog_get_engine_on(catalog, "vllm-0.11", "hopper", &b.engine, &error), PM_OK);
  b.plan = pm_plan_new(&networks, 1, &systems, 1, &error);
  ck_assert_msg(b.plan != NULL && pm_plan_add_engine(b.plan, &b.engine, &error) == 0, "%s", error.text);
  return b;
}

/* Time per token and of the first token, and bytes of a sequence, of a context of so many tokens. */
static pm_serving of_context(const serving_bench *b, double tokens)
{
  pm_serving_run run = serving_run_on(b);
  run.isl = tokens;
  run.osl = 16;
  run.concurrency = 1; /* no prompts of others between the words */
  return answer(b, run);
}

/* A state has its size whatever was read; what an index looks at grows with it. */
START_TEST(states_do_not_grow_with_the_context)
{
  serving_bench state = model_bench("falcon_mamba.json"), index = model_bench("deepseek_v32.json");
  pm_serving few = of_context(&state, 1024), many = of_context(&state, 65536);
  ck_assert_double_eq_tol(many.tpot / few.tpot, 1, 1e-9);
  ck_assert_double_gt(many.ttft, 4 * few.ttft);
  few = of_context(&index, 1024), many = of_context(&index, 65536);
  ck_assert_double_gt(many.tpot, few.tpot);
  ck_assert_double_gt(many.ttft, few.ttft);
  serving_bench_close(&state);
  serving_bench_close(&index);
}
END_TEST

START_TEST(bad_input)
{
  serving_bench b = serving_bench_open("llama3-8b", "hgx-h100", 1, "vllm-0.11");
  REFUSE(isl, 0, PM_STATUS_BAD_ARGUMENT, "isl 0");
  REFUSE(isl, NAN, PM_STATUS_BAD_ARGUMENT, "isl");
  REFUSE(osl, INFINITY, PM_STATUS_BAD_ARGUMENT, "osl inf");
  REFUSE(concurrency, -3, PM_STATUS_BAD_ARGUMENT, "concurrency -3");
  REFUSE(arrivals, PM_ARRIVALS_OPEN, PM_STATUS_BAD_ARGUMENT, "needs a rate");
  REFUSE(rate, -1, PM_STATUS_BAD_ARGUMENT, "rate -1");
  REFUSE(tensor_parallel, 3, PM_STATUS_BAD_ARGUMENT, "3");
  REFUSE(tensor_parallel, 16, PM_STATUS_BAD_ARGUMENT, "16");
  REFUSE(expert_parallel, 2, PM_STATUS_BAD_ARGUMENT, "expert_parallel 2: the network has no experts");
  REFUSE(engine_index, 1, PM_STATUS_BAD_ARGUMENT, "engine");
  REFUSE(hit_ratio, 1, PM_STATUS_BAD_ARGUMENT, "hit_ratio 1");
  REFUSE(acceptance, 1.5, PM_STATUS_BAD_ARGUMENT, "acceptance 1.5");
  REFUSE(draft_tokens, 17, PM_STATUS_BAD_ARGUMENT, "draft_tokens 17");
  REFUSE(gpu_hour_price, -2, PM_STATUS_BAD_ARGUMENT, "gpu_hour_price -2");
  REFUSE(percentile, 0.3, PM_STATUS_BAD_ARGUMENT, "percentile 0.3");
  REFUSE(precision, PM_PRECISION_FP4, PM_STATUS_NO_PRECISION, "fp4");
  REFUSE(isl, 1e7, PM_STATUS_DOES_NOT_FIT, "GB");
  serving_bench_close(&b);
}
END_TEST

START_TEST(bad_machines_and_networks)
{
  serving_bench b = serving_bench_open("llama3-8b", "dgx-a100-80gb", 1, "vllm-0.11");
  REFUSE(precision, PM_PRECISION_FP8, PM_STATUS_NO_PRECISION, "fp8");
  serving_bench_close(&b);
  b = serving_bench_open("resnet50", "hgx-h100", 1, "vllm-0.11");
  REFUSE(osl, 2, PM_STATUS_BAD_ARGUMENT, "resnet50");
  serving_bench_close(&b);
  b = serving_bench_open("qwen3-30b-a3b", "hgx-h100", 4, "vllm-0.11");
  REFUSE(expert_parallel, 3, PM_STATUS_BAD_ARGUMENT, "expert_parallel 3");
  serving_bench_close(&b);
  b = serving_bench_open("llama3-405b", "hgx-h100", 8, "vllm-0.11");
  REFUSE(osl, 2, PM_STATUS_DOES_NOT_FIT, "GB");
  serving_bench_close(&b);
  pm_engine_profile none;
  pm_error error = PM_ERROR_NONE;
  ck_assert_int_ne(pm_catalog_get_engine_on(catalog, "vlm", "hopper", &none, &error), PM_OK);
  ck_assert_ptr_nonnull(strstr(error.text, "\"vlm\""));
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("serving");
  TCase *tests = tcase_create("serving");
  tcase_add_checked_fixture(tests, open_catalog, close_catalog);
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, sizes_of_models);
  tcase_add_test(tests, active_experts);
  tcase_add_test(tests, least_times);
  tcase_add_test(tests, tokens_of_the_cache);
  tcase_add_test(tests, exchanges_of_a_pass);
  tcase_add_test(tests, paged_attention_of_whole_sequences);
  tcase_add_test(tests, latent_attention_of_prompts_waits_for_the_host);
  tcase_add_test(tests, closed_loops);
  tcase_add_test(tests, tokens_take_longer_with_more_to_do);
  tcase_add_test(tests, more_cache_holds_more);
  tcase_add_test(tests, first_tokens_wait_longer_at_higher_rates);
  tcase_add_test(tests, splitting_has_a_price);
  tcase_add_test(tests, pools_of_one);
  tcase_add_test(tests, bunches_wait_for_pools);
  tcase_add_test(tests, pools_read_prompts_together);
  tcase_add_test(tests, shared_experts_are_exchanged);
  tcase_add_test(tests, blocks_of_fp8_have_kernels_of_their_own);
  tcase_add_test(tests, kernels_of_experts_that_nobody_timed);
  tcase_add_test(tests, kernels_of_experts_of_other_software);
  tcase_add_test(tests, neutral_options_change_nothing);
  tcase_add_test(tests, tokens_pay_for_whole_nodes);
  tcase_add_test(tests, networks_with_experts_have_a_spread_of_their_own);
  tcase_add_test(tests, many_at_once_are_as_one);
  tcase_add_test(tests, as_many_at_once_as_come_in_time);
  tcase_add_test(tests, states_do_not_grow_with_the_context);
  tcase_add_test(tests, bad_input);
  tcase_add_test(tests, bad_machines_and_networks);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
