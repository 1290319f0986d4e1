/* (setup, run) -> rates: stages put together, the limiting one, what the GPUs wait, how many nodes are fed. */
#include <string.h>
#include "hardware/spread.h"
#include "record/count.h"
#include "record/sized.h"
#include "input/stages.h"

/* ---- Checks. */

static int check_counts(const pm_input_run *run, pm_error *error)
{
  const struct {
    const char *name;
    int32_t value, least;
  } counts[] = {{"nodes", run->nodes, 1},     {"units", run->units, 1},
                {"workers", run->workers, 0}, {"gateway_links", run->gateway_links, 0},
                {"gpus", run->gpus, 0},       {"reads", run->reads, 0},
                {"prefetch", run->prefetch, 0}, {"gpus_per_uplink", run->gpus_per_uplink, 1}};
  int status = PM_OK;
  for (size_t i = 0; i < sizeof counts / sizeof counts[0] && status == PM_OK; i++)
    status = pm__count_check(counts[i].name, counts[i].value, counts[i].least, error);
  return status;
}

static int check_choices(const pm_input_run *run, pm_error *error)
{
  if (run->format < 0 || run->format >= PM_SAMPLE_FORMAT_COUNT)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "there is no format %d", run->format);
  if (run->decode < 0 || run->decode >= PM_DECODE_PLACE_COUNT)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "there is no place %d to decode", run->decode);
  if (run->policy < 0 || run->policy >= PM_CACHE_POLICY_COUNT)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "there is no cache policy %d", run->policy);
  if (run->first_epoch < 0 || run->first_epoch > 1)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "first_epoch %d is neither 0 nor 1", run->first_epoch);
  return PM_OK;
}

/* Quantities of a run that must be positive if they are known, and three that may be 0 and must be known. */
static int check_quantities(const pm_input_run *run, pm_error *error)
{
  const struct {
    const char *name;
    double value;
    bool zero, unknown;
  } all[] = {{"cache", run->cache, true, false},
             {"chunk", run->chunk, false, false},
             {"sample_out", run->sample_out, false, true},
             {"copy_bandwidth", run->copy_bandwidth, false, true},
             {"gpu_rate", run->gpu_rate, false, true},
             {"input_variation", run->input_variation, true, false},
             {"gpu_variation", run->gpu_variation, true, false}};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    if (isnan(all[i].value) ? all[i].unknown : isfinite(all[i].value) && all[i].value > 0) continue;
    if (all[i].value == 0 && all[i].zero) continue;
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "%s %g is not %s", all[i].name, all[i].value,
                    all[i].zero ? "at least 0" : "above 0");
  }
  return PM_OK;
}

/* Work on cores takes to know how many they are. */
static int check_cores(const pm_input_setup *setup, const pm_input_run *run, pm_error *error)
{
  bool on_cores = run->decode == PM_DECODE_PLACE_CPU ||
      (run->decode == PM_DECODE_PLACE_NONE && setup->loader.augment_time > 0);
  if (!on_cores || run->workers > 0 || setup->machine.cpu_cores > 0) return PM_OK;
  return pm__fail(error, PM_STATUS_NOT_MODELLED, "the cores of system \"%s\" are unknown; give workers",
                  setup->machine.id);
}

static int check_decoding(const pm_input_setup *setup, const pm_input_run *run, pm_error *error)
{
  if (run->decode == PM_DECODE_PLACE_NONE) return PM_OK;
  if (!(setup->dataset.pixels > 0))
    return pm__fail(error, PM_STATUS_NOT_MODELLED,
                    "the pixels of dataset \"%s\" are unknown, which decoding needs; set decode to none",
                    setup->dataset.id);
  if (run->decode == PM_DECODE_PLACE_GPU && !(setup->loader.gpu_pixel_rate > 0))
    return pm__fail(error, PM_STATUS_NOT_MODELLED, "loader \"%s\" does not decode on the GPU", setup->loader.id);
  if (run->decode == PM_DECODE_PLACE_CPU && !(setup->decoder.pixel_time > 0))
    return pm__fail(error, PM_STATUS_NOT_MODELLED, "the decoding speed of CPU \"%s\" is unknown", setup->machine.cpu);
  return PM_OK;
}

