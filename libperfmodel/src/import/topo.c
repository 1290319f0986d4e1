/*
** The matrix that `nvidia-smi topo -m` prints: NV# between GPUs is a number of NVLinks; PIX is one PCIe switch, PXB
** several, PHB and NODE one CPU, SYS several. Switches and CPUs are made up so that the matrix comes out; where NVLink
** hides the PCIe way between GPUs, the columns of the affinity tell which of them have a CPU in common.
*/
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "import/readers.h"

enum { ENDS = 64, WORD = 16 };

typedef struct matrix {
  int count, gpus;
  char name[ENDS][PM__NAME_MAX];
  char cell[ENDS][ENDS][WORD];
  char affinity[ENDS][PM__NAME_MAX]; /* NUMA nodes, else CPUs; "" if the row does not say */
  int line[ENDS];
} matrix;

/* The next word of a line; a carriage return and terminal escapes are blanks. */
static bool next_word(const char **place, char *word, size_t size)
{
  const char *p = *place;
  for (;;) {
    while (*p == ' ' || *p == '\t' || *p == '\r') p++;
    if (*p != '\033') break;
    while (*p != '\0' && *p != '\n' && !isalpha((unsigned char)*p)) p++;
    if (isalpha((unsigned char)*p)) p++;
  }
  size_t length = 0;
  while (p[length] != '\0' && strchr(" \t\r\n\033", p[length]) == NULL) length++;
  *place = p + length;
  if (length == 0) return false;
  snprintf(word, size, "%.*s", (int)(length < size ? length : size - 1), p);
  return true;
}

static bool is_nic(const char *word)
{
  return strncmp(word, "mlx", 3) == 0 || strncmp(word, "NIC", 3) == 0 || strncmp(word, "bnxt", 4) == 0 ||
         strncmp(word, "efa", 3) == 0 || strncmp(word, "rdma", 4) == 0 || strncmp(word, "ib", 2) == 0;
}

static bool is_gpu(const char *word)
{
  return strncmp(word, "GPU", 3) == 0 && isdigit((unsigned char)word[3]);
}

static const char *next_line(const char *text)
{
  const char *end = strchr(text, '\n');
  return end != NULL ? end + 1 : text + strlen(text);
}

/* The heading: names of GPUs and NICs, until other columns ("CPU Affinity"). */
static bool read_heading(matrix *m, const char *line)
{
  char word[PM__NAME_MAX];
  m->count = m->gpus = 0;
  while (m->count < ENDS && next_word(&line, word, sizeof word)) {
    if (!is_gpu(word) && !is_nic(word)) break;
    m->gpus += is_gpu(word);
    snprintf(m->name[m->count++], PM__NAME_MAX, "%s", word);
  }
  return m->gpus > 0 && is_gpu(m->name[0]);
}

static int row_of(const matrix *m, const char *name)
{
  for (int i = 0; i < m->count; i++)
    if (strcmp(m->name[i], name) == 0) return i;
  return -1;
}

enum { NVLINKS_MOST = 1000 };

static bool is_cell(const char *word)
{
  static const char *const known[] = {"X", "PIX", "PXB", "PHB", "NODE", "SYS", "SOC", "PSB", "C2C"};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (strcmp(word, known[i]) == 0) return true;
  return strncmp(word, "NV", 2) == 0 && pm__whole_at(word + 2, NVLINKS_MOST, NULL) >= 0;
}

/* What follows the cells: "0-31,64-95  0  N/A", CPUs and NUMA nodes; older drivers print CPUs alone, NICs have none. */
static void read_affinity(char *affinity, const char *line)
{
  char cpus[PM__NAME_MAX], nodes[PM__NAME_MAX];
  affinity[0] = '\0';
  if (!next_word(&line, cpus, sizeof cpus) || !isdigit((unsigned char)cpus[0])) return;
  bool numa = next_word(&line, nodes, sizeof nodes) && isdigit((unsigned char)nodes[0]);
  snprintf(affinity, PM__NAME_MAX, "%s%.30s", numa ? "numa" : "cpus", numa ? nodes : cpus);
}

static int read_row(pm__sketch *w, matrix *m, const char *line, int number, pm_error *error)
{
  char word[PM__NAME_MAX];
  if (!next_word(&line, word, sizeof word)) return PM_OK;
  int row = row_of(m, word);
  if (row < 0) return PM_OK;
  m->line[row] = number;
  for (int j = 0; j < m->count; j++) {
    if (!next_word(&line, word, sizeof word) || !is_cell(word))
      return pm__fail_at(error, PM_STATUS_BAD_SYNTAX, w->file, number,
                         "\"%.30s\" in the row of %s is none of X, NV#, PIX, PXB, "
                         "PHB, NODE, SYS", word, m->name[row]);
    snprintf(m->cell[row][j], WORD, "%.15s", word);
  }
  read_affinity(m->affinity[row], line);
  return PM_OK;
}

