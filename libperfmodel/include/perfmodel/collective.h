/*
** Collectives: the cost of reductions, broadcasts and exchanges between GPUs.
**
** A group is a set of GPUs of a system, the same in each of a number of nodes. Once created, it has its rings and every
** algorithm's latency and bandwidth; a collective is then evaluated in about 40 ns, without allocation:
**
**     time = L + W + 2 c sqrt(L W)
**
** L is the latency of the steps, W the transfer: bytes over the limiting bandwidth; c > 0 is how little the two
** overlap. The fastest of the allowed algorithms and protocols is used, as a collective library would choose.
**
** Bandwidth comes from the link graph. Rings are searched for, not declared: over direct GPU links the best fractional
** packing of directed Hamiltonian cycles into the links; through NVSwitches the GPU's port; otherwise one ring in tree
** order over PCIe, CPUs and their inter-CPU link, at the capacity of the busiest link divided by the flows on it.
**
**     pm_group *group = pm_group_new(system, NULL, 8, NULL, &error);
**     pm_call call = pm_call_make();
**     call.bytes = 1e9;
**     pm_collective_time result;
**     pm_group_evaluate(group, &call, &result, 1);
**
** Bytes are those of the whole buffer: what each rank holds before an all-reduce or after an all-gather. Bandwidths are
** those of nccl-tests: algorithm bandwidth = bytes / time; bus bandwidth = that times 2 (n-1)/n for an all-reduce,
** (n-1)/n for reduce-scatter, all-gather, all-to-all, gather and scatter, 1 for the others. With in-switch reduction
** bus bandwidth may exceed the links' rate.
*/
#ifndef PERFMODEL_COLLECTIVE_H
#define PERFMODEL_COLLECTIVE_H

#include "hardware.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Rings ---------------------------------------------------------------------------------------------------- */

/* The ring that a group of GPUs uses. */
#define PM_RING_FIELDS(X)                                                                              \
  X(INT, gpus, "1", "GPUs per node in the group")                                                      \
  X(INT, nodes, "1", "nodes in the group")                                                             \
  X(REAL, bandwidth, "B/s", "bus bandwidth of the ring, per direction")                                \
  X(REAL, rings, "1", "directed rings packed into the GPU links; 0 if they do not connect the group")  \
  X(REAL, hop_latency, "s", "latency of one step inside the node")                                     \
  X(REAL, network_latency, "s", "latency of one step between nodes")                                   \
  X(REAL, base_latency, "s", "fixed latency")                                                          \
  X(TEXT, bottleneck, "", "id of the link type that limits it")                                       \
  X(YES_NO, calibrated, "", "whether every link on the path has calibrated constants")

typedef struct pm_ring { PM_RING_FIELDS(PM_DECLARE) } pm_ring;

/* Finds the ring of GPUs 0 .. gpus-1 of each of `nodes` nodes. Cost: a search the first time, a few ms at most; then
** 0.1 us. Errors: PM_STATUS_TOO_MANY_GPUS, PM_STATUS_NO_ROUTE, PM_STATUS_BAD_ARGUMENT. */
PM_API int pm_ring_find(const pm_system *system, int gpus, int nodes, pm_ring *ring, pm_error *error);

/* Time [s] of an all-reduce of `bytes` over the ring, Simple protocol; 0 for one rank. Cost: a few ns. */
PM_API double pm_ring_get_all_reduce_time(const pm_ring *ring, double bytes);

/* The bandwidth [B/s] of a ring over PCIe that visits one node's GPUs in the given order: the cost of a wrong order.
** Errors: as pm_group_new. */
PM_API int pm_ring_find_in_order(const pm_system *system, const int *gpus, int count, double *bandwidth,
                                 pm_error *error);

/* ---- Collectives, algorithms, protocols ------------------------------------------------------------------------- */

/* Collectives: name, text, meaning. */
#define PM_COLLECTIVE_LIST(X)                                                                     \
  X(ALL_REDUCE, "all_reduce", "every rank gets the sum")                                                               \
  X(REDUCE_SCATTER, "reduce_scatter", "every rank gets a part of the sum")                                             \
  X(ALL_GATHER, "all_gather", "every rank gets the parts of all ranks")                                                \
  X(BROADCAST, "broadcast", "every rank gets the data of the root")                                                    \
  X(REDUCE, "reduce", "the root gets the sum")                                                                         \
  X(ALL_TO_ALL, "all_to_all", "every rank sends a part to every other rank")                                           \
  X(SEND_RECEIVE, "send_receive", "every rank sends to the next and receives from the previous")                       \
  X(GATHER, "gather", "the root gets the parts of all ranks")                                                          \
  X(SCATTER, "scatter", "the root sends each rank a part of its data")

