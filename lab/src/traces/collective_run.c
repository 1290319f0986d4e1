/* Runs of nccl-tests and rccl-tests: their collective, their system, their nodes; rows of what they timed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perfmodel.h"
#include "traces/collective_run.h"

const char pm__lab_collective_titles[] =
  "system,gpus,nodes,collective,message_bytes,nccl_version,note,machine,use,calls,time_us\n";

/* ---- Names of tests ---- */

typedef struct test {
  const char *name, *collective; /* NULL: not predicted */
  int busy;                      /* bus over algorithm bandwidth of n ranks: 0: 1, 1: (n-1)/n, 2: twice that */
} test;

static const test tests[] = {
  {"all_reduce", "all_reduce", 2},         {"all_gather", "all_gather", 1}, {"reduce_scatter", "reduce_scatter", 1},
  {"alltoall", "all_to_all", 1},           {"broadcast", "broadcast", 0},   {"reduce", "reduce", 0},
  {"sendrecv", "sendrecv", 0},             {"all_to_all", "all_to_all", 1}, {"alltoallv", NULL, 1},
  {"all_reduce_bias", NULL, 2},            {"scatter", NULL, 1},            {"gather", NULL, 1},
  {"hypercube", NULL, 1}};

enum { TESTS = sizeof tests / sizeof tests[0] };

/* "AllReduce" and "all_reduce" are one name. */
static const test *find_test(const char *name, size_t length)
{
  char word[40];
  snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), name);
  for (size_t i = 0; i < TESTS; i++)
    if (pm__same_name(tests[i].name, word)) return &tests[i];
  return NULL;
}

static size_t length_of_test(const char *name)
{
  size_t length = strlen(name);
  return length > 5 && strcmp(name + length - 5, "_perf") == 0 ? length - 5 : length;
}

const char *pm__lab_collective_of(const char *name)
{
  const test *found = find_test(name, length_of_test(name));
  return found != NULL ? found->collective : NULL;
}

static bool is_letter(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
}

const char *pm__lab_collective_named(const char *line)
{
  for (const char *end = strstr(line, "_perf"); end != NULL; end = strstr(end + 1, "_perf")) {
    const char *from = end;
    while (from > line && is_letter(from[-1])) from--;
    const test *found = is_letter(end[5]) ? NULL : find_test(from, (size_t)(end - from));
    if (found != NULL) return found->name;
  }
  return NULL;
}

/* ---- What is known of a run ---- */

static const char *host_of(const void *list, size_t item)
{
  return ((char *const *)list)[item];
}

int pm__lab_collective_add_host(pm__lab_trace *trace, pm__lab_collective_run *run, const char *name)
{
  if (pm__text_index_find(&run->host_index, name, host_of, run->hosts) != PM__NO_ITEM) return PM_OK;
  char **hosts = (char **)pm__grow(run->hosts, run->host_count, &run->host_capacity, sizeof *hosts);
  if (hosts != NULL) run->hosts = hosts;
  char *copy = hosts != NULL ? pm__text_copy(name) : NULL;
  if (copy == NULL || !pm__text_index_add(&run->host_index, copy, run->host_count)) {
    free(copy);
    return pm__no_memory(trace->error);
  }
  hosts[run->host_count++] = copy;
  return PM_OK;
}

void pm__lab_collective_set_version(pm__lab_collective_run *run, double code)
{
  int n = code > 0 && code < 1e6 ? (int)code : 0, wide = n >= 10000;
  if (n > 0) snprintf(run->version, sizeof run->version, "%d.%d.%d", n / (wide ? 10000 : 1000),
                      n / 100 % (wide ? 100 : 10), n % 100);
}

void pm__lab_collective_begin(pm__lab_collective_run *run)
{
  for (size_t i = 0; i < run->host_count; i++) free(run->hosts[i]);
  free(run->hosts);
  pm__text_index_free(&run->host_index);
  *run = (pm__lab_collective_run){.thread_gpus = 1};
}

/* ---- Settling it ---- */

/* The longest name within that of a file: "alltoallv.txt" is not of alltoall. */
static const test *test_in(const char *file)
{
  const test *best = NULL;
  for (size_t i = 0; i < TESTS; i++)
    if (strstr(file, tests[i].name) != NULL && (best == NULL || strlen(tests[i].name) > strlen(best->name)))
      best = &tests[i];
  return best;
}