static int read_matrix(pm__sketch *w, matrix *m, const char *text, pm_error *error)
{
  int number = 1, status = PM_OK;
  while (*text != '\0' && !read_heading(m, text)) {
    text = next_line(text);
    number++;
  }
  if (*text == '\0')
    return pm__fail_at(error, PM_STATUS_BAD_SYNTAX, w->file, 0,
                       "no line begins with GPU0; is it the output of nvidia-smi topo -m?");
  for (text = next_line(text), number++; *text != '\0' && status == PM_OK; text = next_line(text), number++)
    status = read_row(w, m, text, number, error);
  for (int i = 0; i < m->count && status == PM_OK; i++)
    if (m->line[i] == 0) status = pm__fail_at(error, PM_STATUS_BAD_SYNTAX, w->file, 0, "there is no row of %s",
                                              m->name[i]);
  return status;
}

static int check_matrix(pm__sketch *w, const matrix *m, pm_error *error)
{
  for (int i = 0; i < m->count; i++)
    for (int j = 0; j < i; j++)
      if (strcmp(m->cell[i][j], m->cell[j][i]) != 0)
        return pm__fail_at(error, PM_STATUS_BAD_VALUE, w->file, m->line[i], "%s to %s is %s, but back it is %s",
                           m->name[i],
                           m->name[j], m->cell[i][j], m->cell[j][i]);
  return PM_OK;
}

/* How near: 0 one switch, 1 several, 2 one CPU, 3 several. NV# says nothing of PCIe: it counts as unknown, -1. */
static int nearness(const char *cell)
{
  if (strcmp(cell, "PIX") == 0 || strcmp(cell, "PSB") == 0) return 0;
  if (strcmp(cell, "PXB") == 0) return 1;
  if (strcmp(cell, "PHB") == 0 || strcmp(cell, "NODE") == 0) return 2;
  if (strcmp(cell, "SYS") == 0 || strcmp(cell, "SOC") == 0) return 3;
  return -1;
}

/* Where NVLink hides how near two GPUs are, a common affinity says that they share a CPU. */
static int nearness_of(const matrix *m, int i, int j)
{
  int near = nearness(m->cell[i][j]);
  bool same = m->affinity[i][0] != '\0' && strcmp(m->affinity[i], m->affinity[j]) == 0;
  return near < 0 && same ? 2 : near;
}

/* Puts ends into one group where they are nearer than `most`, directly or through others. */
static void group(const matrix *m, int most, int *of)
{
  for (int i = 0; i < m->count; i++) of[i] = i;
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = 0; i < m->count; i++)
      for (int j = 0; j < m->count; j++) {
        int near = i != j ? nearness_of(m, i, j) : -1;
        if (near < 0 || near > most || of[i] == of[j]) continue;
        int from = of[i] > of[j] ? of[i] : of[j], to = of[i] + of[j] - from;
        for (int k = 0; k < m->count; k++)
          if (of[k] == from) of[k] = to;
        changed = true;
      }
  }
}

static int add_pcie(pm__sketch *w, const matrix *m, pm_error *error)
{
  int socket[ENDS], local[ENDS], cpu[ENDS], plx[ENDS], status = PM_OK;
  group(m, 2, socket);
  group(m, 1, local);
  for (int i = 0; i < m->count; i++) cpu[i] = plx[i] = -1;
  for (int i = 0; i < m->count && status == PM_OK; i++) {
    char key[PM__NAME_MAX];
    if (cpu[socket[i]] < 0) {
      snprintf(key, sizeof key, "socket%d", socket[i]);
      cpu[socket[i]] = pm__sketch_end(w, PM_VERTEX_CPU, key, error);
    }
    if (plx[local[i]] < 0) {
      snprintf(key, sizeof key, "switch%d", local[i]);
      plx[local[i]] = pm__sketch_end(w, PM_VERTEX_SWITCH, key, error);
      if (plx[local[i]] < 0 || cpu[socket[i]] < 0) return PM_STATUS_BAD_VALUE;
      status = pm__sketch_link(w, plx[local[i]], cpu[socket[i]], w->host_link, 1, error);
    }
    if (status == PM_OK)
      status = pm__sketch_link(w, pm__sketch_find(w, m->name[i]), plx[local[i]], w->host_link, 1, error);
  }
  for (int i = 0, first = -1; i < w->end_count && status == PM_OK; i++) {
    if (w->ends[i].kind != PM_VERTEX_CPU) continue;
    if (first >= 0) status = pm__sketch_link(w, first, i, "upi-skylake", 3, error);
    if (first < 0) first = i;
  }
  return status;
}

