/*
** Input pipeline: how many samples per second storage, network, page cache, decoding and copies bring to the GPUs.
**
** Every stage of the path has a rate of its own, in samples per second and node. The slowest limits; a queue of
** prefetched batches lets stages work at once and smooths their variation; without one they work in turn. Pages that
** the hosts cache never ask the storage again, so stages before the cache gain 1 / (1 - hit ratio).
** Formulas, sources and errors: docs/model.md, "Input".
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

/* Where samples are stored, and the way from there to a node. What is NAN or 0 does not limit. */
#define PM_STORAGE_FIELDS(X)                                                                                        \
  X(TEXT, id, "", "short stable name")                                                                              \
  X(TEXT, name, "", "full name")                                                                                    \
  X(YES_NO, shared, "", "whether all nodes share it; if not, every node has its own")                               \
  X(REAL, bandwidth, "B/s", "sequential read bandwidth of one unit (chassis, array, drive)")                        \
  X(REAL, operations, "1/s", "random read operations per second of one unit")                                       \
  X(INT, max_units, "1", "units that it grows to; one if not given")                                                 \
  X(REAL, read_size, "B", "largest read that is one operation; a whole file if not given")                          \
  X(REAL, uplink, "B/s", "network bandwidth of one unit, all its ports together")                                   \
  X(REAL, gateway, "B/s", "bandwidth of one link through the gateway between its network and the nodes'")           \
  X(INT, gateway_links, "1", "most links through that gateway; one if not given")                                   \
  X(REAL, client_bandwidth, "B/s", "most that one node reads, by its adapter or protocol")                          \
  X(INT, node_ports, "1", "ports of the switch that are left for nodes")

typedef struct pm_storage { PM_STORAGE_FIELDS(PM_DECLARE) } pm_storage;

/* What one read takes; measured or fitted, never a datasheet. What is NAN costs nothing. */
#define PM_STORAGE_ACCESS_FIELDS(X)                                                                                 \
  X(TEXT, id, "", "id of the storage")                                                                              \
  X(TEXT, name, "", "full name")                                                                                    \
  X(REAL, latency, "s", "from asking for data to its first byte")                                                   \
  X(REAL, open_time, "s", "opening a file")                                                                         \
  X(REAL, stream_bandwidth, "B/s", "rate of one reader once data flows")                                            \
  X(REAL, open_operations, "1", "operations to open a file, in addition to reading it")                             \
  X(CALIBRATION_STATUS, calibration, "", "what these rest on; rules and data sheets if not given")

typedef struct pm_storage_access { PM_STORAGE_ACCESS_FIELDS(PM_DECLARE) } pm_storage_access;

/* How fast a CPU decodes JPEG, and its clocks. */
#define PM_DECODER_FIELDS(X)                                                                                        \
  X(TEXT, id, "", "short stable name")                                                                              \
  X(TEXT, name, "", "CPU, or class of CPUs")                                                                        \
  X(REAL, scale, "1", "decoding time on one core over that of the reference")                                       \
  X(REAL, pixel_time, "s", "reference time per pixel")                                                              \
  X(REAL, byte_time, "s", "reference time per stored byte")                                                         \
  X(REAL, one_core_clock, "Hz", "clock with one busy core; all the same if not given")                              \
  X(REAL, all_core_clock, "Hz", "clock with all cores busy")                                                        \
  X(REAL, threads_per_core, "1", "hardware threads of a core; one if not given")                                    \
  X(REAL, thread_yield, "1", "what a further hardware thread of a busy core adds; none if not given")               \
  X(CALIBRATION_STATUS, calibration, "", "what the scale rests on; rules if not given")

typedef struct pm_decoder { PM_DECODER_FIELDS(PM_DECLARE) } pm_decoder;

/* How a framework reads and prepares samples. */
#define PM_LOADER_FIELDS(X)                                                                                         \
  X(TEXT, id, "", "short stable name")                                                                              \
  X(TEXT, name, "", "full name")                                                                                    \
  X(REAL, library, "1", "decoding time of its library over the fastest one")                                        \
  X(REAL, augment_time, "s", "time of augmentation per sample on a core of the reference; none if not given") \
  X(REAL, handover, "B/s", "bandwidth from workers to the process of one GPU; unlimited if not given")                \
  X(REAL, gpu_pixel_rate, "1/s", "pixels that one GPU decodes per second; unknown: it cannot")                      \
  X(YES_NO, pinned, "", "whether it copies to the GPU from pinned memory")                                          \
  X(REAL, step_time, "s", "what the host copy of a step takes besides; none if not given")                           \
  X(REAL, update_passes, "1", "passes over the parameters that an update takes, 4 bytes each; none if not given")   \
  X(CALIBRATION_STATUS, calibration, "", "basis of its times; rules if not given")                                  \
  X(INT, workers, "1", "threads of the process of each GPU; its share of the cores if not given")                    \
  X(YES_NO, between_steps, "", "whether it prepares samples between the steps, not ahead of them")

