/* The rate of every stage, each by itself, and what it rests on. */
#include "hardware/spread.h"
#include "input/stages.h"

static double count_or(int32_t count, double otherwise)
{
  return count > 0 ? count : otherwise;
}

/* As many as workers where nobody knows. */
static double cores_of(const pm_input_setup *setup, const pm_input_run *run)
{
  const pm_machine *machine = &setup->machine;
  return machine->cpu_cores > 0 ? count_or(machine->cpu_sockets, 1) * machine->cpu_cores : count_or(run->workers, 1);
}

static double workers_of(const pm_input_setup *setup, const pm_input_run *run)
{
  return count_or(run->workers, cores_of(setup, run));
}

static double gpus_of(const pm_input_setup *setup, const pm_input_run *run)
{
  return count_or(run->gpus, count_or(setup->machine.gpus, 1));
}

/* ---- Storage and network. */

/* Samples per second of one unit: bytes and operations. */
static double unit_rate(const pm_input_setup *setup, const pm_input_run *run, double bytes)
{
  double bandwidth = pm__or(setup->storage.bandwidth, INFINITY) / bytes;
  double operations = pm__or(setup->storage.operations, INFINITY), each;
  if (run->format == PM_SAMPLE_FORMAT_FILES)
    each = pm__or(setup->access.open_operations, 0) + ceil(bytes / pm__or(setup->storage.read_size, bytes));
  else each = bytes / run->chunk * ceil(run->chunk / pm__or(setup->storage.read_size, run->chunk));
  return fmin(bandwidth, operations / each);
}

/* Samples per second of one node that waits for its reads. */
static double reads_rate(const pm_input_setup *setup, const pm_input_run *run, double bytes)
{
  const pm_storage_access *access = &setup->access;
  double flight = count_or(run->reads, workers_of(setup, run));
  double latency = pm__or(access->latency, 0), stream = pm__or(access->stream_bandwidth, INFINITY);
  if (run->format == PM_SAMPLE_FORMAT_FILES) return flight / (pm__or(access->open_time, 0) + latency + bytes / stream);
  return flight / ((latency + run->chunk / stream) * (bytes / run->chunk));
}

static void storage_stages(const pm_input_setup *setup, const pm_input_run *run, pm__input_rates *s)
{
  const pm_storage *storage = &setup->storage;
  double nodes = storage->shared ? run->nodes : 1, missed = 1 - s->hits;
  double links = count_or(run->gateway_links, count_or(storage->gateway_links, 1));
  s->storage = run->units * unit_rate(setup, run, s->bytes);
  s->uplink = run->units * pm__or(storage->uplink, INFINITY) / s->bytes;
  s->gateway = links * pm__or(storage->gateway, INFINITY) / s->bytes;
  s->rate[PM_INPUT_STAGE_STORAGE] = s->storage / nodes / missed;
  s->rate[PM_INPUT_STAGE_UPLINK] = s->uplink / nodes / missed;
  s->rate[PM_INPUT_STAGE_GATEWAY] = s->gateway / nodes / missed;
  s->rate[PM_INPUT_STAGE_READS] = reads_rate(setup, run, s->bytes) / missed;
  s->rate[PM_INPUT_STAGE_CLIENT] = pm__or(storage->client_bandwidth, INFINITY) / s->bytes / missed;
}

/* ---- The node. */

static double decode_rate(const pm_input_setup *setup, const pm_input_run *run, double bytes)
{
  const pm_loader *loader = &setup->loader;
  double workers = pm__decode_get_cores(&setup->decoder, workers_of(setup, run), cores_of(setup, run));
  double time = pm__or(loader->augment_time, 0) / workers;
  if (run->decode == PM_DECODE_PLACE_GPU)
    return gpus_of(setup, run) * loader->gpu_pixel_rate / setup->dataset.pixels;
  if (run->decode == PM_DECODE_PLACE_CPU)
    time = pm__decode_get_time(&setup->decoder, loader, setup->dataset.pixels, bytes) / workers;
  double handover = gpus_of(setup, run) * pm__or(loader->handover, INFINITY); /* every GPU's process has its own */
  return 1 / (time + pm__or(run->sample_out, 0) / handover);
}

/* Pinned memory reaches 0.77 of the bus (12.1 GB/s of 15.75); pageable memory is first copied, which halves it. */
static double copy_rate(const pm_input_setup *setup, const pm_input_run *run)
{
  const double pinned = 0.77, pageable = 0.5;
  double share = setup->loader.pinned ? pinned : pinned * pageable;
  double uplinks = ceil(gpus_of(setup, run) / run->gpus_per_uplink);
  if (isnan(run->sample_out) || isnan(run->copy_bandwidth)) return INFINITY;
  return uplinks * share * run->copy_bandwidth / run->sample_out;
}

static double cached_share(const pm_input_setup *setup, const pm_input_run *run, double bytes)
{
  if (!(run->cache > 0)) return 0;
  return fmin(1, run->cache / (setup->dataset.samples * bytes));
}

/* ---- What rates rest on. */

/* A record that does not say so has no rows. */
static int32_t rows_of(int32_t calibration)
{
  return calibration != PM_CALIBRATION_STATUS_NONE ? calibration : PM_CALIBRATION_STATUS_NOT_CALIBRATED;
}

/* Storage, ports and adapters are data sheets'; copies were measured on one bus. */
static void set_calibration(const pm_input_setup *setup, const pm_input_run *run, pm__input_rates *s)
{
  int32_t loader = rows_of(setup->loader.calibration);
  bool on_cores = run->decode == PM_DECODE_PLACE_CPU;
  for (int i = 0; i < PM_INPUT_STAGE_COUNT; i++) s->calibration[i] = PM_CALIBRATION_STATUS_NOT_CALIBRATED;
  s->calibration[PM_INPUT_STAGE_READS] = rows_of(setup->access.calibration);
  s->calibration[PM_INPUT_STAGE_DECODE] = on_cores ? pm__worse_status(rows_of(setup->decoder.calibration), loader)
                                                   : loader;
  if (run->decode == PM_DECODE_PLACE_GPU) /* one row, of another library, on one GPU, for all */
    s->calibration[PM_INPUT_STAGE_DECODE] = PM_CALIBRATION_STATUS_NOT_CALIBRATED;
  s->calibration[PM_INPUT_STAGE_COPY] = PM_CALIBRATION_STATUS_EXTRAPOLATED;
  s->calibration[PM_INPUT_STAGE_COMPUTE] = PM_CALIBRATION_STATUS_NONE;
}

void pm__input_stages(const pm_input_setup *setup, const pm_input_run *run, pm__input_rates *s)
{
  for (int i = 0; i < PM_INPUT_STAGE_COUNT; i++) s->rate[i] = INFINITY;
  s->bytes = setup->dataset.sample_size;
  s->cached = cached_share(setup, run, s->bytes);
  s->hits = run->first_epoch ? 0 : pm__cache_get_hits(s->cached, run->policy);
  storage_stages(setup, run, s);
  s->rate[PM_INPUT_STAGE_DECODE] = decode_rate(setup, run, s->bytes);
  s->rate[PM_INPUT_STAGE_COPY] = copy_rate(setup, run);
  s->rate[PM_INPUT_STAGE_COMPUTE] = pm__or(run->gpu_rate, INFINITY);
  set_calibration(setup, run, s);
}
