/*
** Input pipeline: how many samples per second storage, network, page cache, decoding and copies deliver to the GPUs.
**
** Every stage of the path has a rate in samples per second per node. The slowest stage limits the throughput. A queue
** of prefetched batches lets stages overlap and smooths their variation; without one they work one after the other.
** Cached pages are not read from the storage again, so stages before the cache gain 1 / (1 - hit ratio). Formulas,
** sources and errors: docs/model.md, "Input".
**
**     pm_input_setup setup;               // dataset, storage, ... from the catalogue, or filled by hand
**     pm_input_run run = pm_input_run_make();
**     run.nodes = 4; run.gpu_rate = 2940;
**     pm_input_rates rates;
**     pm_input_evaluate(&setup, &run, &rates, 1);
**     printf("%.0f samples/s of %.0f, at most %.0f nodes\n", rates.throughput, run.gpu_rate, rates.max_nodes);
*/
#ifndef PERFMODEL_INPUT_H
#define PERFMODEL_INPUT_H

#include "hardware.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- What the catalogue knows ----------------------------------------------------------------------------------- */

/* The storage of samples, and the path from there to a node. NAN or 0: no limit. */
#define PM_STORAGE_FIELDS(X)                                                                                        \
  X(TEXT, id, "", "short stable name")                                                                              \
  X(TEXT, name, "", "full name")                                                                                    \
  X(YES_NO, shared, "", "whether all nodes share it; if not, every node has its own")                               \
  X(REAL, bandwidth, "B/s", "sequential read bandwidth of one unit (chassis, array, drive)")                        \
  X(REAL, operations, "1/s", "random read operations per second of one unit")                                       \
  X(INT, max_units, "1", "largest number of units; one if not given")                                                  \
  X(REAL, read_size, "B", "largest read in one operation; a whole file if not given")                                  \
  X(REAL, uplink, "B/s", "network bandwidth of one unit, all ports")                                                   \
  X(REAL, gateway, "B/s", "bandwidth of one link through the gateway between its network and the nodes'")           \
  X(INT, gateway_links, "1", "largest number of links through that gateway; one if not given")                         \
  X(REAL, client_bandwidth, "B/s", "largest read rate of one node, by its adapter or protocol")                        \
  X(INT, node_ports, "1", "ports of the switch available to nodes")

typedef struct pm_storage { PM_STORAGE_FIELDS(PM_DECLARE) } pm_storage;

/* The cost of one read; measured or fitted, never from a datasheet. NAN: no cost. */
#define PM_STORAGE_ACCESS_FIELDS(X)                                                                                 \
  X(TEXT, id, "", "id of the storage")                                                                              \
  X(TEXT, name, "", "full name")                                                                                    \
  X(REAL, latency, "s", "time from a request to its first byte")                                                       \
  X(REAL, open_time, "s", "time to open a file")                                                                       \
  X(REAL, stream_bandwidth, "B/s", "streaming rate of one reader")                                                     \
  X(REAL, open_operations, "1", "operations to open a file, in addition to reading it")                             \
  X(CALIBRATION_STATUS, calibration, "", "basis of these values; rules and datasheets if not given")

typedef struct pm_storage_access { PM_STORAGE_ACCESS_FIELDS(PM_DECLARE) } pm_storage_access;

/* How fast a CPU decodes JPEG, and its clocks. */
#define PM_DECODER_FIELDS(X)                                                                                        \
  X(TEXT, id, "", "short stable name")                                                                              \
  X(TEXT, name, "", "CPU, or class of CPUs")                                                                        \
  X(REAL, scale, "1", "decoding time on one core, over that of the reference")                                         \
  X(REAL, pixel_time, "s", "reference time per pixel")                                                              \
  X(REAL, byte_time, "s", "reference time per stored byte")                                                         \
  X(REAL, one_core_clock, "Hz", "clock with one busy core; equal clocks if not given")                                 \
  X(REAL, all_core_clock, "Hz", "clock with all cores busy")                                                        \
  X(REAL, threads_per_core, "1", "hardware threads of a core; one if not given")                                    \
  X(REAL, thread_yield, "1", "additional throughput of another hardware thread of a busy core; none if not given")     \
  X(CALIBRATION_STATUS, calibration, "", "basis of the scale; rules if not given")

