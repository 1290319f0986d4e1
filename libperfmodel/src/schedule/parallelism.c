/*
** Data parallelism of whole networks other than by all-reduce (step/data.c), and waiting for the slowest GPU. w = 4 P
** bytes of weights (FP32), n GPUs.
**
**     straggler wait    (alone x straggler + waited x waited_straggler) x E(n), coordinator_time x log2 n across nodes
**     parameter-server  one process launches the kernels and the copies of all g GPUs of a node.
**                       wires = 2 w / host: gradients from all GPUs to one CPU at once, then weights back;
**                       memory = (accesses + g + 1 + 6 g) w / server_memory: the update, the sum of gradients, copies;
**                       network = 2 (nodes - 1) w / adapter, one node's server for all. They overlap with a GPU's own
**                       step, but the update of the first layers does not: it stays in that step
**                       exposed = max(0, max(wires, memory, network) - alone) + g V variable_time
**                                 + host copies for the others
**     async             n updates a step, each with its copies, take the server's memory; the step is no shorter than
**                       these. Nobody waits; weights are n - 1 updates old
**     single-process    broadcast of w and reduction of w in pieces of a bucket, one process for all GPUs, and the
**                       inputs of all GPUs copied by it one after the other; nothing hides
*/
#include <math.h>
#include "schedule/schedule.h"

typedef void parallelism(const pm__schedule *s, pm__schedule_times *times, pm__schedule_overhead *overhead);

static const pm_framework *framework_of(const pm__schedule *s)
{
  return &s->framework->profile.framework;
}

/* Payload between a GPU and its nearest CPU with nobody else on the way. */
static double one_gpu_host(const pm__schedule *s)
{
  pm__collective_group one;
  int status = pm__collective_group_init(&one, s->system->system, 0, 1, 1, 1);
  return status == PM_OK ? pm__exchange_host(&one) : (double)NAN;
}

static double weights(const pm__schedule *s)
{
  return 4 * s->network->parameters;
}

/* ---- Waiting ---- */

/* Abramowitz and Stegun 26.2.23 for the inverse of the normal distribution, |error| < 4.5e-4. */
static double normal_quantile(double p)
{
  double t = sqrt(-2 * log(1 - p));
  return t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
}

/* Blom's approximation of the expected order statistic. */
double pm__expected_maximum(double n)
{
  return n > 1 ? normal_quantile((n - 0.375) / (n + 0.25)) : 0;
}

double pm__straggler_wait(const pm__schedule *s, double alone, double waited, double ranks)
{
  if (s->framework == NULL) return 0;
  double spread = alone * framework_of(s)->straggler + waited * framework_of(s)->waited_straggler;
  double wait = spread * pm__expected_maximum(ranks);
  return s->run->nodes > 1 ? wait + framework_of(s)->coordinator_time * log2(s->ranks) : wait;
}

static void wait_for_each_other(const pm__schedule *s, const pm__schedule_times *times, pm__schedule_overhead *overhead)
{
  overhead->straggler_wait = pm__straggler_wait(s, times->alone, times->waited, s->ranks);
}

/* Other times of the GPU and its host, of which the step of one GPU consists. */
static void change(const pm__schedule *s, double gpu, double host, pm__schedule_times *times)
{
  if (s->framework == NULL) times->alone += gpu - times->gpu;
  else times->alone += sqrt(gpu * gpu + host * host) - sqrt(times->gpu * times->gpu + times->host * times->host);
  times->gpu = gpu;
  times->host = host;
}

/* One process launches the kernels of all GPUs of a node. */
static void launch_all(const pm__schedule *s, pm__schedule_times *times)
{
  if (s->framework == NULL) return;
  double more = (s->run->gpus - 1) * pm__schedule_host_time(s) * pm__schedule_pass_calls(s);
  change(s, times->gpu, times->host + more, times);
}

/* ---- Data parallel ---- */