/* The number of an NV# cell, 0 for another. */
static int nvlinks(const char *cell)
{
  int count = strncmp(cell, "NV", 2) == 0 ? pm__whole_at(cell + 2, NVLINKS_MOST, NULL) : 0;
  return count > 0 ? count : 0;
}

/* As many links from each GPU to each other as a GPU has at all: they end at switches. */
static int switch_links(const pm__sketch *w, const matrix *m)
{
  const pm__entry *entry;
  if (pm__catalog_seek(w->catalog, PM__GPUS, w->gpu, &entry, NULL) != PM_OK) return 0;
  int links = m->gpus > 1 ? nvlinks(m->cell[0][1]) : 0;
  for (int i = 0; i < m->gpus; i++)
    for (int j = 0; j < m->gpus; j++)
      if (i != j && nvlinks(m->cell[i][j]) != links) return 0;
  return m->gpus > 2 && entry != NULL && links == ((const pm_gpu *)entry->record)->nvlinks ? links : 0;
}

static int add_switched(pm__sketch *w, const matrix *m, int links, pm_error *error)
{
  char link[2 * PM_TEXT_MAX];
  int hub = pm__sketch_end(w, PM_VERTEX_NVSWITCH, "nvswitch", error), status = PM_OK;
  pm__sketch_switch_link(w, link, sizeof link);
  if (hub < 0) return PM_STATUS_BAD_VALUE;
  for (int i = 0; i < m->gpus && status == PM_OK; i++)
    status = pm__sketch_link(w, pm__sketch_find(w, m->name[i]), hub, link, links, error);
  pm__string_format(&w->report, "assumed: all pairs show NV%d, all links of a GPU: one vertex stands for the "
                                "switches\n",
                    links);
  return status;
}

static int add_nvlinks(pm__sketch *w, const matrix *m, pm_error *error)
{
  int links = switch_links(w, m), status = PM_OK;
  if (links > 0) return add_switched(w, m, links, error);
  for (int i = 0; i < m->gpus && status == PM_OK; i++)
    for (int j = i + 1; j < m->gpus && status == PM_OK; j++) {
      links = nvlinks(m->cell[i][j]);
      if (links == 0) continue;
      if (w->nvlink[0] == '\0')
        return pm__fail_at(error, PM_STATUS_BAD_VALUE, w->file, m->line[i],
                           "%s to %s is %s, but gpu \"%s\" has no NVLink",
                           m->name[i], m->name[j], m->cell[i][j], w->gpu);
      status = pm__sketch_link(w, pm__sketch_find(w, m->name[i]), pm__sketch_find(w, m->name[j]), w->nvlink, links,
                               error);
    }
  return status;
}

static int add_all(pm__sketch *w, const matrix *m, pm_error *error)
{
  for (int i = 0; i < m->count; i++)
    if (pm__sketch_end(w, is_gpu(m->name[i]) ? PM_VERTEX_GPU : PM_VERTEX_NIC, m->name[i],
                       error) < 0) return PM_STATUS_BAD_VALUE;
  int status = add_nvlinks(w, m, error);
  if (status == PM_OK) status = add_pcie(w, m, error);
  w->ports = m->count - m->gpus;
  pm__string_add(&w->report, "assumed: a PCIe switch for every group of neighbours, and the links between CPUs; the "
                             "matrix "
                             "does not show them, nor any speed\n");
  bool hidden = false, told = false;
  for (int i = 0; i < m->gpus; i++) {
    told = told || m->affinity[i][0] != '\0';
    for (int j = 0; j < i; j++) hidden = hidden || nvlinks(m->cell[i][j]) > 0;
  }
  if (hidden && told)
    pm__string_add(&w->report, "assumed: where NVLink hides the PCIe way between GPUs, those of one affinity have a "
                               "CPU in common\n");
  if (hidden && !told)
    pm__string_add(&w->report, "assumed: where NVLink hides the PCIe way between GPUs, NICs in common tell it\n");
  return status;
}

int pm__import_topo(pm__sketch *w, const char *text, pm_error *error)
{
  if (w->gpu[0] == '\0') return pm__fail(error, PM_STATUS_BAD_ARGUMENT,
                                         "the matrix does not name the GPU; say which it is");
  matrix *m = (matrix *)calloc(1, sizeof *m);
  if (m == NULL) return pm__no_memory(error);
  int status = read_matrix(w, m, text, error);
  if (status == PM_OK) status = check_matrix(w, m, error);
  if (status == PM_OK) status = add_all(w, m, error);
  free(m);
  return status;
}