typedef struct pm_loader { PM_LOADER_FIELDS(PM_DECLARE) } pm_loader;

/* ---- Choices ---------------------------------------------------------------------------------------------------- */

/* How samples lie in storage: what a read gets, and how often a file is opened. */
#define PM_SAMPLE_FORMAT_LIST(X)                                                                                    \
  X(PACKED, "packed", "many samples in a file: TFRecord, RecordIO, LMDB")                                           \
  X(FILES, "files", "one file per sample")

/* Which page of the cache goes when another one comes. */
#define PM_CACHE_POLICY_LIST(X)                                                                                     \
  X(LRU, "lru", "the page read longest ago goes")                                                                   \
  X(RANDOM, "random", "any page goes")                                                                              \
  X(KEEP, "keep", "the first data read stay cached")                                                                \
  X(SEQUENTIAL, "sequential", "LRU, and every epoch reads in the same order")

/* Where samples are decoded. */
#define PM_DECODE_PLACE_LIST(X)                                                                                     \
  X(CPU, "cpu", "on the cores of the node")                                                                         \
  X(GPU, "gpu", "on its GPUs")                                                                                      \
  X(NONE, "none", "samples are stored as they are used")

/* The stages, in the order of the path; the first four lie before the page cache. */
#define PM_INPUT_STAGE_LIST(X)                                                                                      \
  X(UNKNOWN, "unknown", "there is no answer")                                                                       \
  X(STORAGE, "storage", "bandwidth and operations of the storage")                                                  \
  X(READS, "reads", "waiting for reads, as many as are in flight")                                                  \
  X(UPLINK, "uplink", "the storage's own network ports")                                                            \
  X(GATEWAY, "gateway", "the gateway between its network and the nodes'")                                           \
  X(CLIENT, "client", "the node's own adapter")                                                                     \
  X(DECODE, "decode", "decoding and augmentation, and handing samples over")                                        \
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

/* ---- One path and what is asked of it --------------------------------------------------------------------------- */

/* Plain copies; an `access`, `decoder` or `loader` initialised and not filled costs nothing. */
typedef struct pm_input_setup {
  pm_dataset dataset;
  pm_storage storage;
  pm_storage_access access;
  pm_decoder decoder;
  pm_loader loader;
  pm_machine machine;
  pm_prediction_interval interval; /* "input" of the catalogue; initialised and not filled there is no interval */
} pm_input_setup;

/* How a path is used. Grows: see record.h. */
#define PM_INPUT_RUN_FIELDS(X)                                                                                      \
  X(INT, nodes, "1", "nodes that read at once", .otherwise = "1")                                                   \
  X(INT, units, "1", "units of the storage", .otherwise = "1")                                                      \
  X(INT, gateway_links, "1", "links through the gateway; as many as it has if 0")                                   \
  X(INT, workers, "1", "threads or processes that decode, per node; one per core if 0")                             \
  X(INT, gpus, "1", "GPUs per node that are fed; all of the machine if 0")                                          \
  X(INT, reads, "1", "reads in flight per node; as many as workers if 0")                                           \
  X(INT, prefetch, "1", "batches prefetched; without any, the stages work in turn", .otherwise = "2")               \
  X(SAMPLE_FORMAT, format, "", "how samples are stored")                                                            \
  X(DECODE_PLACE, decode, "", "where they are decoded")                                                             \
  X(CACHE_POLICY, policy, "", "how the page cache replaces")                                                        \
  X(YES_NO, first_epoch, "", "whether nothing is cached yet", .otherwise = "yes")                                   \
  X(REAL, cache, "B", "memory of one node for cached pages", .otherwise = "0 B")                                    \
  X(REAL, chunk, "B", "size of one read of packed samples", .otherwise = "1 MiB")                                   \
  X(REAL, sample_out, "B", "bytes of a decoded sample, as it is copied to the GPU; unknown: copies do not limit")   \
  X(REAL, copy_bandwidth, "B/s", "host-to-device bandwidth of the bus of one uplink; unknown: copies do not limit") \
  X(INT, gpus_per_uplink, "1", "GPUs that share an uplink to the host", .otherwise = "1")                           \
  X(REAL, gpu_rate, "1/s", "samples per second that the GPUs of one node would take; unknown if not asked")         \
  X(REAL, input_variation, "1", "squared coefficient of variation of a batch's preparation time", .otherwise = "0") \
  X(REAL, gpu_variation, "1", "the same of a step's time", .otherwise = "0")

