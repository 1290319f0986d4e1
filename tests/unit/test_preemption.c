/* What a full cache does to requests, token by token, against the two numbers of an engine that stand for it: the share
** of answers for which admission keeps room, and the tokens that are computed again. */
#include <math.h>
#include <string.h>
#include "fixtures.h"
#include "serving_bench.h"
#include "shipped.h"

enum { MOST = 512, ANSWERED = 900, WARM = 300 };

/* A cache of so many tokens, and an endless queue of equal requests. `written` holds those of the running, in the order
** of their arrival; `again` those that were preempted, the latest at the end. */
typedef struct cache {
  int tokens, free, isl, osl;
  int written[MOST], again[MOST], running, waiting;
  double kept; /* share of what running sequences have yet to write */
  double answered, recomputed, passes, seen;
} cache;

/* What an engine keeps free for those that run. */
typedef struct policy {
  const char *engine;
  double (*kept)(const cache *c); /* after a preemption; NULL: nothing */
  double first, least, decay;     /* the share at first; to which it falls, by so much a pass */
  double admits;                  /* share of its own answer for which a new request wants room */
  double close;                   /* of the simulation: running sequences, relative; recomputed tokens over osl */
  double close_again;
} policy;

/* SGLang after a preemption: what is written of all answers, and twenty tokens of each. */
static double written_share(const cache *c)
{
  double all = 0;
  for (int i = 0; i < c->running; i++) all += c->written[i];
  return c->running > 0 ? fmin(1, (all + 20.0 * c->running) / (1.0 * c->running * c->osl)) : 1;
}

static const policy policies[] = {
  {"vllm-0.11", NULL, 0, 0, 0, 0, 0.08, 0.35},
  {"sglang-0.5", written_share, 0.7, 0.098, 0.602 / 600, 1, 0.15, 0.2},
  {"trtllm-1.0", NULL, 1, 1, 0, 1, 0.05, 0.01}};

static void admit(cache *c, const policy *p)
{
  double reserved = 0;
  for (int i = 0; i < c->running; i++) reserved += c->kept * (c->osl - c->written[i]);
  while (c->running < MOST) {
    int written = c->waiting > 0 ? c->again[c->waiting - 1] : 0, prompt = c->isl + written;
    double own = p->admits * (c->osl - written);
    if (prompt + own > c->free - reserved || prompt > c->free) return;
    if (c->waiting > 0) c->waiting--;
    reserved += own;
    c->free -= prompt;
    c->written[c->running++] = written;
  }
}

static void preempt(cache *c, const policy *p)
{
  int written = c->written[--c->running];
  c->free += c->isl + written;
  if (c->answered >= WARM) c->recomputed += c->isl + written;
  c->again[c->waiting++] = written;
  if (p->kept != NULL) c->kept = p->kept(c);
}

/* A token for each, and places for others where requests end. */
static void decode(cache *c)
{
  int left = 0;
  for (int i = 0; i < c->running; i++) {
    c->free--;
    c->written[left] = c->written[i] + 1;
    if (c->written[left] < c->osl) {
      left++;
      continue;
    }
    c->free += c->isl + c->osl;
    c->answered++;
  }
  c->running = left;
}

static void serve(cache *c, const policy *p)
{
  bool full = false;
  c->kept = p->first;
  c->free = c->tokens;
  while (c->answered < ANSWERED) {
    if (!full) admit(c, p);
    if (c->answered >= WARM) c->passes++, c->seen += c->running;
    full = false;
    while (c->free < c->running && c->running > 1) preempt(c, p), full = true;
    if (!full) c->kept = fmax(p->least, c->kept - p->decay);
    decode(c);
  }
}

static void check(const serving_bench *b, const policy *p, int isl, int osl)
{
  pm__serving_replica replica;
  pm_serving_run run = serving_run_on(b);
  run.isl = isl;
  run.osl = osl;
  serving_replica_on(b, &run, &replica);
  pm__serving_load load = pm__serving_load_of(&replica);
  ck_assert_msg(load.by_cache, "%s, %d/%d: the cache is not what limits", p->engine, isl, osl);
  double tokens = replica.memory.cache / (pm__serving_cache_bytes(&replica, 1e6) / 1e6);
  cache c = {.tokens = (int)tokens, .isl = isl, .osl = osl};
  serve(&c, p);
  double running = c.seen / c.passes, again = c.recomputed / (c.answered - WARM) / osl;
  ck_assert_msg(fabs(load.room / running - 1) <= p->close, "%s, %d/%d: room for %.0f, %.1f run", p->engine, isl, osl,
                load.room, running);
  ck_assert_msg(fabs(load.again / osl - again) <= p->close_again, "%s, %d/%d: %.2f of an answer again, %.2f are",
                p->engine, isl, osl, load.again / osl, again);
}

START_TEST(full_caches)
{
  static const int lengths[][2] = {{4000, 400}, {2000, 2000}, {400, 4000}};
  const policy *p = &policies[_i / 3];
  serving_bench b = serving_bench_open("llama3-8b", "dgx-a100", 1, p->engine);
  check(&b, p, lengths[_i % 3][0], lengths[_i % 3][1]);
  serving_bench_close(&b);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("preemption");
  TCase *tests = tcase_create("preemption");
  tcase_add_checked_fixture(tests, open_catalog, close_catalog);
  tcase_add_loop_test(tests, full_caches, 0, 9);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