static int check_setup(const pm_input_setup *setup, const pm_input_run *run, pm_error *error)
{
  const pm_storage *storage = &setup->storage;
  double most = storage->max_units > 0 ? storage->max_units : 1;
  double links = storage->gateway_links > 0 ? storage->gateway_links : 1;
  if (!(setup->dataset.sample_size > 0) || !isfinite(setup->dataset.sample_size))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "the size of a sample of dataset \"%s\" is unknown",
                    setup->dataset.id);
  if (run->cache > 0 && !(setup->dataset.samples > 0))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "the samples of dataset \"%s\" are unknown", setup->dataset.id);
  if (!(storage->bandwidth > 0))
    return pm__fail(error, PM_STATUS_NOT_MODELLED, "the bandwidth of storage \"%s\" is unknown", storage->id);
  if (run->units > most)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "units %d is more than the %g of storage \"%s\"",
                    run->units,
                    most, storage->id);
  if (run->gateway_links > links)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "gateway_links %d is more than the %g of storage \"%s\"",
                    run->gateway_links, links, storage->id);
  int status = check_cores(setup, run, error);
  return status == PM_OK ? check_decoding(setup, run, error) : status;
}

int pm_input_check_sized(const pm_input_setup *setup, const pm_input_run *run, size_t size, pm_error *error)
{
  pm_input_run own;
  if (setup == NULL || run == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "an input run needs a setup");
  if (pm__record_size_check("input_run", size, error) != PM_OK) return PM_STATUS_BAD_ARGUMENT;
  run = (const pm_input_run *)pm__record_read(&(pm__record_array){"input_run", run, size}, 0, &own);
  int status = check_counts(run, error);
  if (status == PM_OK) status = check_choices(run, error);
  if (status == PM_OK) status = check_quantities(run, error);
  return status == PM_OK ? check_setup(setup, run, error) : status;
}

/* ---- Rates of the whole path. */

static int slowest(const pm__input_rates *s, int count)
{
  int least = PM_INPUT_STAGE_STORAGE;
  for (int i = least + 1; i < count; i++)
    if (s->rate[i] < s->rate[least]) least = i;
  return least;
}

/* Stages that work in turn, the first `count` of them. */
static double in_turn(const pm__input_rates *s, int count)
{
  double time = 0;
  for (int i = PM_INPUT_STAGE_STORAGE; i < count; i++) time += 1 / s->rate[i];
  return 1 / time;
}

/* A queue is never worse than no queue between the path and the GPUs; the formula alone can be, by a little. */
static double behind_queue(const pm_input_run *run, double input)
{
  double gpu = run->gpu_rate;
  if (isnan(gpu) || isinf(input)) return fmin(input, pm__or(gpu, INFINITY));
  double smoothed = gpu * pm__prefetch_get_efficiency(input / gpu, run->input_variation, run->gpu_variation,
                                                     run->prefetch);
  return fmax(smoothed, input * gpu / (input + gpu));
}

/* Nodes that `whole` samples per second feed; a hair of rounding does not cost one. */
static double nodes_fed(double whole, double need)
{
  const double hair = 1e-9;
  return floor(whole / need * (1 + hair));
}

static void count_nodes(const pm_input_setup *setup, const pm__input_rates *s, double rate, pm_input_rates *r)
{
  const double unlimited = INFINITY;
  double need = s->hits < 1 ? rate * (1 - s->hits) : 0;
  bool shared = setup->storage.shared != 0;
  r->node_rate = need * s->bytes;
  r->nodes_storage = shared ? nodes_fed(s->storage, need) : unlimited;
  r->nodes_uplink = nodes_fed(s->uplink, need);
  r->nodes_gateway = nodes_fed(s->gateway, need);
  r->nodes_ports = setup->storage.node_ports > 0 ? setup->storage.node_ports : unlimited;
  r->max_nodes = fmin(fmin(r->nodes_storage, r->nodes_uplink), fmin(r->nodes_gateway, r->nodes_ports));
}

static void show_stages(const pm__input_rates *s, pm_input_rates *r)
{
  r->storage = s->rate[PM_INPUT_STAGE_STORAGE];
  r->reads = s->rate[PM_INPUT_STAGE_READS];
  r->uplink = s->rate[PM_INPUT_STAGE_UPLINK];
  r->gateway = s->rate[PM_INPUT_STAGE_GATEWAY];
  r->client = s->rate[PM_INPUT_STAGE_CLIENT];
  r->decode = s->rate[PM_INPUT_STAGE_DECODE];
  r->copy = s->rate[PM_INPUT_STAGE_COPY];
  r->cached = s->cached;
  r->hits = s->hits;
}

/* ---- The interval. */

static double path_rate(const pm_input_run *run, const pm__input_rates *s)
{
  bool queue = run->prefetch > 0;
  return queue ? s->rate[slowest(s, PM_INPUT_STAGE_COMPUTE)] : in_turn(s, PM_INPUT_STAGE_COMPUTE);
}

