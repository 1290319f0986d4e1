/*
** Disaggregated serving: some workers read prompts, others decode, and the cache of each prompt is sent between them.
**
** Reading is a queue with as many servers as workers; decoding has no prompts in between. The cache is sent layer by
** layer while the next layer is computed, so that what shows is one layer, or what the network is slower by.
*/
#include <math.h>
#include "serving/queue.h"
#include "serving/service.h"

/* Of a prompt, over the adapters of the smaller worker; GPUs of one node copy over their links, which hides it. */
static double transfer_time(const pm__serving_pools *p, double reading)
{
  const pm__serving_replica *from = p->prefill->replica, *to = p->decode->replica;
  double bytes = p->decode->isl * from->model->cache_whole * from->device.cache_bytes;
  double links = fmin(from->gpus, to->gpus), layers = from->model->layers;
  double rate = to->hop.wiring != NULL ? links * pm__collective_group_network(&to->hop) : 0;
  if (!(rate > 0)) return 0;
  double whole = bytes / rate;
  return whole <= reading ? whole / layers : whole - reading * (1 - 1 / layers);
}

/* Prompts per second that the workers of the first kind can read. */
static double reading_rate(const pm__serving_pools *p, double reading)
{
  return p->prefill_workers * p->prefill->replica->groups / reading;
}

/* Clients that begin at once, and end at about the same time, come in bunches: as in closed loops of one pool, a part
** of all other prompts is before one, half of it on average. */
static double bunch_wait(const pm__serving_pools *p, double workers, double reading)
{
  return isnan(p->clients) ? 0 : p->decode->bunching * fmax(0, p->clients - workers) * reading / workers / 2;
}

/* With `running` sequences in each group that decodes: the rate that they make, and what a request then takes. */
static void serve_with(const pm__serving_pools *p, double running, double reading, pm__serving_service *out)
{
  const pm_serving_run *run = p->decode->replica->run;
  double workers = p->prefill_workers * p->prefill->replica->groups, steps = pm__serving_steps(p->decode);
  double groups = p->decode_workers * p->decode->replica->groups;
  double pass = pm__serving_decode(p->decode->replica, fmax(1, running), p->decode->context);
  out->rate = fmin(groups * running / (fmax(1, steps) * pass), reading_rate(p, reading) * (1 - 1e-9));
  double wait = pm__serving_wait(workers, out->rate * reading, reading, run->arrival_cv, run->length_cv);
  if (!isnan(p->clients)) wait = fmin(wait, p->clients * reading / workers); /* all of them before it */
  double busy = pm__serving_erlang_c(workers, out->rate * reading);
  wait += bunch_wait(p, workers, reading);
  out->transfer = transfer_time(p, reading);
  out->prefill = reading;
  out->queue = wait;
  out->running = running;
  out->tpot = out->tpot_late = steps > 0 ? pass / p->decode->replica->accepted : (double)NAN;
  out->ttft = wait + reading + out->transfer + p->decode->client;
  out->ttft_late = out->ttft - wait + pm__serving_wait_percentile(run->percentile, busy, wait);
  out->latency = out->ttft + steps * pass;
}

enum { HALVINGS = 20 };

/* Sequences at which requests come as fast as they are answered: at the rate, or from all clients. */
static void settle(const pm__serving_pools *p, double reading, pm__serving_service *out)
{
  double low = 0, high = p->decode->room;
  bool open = isnan(p->clients);
  for (int i = 0; i < HALVINGS && high - low > 1e-3 * high; i++) {
    double middle = (low + high) / 2;
    serve_with(p, middle, reading, out);
    if (open ? out->rate < p->rate : out->rate * out->latency < p->clients) low = middle;
    else high = middle;
  }
  serve_with(p, high, reading, out);
}

/* More clients than both pools have room for wait before they are read. */
static void add_waiting(const pm__serving_pools *p, pm__serving_service *out)
{
  double more = p->clients / out->rate - out->latency;
  if (!(more > 1e-3 * out->latency)) return;
  out->queue += more;
  out->ttft += more;
  out->ttft_late += more;
  out->latency += more;
}

void pm__serving_pools_serve(const pm__serving_pools *p, pm__serving_service *out)
{
  double reading = pm__serving_prefill(p->prefill->replica, 1, p->prefill->fresh, p->prefill->past);
  serve_with(p, p->decode->room, reading, out);
  double most = out->rate;
  out->limit = PM_SERVING_LIMIT_NONE;
  settle(p, reading, out);
  out->largest = most;
  if (!isnan(p->clients)) add_waiting(p, out);
  else if (p->rate >= most) {
    out->limit = PM_SERVING_LIMIT_OVERLOAD;
    out->ttft = out->ttft_late = out->latency = out->queue = INFINITY;
  }
}
