/*
** What `rocm-smi --showtopo` prints: matrices of hops and of types of links between GPUs, and the NUMA node of each. It
** names neither the GPU nor NICs, and counts no links: a pair that one hop of xGMI joins has one, but for the two
** halves of an MI250X.
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "import/readers.h"

enum { GPUS_MOST = 128, NODES_MOST = 1000, PACKAGE_LINKS = 4 };

typedef struct topology {
  int gpus, node[GPUS_MOST], hops[GPUS_MOST][GPUS_MOST];
  char type[GPUS_MOST][GPUS_MOST][8]; /* "XGMI", "PCIE" */
  bool has_type, has_hops;
} topology;

static const char *next_line(const char *text)
{
  const char *end = strchr(text, '\n');
  return end != NULL ? end + 1 : text + strlen(text);
}

bool pm__import_is_rocm(const char *text)
{
  return strstr(text, "Link Type between two GPUs") != NULL;
}

/* Where the words stand on a line, NULL if they do not. What comes behind the line can be much and is not looked at. */
static const char *on_line(const char *line, const char *words)
{
  const size_t length = strlen(words), end = strcspn(line, "\n");
  for (size_t i = 0; i + length <= end; i++)
    if (strncmp(line + i, words, length) == 0) return line + i;
  return NULL;
}

/* "GPU3 ...": the number, -1 if the line does not begin so; *rest is set behind it. */
static int gpu_at(const char *line, const char **rest)
{
  line += strspn(line, " \t");
  return strncmp(line, "GPU", 3) == 0 ? pm__whole_at(line + 3, GPUS_MOST, rest) : -1;
}

/* A row of a matrix has a cell for each GPU. */
static int read_row(pm__sketch *w, topology *t, int gpu, const char *text, bool types, int number, pm_error *error)
{
  for (int j = 0; j < t->gpus; j++) {
    char word[8];
    text += strspn(text, " \t");
    const size_t length = strcspn(text, " \t\r\n");
    if (length == 0)
      return pm__fail_at(error, PM_STATUS_BAD_SYNTAX, w->file, number, "the row of GPU%d has %d cells instead of %d",
                         gpu, j,
                         t->gpus);
    snprintf(word, sizeof word, "%.*s", (int)length, text);
    if (types) snprintf(t->type[gpu][j], sizeof t->type[gpu][j], "%s", word);
    else t->hops[gpu][j] = pm__whole_at(word, NODES_MOST, NULL);
    if (types ? strcmp(word, "XGMI") != 0 && strcmp(word, "PCIE") != 0 && strcmp(word, "0") != 0 : t->hops[gpu][j] < 0)
      return pm__fail_at(error, PM_STATUS_BAD_SYNTAX, w->file, number, "\"%s\" of GPU%d to GPU%d is no %s", word,
                         gpu, j,
                         types ? "type of link (XGMI, PCIE)" : "number of hops");
    text += length;
  }
  return PM_OK;
}

/* A matrix: the line with all GPUs, then a row of each. */
static int read_matrix(pm__sketch *w, topology *t, const char **text, int *number, bool types, pm_error *error)
{
  int gpus = 0, rows = 0, status = PM_OK;
  const char *rest = *text;
  while (gpu_at(rest, &rest) == gpus) gpus++;
  if (gpus == 0 || gpus > GPUS_MOST || (t->gpus > 0 && gpus != t->gpus))
    return pm__fail_at(error, PM_STATUS_BAD_SYNTAX, w->file, *number, "unexpected matrix of %d GPUs", gpus);
  t->gpus = gpus;
  for (*text = next_line(*text), ++*number; rows < gpus && status == PM_OK; *text = next_line(*text), ++*number) {
    int gpu = gpu_at(*text, &rest);
    if (gpu != rows++)
      return pm__fail_at(error, PM_STATUS_BAD_SYNTAX, w->file, *number, "the row of GPU%d is missing", rows - 1);
    status = read_row(w, t, gpu, rest, types, *number, error);
  }
  return status;
}

/* "GPU[0]		: (Topology) Numa Node: 0" */
static void read_node(topology *t, const char *line)
{
  const char *words = on_line(line, "Numa Node: "), *rest;
  const int gpu = strncmp(line, "GPU[", 4) == 0 ? pm__whole_at(line + 4, GPUS_MOST, &rest) : -1;
  if (words == NULL || gpu < 0 || gpu >= GPUS_MOST || *rest != ']') return;
  const int node = pm__whole_at(words + strlen("Numa Node: "), NODES_MOST, NULL);
  if (node >= 0) t->node[gpu] = node;
}