typedef struct pm_input_run { PM_INPUT_RUN_FIELDS(PM_DECLARE) } pm_input_run;

/* Rates are samples per second of one node, unless said otherwise; unlimited where there is no such stage. */
#define PM_INPUT_RATES_FIELDS(X)                                                                                    \
  X(STATUS, status, "", "ok, or why there is no answer; the numbers are then unknown")                              \
  X(INPUT_STAGE, bottleneck, "", "the slowest stage")                                                  \
  X(REAL, throughput, "1/s", "samples per second of one node, GPUs included if their rate was given")               \
  X(REAL, total, "1/s", "samples per second of all nodes")                                                          \
  X(REAL, input, "1/s", "rate of the input path to a node, without the GPUs")                                       \
  X(REAL, gpu_busy, "1", "share of the time that the GPUs compute: throughput over their rate")        \
  X(REAL, input_wait_share, "1", "share of the time that they wait for input")                         \
  X(REAL, storage, "1/s", "storage, its share of one node")                                                         \
  X(REAL, reads, "1/s", "reads in flight")                                                                          \
  X(REAL, uplink, "1/s", "the storage's network ports, the share of one node")                                      \
  X(REAL, gateway, "1/s", "gateway, the share of one node")                                                         \
  X(REAL, client, "1/s", "adapter of the node")                                                                     \
  X(REAL, decode, "1/s", "decoding, augmentation, handing over")                                                    \
  X(REAL, copy, "1/s", "host to device")                                                                            \
  X(REAL, cached, "1", "share of the dataset that a node's cache holds")                                            \
  X(REAL, hits, "1", "share of reads that the cache answers")                                                       \
  X(REAL, hits_least, "1", "the same with LRU, which the kernel's page cache is not below")                         \
  X(REAL, hits_most, "1", "the same with random replacement, which it is not above")                                \
  X(REAL, storage_rate, "B/s", "rate read from the storage at this throughput, all nodes")                          \
  X(REAL, node_rate, "B/s", "rate that one node needs for its GPUs not to wait")                                    \
  X(REAL, nodes_storage, "1", "nodes that the storage itself can supply at that rate")                                 \
  X(REAL, nodes_uplink, "1", "nodes that its network ports can supply")                                                \
  X(REAL, nodes_gateway, "1", "nodes that the gateway can supply")                                                     \
  X(REAL, nodes_ports, "1", "nodes that the switch has ports for")                                                  \
  X(REAL, max_nodes, "1", "nodes that one storage system can supply: the least of these")                         \
  X(CALIBRATION_STATUS, calibration, "", "basis of the slowest stage before the GPUs")                               \
  X(REAL, throughput_p10, "1/s", "one measurement in ten would be below this; the GPUs' rate is taken as given")    \
  X(REAL, throughput_p90, "1/s", "one in ten above this")

typedef struct pm_input_rates { PM_INPUT_RATES_FIELDS(PM_DECLARE) } pm_input_rates;

/* One node, one unit, packed samples in reads of 1 MiB, decoded on the CPU, 2 batches prefetched, no cache, first
** epoch, no variation. */
PM_INLINE pm_input_run pm_input_run_make(void)
{
  pm_input_run run;
  pm_record_fill("input_run", &run, sizeof run);
  return run;
}

/* PM_OK, or in words why this run has no answer. */
PM_API int pm_input_check_sized(const pm_input_setup *setup, const pm_input_run *run, size_t size, pm_error *error);
PM_INLINE int pm_input_check(const pm_input_setup *setup, const pm_input_run *run, pm_error *error)
{
  return pm_input_check_sized(setup, run, sizeof *run, error);
}

/* Answers `count` runs; one that has no answer yields its status and NAN; the others are predicted. Allocates nothing.
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
