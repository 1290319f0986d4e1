/* Writing timelines. */
#include "step/trace_text.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "perfmodel/units.h"

/* `units` / 10^`digits` as pm_number_format writes it, in a fifth of its time: a double holds 15 digits exactly, so
** that what is left of the decimal without zeros at its end is the shortest that reads back. */
static const char *format_decimal(char *number, double units, int digits)
{
  static const double exact = 1e15;
  const int64_t one = digits == 3 ? 1000 : 1000000;
  bool plain = units * 1e4 >= (double)one && units < exact; /* without an exponent */
  if (!plain) return pm_number_format(number, units / (double)one);
  int64_t all = (int64_t)units;
  int length = snprintf(number, PM_NUMBER_MAX, "%lld.%0*lld", (long long)(all / one), digits, (long long)(all % one));
  while (number[length - 1] == '0') length--;
  number[number[length - 1] == '.' ? length - 1 : length] = '\0';
  return number;
}

/* A number of microseconds, whatever the locale. */
static void add_time(pm__trace_text *t, const char *name, double seconds)
{
  char number[PM_NUMBER_MAX];
  pm__string_format(&t->text, ",\"%s\":%s", name, format_decimal(number, rint(seconds * 1e9), 3));
}

static void add_name(pm__trace_text *t, const char *name)
{
  for (const char *c = name; *c != '\0'; c++) {
    if (*c == '"' || *c == '\\') pm__string_add(&t->text, "\\");
    if ((unsigned char)*c >= 32) pm__string_add_bytes(&t->text, c, 1);
  }
}

static void next(pm__trace_text *t)
{
  pm__string_add(&t->text, t->events++ > 0 ? ",\n" : "\n");
}

void pm__trace_begin(pm__trace_text *t)
{
  *t = (pm__trace_text){{NULL, 0, 0, false}, 0, NULL, 0, 0};
  pm__string_add(&t->text, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
}

void pm__trace_lane(pm__trace_text *t, int lane, const char *name)
{
  next(t);
  pm__string_format(&t->text, "{\"ph\":\"M\",\"pid\":1,\"tid\":%d,\"name\":\"thread_name\",\"args\":{\"name\":\"%s\"}}",
                    lane, name);
}

void pm__trace_add(pm__trace_text *t, const pm__trace_event *e)
{
  if (!(e->duration > 0)) return;
  next(t);
  pm__string_add(&t->text, "{\"ph\":\"X\",\"pid\":1,\"name\":\"");
  add_name(t, e->name);
  if (e->what != NULL) add_name(t, e->what);
  pm__string_format(&t->text, "\",\"tid\":%d", e->lane);
  add_time(t, "ts", e->start);
  add_time(t, "dur", e->duration);
  if (e->category != NULL) pm__string_format(&t->text, ",\"cat\":\"%s\"", e->category);
  if (e->micro_batch >= 0)
    pm__string_format(&t->text, ",\"args\":{\"micro_batch\":%d,\"chunk\":%d}", e->micro_batch, e->chunk);
  pm__string_add(&t->text, "}");
}

/* ---- Power ---- */

void pm__trace_add_draw(pm__trace_text *t, pm__trace_draw draw)
{
  if (!(draw.duration > 0)) return;
  pm__trace_draw *grown = (pm__trace_draw *)pm__grow(t->draw, t->draws, &t->capacity, sizeof *grown);
  if (grown == NULL) t->text.failed = true;
  if (grown == NULL) return;
  t->draw = grown;
  grown[t->draws++] = draw;
}

/* Where the draw changes, and by how much. */
typedef struct change {
  double time, by;
} change;

static int by_time(const void *a, const void *b)
{
  double x = ((const change *)a)->time, y = ((const change *)b)->time;
  return (x > y) - (x < y);
}

/* What passes must draw, over what they would by themselves. */
static double pass_factor(const pm__trace_text *t, const pm__trace_boards *b)
{
  double passes = 0, left = (b->mean - b->waiting) * b->step * b->lanes;
  for (size_t i = 0; i < t->draws; i++) {
    if (t->draw[i].kernels) passes += t->draw[i].energy;
    else left -= t->draw[i].energy;
  }
  return passes > 0 ? left / passes : 0;
}

static void add_point(pm__trace_text *t, double time, double watts)
{
  char number[PM_NUMBER_MAX];
  next(t);
  pm__string_add(&t->text, "{\"ph\":\"C\",\"pid\":1,\"name\":\"power of a board\"");
  add_time(t, "ts", time);
  pm__string_format(&t->text, ",\"args\":{\"W\":%s}}", format_decimal(number, rint(watts * 1e6), 6));
}

/* Changes at one time, as it is written, are one. */
static void add_points(pm__trace_text *t, const change *changes, size_t count, const pm__trace_boards *b)
{
  double watts = b->waiting;
  for (size_t i = 0; i < count; i++) {
    watts += changes[i].by / b->lanes;
    bool last = i + 1 == count || rint(changes[i + 1].time * 1e9) > rint(changes[i].time * 1e9);
    if (i == 0 && changes[i].time > 0) add_point(t, 0, b->waiting);
    if (last) add_point(t, changes[i].time, watts);
  }
  add_point(t, b->end, b->waiting);
}

void pm__trace_add_power(pm__trace_text *t, const pm__trace_boards *b)
{
  double factor = pass_factor(t, b);
  change *changes = (change *)malloc((2 * t->draws + 1) * sizeof *changes);
  if (changes == NULL) t->text.failed = true;
  for (size_t i = 0; changes != NULL && i < t->draws; i++) {
    const pm__trace_draw *d = &t->draw[i];
    double watts = d->energy / d->duration * (d->kernels ? factor : 1);
    changes[2 * i] = (change){d->start, watts};
    changes[2 * i + 1] = (change){d->start + d->duration, -watts};
  }
  if (changes != NULL) qsort(changes, 2 * t->draws, sizeof *changes, by_time);
  if (changes != NULL) add_points(t, changes, 2 * t->draws, b);
  free(changes);
}

char *pm__trace_end(pm__trace_text *t, pm_error *error)
{
  free(t->draw);
  t->draw = NULL;
  pm__string_add(&t->text, "\n]}\n");
  if (!t->text.failed) return t->text.text;
  pm_string_free(t->text.text);
  pm__no_memory(error);
  return NULL;
}
