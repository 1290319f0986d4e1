/* Rings and collectives over the GPUs of a system: those of a list, or, without one, the first `gpus`. */

%{
static pm_group *group_of(const pm_system *system, const double *list, size_t listed, double gpus, double nodes,
                          double thread_gpus, pm_error *error)
{
  pm_group_choice choice = pm_group_choice_make();
  int count = listed > 0 ? (int)listed : whole(gpus, "gpus", error);
  choice.nodes = whole(nodes, "nodes", error);
  choice.thread_gpus = whole(thread_gpus, "thread_gpus", error);
  int32_t *numbers_of = wholes(list, listed, "a GPU", error);
  pm_group *group = error->status == PM_OK ? pm_group_new(system, numbers_of, count, &choice, error) : NULL;
  free(numbers_of);
  return group;
}

static pm_call call_of(const char *collective, const char *algorithm, const char *protocol, pm_error *error)
{
  pm_call call = pm_call_make();
  call.collective = pm_collective_find(collective);
  if (call.collective < 0) choice("call", "collective", collective, error);
  call.algorithm = choice("call", "algorithm", algorithm, error);
  call.protocol = choice("call", "protocol", protocol, error);
  return call;
}

/* One call for each size. Released with free. */
static pm_call *calls_of(const pm_call *call, const double *bytes, size_t count, pm_error *error)
{
  pm_call *calls = check_bytes(bytes, count, error) ? (pm_call *)room(count, sizeof *calls, error) : NULL;
  for (size_t i = 0; calls != NULL && i < count; i++) {
    calls[i] = *call;
    calls[i].bytes = bytes[i];
  }
  return calls;
}

static numbers rings_of(const pm_group *group, pm_error *error)
{
  size_t cycles = 0, gpus = (size_t)pm_group_get_facts(group).gpus, next = 3;
  while (!isnan(pm_group_get_cycle(group, (int)cycles, NULL))) cycles++;
  numbers array = numbers_new(3 + cycles * (gpus + 1), error);
  int *order = (int *)room(gpus, sizeof *order, error);
  for (size_t c = 0; array.data != NULL && order != NULL && c < cycles; c++) {
    array.data[next++] = pm_group_get_cycle(group, (int)c, order);
    for (size_t i = 0; i < gpus; i++) array.data[next++] = order[i];
  }
  if (array.data != NULL) {
    array.data[0] = pm_group_get_facts(group).rings;
    array.data[1] = pm_group_get_facts(group).ring_bandwidth;
    array.data[2] = (double)gpus;
  }
  free(order);
  return array;
}
%}

%apply (const double *NUMBERS, size_t COUNT) { (const double *bytes, size_t size_count) };
%apply (const double *NUMBERS, size_t COUNT) { (const double *list, size_t listed) };

%inline %{
/* One "ring" record: the ring of GPUs 0 .. gpus-1 of each node. */
static records system_ring(const pm_system *system, double gpus, double nodes, pm_error *error)
{
  int gpu_count = whole(gpus, "gpus", error), node_count = whole(nodes, "nodes", error);
  records array = records_new("ring", 1, error);
  if (error->status == PM_OK) pm_ring_find(system, gpu_count, node_count, (pm_ring *)array.data, error);
  return records_if_ok(array, error);
}

/* Time of an all-reduce of each of `bytes` over the ring. */
static numbers all_reduce_times(const pm_ring *ring, size_t ring_count, const double *bytes, size_t size_count,
                                pm_error *error)
{
  numbers times = numbers_new(size_count, error);
  if (!single(ring_count, "ring", error) || !check_bytes(bytes, size_count, error)) return times;
  for (size_t i = 0; i < size_count && times.data != NULL; i++)
    times.data[i] = pm_ring_get_all_reduce_time(ring, bytes[i]);
  return times;
}

/* The times of a collective, one row for each size. */
static pm_table *collective_times(const pm_system *system, const char *collective, const double *bytes,
                                  size_t size_count, const double *list, size_t listed, double gpus, double nodes,
                                  double thread_gpus, const char *algorithm, const char *protocol, pm_error *error)
{
  pm_table *table = NULL;
  pm_call call = call_of(collective, algorithm, protocol, error);
  pm_call *calls = calls_of(&call, bytes, size_count, error);
  records results = records_new("collective", size_count, error);
  pm_group *group = error->status == PM_OK ? group_of(system, list, listed, gpus, nodes, thread_gpus, error) : NULL;
  if (group != NULL) {
    pm_group_evaluate(group, calls, (pm_collective_time *)results.data, size_count);
    table = pm_collective_tabulate(group, calls, (pm_collective_time *)results.data, size_count, error);
  }
  pm_group_free(group);
  records_free(&results);
  free(calls);
  return table;
}

/* The load on every link, of one size. */
static pm_table *collective_loads(const pm_system *system, const char *collective, const double *bytes,
                                  size_t size_count, const double *list, size_t listed, double gpus, double nodes,
                                  double thread_gpus, const char *algorithm, const char *protocol, pm_error *error)
{
  pm_table *table = NULL;
  pm_call call = call_of(collective, algorithm, protocol, error);
  if (!single(size_count, "size", error)) return NULL;
  call.bytes = bytes[0];
  pm_group *group = error->status == PM_OK ? group_of(system, list, listed, gpus, nodes, thread_gpus, error) : NULL;
  if (group != NULL) table = pm_group_tabulate_loads(group, &call, error);
  pm_group_free(group);
  return table;
}

/* Directed rings, their bandwidth, GPUs, and for each cycle its weight and the GPUs in order. */
static numbers system_rings(const pm_system *system, const double *list, size_t listed, double gpus, pm_error *error)
{
  numbers array = {NULL, 0};
  pm_group *group = group_of(system, list, listed, gpus, 1, 1, error);
  if (group != NULL) array = rings_of(group, error);
  pm_group_free(group);
  return array;
}
%}
