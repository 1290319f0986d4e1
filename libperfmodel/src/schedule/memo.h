/*
** A cache of values shared by the runs of one call: kernel times of a network on a GPU at a batch, collectives on a
** group, memory. The tables are on the caller's stack, so evaluation allocates nothing and threads share nothing, and a
** cached value has the same bits as a computed one.
*/
#ifndef PM_SCHEDULE_MEMO_H
#define PM_SCHEDULE_MEMO_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "memory/plan.h"
#include "plan/kernels.h"
#include "schedule/exchange.h"

enum { PM__MEMO_PLACES = 64, PM__MEMO_PROBES = 8, PM__MEMO_WORDS = 4 };

/* Everything that a value depends on, as numbers without gaps. */
typedef struct pm__memo_key {
  uint64_t word[PM__MEMO_WORDS];
} pm__memo_key;

typedef struct pm__memo_index {
  pm__memo_key key[PM__MEMO_PLACES];
  bool used[PM__MEMO_PLACES];
} pm__memo_index;

/* Times of an all-reduce for every segment of a backward pass, and the share of the GPU that it keeps busy. */
typedef struct pm__memo_buckets {
  double exchange[PM__SEGMENTS], share;
} pm__memo_buckets;

/* What memory is made of; the largest batch that fits. */
typedef struct pm__memo_memory {
  pm__memory_parts parts;
  double largest_batch;
} pm__memo_memory;

/* The rings of a group. */
typedef struct pm__memo_ring {
  double bandwidth;
  bool calibrated;
} pm__memo_ring;

typedef struct pm__memo {
  pm__memo_index cost_index, bucket_index, time_index, ring_index, memory_index;
  pm__costs costs[PM__MEMO_PLACES];
  pm__memo_buckets buckets[PM__MEMO_PLACES];
  double time[PM__MEMO_PLACES];
  pm__memo_memory memory[PM__MEMO_PLACES];
  pm__memo_ring ring[PM__MEMO_PLACES];
  pm__exchange_cache exchanges;
} pm__memo;

static inline void pm__memo_clear(pm__memo *memo)
{
  memset(memo->cost_index.used, 0, sizeof memo->cost_index.used);
  memset(memo->bucket_index.used, 0, sizeof memo->bucket_index.used);
  memset(memo->time_index.used, 0, sizeof memo->time_index.used);
  memset(memo->ring_index.used, 0, sizeof memo->ring_index.used);
  memset(memo->memory_index.used, 0, sizeof memo->memory_index.used);
  memo->exchanges.count = memo->exchanges.next = 0;
}

static inline uint64_t pm__memo_pointer(const void *pointer)
{
  return (uint64_t)(uintptr_t)pointer;
}

static inline uint64_t pm__memo_number(double number)
{
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  return bits;
}

static inline uint64_t pm__memo_pair(int32_t a, int32_t b)
{
  return (uint64_t)(uint32_t)a << 32 | (uint32_t)b;
}

/* The words are multiplied side by side, so that a look-up waits for one product and not for four. */
static inline size_t pm__memo_slot(const pm__memo_key *key)
{
  const uint64_t *w = key->word;
  uint64_t bits = w[0] * UINT64_C(0x9e3779b97f4a7c15) ^ w[1] * UINT64_C(0xc2b2ae3d27d4eb4f) ^
                  w[2] * UINT64_C(0x165667b19e3779f9) ^ w[3] * UINT64_C(0xd6e8feb86659fd93);
  return (size_t)((bits ^ bits >> 32) * UINT64_C(0x9e3779b97f4a7c15) >> 58);
}

static inline bool pm__memo_same(const pm__memo_key *a, const pm__memo_key *b)
{
  uint64_t differ = 0;
  for (int i = 0; i < PM__MEMO_WORDS; i++) differ |= a->word[i] ^ b->word[i];
  return differ == 0;
}

/* The place of a key: where it is (`*found`), or where it is to be put now: the first free place of a few, else the
** first of them. */
static inline size_t pm__memo_find(pm__memo_index *index, const pm__memo_key *key, bool *found)
{
  size_t first = pm__memo_slot(key), at = first;
  *found = false;
  for (size_t i = 0; i < PM__MEMO_PROBES; i++) {
    at = (first + i) % PM__MEMO_PLACES;
    if (!index->used[at]) break;
    *found = pm__memo_same(&index->key[at], key);
    if (*found) return at;
    if (i + 1 == PM__MEMO_PROBES) at = first;
  }
  index->used[at] = true;
  index->key[at] = *key;
  return at;
}

#endif
