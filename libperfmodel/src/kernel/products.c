/* Compute times of many matrix multiplications at once: loops over products, one candidate tile after the other. */
#include "kernel/tiles.h"

/* Fills up with products of nothing much, so that loops over four at a time have no rest. */
static inline int padded(pm__product_list *p)
{
  int count = (p->count + 3) / 4 * 4;
  for (int j = p->count; j < count; j++) p->m[j] = p->n[j] = p->k[j] = p->result[j] = 1;
  return count;
}

/* The least time of each, and its room for a split contraction: the least of pm__over. */
static inline void whole_times(const pm__engine *e, pm__product_list *p, double *restrict whole, double *restrict over)
{
  int count = padded(p);
  for (int j = 0; j < count; j++) whole[j] = over[j] = INFINITY;
  for (int i = 0; i < e->tiles; i++)
    for (int j = 0; j < count; j++) {
      double x = pm__tiles_per_sm(e, i, e->inverse_sms, p->m[j], p->n[j]);
      whole[j] = pm__least(whole[j], pm__whole_time(e, i, x, p->k[j]));
      over[j] = pm__least(over[j], pm__over(e, i, x));
    }
}

/* Those that may be faster with the contraction split, and their places among all. */
static inline void find_splitting(const pm__engine *e, const pm__product_list *p, const double *whole,
                                  const double *over, pm__product_list *some, int *place)
{
  some->count = 0;
  for (int j = 0; j < p->count; j++) {
    if (!pm__may_split(e, p->m[j] * p->n[j] * p->k[j], p->k[j], whole[j], over[j])) continue;
    int to = some->count++;
    place[to] = j;
    some->m[to] = p->m[j];
    some->n[to] = p->n[j];
    some->k[to] = p->k[j];
    some->result[to] = p->result[j];
  }
}

static inline void split_times(const pm__engine *e, pm__product_list *p, double *restrict time)
{
  int count = padded(p);
  double root[PM__AT_ONCE];
  for (int j = 0; j < count; j++) root[j] = sqrt(p->k[j] / p->result[j]);
  for (int j = 0; j < count; j++) time[j] = INFINITY;
  for (int i = 0; i < e->tiles; i++)
    for (int j = 0; j < count; j++) {
      double x = pm__tiles_per_sm(e, i, e->inverse_sms, p->m[j], p->n[j]);
      pm__product_parts parts = pm__split_time(e, i, x, p->k[j], p->result[j], root[j]);
      time[j] = pm__least(time[j], parts.time + parts.added + parts.begun);
    }
}

static inline void products_time(const pm__engine *e, pm__product_list *p, double *time)
{
  double over[PM__AT_ONCE], parted[PM__AT_ONCE];
  int place[PM__AT_ONCE];
  pm__product_list some;
  whole_times(e, p, time, over);
  find_splitting(e, p, time, over, &some, place);
  split_times(e, &some, parted);
  for (int j = 0; j < some.count; j++) time[place[j]] = pm__least(parted[j], time[place[j]]);
}

/* Four numbers at a time instead of two, with the same bits: nothing is contracted. */
#if defined(__GNUC__) && defined(__x86_64__) && !defined(__AVX2__)
__attribute__((target("avx2"), flatten))
static void products_time_avx2(const pm__engine *e, pm__product_list *p, double *time)
{
  products_time(e, p, time);
}

void pm__product_list_times(const pm__engine *e, pm__product_list *p, double *time)
{
  if (__builtin_cpu_supports("avx2")) products_time_avx2(e, p, time);
  else products_time(e, p, time);
}
#else
void pm__product_list_times(const pm__engine *e, pm__product_list *p, double *time)
{
  products_time(e, p, time);
}
#endif