typedef enum pm_collective {
#define PM_COLLECTIVE_ENUM(name, text, doc) PM_COLLECTIVE_##name,
  PM_COLLECTIVE_LIST(PM_COLLECTIVE_ENUM)
#undef PM_COLLECTIVE_ENUM
  PM_COLLECTIVE_COUNT
} pm_collective;

/* One line for each: add an algorithm here and its file (see src/collective/algorithm.h); everything else is generated.
** New ones go last, so that numbers do not change. */
#define PM_NAMED_ALGORITHM_LIST(X)                                                                        \
  X(RING, "ring", "rings through all GPUs; a chain for broadcast and reduce")                             \
  X(TREE, "tree", "double binary tree between nodes, chains inside")                                      \
  X(NVLS, "nvls", "reduction in the NVLink switches")                                                     \
  X(NVLS_TREE, "nvls-tree", "reduction in the NVLink switches, a tree between nodes")                     \
  X(PAIRS, "pairs", "direct transfers between all pairs of ranks")                                                     \
  X(COLLNET, "collnet", "reduction in the network's switches (SHARP)")                                    \
  X(HALVING_DOUBLING, "halving-doubling", "recursive halving and doubling")                               \
  X(HIERARCHICAL, "hierarchical", "reduce-scatter inside, all-reduce across rails, all-gather inside")    \
  X(PARAMETER_SERVER, "parameter-server", "every GPU pushes to and pulls from one CPU of each server")                 \
  X(DATA_PARALLEL, "data-parallel", "broadcast from and reduce to GPU 0, driven by one process")          \
  /* the next one goes above this line */

/* The choices of an algorithm: one of those above, or the fastest. */
#define PM_ALGORITHM_LIST(X)                                                                              \
  X(AUTO, "auto", "the fastest that the collective library selects by default")                                        \
  PM_NAMED_ALGORITHM_LIST(X)

typedef enum pm_algorithm {
#define PM_ALGORITHM_ENUM(name, text, doc) PM_ALGORITHM_##name,
  PM_ALGORITHM_LIST(PM_ALGORITHM_ENUM)
#undef PM_ALGORITHM_ENUM
  PM_ALGORITHM_COUNT
} pm_algorithm;

/* Protocols of NCCL: how data and its arrival flags are transferred. They trade latency for bandwidth. */
#define PM_PROTOCOL_LIST(X)                                                             \
  X(ANY, "auto", "the fastest allowed protocol")                                                                       \
  X(LL, "ll", "low latency: 4 bytes of data with 4 of flag")                            \
  X(LL128, "ll128", "low latency over NVLink: 120 bytes of data in 128")                \
  X(SIMPLE, "simple", "large chunks with a barrier between them")

/* The protocols; the record pm_protocol has the costs of one. */
typedef enum pm_protocol_choice {
#define PM_PROTOCOL_ENUM(name, text, doc) PM_PROTOCOL_##name,
  PM_PROTOCOL_LIST(PM_PROTOCOL_ENUM)
#undef PM_PROTOCOL_ENUM
  PM_PROTOCOL_COUNT
} pm_protocol_choice;

/* Generations of the collective library, by their features. */
#define PM_NCCL_LIST(X)                                                                              \
  X(CURRENT, "current", "NCCL 2.4 and later, RCCL: rings, trees, LL128")                            \
  X(2017, "nccl-2.0", "NCCL 1.6 and 2.0 to 2.3: rings; broadcasts fill their chain chunk by chunk")                    \
  X(2016, "nccl-1", "NCCL 1: a single ring in the order of the GPUs, Simple only")

typedef enum pm_nccl {
#define PM_NCCL_ENUM(name, text, doc) PM_NCCL_##name,
  PM_NCCL_LIST(PM_NCCL_ENUM)
#undef PM_NCCL_ENUM
  PM_NCCL_COUNT
} pm_nccl;

/* "all_reduce", also "allreduce", "all-reduce", "alltoall", "sendrecv", ... -> pm_collective, or -1. */
PM_API int pm_collective_find(const char *name);

/* ---- Groups ----------------------------------------------------------------------------------------------------- */