typedef struct pm_decoder { PM_DECODER_FIELDS(PM_DECLARE) } pm_decoder;

/* How a framework reads and prepares samples. */
#define PM_LOADER_FIELDS(X)                                                                                         \
  X(TEXT, id, "", "short stable name")                                                                              \
  X(TEXT, name, "", "full name")                                                                                    \
  X(REAL, library, "1", "decoding time of its library, over the fastest one")                                          \
  X(REAL, augment_time, "s", "augmentation time per sample on a reference core; none if not given")                    \
  X(REAL, handover, "B/s", "bandwidth from workers to the process of one GPU; unlimited if not given")                \
  X(REAL, gpu_pixel_rate, "1/s", "pixels that one GPU decodes per second; unknown: it cannot")                      \
  X(YES_NO, pinned, "", "whether it copies to the GPU from pinned memory")                                          \
  X(REAL, step_time, "s", "additional time of the host copy of a step; none if not given")                             \
  X(REAL, update_passes, "1", "reads or writes of the parameters in an update, 4 bytes each; none if not given")       \
  X(CALIBRATION_STATUS, calibration, "", "basis of its times; rules if not given")                                  \
  X(INT, workers, "1", "threads per GPU process; its share of the cores if not given")                                 \
  X(YES_NO, between_steps, "", "whether it prepares samples between the steps instead of ahead of them")

typedef struct pm_loader { PM_LOADER_FIELDS(PM_DECLARE) } pm_loader;

/* ---- Choices ---------------------------------------------------------------------------------------------------- */

/* The storage format of samples: the unit of a read, and how often a file is opened. */
#define PM_SAMPLE_FORMAT_LIST(X)                                                                                    \
  X(PACKED, "packed", "many samples in a file: TFRecord, RecordIO, LMDB")                                           \
  X(FILES, "files", "one file per sample")

/* The replacement policy of the page cache. */
#define PM_CACHE_POLICY_LIST(X)                                                                                     \
  X(LRU, "lru", "least recently used: the page read longest ago is replaced")                                          \
  X(RANDOM, "random", "a random page is replaced")                                                                     \
  X(KEEP, "keep", "the first data read stays cached")                                                                  \
  X(SEQUENTIAL, "sequential", "LRU, and every epoch reads in the same order")

/* The place of decoding. */
#define PM_DECODE_PLACE_LIST(X)                                                                                     \
  X(CPU, "cpu", "on the cores of the node")                                                                         \
  X(GPU, "gpu", "on its GPUs")                                                                                      \
  X(NONE, "none", "samples are stored decoded")

/* The stages, in the order of the path; the first four are before the page cache. */
#define PM_INPUT_STAGE_LIST(X)                                                                                      \
  X(UNKNOWN, "unknown", "unknown")                                                                                     \
  X(STORAGE, "storage", "bandwidth and operations of the storage")                                                  \
  X(READS, "reads", "latency of reads, with the given number in flight")                                               \
  X(UPLINK, "uplink", "the storage's own network ports")                                                            \
  X(GATEWAY, "gateway", "the gateway between its network and the nodes'")                                           \
  X(CLIENT, "client", "the node's own adapter")                                                                     \
  X(DECODE, "decode", "decoding, augmentation and handover of samples")                                                \
  X(COPY, "copy", "host to device")                                                                                 \
  X(COMPUTE, "gpu", "the GPUs' own rate")

typedef enum pm_sample_format {
#define PM_SAMPLE_FORMAT_ENUM(name, text, doc) PM_SAMPLE_FORMAT_##name,
  PM_SAMPLE_FORMAT_LIST(PM_SAMPLE_FORMAT_ENUM)
#undef PM_SAMPLE_FORMAT_ENUM
  PM_SAMPLE_FORMAT_COUNT
} pm_sample_format;