static double throughput(const pm_input_run *run, const pm__input_rates *s)
{
  return run->prefetch > 0 ? behind_queue(run, path_rate(run, s)) : in_turn(s, PM_INPUT_STAGE_COUNT);
}

/* With every stage at that end of its own interval: +1 is the fast one. The GPUs' rate is as it was given. */
static double throughput_at(const pm_input_setup *setup, const pm_input_run *run, const pm__input_rates *s, int end)
{
  const pm_prediction_interval *i = &setup->interval;
  pm__input_rates moved = *s;
  for (int stage = 0; stage < PM_INPUT_STAGE_COMPUTE; stage++) {
    double spread = i->rate * pm__spread_factor(s->calibration[stage], i->extrapolated, i->not_calibrated);
    moved.rate[stage] *= pow(pm__interval_factor(spread * spread), end);
  }
  return throughput(run, &moved);
}

static void set_interval(const pm_input_setup *setup, const pm_input_run *run, const pm__input_rates *s,
                         pm_input_rates *r)
{
  int stage = slowest(s, PM_INPUT_STAGE_COMPUTE);
  r->calibration = isinf(s->rate[stage]) ? PM_CALIBRATION_STATUS_NONE : s->calibration[stage];
  r->throughput_p10 = r->throughput_p90 = NAN;
  if (!(setup->interval.rate > 0)) return;
  r->throughput_p10 = throughput_at(setup, run, s, -1);
  r->throughput_p90 = throughput_at(setup, run, s, 1);
}

/* ---- Together. */

static void fill_unknown(pm_input_rates *r, int status)
{
#define UNKNOWN_REAL(name) r->name = NAN;
#define UNKNOWN_STATUS(name) r->name = status;
#define UNKNOWN_INPUT_STAGE(name) r->name = PM_INPUT_STAGE_UNKNOWN;
#define UNKNOWN_CALIBRATION_STATUS(name) r->name = PM_CALIBRATION_STATUS_NONE;
#define UNKNOWN(kind, name, ...) UNKNOWN_##kind(name)
  PM_INPUT_RATES_FIELDS(UNKNOWN)
#undef UNKNOWN
}

static void answer(const pm_input_setup *setup, const pm_input_run *run, pm_input_rates *r)
{
  pm__input_rates s;
  memset(r, 0, sizeof *r);
  r->status = pm_input_check(setup, run, NULL);
  if (r->status != PM_OK) {
    fill_unknown(r, r->status);
    return;
  }
  pm__input_stages(setup, run, &s);
  show_stages(&s, r);
  r->hits_least = run->first_epoch ? 0 : pm__cache_get_hits(s.cached, PM_CACHE_POLICY_LRU);
  r->hits_most = run->first_epoch ? 0 : pm__cache_get_hits(s.cached, PM_CACHE_POLICY_RANDOM);
  r->input = path_rate(run, &s);
  r->throughput = throughput(run, &s);
  set_interval(setup, run, &s, r);
  r->bottleneck = isinf(r->throughput) ? PM_INPUT_STAGE_UNKNOWN : slowest(&s, PM_INPUT_STAGE_COUNT);
  r->total = r->throughput * run->nodes;
  r->gpu_busy = r->throughput / run->gpu_rate;
  r->input_wait_share = 1 - r->gpu_busy;
  r->storage_rate = s.hits < 1 ? r->total * s.bytes * (1 - s.hits) : 0;
  count_nodes(setup, &s, isnan(run->gpu_rate) ? r->throughput : run->gpu_rate, r);
}

static int answer_all(const void *setup, const void *runs, void *rates, size_t count)
{
  for (size_t i = 0; i < count; i++)
    answer((const pm_input_setup *)setup, (const pm_input_run *)runs + i, (pm_input_rates *)rates + i);
  return PM_OK;
}

int pm_input_evaluate_sized(const pm_input_setup *setup, const pm_input_run *runs, size_t run_size,
                            pm_input_rates *rates,
                   size_t rates_size, size_t count)
{
  if (setup == NULL || (count > 0 && (runs == NULL || rates == NULL))) return PM_STATUS_BAD_ARGUMENT;
  if (run_size == sizeof *runs && rates_size == sizeof *rates) return answer_all(setup, runs, rates, count);
  if (pm__record_size_check("input_run", run_size, NULL) != PM_OK) return PM_STATUS_BAD_ARGUMENT;
  if (pm__record_size_check("input_rates", rates_size, NULL) != PM_OK) return PM_STATUS_BAD_ARGUMENT;
  return pm__record_each(answer_all, setup, (pm__record_array){"input_run", runs, run_size},
                        (pm__record_array){"input_rates", rates, rates_size}, count);
}