/* How the group is driven. */
#define PM_GROUP_CHOICE_FIELDS(X)                                                                        \
  X(INT, nodes, "1", "nodes in the group", .otherwise = "1")                                             \
  X(INT, thread_gpus, "1", "GPUs per host thread; 1: one process per GPU", .otherwise = "1")                           \
  X(ERA, nccl, "", "NCCL generation of the collective library")                                                        \
  X(INT, servers, "1", "parameter servers", .otherwise = "1")                                                        \
  X(YES_NO, in_network, "", "whether the network's switches reduce (SHARP)")

typedef struct pm_group_choice { PM_GROUP_CHOICE_FIELDS(PM_DECLARE) } pm_group_choice;

/* One node, one thread per GPU, the current library, one server. */
PM_INLINE pm_group_choice pm_group_choice_make(void)
{
  pm_group_choice choice;
  pm_record_fill("group", &choice, sizeof choice);
  return choice;
}

/* An opaque handle: GPUs with their rings and the parameters of every algorithm. Only _set_ changes it; otherwise
** threads may share it. */
typedef struct pm_group pm_group;

/* The group of the GPUs listed (NULL: GPUs 0 .. count-1) in each node; `choice` may be NULL. Owned by the caller, the
** system must outlive it. Cost: a search for rings the first time, at most a few ms on machines of the catalogue.
** Errors: PM_STATUS_TOO_MANY_GPUS, PM_STATUS_NO_ROUTE, PM_STATUS_BAD_ARGUMENT (a GPU twice, none). */
PM_API pm_group *pm_group_new(const pm_system *system, const int *gpus, int count, const pm_group_choice *choice,
                              pm_error *error);

/* Releases the group; NULL is none. */
PM_API void pm_group_free(pm_group *group);

/* The facts of a group; without a group, numbers are unknown and texts empty. */
typedef struct pm_group_facts {
  int gpus;                 /* in each node */
  double rings;             /* sum of the weights of directed rings over NVLink or xGMI; 0 over PCIe */
  double rings_most;        /* upper bound of any packing; above `rings` only if the best packing is not known */
  double ring_bandwidth;    /* bus bandwidth of the rings inside the node [B/s] */
  const char *medium;       /* their medium: "nvlink", "nvswitch", "xgmi", "pcie" or, with one GPU, "" */
  const char *link;         /* id of the link type that limits the best rings in a node; "" without one */
  const char *network_link; /* id of the link type that limits traffic to other nodes; "" without one */
} pm_group_facts;

/* The facts of the group; texts live as long as it. */
PM_API pm_group_facts pm_group_get_facts(const pm_group *group);

/* Writes the cycle at `index` to `order`, one GPU number per GPU of the group, and returns its weight; NAN past the
** last. Over PCIe there is one cycle. */
PM_API double pm_group_get_cycle(const pm_group *group, int index, int *order);

/* Replaces the constants of the group without a new search for rings, as a fit of constants does: those of the
** collective library (NULL: the system's), and for these link types the efficiency and the fabric latency if known. All
** others become the system's again. */
PM_API int pm_group_set_constants(pm_group *group, const pm_collective_fit *fit, const pm_link_calibration *links,
                                  size_t count, pm_error *error);

/* ---- Evaluation ------------------------------------------------------------------------------------------------- */

/* One collective to evaluate. Grows: see record.h. */
#define PM_CALL_FIELDS(X)                                                                          \
  X(COLLECTIVE, collective, "", "the collective")                                                  \
  X(REAL, bytes, "B", "bytes of the whole buffer", .otherwise = "1 B")                               \
  X(ALGORITHM, algorithm, "", "algorithm")                                                                             \
  X(PROTOCOL, protocol, "", "protocol")

typedef struct pm_call { PM_CALL_FIELDS(PM_DECLARE) } pm_call;

/* An all-reduce of 1 byte, with the fastest algorithm. */
PM_INLINE pm_call pm_call_make(void)
{
  pm_call call;
  pm_record_fill("call", &call, sizeof call);
  return call;
}