typedef enum pm_cache_policy {
#define PM_CACHE_POLICY_ENUM(name, text, doc) PM_CACHE_POLICY_##name,
  PM_CACHE_POLICY_LIST(PM_CACHE_POLICY_ENUM)
#undef PM_CACHE_POLICY_ENUM
  PM_CACHE_POLICY_COUNT
} pm_cache_policy;

typedef enum pm_decode_place {
#define PM_DECODE_PLACE_ENUM(name, text, doc) PM_DECODE_PLACE_##name,
  PM_DECODE_PLACE_LIST(PM_DECODE_PLACE_ENUM)
#undef PM_DECODE_PLACE_ENUM
  PM_DECODE_PLACE_COUNT
} pm_decode_place;

typedef enum pm_input_stage {
#define PM_INPUT_STAGE_ENUM(name, text, doc) PM_INPUT_STAGE_##name,
  PM_INPUT_STAGE_LIST(PM_INPUT_STAGE_ENUM)
#undef PM_INPUT_STAGE_ENUM
  PM_INPUT_STAGE_COUNT
} pm_input_stage;

/* ---- One path and its use --------------------------------------------------------------------------------------- */

/* Plain copies; an `access`, `decoder` or `loader` that is initialised but not filled costs nothing. */
typedef struct pm_input_setup {
  pm_dataset dataset;
  pm_storage storage;
  pm_storage_access access;
  pm_decoder decoder;
  pm_loader loader;
  pm_machine machine;
  pm_prediction_interval interval; /* "input" of the catalogue; no interval if initialised but not filled */
} pm_input_setup;

/* How a path is used. Grows: see record.h. */
#define PM_INPUT_RUN_FIELDS(X)                                                                                      \
  X(INT, nodes, "1", "nodes that read concurrently", .otherwise = "1")                                                 \
  X(INT, units, "1", "units of the storage", .otherwise = "1")                                                      \
  X(INT, gateway_links, "1", "links through the gateway; 0: all")                                                      \
  X(INT, workers, "1", "decoding threads or processes per node; 0: one per core")                                      \
  X(INT, gpus, "1", "GPUs per node that read; 0: all of the machine")                                                  \
  X(INT, reads, "1", "reads in flight per node; 0: as many as workers")                                                \
  X(INT, prefetch, "1", "prefetched batches; 0: the stages work one after the other", .otherwise = "2")                \
  X(SAMPLE_FORMAT, format, "", "storage format of samples")                                                            \
  X(DECODE_PLACE, decode, "", "place of decoding")                                                                     \
  X(CACHE_POLICY, policy, "", "replacement policy of the page cache")                                                  \
  X(YES_NO, first_epoch, "", "whether this is the first epoch, with an empty cache", .otherwise = "yes")               \
  X(REAL, cache, "B", "memory of one node for cached pages", .otherwise = "0 B")                                    \
  X(REAL, chunk, "B", "size of one read of packed samples", .otherwise = "1 MiB")                                   \
  X(REAL, sample_out, "B", "bytes of a decoded sample, as copied to the GPU; unknown: copies are no limit")            \
  X(REAL, copy_bandwidth, "B/s", "host-to-device bandwidth of one uplink; unknown: copies are no limit")               \
  X(INT, gpus_per_uplink, "1", "GPUs that share an uplink to the host", .otherwise = "1")                           \
  X(REAL, gpu_rate, "1/s", "samples per second that the GPUs of one node could process; unknown: GPUs are not "        \
    "considered")                                                                                                      \
  X(REAL, input_variation, "1", "squared coefficient of variation of a batch's preparation time", .otherwise = "0") \
  X(REAL, gpu_variation, "1", "squared coefficient of variation of the step time", .otherwise = "0")

typedef struct pm_input_run { PM_INPUT_RUN_FIELDS(PM_DECLARE) } pm_input_run;