static void single_process(const pm__schedule *s, pm__schedule_times *times, pm__schedule_overhead *overhead)
{
  int gpus = s->run->gpus;
  double bucket = s->framework != NULL ? framework_of(s)->bucket : (double)INFINITY;
  double pieces = fmax(1, ceil(weights(s) / bucket)), piece = weights(s) / pieces;
  double inputs = s->samples * s->network->input_elements * 4;
  overhead->exposed = pieces * (pm__schedule_exchange(s, PM_COLLECTIVE_BROADCAST, gpus, piece) +
                               pm__schedule_exchange(s, PM_COLLECTIVE_REDUCE, gpus, piece)) +
                     inputs / one_gpu_host(s);
  launch_all(s, times);
  overhead->communication = overhead->exposed;
  wait_for_each_other(s, times, overhead);
}

/* ---- Servers ---- */

/* The host's memory is not pinned, so what a GPU sends or gets passes through it three times: the transfer, and the
** driver's copy, which reads and writes. */
enum { COPY_ACCESSES = 3 };

/* What the memory of the server does for an update from so many gradients, which are read for their sum. */
static double server_memory(const pm__schedule *s, double gradients)
{
  double accesses = s->optimizer->accesses + (gradients > 1 ? gradients + 1 : 0) + 2 * COPY_ACCESSES * gradients;
  return accesses * weights(s) / framework_of(s)->server_memory;
}

static double server_network(const pm__schedule *s)
{
  if (s->run->nodes < 2) return 0;
  return 2 * (s->run->nodes - 1) * weights(s) / pm__exchange_network(&s->group);
}

/* Bytes from all GPUs of a node to one CPU at once, or back; each GPU's. */
static double server_copy(const pm__schedule *s, double bytes)
{
  return bytes / pm__exchange_server(&s->group);
}

/* What host copies cost for the further GPUs: their inputs go through the same process, and to all GPUs, each of
** which then takes its part (Keras until 2.2.0). */
static double host_copies_of_others(const pm__schedule *s)
{
  double one = pm__schedule_host_copy(s, s->batch), others = (s->run->gpus - 1) * s->accumulation;
  return one > 0 ? others * (one + server_copy(s, s->batch * s->network->input_elements * 4)) : 0;
}

static void parameter_server(const pm__schedule *s, pm__schedule_times *times, pm__schedule_overhead *overhead)
{
  double gpus = s->run->gpus;
  double each = gpus * s->network->variables * framework_of(s)->variable_time + host_copies_of_others(s);
  double busy = fmax(fmax(server_copy(s, 2 * weights(s)), server_memory(s, gpus)), server_network(s));
  launch_all(s, times);
  overhead->communication = busy + each;
  overhead->exposed = fmax(0, busy - times->alone) + each;
  wait_for_each_other(s, times, overhead);
}

static void asynchronous(const pm__schedule *s, pm__schedule_times *times, pm__schedule_overhead *overhead)
{
  double network = s->run->nodes > 1 ? 2 * s->run->gpus * server_network(s) : 0;
  overhead->communication = fmax(fmax(s->ranks * server_memory(s, 1), server_copy(s, 2 * weights(s))), network);
  overhead->exposed = fmax(0, overhead->communication - times->alone);
  overhead->staleness = s->ranks - 1;
}

/* ---- All of them ---- */

void pm__parallelism_evaluate(const pm__schedule *s, pm__schedule_times *times, pm__schedule_overhead *overhead)
{
  static parallelism *const all[PM_PARALLELISM_COUNT] = {
    [PM_PARALLELISM_SINGLE_PROCESS] = single_process, [PM_PARALLELISM_PARAMETER_SERVER] = parameter_server,
    [PM_PARALLELISM_ASYNCHRONOUS] = asynchronous};
  *overhead = (pm__schedule_overhead){.exchanged = s->network->parameters};
  all[s->parallelism](s, times, overhead);
}