/* The time of a collective, or why it is unknown. Grows: see record.h. */
#define PM_COLLECTIVE_TIME_FIELDS(X)                                                               \
  X(STATUS, status, "", "ok, or why there is no result", .show = PM_SHOW_NONZERO)                                      \
  X(REAL, time, "s", "time of the collective", .show = PM_SHOW_MAIN)                                                   \
  X(REAL, algorithm_bandwidth, "B/s", "bytes / time", .show = PM_SHOW_MAIN)                        \
  X(REAL, bus_bandwidth, "B/s", "algorithm bandwidth times the factor of nccl-tests", .show = PM_SHOW_MAIN) \
  X(ALGORITHM, algorithm, "", "algorithm used", .show = PM_SHOW_MAIN)                                                  \
  X(PROTOCOL, protocol, "", "protocol used", .show = PM_SHOW_MAIN)                                                     \
  X(REAL, latency, "s", "latency part of the time")                                                \
  X(REAL, transfer, "s", "transfer part of the time")                                              \
  X(TEXT, bottleneck, "", "id of the link type that limits the transfer; \"launch\" if the host does", \
    .show = PM_SHOW_MAIN)                                                                          \
  X(REAL, time_p10, "s", "lower end of the 80 % prediction interval", .show = PM_SHOW_MAIN)        \
  X(REAL, time_p90, "s", "upper end of the 80 % prediction interval", .show = PM_SHOW_MAIN)        \
  X(CALIBRATION_STATUS, calibration, "", "basis of the time")

typedef struct pm_collective_time { PM_COLLECTIVE_TIME_FIELDS(PM_DECLARE) } pm_collective_time;

/* Evaluates an array of calls. A call without a result yields NAN and its status (PM_STATUS_BAD_ARGUMENT,
** PM_STATUS_NO_ROUTE, PM_STATUS_NOT_MODELLED: no algorithm supports this collective here); the others are evaluated.
** Cost: about 40 ns each; allocates nothing. One rank: 0 s. */
PM_API int pm_group_evaluate_sized(const pm_group *group, const pm_call *calls, size_t call_size,
                                pm_collective_time *results, size_t result_size, size_t count);
PM_INLINE int pm_group_evaluate(const pm_group *group, const pm_call *calls, pm_collective_time *results, size_t count)
{
  return pm_group_evaluate_sized(group, calls, sizeof *calls, results, sizeof *results, count);
}

/* Calls and their results as one table: collective, bytes, gpus, nodes, and the fields of the result. */
PM_API pm_table *pm_collective_tabulate_sized(const pm_group *group, const pm_call *calls, size_t call_size,
                                           const pm_collective_time *results, size_t result_size, size_t count,
                                           pm_error *error);
PM_INLINE pm_table *pm_collective_tabulate(const pm_group *group, const pm_call *calls,
                                           const pm_collective_time *results,
                                        size_t count, pm_error *error)
{
  return pm_collective_tabulate_sized(group, calls, sizeof *calls, results, sizeof *results, count, error);
}

/* ---- Load on the links ------------------------------------------------------------------------------------------ */

/* The traffic of a collective on one link of the node. */
#define PM_LOAD_FIELDS(X)                                                                          \
  X(TEXT, a, "", "one end")                                                                        \
  X(TEXT, b, "", "the other end")                                                                  \
  X(TEXT, link, "", "id of the link type")                                                         \
  X(INT, count, "1", "parallel links")                                                             \
  X(REAL, forward, "B", "bytes from a to b")                                                       \
  X(REAL, backward, "B", "bytes from b to a")                                                      \
  X(REAL, busy, "1", "share of the time that the busier direction is in use at its payload rate")

typedef struct pm_load { PM_LOAD_FIELDS(PM_DECLARE) } pm_load;

/* The traffic of a call on every link of one node, as a table; the last row is the network, if there is one. Rings and
** chains are exact; the traffic of other algorithms is distributed over ports and pairs. */
PM_API pm_table *pm_group_tabulate_loads_sized(const pm_group *group, const pm_call *call, size_t size,
                                               pm_error *error);
PM_INLINE pm_table *pm_group_tabulate_loads(const pm_group *group, const pm_call *call, pm_error *error)
{
  return pm_group_tabulate_loads_sized(group, call, sizeof *call, error);
}

/* ---- Pairs ------------------------------------------------------------------------------------------------------ */

/* Copies between two GPUs of a node, as a peer-to-peer test measures them. */
#define PM_PAIR_FIELDS(X)                                                                          \
  X(INT, sender, "1", "GPU that sends")                                                            \
  X(INT, receiver, "1", "GPU that receives")                                                       \
  X(TEXT, path, "", "NV2, NVS, PIX, PXB, PHB, SYS, as in nvidia-smi")                                                  \
  X(REAL, bandwidth, "B/s", "bandwidth in one direction, with peer access")                                            \
  X(REAL, both_ways, "B/s", "sum of both directions at once, with peer access")                                        \
  X(REAL, latency, "s", "latency of the smallest copy, with peer access")                          \
  X(REAL, staged_bandwidth, "B/s", "bandwidth in one direction, through host memory")                                  \
  X(REAL, staged_both_ways, "B/s", "sum of both directions at once, through host memory")                              \
  X(REAL, staged_latency, "s", "latency of the smallest copy through host memory")

