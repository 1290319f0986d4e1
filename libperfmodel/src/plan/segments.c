/*
** The backward pass in pieces: from one bucket of gradients that is ready to be sent to the next.
**
** Layers are walked from the last to the first. With more buckets than there are segments, the last ones stay as they
** are, because what is sent last is what the step waits for, and the earlier ones are taken together in groups.
*/
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "plan/kernels.h"

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
  const pm_network *network;
  const pm__kernels *kernels;
  pm__segments *segments;
  int *place; /* entries as they come: kernel, segment, repeats */
  int *kernel;
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

static void add_layer(walk *w, size_t index, pm__execution execution, int segment)
{
  pm__launch list[PM__LAUNCHES_MAX];
  int count = pm__lower_layer(w->network, index, execution, list);
  for (int i = 0; i < count; i++) {
    if (list[i].kernel.pass == PM__FORWARD || !pm__is_work(&list[i].kernel)) continue;
    add_entry(w, pm__kernels_find(w->kernels, &list[i].kernel), segment, list[i].kernel.repeats);
    w->segments->fixed[segment].launches += list[i].launches;
    w->segments->fixed[segment].host_calls += list[i].host_calls;
    w->segments->fixed[segment].layout += list[i].layout;
  }
}

static void walk_layers(walk *w, pm__execution execution, double bucket)
{
  pm__segments *s = w->segments;
  int buckets = bucket_count(w->network, bucket), index = 0;
  double filled = 0;
  for (size_t i = w->network->count; i-- > 0;) {
    int segment = index < buckets ? segment_of(index, buckets) : buckets > 0 ? s->count : 0;
    if (index < buckets) s->count = segment + 1;
    add_layer(w, i, execution, segment);
    filled += w->network->layers[i].parameters;
    s->parameters[segment] += w->network->layers[i].parameters;
    if (filled > 0 && filled >= bucket) filled = 0, s->pieces[segment] += 1, index++;
  }
  if (filled > 0) s->pieces[s->count - 1] += 1;
  if (index == buckets) s->count++; /* behind the last bucket */
}

/* Entries in the order of the kernels. */
static void sort_entries(walk *w, int kernel_count)
{
  pm__segments *s = w->segments;
  for (int e = 0; e < w->entries; e++) s->first[w->kernel[e] + 1]++;
  for (int i = 0; i < kernel_count; i++) s->first[i + 1] += s->first[i];
  for (int e = 0; e < w->entries; e++) {
    int at = s->first[w->kernel[e]]++;
    s->place[at] = w->place[e];
    s->repeats[at] = w->repeats[e];
  }
  for (int i = kernel_count; i > 0; i--) s->first[i] = s->first[i - 1];
  s->first[0] = 0;
}

static bool allocate(walk *w, size_t kernel_count)
{
  size_t room = w->network->kernel_count + PM__LAUNCHES_MORE * w->network->count + 1;
  pm__segments *s = w->segments = (pm__segments *)calloc(1, sizeof *s);
  if (s != NULL) {
    s->first = (int *)calloc(kernel_count + 2, sizeof *s->first);
    s->place = (int *)calloc(room, sizeof *s->place);
    s->repeats = (double *)calloc(room, sizeof *s->repeats);
  }
  w->place = (int *)calloc(room, sizeof *w->place);
  w->kernel = (int *)calloc(room, sizeof *w->kernel);
  w->repeats = (double *)calloc(room, sizeof *w->repeats);
  return s != NULL && s->first != NULL && s->place != NULL && s->repeats != NULL && w->place != NULL &&
         w->kernel != NULL && w->repeats != NULL;
}

pm__segments *pm__segments_new(const pm_network *network, const pm__kernels *kernels, pm__execution execution, double bucket,
                               pm_error *error)
{
  walk w = {network, kernels, NULL, NULL, NULL, NULL, 0};
  int kernel_count = kernels->first[GROUPS];
  bool good = allocate(&w, (size_t)kernel_count);
  if (good) {
    walk_layers(&w, execution, bucket);
    sort_entries(&w, kernel_count);
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

void pm__segments_free(pm__segments *segments)
{
  if (segments == NULL) return;
  free(segments->first);
  free(segments->place);
  free(segments->repeats);
  free(segments);
}
