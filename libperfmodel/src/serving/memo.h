/*
** A cache of values shared by the passes of one layout: exchanges of its groups, values that depend only on the tokens
** of a pass, attention and the head (with and without a prompt), and whole passes. Like schedule/memo.h it is on the
** stack of a call, and cached values have the same bits as computed ones.
*/
#ifndef PM_SERVING_MEMO_H
#define PM_SERVING_MEMO_H

#include <math.h>
#include <stdint.h>
#include <string.h>
#include "serving/pass.h"

enum { PM__SERVE_KEYS = 16, PM__SERVE_ROWS = 256, PM__SERVE_WAYS = 6, PM__SERVE_PASSES = 6, PM__SERVE_KERNELS = 256 };

/* A kernel, by the three numbers of the batch that it depends on. */
typedef struct pm__serving_kernel {
  double by[3];
  pm__serving_priced priced;
} pm__serving_kernel;

struct pm__serving_memo {
  double layout[PM__SERVE_KEYS]; /* what is kept is of runs with these */
  double rows[PM__SERVE_ROWS];   /* NAN: none */
  pm__serving_times of_rows[PM__SERVE_ROWS];
  int kernel_of[PM__SERVE_KERNELS]; /* which of the kernels that a model has, from 1; 0: none */
  pm__serving_kernel kernels[PM__SERVE_KERNELS];
  int way[PM__SERVE_WAYS];       /* group and collective */
  pm__collective_candidates ways[PM__SERVE_WAYS];
  pm__serving_batch batch[PM__SERVE_PASSES];
  pm__serving_times passes[PM__SERVE_PASSES];
  unsigned way_count, pass_count; /* of all that were computed */
};

/* Nothing is of any layout. */
static inline void pm__serving_memo_clear(pm__serving_memo *memo)
{
  for (int i = 0; i < PM__SERVE_KEYS; i++) memo->layout[i] = NAN;
}

/* Keeps what it has if that is of runs with the same numbers. */
static inline void pm__serving_memo_take(pm__serving_memo *memo, const double layout[PM__SERVE_KEYS])
{
  if (memcmp(memo->layout, layout, sizeof memo->layout) == 0) return;
  for (int i = 0; i < PM__SERVE_ROWS; i++) memo->rows[i] = NAN;
  memset(memo->kernel_of, 0, sizeof memo->kernel_of);
  memo->way_count = memo->pass_count = 0;
  memcpy(memo->layout, layout, sizeof memo->layout);
}

static inline uint64_t pm__serving_memo_bits(double value)
{
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* The place of a number of rows. */
static inline size_t pm__serving_memo_place(double rows)
{
  return (size_t)(pm__serving_memo_bits(rows) * 0x9e3779b97f4a7c15u >> 56);
}

static inline size_t pm__serving_memo_place_of(int of, const double by[3])
{
  uint64_t bits = (uint64_t)of;
  for (int i = 0; i < 3; i++) bits = (bits ^ pm__serving_memo_bits(by[i])) * 0x9e3779b97f4a7c15u;
  return (size_t)(bits >> 56);
}

#endif