typedef struct pm_pair { PM_PAIR_FIELDS(PM_DECLARE) } pm_pair;

/* Copies from one GPU to `count` others, from `to` on, into as many rows; for a copy to itself all numbers are unknown.
** Cost: proportional to the links of the node and to `count`. Errors: PM_STATUS_BAD_ARGUMENT (a GPU that is not there),
** PM_STATUS_NO_ROUTE. */
PM_API int pm_system_get_pairs(const pm_system *system, int from, int to, int count, pm_pair *pairs, pm_error *error);

/* ---- The graph as text ------------------------------------------------------------------------------------------- */

/* ---- Networks of many nodes -------------------------------------------------------------------------------------- */

/* A system as text: "matrix" (links between its GPUs, as nvidia-smi prints them), "copies" (between them, as CUDA's
** p2pBandwidthLatencyTest prints them), "dot" or "svg" (its link graph). A string that the caller releases with
** pm_string_free; NULL with an error. */
PM_API char *pm_system_format(const pm_system *system, const char *what, pm_error *error);

/* A network of many nodes: number of nodes, and their switches. */
#define PM_FABRIC_CHOICE_FIELDS(X)                                                                     \
  X(INT, nodes, "1", "nodes to connect", .otherwise = "2")                                                             \
  X(INT, switch_ports, "1", "ports used per switch", .otherwise = "32")                                                \
  X(REAL, oversubscription, "1", "ports down over ports up of the first level", .otherwise = "1")      \
  X(REAL, coding, "1", "line coding not yet included in the links' rate", .otherwise = "1")                            \
  X(REAL, node_latency, "s", "latency between nodes without switches", .otherwise = "1.01 us")                         \
  X(REAL, switch_latency, "s", "latency of each switch on the path", .otherwise = "0.09 us")

typedef struct pm_fabric_choice { PM_FABRIC_CHOICE_FIELDS(PM_DECLARE) } pm_fabric_choice;

/* 2 nodes, 32 ports per switch, no oversubscription, no further coding, 1.01 us and 0.09 us per switch (the figures of
** the DGX-1 papers for EDR InfiniBand). */
PM_INLINE pm_fabric_choice pm_fabric_choice_make(void)
{
  pm_fabric_choice choice;
  pm_record_fill("fabric_choice", &choice, sizeof choice);
  return choice;
}

/* A fat tree: its switches and cables, and its performance. */
#define PM_FABRIC_FIELDS(X)                                                                            \
  X(INT, nodes, "1", "nodes connected", .show = PM_SHOW_MAIN)                                                          \
  X(INT, ports, "1", "network ports of each node")                                                     \
  X(INT, levels, "1", "levels of switches", .show = PM_SHOW_MAIN)                                      \
  X(INT, first_switches, "1", "switches of the first level", .show = PM_SHOW_MAIN)                     \
  X(INT, second_switches, "1", "switches of the second level", .show = PM_SHOW_MAIN)                   \
  X(INT, third_switches, "1", "switches of the third level", .show = PM_SHOW_MAIN)                     \
  X(INT, cables, "1", "cables, including those to the nodes", .show = PM_SHOW_MAIN)                                    \
  X(INT, nodes_per_switch, "1", "nodes under a switch of the first level")                             \
  X(INT, most_nodes, "1", "largest number of nodes with this number of levels")                                        \
  X(REAL, node_bandwidth, "B/s", "bandwidth of one node, per direction")                               \
  X(REAL, bisection, "B/s", "bisection bandwidth, per direction", .show = PM_SHOW_MAIN)                                \
  X(REAL, bisection_both_ways, "B/s", "bisection bandwidth, both directions, as often stated on datasheets")           \
  X(REAL, latency, "s", "latency between the most distant nodes", .show = PM_SHOW_MAIN)

typedef struct pm_fabric { PM_FABRIC_FIELDS(PM_DECLARE) } pm_fabric;

/* Designs a fat tree for the system's network ports. Errors: PM_STATUS_NO_ROUTE (no network), PM_STATUS_BAD_ARGUMENT
** (more nodes than three levels connect, a choice out of range). */
PM_API int pm_fabric_evaluate(const pm_system *system, const pm_fabric_choice *choice, pm_fabric *fabric,
                              pm_error *error);

#ifdef __cplusplus
}
#endif
#endif