static int read_text(pm__sketch *w, topology *t, const char *text, pm_error *error)
{
  int number = 1, status = PM_OK;
  for (int i = 0; i < GPUS_MOST; i++) t->node[i] = -1;
  while (*text != '\0' && status == PM_OK) {
    const bool types = on_line(text, "Link Type between two GPUs") != NULL;
    const bool hops = on_line(text, "Hops between two GPUs") != NULL;
    read_node(t, text);
    text = next_line(text);
    number++;
    if (types || hops) status = read_matrix(w, t, &text, &number, types, error);
    t->has_type = t->has_type || types;
    t->has_hops = t->has_hops || hops;
  }
  if (status == PM_OK && !t->has_type)
    return pm__fail_at(error, PM_STATUS_BAD_SYNTAX, w->file, 0, "there is no matrix of types of links");
  return status;
}

static int add_gpus(pm__sketch *w, topology *t, pm_error *error)
{
  char key[PM__NAME_MAX];
  for (int i = 0; i < t->gpus; i++) {
    snprintf(key, sizeof key, "GPU%d", i);
    if (pm__sketch_end(w, PM_VERTEX_GPU, key, error) < 0) return PM_STATUS_BAD_VALUE;
    if (t->node[i] >= 0) continue;
    t->node[i] = i > 0 ? t->node[i - 1] : 0;
    pm__sketch_say(w, "assumed: GPUs without a NUMA node, from GPU%d on, are at the node of the previous GPU", i);
  }
  return PM_OK;
}

static int add_cpus(pm__sketch *w, const topology *t, pm_error *error)
{
  const pm__sketch_cpu unknown = {.vendor = "", .family = -1, .model = -1};
  int status = PM_OK;
  char key[PM__NAME_MAX];
  for (int i = 0; i < t->gpus && status == PM_OK; i++) {
    snprintf(key, sizeof key, "numa%d", t->node[i]);
    int cpu = pm__sketch_find(w, key);
    if (cpu < 0) cpu = pm__sketch_end(w, PM_VERTEX_CPU, key, error);
    status = cpu >= 0 ? pm__sketch_link(w, i, cpu, w->host_link, 1, error) : PM_STATUS_BAD_VALUE;
  }
  return status == PM_OK ? pm__sketch_join_cpus(w, &unknown, error) : status;
}

static int add_links(pm__sketch *w, const topology *t, pm_error *error)
{
  const char *link = pm__sketch_xgmi(w);
  int status = PM_OK;
  bool halves = strcmp(w->gpu, "mi250x-gcd") == 0;
  for (int i = 0; i < t->gpus; i++)
    for (int j = i + 1; j < t->gpus && status == PM_OK; j++) {
      if (strcmp(t->type[i][j], t->type[j][i]) != 0)
        return pm__fail_at(error, PM_STATUS_BAD_VALUE, w->file, 0, "GPU%d to GPU%d is %s, but the reverse is %s", i, j,
                           t->type[i][j], t->type[j][i]);
      bool joined = strcmp(t->type[i][j], "XGMI") == 0 && (!t->has_hops || t->hops[i][j] == 1);
      if (joined && link == NULL)
        return pm__fail_at(error, PM_STATUS_BAD_VALUE, w->file, 0, "GPU%d to GPU%d is XGMI, but gpu \"%s\" has none",
                           i, j,
                           w->gpu);
      if (joined) status = pm__sketch_link(w, i, j, link, halves && i / 2 == j / 2 ? PACKAGE_LINKS : 1, error);
    }
  pm__sketch_say(w, "assumed: one xGMI link between GPUs that one hop joins%s; the source does not count them",
                 halves ? ", four between the halves of a package" : "");
  return status;
}

int pm__import_rocm(pm__sketch *w, const char *text, pm_error *error)
{
  if (w->gpu[0] == '\0')
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "rocm-smi does not name the GPU; give it, as in --gpu "
                    "mi300x");
  topology *t = (topology *)calloc(1, sizeof *t);
  if (t == NULL) return pm__no_memory(error);
  int status = read_text(w, t, text, error);
  if (status == PM_OK) status = add_gpus(w, t, error);
  if (status == PM_OK) status = add_cpus(w, t, error);
  if (status == PM_OK) status = add_links(w, t, error);
  free(t);
  return status;
}
