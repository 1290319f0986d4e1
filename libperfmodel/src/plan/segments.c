/*
** Passes in segments: the backward pass from one bucket of gradients that is ready to be sent to the next, and the
** forward pass from one call that the GPU waits for to the next.
**
** Units are walked from the last layer to the first. With more buckets than there are segments, the last ones stay as
** they are, because what is sent last is what the step waits for, and the earlier ones are taken together in groups.
*/
#include <math.h>
#include <stdlib.h>
#include "plan/units.h"

enum { ALONE = PM__SEGMENTS / 2 }; /* last buckets that are never taken together */

/* Buckets, and what is left of the backward pass behind the last of them. */
static int bucket_count(const pm_network *network, double bucket)
{
  double filled = 0;
  int count = 0;
  for (size_t i = network->count; i-- > 0;) {
    filled += network->layers[i].parameters;
    if (filled > 0 && filled >= bucket) filled = 0, count++;
  }
  return count + (filled > 0);
}

/* The segment of bucket `index` of `buckets`. */
static int segment_of(int index, int buckets)
{
  const int most = PM__SEGMENTS - 1; /* one is for what is behind the last bucket */
  if (buckets <= most) return index;
  int early = buckets - ALONE;
  if (index >= early) return most - ALONE + (index - early);
  return (int)((int64_t)index * (most - ALONE) / early);
}

typedef struct walk {
  const pm__units *units;
  pm__segments *segments;
  int *kernel; /* entries as they come: kernel, segment, repeats */
  int *place;
  double *repeats;
  int entries;
} walk;

static void add_entry(walk *w, int kernel, int segment, double repeats)
{
  for (int e = w->entries; e-- > 0 && w->place[e] == segment;)
    if (w->kernel[e] == kernel) {
      w->repeats[e] += repeats;
      return;
    }
  w->kernel[w->entries] = kernel;
  w->place[w->entries] = segment;
  w->repeats[w->entries++] = repeats;
}

/* Its passes of that direction. */
static void add_unit(walk *w, const pm__unit *unit, int segment)
{
  bool forward = w->segments->forward;
  pm__fixed *fixed = &w->segments->fixed[segment];
  for (int i = unit->first; i < unit->first + unit->count; i++) {
    const pm__unit_kernel *k = &w->units->entry[i];
    if ((w->units->kernels.shape[k->kernel].pass == PM__FORWARD) == forward)
      add_entry(w, k->kernel, segment, k->repeats);
  }
  for (int pass = forward ? PM__FORWARD : PM__FORWARD + 1; pass < (forward ? PM__FORWARD + 1 : PM__PASSES); pass++) {
    fixed->launches += unit->pass[pass].launches;
    fixed->host_calls += unit->pass[pass].host_calls;
    fixed->expert_calls += unit->pass[pass].expert_calls;
    fixed->group_calls += unit->pass[pass].group_calls;
    fixed->layout += unit->pass[pass].layout;
  }
}

static void walk_layers(walk *w, const pm_network *network, double bucket)
{
  pm__segments *s = w->segments;
  int buckets = bucket_count(network, bucket), index = 0;
  double filled = 0;
  for (size_t i = network->count; i-- > 0;) {
    int segment = index < buckets ? segment_of(index, buckets) : buckets > 0 ? s->count : 0;
    if (index < buckets) s->count = segment + 1;
    if (w->units->order[i] >= 0) add_unit(w, &w->units->unit[w->units->order[i]], segment);
    filled += network->layers[i].parameters;
    s->parameters[segment] += network->layers[i].parameters;
    if (filled > 0 && filled >= bucket) filled = 0, s->pieces[segment] += 1, index++;
  }
  if (filled > 0) s->pieces[s->count - 1] += 1;
  if (index == buckets) s->count++; /* behind the last bucket */
}

/* Entries in the order of the kernels. */
static void sort_entries(walk *w, int kernels)
{
  pm__segments *s = w->segments;
  for (int e = 0; e < w->entries; e++) s->first[w->kernel[e] + 1]++;
  for (int i = 0; i < kernels; i++) s->first[i + 1] += s->first[i];
  for (int e = 0; e < w->entries; e++) {
    int at = s->first[w->kernel[e]]++;
    s->place[at] = w->place[e];
    s->repeats[at] = w->repeats[e];
  }
  for (int i = kernels; i > 0; i--) s->first[i] = s->first[i - 1];
  s->first[0] = 0;
}

/* No segment has more entries than the layers in it. */
static size_t entries_most(const pm__units *units)
{
  size_t most = 1;
  for (int i = 0; i < units->length; i++)
    if (units->order[i] >= 0) most += (size_t)units->unit[units->order[i]].count;
  return most;
}

static bool allocate(walk *w)
{
  size_t room = entries_most(w->units), kernels = (size_t)w->units->kernels.first[PM__GROUPS];
  pm__segments *s = w->segments = (pm__segments *)calloc(1, sizeof *s);
  if (s == NULL) return false;
  s->first = (int *)calloc(kernels + 2, sizeof *s->first);
  s->place = (int *)calloc(room, sizeof *s->place);
  s->repeats = (double *)calloc(room, sizeof *s->repeats);
  w->place = (int *)calloc(room, sizeof *w->place);
  w->kernel = (int *)calloc(room, sizeof *w->kernel);
  w->repeats = (double *)calloc(room, sizeof *w->repeats);
  return s->first != NULL && s->place != NULL && s->repeats != NULL && w->place != NULL && w->kernel != NULL &&
         w->repeats != NULL;
}

static void walk_waits(walk *w, const pm_network *network)
{
  int segment = 0;
  w->segments->forward = true;
  for (size_t i = 0; i < network->count; i++) {
    const pm__unit *unit = w->units->order[i] >= 0 ? &w->units->unit[w->units->order[i]] : NULL;
    if (unit == NULL) continue;
    add_unit(w, unit, segment);
    if (unit->pass[PM__FORWARD].waited > 0 && segment + 1 < PM__SEGMENTS) segment++;
  }
  w->segments->count = segment + 1;
}

/* `bucket` NULL: of the forward pass. */
static pm__segments *make(const pm_network *network, const pm__units *units, const double *bucket, pm_error *error)
{
  walk w = {.units = units};
  if (allocate(&w)) {
    if (bucket != NULL) walk_layers(&w, network, *bucket);
    else walk_waits(&w, network);
    sort_entries(&w, units->kernels.first[PM__GROUPS]);
  } else {
    pm__segments_free(w.segments);
    w.segments = NULL;
    pm__no_memory(error);
  }
  free(w.place);
  free(w.kernel);
  free(w.repeats);
  return w.segments;
}

pm__segments *pm__segments_new(const pm_network *network, const pm__units *units, double bucket, pm_error *error)
{
  return make(network, units, &bucket, error);
}

pm__segments *pm__segments_new_waits(const pm_network *network, const pm__units *units, pm_error *error)
{
  return make(network, units, NULL, error);
}

void pm__segments_free(pm__segments *segments)
{
  if (segments == NULL) return;
  free(segments->first);
  free(segments->place);
  free(segments->repeats);
  free(segments);
}
