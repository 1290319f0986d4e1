/*
** What passes of one layout share, remembered: exchanges of its groups, what depends on the tokens of a pass alone,
** whole passes. It lies on the stack of a call, as schedule/memo.h does, and what is remembered has the bits of what is
** computed.
*/
#ifndef PM_SERVING_MEMO_H
#define PM_SERVING_MEMO_H

#include <math.h>
#include <stdint.h>
#include <string.h>
#include "serving/pass.h"

enum { PM__SERVE_KEYS = 18, PM__SERVE_ROWS = 256, PM__SERVE_WAYS = 6, PM__SERVE_PASSES = 6 };

struct pm__serving_memo {
  double layout[PM__SERVE_KEYS]; /* what is kept is of runs with these */
  double rows[PM__SERVE_ROWS];   /* NAN: none */
  pm__serving_times of_rows[PM__SERVE_ROWS];
  int way[PM__SERVE_WAYS];       /* group and collective */
  pm__collective_candidates ways[PM__SERVE_WAYS];
  pm__serving_batch batch[PM__SERVE_PASSES];
  pm__serving_times passes[PM__SERVE_PASSES];
  unsigned way_count, pass_count; /* of all that were computed */
};

static inline void pm__serving_memo_clear(pm__serving_memo *memo)
{
  for (int i = 0; i < PM__SERVE_ROWS; i++) memo->rows[i] = NAN;
  memo->layout[0] = NAN;
  memo->way_count = memo->pass_count = 0;
}

/* Keeps what it has if that is of runs with the same numbers. */
static inline void pm__serving_memo_take(pm__serving_memo *memo, const double layout[PM__SERVE_KEYS])
{
  if (memcmp(memo->layout, layout, sizeof memo->layout) == 0) return;
  pm__serving_memo_clear(memo);
  memcpy(memo->layout, layout, sizeof memo->layout);
}

/* The place of a number of rows. */
static inline size_t pm__serving_memo_place(double rows)
{
  uint64_t bits;
  memcpy(&bits, &rows, sizeof bits);
  return (size_t)(bits * 0x9e3779b97f4a7c15u >> 56);
}

#endif