/* Rates are samples per second of one node, unless stated otherwise; unlimited if there is no such stage. */
#define PM_INPUT_RATES_FIELDS(X)                                                                                    \
  X(STATUS, status, "", "ok, or why there is no result; the numbers are then unknown")                                 \
  X(INPUT_STAGE, bottleneck, "", "the slowest stage")                                                  \
  X(REAL, throughput, "1/s", "samples per second of one node, GPUs included if their rate was given")               \
  X(REAL, total, "1/s", "samples per second of all nodes")                                                          \
  X(REAL, input, "1/s", "rate of the input path to a node, without the GPUs")                                       \
  X(REAL, gpu_busy, "1", "share of the time in which the GPUs compute: throughput over their rate")                    \
  X(REAL, input_wait_share, "1", "share of the time in which the GPUs wait for input")                                 \
  X(REAL, storage, "1/s", "storage, per node")                                                                         \
  X(REAL, reads, "1/s", "reads in flight")                                                                          \
  X(REAL, uplink, "1/s", "the storage's network ports, per node")                                                      \
  X(REAL, gateway, "1/s", "gateway, per node")                                                                         \
  X(REAL, client, "1/s", "adapter of the node")                                                                     \
  X(REAL, decode, "1/s", "decoding, augmentation and handover")                                                        \
  X(REAL, copy, "1/s", "host to device")                                                                            \
  X(REAL, cached, "1", "share of the dataset in a node's cache")                                                       \
  X(REAL, hits, "1", "share of reads served by the cache")                                                             \
  X(REAL, hits_least, "1", "hit ratio with LRU: lower bound for the kernel's page cache")                              \
  X(REAL, hits_most, "1", "hit ratio with random replacement: upper bound for the kernel's page cache")                \
  X(REAL, storage_rate, "B/s", "read rate of the storage at this throughput, all nodes")                               \
  X(REAL, node_rate, "B/s", "read rate that one node needs to keep its GPUs busy")                                     \
  X(REAL, nodes_storage, "1", "nodes that the storage itself can supply at that rate")                                 \
  X(REAL, nodes_uplink, "1", "nodes that its network ports can supply")                                                \
  X(REAL, nodes_gateway, "1", "nodes that the gateway can supply")                                                     \
  X(REAL, nodes_ports, "1", "nodes that fit on the ports of the switch")                                               \
  X(REAL, max_nodes, "1", "nodes that one storage system can supply: the minimum of these")                            \
  X(CALIBRATION_STATUS, calibration, "", "basis of the slowest stage before the GPUs")                               \
  X(REAL, throughput_p10, "1/s", "lower end of the 80 % prediction interval; the GPUs' rate counts as exact")          \
  X(REAL, throughput_p90, "1/s", "upper end of the 80 % prediction interval")

typedef struct pm_input_rates { PM_INPUT_RATES_FIELDS(PM_DECLARE) } pm_input_rates;

/* One node, one unit, packed samples in reads of 1 MiB, decoded on the CPU, 2 batches prefetched, no cache, first
** epoch, no variation. */
PM_INLINE pm_input_run pm_input_run_make(void)
{
  pm_input_run run;
  pm_record_fill("input_run", &run, sizeof run);
  return run;
}

/* PM_OK, or the reason why this run has no result. */
PM_API int pm_input_check_sized(const pm_input_setup *setup, const pm_input_run *run, size_t size, pm_error *error);
PM_INLINE int pm_input_check(const pm_input_setup *setup, const pm_input_run *run, pm_error *error)
{
  return pm_input_check_sized(setup, run, sizeof *run, error);
}

/* Computes `count` runs. A run without a result yields its status and NAN; the others are computed. Allocates nothing.
** Returns PM_OK, or PM_STATUS_BAD_ARGUMENT if a pointer is missing. */
PM_API int pm_input_evaluate_sized(const pm_input_setup *setup, const pm_input_run *runs, size_t run_size,
                                   pm_input_rates *rates,
                          size_t rates_size, size_t count);
PM_INLINE int pm_input_evaluate(const pm_input_setup *setup, const pm_input_run *runs, pm_input_rates *rates,
                                size_t count)
{
  return pm_input_evaluate_sized(setup, runs, sizeof *runs, rates, sizeof *rates, count);
}

/* ---- The formulas by themselves --------------------------------------------------------------------------------- */

#ifdef __cplusplus
}
#endif
#endif