/* By the text, else by what the user said, else by the name of the file, "all_reduce.txt". */
static int settle_collective(pm__lab_trace *trace, pm__lab_collective_run *run)
{
  const char *slash = strrchr(trace->file, '/'), *file = slash != NULL ? slash + 1 : trace->file;
  const char *said = pm__lab_trace_known(trace, "collective");
  const test *found = run->collective[0] != '\0' ? find_test(run->collective, strlen(run->collective)) : NULL;
  const test *asked = said != NULL ? find_test(said, length_of_test(said)) : NULL;
  if (said != NULL && (asked == NULL || asked->collective == NULL))
    return pm__fail(trace->error, PM_STATUS_BAD_VALUE, "%s: collective \"%.40s\" is none of all_reduce, all_gather, "
                    "reduce_scatter, all_to_all, broadcast, reduce, sendrecv", trace->file, said);
  if (found != NULL && asked != NULL && found->collective != NULL && strcmp(found->collective, asked->collective) != 0)
    return pm__fail(trace->error, PM_STATUS_BAD_VALUE, "%s: the file is of %s, not of %s", trace->file, found->name,
                    said);
  if (found == NULL) found = asked;
  if (found == NULL) found = test_in(file);
  if (found == NULL)
    return pm__fail(trace->error, PM_STATUS_BAD_FILE, "%s: does not say which collective it is of; give it, as in "
                    "perfmodel import FILE --collective all_reduce", trace->file);
  if (found->collective == NULL)
    return pm__fail(trace->error, PM_STATUS_BAD_FILE, "%s: %s is none of the collectives that are predicted: "
                    "all_reduce,"
                    " all_gather, reduce_scatter, all_to_all, broadcast, reduce, sendrecv", trace->file, found->name);
  snprintf(run->collective, sizeof run->collective, "%s", found->collective);
  return PM_OK;
}

/* A number that the user gave; 0 if he did not. */
static int known_count(pm__lab_trace *trace, const char *name, size_t *count)
{
  double value = 0;
  const char *said = pm__lab_trace_known(trace, name);
  if (said != NULL && (pm_number_parse(said, &value) != PM_OK || !(value >= 1 && value <= 1e6) || floor(value) < value))
    return pm__fail(trace->error, PM_STATUS_BAD_VALUE, "%s: %s \"%.40s\" is not a whole number from 1 to 1000000",
                    trace->file, name, said);
  *count = (size_t)value;
  return PM_OK;
}

static int settle_ranks(pm__lab_trace *trace, pm__lab_collective_run *run)
{
  size_t gpus = 0, nodes = 0;
  int status = known_count(trace, "gpus", &gpus);
  if (status == PM_OK) status = known_count(trace, "nodes", &nodes);
  if (status != PM_OK) return status;
  if (run->ranks == 0 && gpus > 0) run->ranks = gpus * (nodes > 0 ? nodes : 1);
  if (run->ranks == 0)
    return pm__fail(trace->error, PM_STATUS_BAD_FILE, "%s: does not list the GPUs of the run (\"# Rank\"); give them, "
                    "as "
                    "in perfmodel import FILE --system hgx-h100 --gpus 8 --nodes 2", trace->file);
  if (gpus > 0 && gpus * (nodes > 0 ? nodes : 1) != run->ranks)
    return pm__fail(trace->error, PM_STATUS_BAD_VALUE, "%s: the file is of %zu ranks, not of %zu", trace->file,
                    run->ranks, gpus * (nodes > 0 ? nodes : 1));
  if (run->nodes == 0) run->nodes = nodes;
  if (run->thread_gpus >= 1 && run->thread_gpus <= 1e6 && floor(run->thread_gpus) == run->thread_gpus) return PM_OK;
  return pm__fail(trace->error, PM_STATUS_BAD_VALUE, "%s: %.6g GPUs of a thread (nGpus) are no whole number from 1 to "
                  "1000000", trace->file, run->thread_gpus);
}

static size_t divide_up(size_t a, size_t b)
{
  return (a + b - 1) / b;
}

/* Hosts are nodes, but in a rack that is one node of several hosts. */
static int settle_nodes(pm__lab_trace *trace, pm__lab_collective_run *run, const pm_machine *machine)
{
  size_t gpus = (size_t)machine->gpus, hosts = machine->hosts > 1 ? (size_t)machine->hosts : 1;
  size_t said = 0;
  if (known_count(trace, "nodes", &said) != PM_OK) return trace->error->status;
  size_t counted = hosts > 1 ? divide_up(run->ranks, gpus) : 0, named = divide_up(run->host_count, hosts);
  if (run->host_count > 0 || run->nodes == 0) run->nodes = counted > named ? counted : named;
  if (run->nodes == 0) run->nodes = 1;
  if (said > 0 && said != run->nodes)
    return pm__fail(trace->error, PM_STATUS_BAD_VALUE, "%s: the file is of %zu node%s, not of %zu", trace->file,
                    run->nodes, run->nodes == 1 ? "" : "s", said);
  if (run->ranks <= run->nodes * gpus) return PM_OK;
  return pm__fail(trace->error, PM_STATUS_BAD_VALUE, "%s: %zu ranks on %zu node%s, but %s has %d GPU%s; give another "
                  "system, as in --system \"%s*%zu:nvswitch\"", trace->file, run->ranks, run->nodes,
                  run->nodes == 1 ? "" : "s", machine->id, machine->gpus, machine->gpus == 1 ? "" : "s", machine->gpu,
                  divide_up(run->ranks, run->nodes));
}

/* The machine of the user; without one there is no telling how its GPUs are joined. */
static int settle_machine(pm__lab_trace *trace, const pm_catalog *catalog, pm__lab_collective_run *run)
{
  pm_machine machine;
  size_t hosts = run->host_count > 0 ? run->host_count : run->nodes > 0 ? run->nodes : 1;
  if (trace->machine[0] == '\0')
    return pm__fail(trace->error, PM_STATUS_BAD_FILE,
                    "%s: %zu x \"%.60s\" on %zu node%s: give the system that this is (perfmodel list systems)",
                    trace->file, run->ranks, run->gpu, hosts, hosts > 1 ? "s" : "");
  const char *id = pm_catalog_resolve(catalog, "system", trace->machine, trace->error);
  if (id == NULL || pm_catalog_get_record(catalog, "system", id, &machine, trace->error) != PM_OK)
    return trace->error->status;
  if (pm__lab_trace_check_gpu(trace, catalog, run->gpu) != PM_OK) return trace->error->status;
  pm__text_set(run->machine, sizeof run->machine, id);
  if (run->gpu[0] == '\0') snprintf(run->gpu, sizeof run->gpu, "%s", machine.gpu);
  pm__lab_trace_clean(run->gpu);
  return settle_nodes(trace, run, &machine);
}

static int settle(pm__lab_trace *trace, const pm_catalog *catalog, pm__lab_collective_run *run)
{
  int status = settle_collective(trace, run);
  if (status == PM_OK) status = settle_ranks(trace, run);
  if (status == PM_OK) status = settle_machine(trace, catalog, run);
  run->finished = status == PM_OK;
  return status;
}

/* ---- Rows ---- */

enum { TELLS_FROM = 2 }; /* GB/s, printed with two decimals */

/* Bytes over the time are the bandwidth beside them, or a number is cut, or of another unit. */
static int check_time(const pm__lab_trace *trace, const pm__lab_collective_time *time)
{
  static const double tolerance = 0.01;
  double bandwidth = time->bytes / time->us / 1e3;
  if (!(time->algorithm_bandwidth > TELLS_FROM) || fabs(bandwidth / time->algorithm_bandwidth - 1) < tolerance)
    return PM_OK;
  return pm__fail_at(trace->error, PM_STATUS_BAD_VALUE, trace->file, time->line,
                     "%.0f bytes in %.6g us are %.4g GB/s, but algbw is %.4g: a number is cut, or of another unit",
                     time->bytes, time->us, bandwidth, time->algorithm_bandwidth);
}

/* The two bandwidths that the program prints differ by a factor of the collective and its ranks, which tells whether
** what the text does not say was given right, and whether lines of it are lost. They are rounded, so only large ones
** tell. */
static int check_bandwidths(const pm__lab_trace *trace, const pm__lab_collective_run *run,
                            const pm__lab_collective_time *time)
{
  static const double rounded_by = 0.005; /* GB/s */
  double tolerance = 0.005 + rounded_by / time->algorithm_bandwidth + rounded_by / time->bus_bandwidth;
  double n = (double)run->ranks, share = (n - 1) / n;
  double factor[] = {1, share, 2 * share}, ratio = time->bus_bandwidth / time->algorithm_bandwidth;
  double expected = factor[find_test(run->collective, strlen(run->collective))->busy];
  if (!(time->algorithm_bandwidth > TELLS_FROM && time->bus_bandwidth > TELLS_FROM) || expected == 0) return
      PM_OK;
  if (fabs(ratio / expected - 1) < tolerance) return PM_OK;
  return pm__fail_at(trace->error, PM_STATUS_BAD_VALUE, trace->file, time->line,
                     "busbw over algbw is %.3g here, but %.3g of %s on %zu ranks: another collective, or other ranks",
                     ratio, expected, run->collective, run->ranks);
}

int pm__lab_collective_add(pm__lab_trace *trace, const pm_catalog *catalog, pm__lab_collective_run *run,
                           const pm__lab_collective_time *time)
{
  char row[PM__LAB_TRACE_ROW];
  int status = run->finished ? PM_OK : settle(trace, catalog, run);
  if (status == PM_OK) status = check_time(trace, time);
  if (status == PM_OK) status = check_bandwidths(trace, run, time);
  if (status != PM_OK || time->bytes == 0) return status; /* nothing was sent */
  snprintf(row, sizeof row, "%zu x %s,%zu,%zu,%s,%.0f,%s,-g %.0f,%s,fit", run->ranks, run->gpu, run->ranks, run->nodes,
           run->collective, time->bytes, run->version, run->thread_gpus, run->machine);
  return pm__lab_trace_add(trace, row, time->us, 0);
}

int pm__lab_collective_check(const pm__lab_trace *trace)
{
  if (trace->time_count > 0) return PM_OK;
  return pm__fail(trace->error, PM_STATUS_BAD_FILE, "%s: no size was timed out of place%s", trace->file,
                  trace->note[0] != '\0' ? " with right results" : "");
}
