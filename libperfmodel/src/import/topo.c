/*
** The matrix that `nvidia-smi topo -m` prints: NV# between GPUs is a number of NVLinks; PIX is one PCIe switch, PXB
** several, PHB and NODE one CPU, SYS several. Switches and CPUs are made up so that the matrix comes out. Which GPUs
** have a CPU in common is told by the columns of the affinity where NVLink hides the PCIe path, and where a virtual
** machine shows SYS everywhere. People paste a matrix when something is wrong with it: what is damaged in the text is
** refused with its line, what is wrong with the machine is described and named.
*/
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "import/readers.h"

enum { ENDS = 256, WORD = 16, LABELS_MOST = 3 /* words before a line: "> ", "0: ", a time stamp */ };

typedef struct matrix {
  int count, gpus;
  char name[ENDS][PM__NAME_MAX];
  char cell[ENDS][ENDS][WORD];
  char affinity[ENDS][PM__NAME_MAX]; /* NUMA nodes, else CPUs; "" if the row does not say */
  int line[ENDS];
  bool too_many; /* names for the room there is */
} matrix;

/* Bytes of a blank: those of pages do not break; a carriage return and the bars of a table are blanks too. */
static size_t blank(const char *p)
{
  if (*p != '\0' && strchr(" \t\r|", *p) != NULL) return 1;
  return strncmp(p, "\xc2\xa0", 2) == 0 ? 2 : 0;
}

/* The next word of a line; terminal escapes are blanks. */
static bool next_word(const char **place, char *word, size_t size)
{
  const char *p = *place;
  for (;;) {
    for (size_t n = blank(p); n > 0; n = blank(p)) p += n;
    if (*p != '\033') break;
    while (*p != '\0' && *p != '\n' && !isalpha((unsigned char)*p)) p++;
    if (isalpha((unsigned char)*p)) p++;
  }
  size_t length = 0;
  while (p[length] != '\0' && p[length] != '\n' && p[length] != '\033' && blank(p + length) == 0) length++;
  *place = p + length;
  if (length == 0) return false;
  snprintf(word, size, "%.*s", (int)(length < size ? length : size - 1), p);
  return true;
}

static bool is_gpu(const char *word)
{
  return strncmp(word, "GPU", 3) == 0 && isdigit((unsigned char)word[3]);
}

/* "GPU0", "NIC3", "mlx5_bond_0": one word with a number in it. */
static bool is_device(const char *word)
{
  const char *p = word;
  while (isalnum((unsigned char)*p) || (*p != '\0' && strchr("_-.", *p) != NULL)) p++;
  return *p == '\0' && strpbrk(word, "0123456789") != NULL;
}

static const char *next_line(const char *text)
{
  const char *end = strchr(text, '\n');
  return end != NULL ? end + 1 : text + strlen(text);
}

enum { NVLINKS_MOST = 1000 };

static bool is_cell(const char *word)
{
  static const char *const known[] = {"X", "PIX", "PXB", "PHB", "NODE", "SYS", "SOC", "PSB", "C2C"};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (strcmp(word, known[i]) == 0) return true;
  return strncmp(word, "NV", 2) == 0 && pm__whole_at(word + 2, NVLINKS_MOST, NULL) >= 0;
}

/* "CPU Affinity", "NUMA Affinity", "GPU NUMA ID": the columns behind those of devices. */
static bool ends_heading(const char *word)
{
  return strcmp(word, "CPU") == 0 || strcmp(word, "NUMA") == 0 || strcmp(word, "GPU") == 0 ||
         strcmp(word, "Affinity") == 0;
}

/* The heading: names of GPUs and NICs, until other columns. A row begins with a name too, but has cells behind it. */
static bool read_heading(matrix *m, const char *line)
{
  char word[PM__NAME_MAX];
  int labels = 0;
  m->count = m->gpus = 0;
  m->too_many = false;
  while (next_word(&line, word, sizeof word) && !ends_heading(word)) {
    if (m->count == 0 && !is_gpu(word) && ++labels <= LABELS_MOST) continue;
    if (is_cell(word) || !is_device(word) || (m->count == 0 && !is_gpu(word))) return false;
    m->too_many = m->count == ENDS;
    if (m->too_many) break;
    m->gpus += is_gpu(word);
    snprintf(m->name[m->count++], PM__NAME_MAX, "%s", word);
  }
  return m->gpus > 0;
}

bool pm__import_is_topo(const char *text)
{
  bool found = false;
  matrix *m = (matrix *)calloc(1, sizeof *m);
  for (; m != NULL && *text != '\0' && !found; text = next_line(text)) found = read_heading(m, text);
  free(m);
  return found;
}

static int row_of(const matrix *m, const char *name)
{
  for (int i = 0; i < m->count; i++)
    if (strcmp(m->name[i], name) == 0) return i;
  return -1;
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

/* A word of a row, which is of both its devices: X stands where they are one. */
static int read_cell(pm__sketch *w, matrix *m, int row, int column, const char *word, int number, pm_error *error)
{
  if (!is_cell(word))
    return pm__fail_at(error, PM_STATUS_BAD_SYNTAX, w->file, number,
                       "\"%.30s\" in the row of %s is none of X, NV#, PIX, PXB, PHB, NODE, SYS", word, m->name[row]);
  if ((strcmp(word, "X") == 0) != (row == column))
    return pm__fail_at(error, PM_STATUS_BAD_SYNTAX, w->file, number,
                       "\"%.30s\" of %s to %s: the row is shifted: a cell is missing", word, m->name[row],
                       m->name[column]);
  snprintf(m->cell[row][column], WORD, "%.15s", word);
  return PM_OK;
}

/* The device whose row this is, -1 if it is none; *line is set behind its name. */
static int find_row(const matrix *m, const char **line)
{
  char word[PM__NAME_MAX];
  int row = -1;
  for (int i = 0; i <= LABELS_MOST && row < 0 && next_word(line, word, sizeof word); i++) row = row_of(m, word);
  return row;
}

/* A row of a device that the heading does not name: a window or a mail cut the lines, or went on on the next. */
static int check_stray(const pm__sketch *w, const char *line, int number, pm_error *error)
{
  char name[PM__NAME_MAX] = "", word[PM__NAME_MAX];
  for (int i = 0; i <= LABELS_MOST && next_word(&line, word, sizeof word); i++) {
    if (is_device(name) && !is_cell(name) && is_cell(word))
      return pm__fail_at(error, PM_STATUS_BAD_SYNTAX, w->file, number,
                         "a row of %s, which is not in the heading: the matrix is cut or its lines are wrapped",
                         name);
    memcpy(name, word, sizeof name);
  }
  return PM_OK;
}

static int read_row(pm__sketch *w, matrix *m, const char *line, int number, int *rows, pm_error *error)
{
  char word[PM__NAME_MAX];
  const char *all = line;
  int row = find_row(m, &line), status = PM_OK;
  if (row < 0) return check_stray(w, all, number, error);
  if (m->line[row] > 0)
    return pm__fail_at(error, PM_STATUS_BAD_SYNTAX, w->file, number, "the row of %s occurs twice", m->name[row]);
  m->line[row] = number;
  ++*rows;
  for (int j = 0; j < m->count && status == PM_OK; j++)
    status = read_cell(w, m, row, j, next_word(&line, word, sizeof word) ? word : "", number, error);
  const char *behind = line;
  if (status == PM_OK && next_word(&behind, word, sizeof word) && is_cell(word))
    return pm__fail_at(error, PM_STATUS_BAD_SYNTAX, w->file, number,
                       "the row of %s has more cells than the heading has names: a name is missing or the heading is "
                       "cut",
                       m->name[row]);
  read_affinity(m->affinity[row], line);
  return status;
}

/* What other reports print behind the matrix is none of it, another matrix neither. */
static int look_behind(pm__sketch *w, const char *text, int number, pm_error *error)
{
  int status = PM_OK;
  matrix *other = (matrix *)calloc(1, sizeof *other);
  if (other == NULL) return pm__no_memory(error);
  for (; *text != '\0' && status == PM_OK && !read_heading(other, text); text = next_line(text), number++)
    status = check_stray(w, text, number, error);
  if (*text != '\0' && status == PM_OK)
    pm__sketch_say(w, "left out: the matrix from line %d on; the first one is read", number);
  free(other);
  return status;
}

static int read_matrix(pm__sketch *w, matrix *m, const char *text, pm_error *error)
{
  int number = 1, rows = 0, status = PM_OK;
  while (*text != '\0' && !read_heading(m, text)) {
    text = next_line(text);
    number++;
  }
  if (*text == '\0')
    return pm__fail_at(error, PM_STATUS_BAD_SYNTAX, w->file, 0,
                       "no line begins with GPU0; this is not the output of nvidia-smi topo -m");
  if (m->too_many)
    return pm__fail_at(error, PM_STATUS_BAD_VALUE, w->file, number, "more than %d GPUs and NICs in one matrix", ENDS);
  for (text = next_line(text), number++; *text != '\0' && status == PM_OK && rows < m->count;
       text = next_line(text), number++)
    status = read_row(w, m, text, number, &rows, error);
  for (int i = 0; i < m->count && status == PM_OK; i++)
    if (m->line[i] == 0) status = pm__fail_at(error, PM_STATUS_BAD_SYNTAX, w->file, 0, "there is no row of %s",
                                              m->name[i]);
  return status == PM_OK ? look_behind(w, text, number, error) : status;
}

static int check_matrix(pm__sketch *w, const matrix *m, pm_error *error)
{
  for (int i = 0; i < m->count; i++)
    for (int j = 0; j < i; j++)
      if (strcmp(m->cell[i][j], m->cell[j][i]) != 0)
        return pm__fail_at(error, PM_STATUS_BAD_VALUE, w->file, m->line[i], "%s to %s is %s, but the reverse is %s",
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

/* A common affinity says that two GPUs share a CPU, where NVLink hides how near they are, and where SYS denies it. */
static int nearness_of(const matrix *m, int i, int j)
{
  int near = nearness(m->cell[i][j]);
  bool same = m->affinity[i][0] != '\0' && strcmp(m->affinity[i], m->affinity[j]) == 0;
  return (near < 0 || near == 3) && same ? 2 : near;
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

/* Groups that no GPU is in have no affinity: they are distributed to the CPUs of the others, in order. */
static void deal_out(pm__sketch *w, const matrix *m, int *socket)
{
  int groups[ENDS], hosts[ENDS], group_count = 0, host_count = 0;
  bool told = false;
  for (int i = 0; i < m->count; i++) {
    bool gpu = false;
    for (int k = 0; k < m->count; k++) gpu = gpu || (socket[k] == i && is_gpu(m->name[k]));
    told = told || m->affinity[i][0] != '\0';
    if (socket[i] != i) continue;
    if (gpu) hosts[host_count++] = i;
    else groups[group_count++] = i;
  }
  for (int g = 0; g < group_count && told; g++) {
    int to = hosts[(long)g * host_count / group_count];
    for (int k = 0; k < m->count; k++)
      if (socket[k] == groups[g]) socket[k] = to;
    pm__sketch_say(w, "assumed: %s, SYS to every GPU, is at the CPU of %s", m->name[groups[g]], m->name[to]);
  }
}

/* A lone device is at its CPU, where the matrix shows PHB, else behind a switch. */
static bool is_direct(const matrix *m, const int *local, int i)
{
  bool bridge = false;
  for (int k = 0; k < m->count; k++) {
    if (k != i && local[k] == local[i]) return false;
    bridge = bridge || strcmp(m->cell[i][k], "PHB") == 0;
  }
  return bridge;
}

/* The vertex of a group, which is made when it is first asked for, and linked to what is above it. */
static int group_end(pm__sketch *w, int *ends, int group, const char *key, int above, pm_error *error)
{
  char name[PM__NAME_MAX];
  if (ends[group] >= 0) return ends[group];
  snprintf(name, sizeof name, "%s%d", key, group);
  ends[group] = pm__sketch_end(w, above < 0 ? PM_VERTEX_CPU : PM_VERTEX_SWITCH, name, error);
  if (ends[group] >= 0 && above >= 0 &&
      pm__sketch_link(w, ends[group], above, w->host_link, 1, error) != PM_OK) return -1;
  return ends[group];
}

/* CPUs; under them switches of those that are PXB of each other, and under these the ones of PIX. */
static int add_device(pm__sketch *w, const matrix *m, int i, const int *socket, const int *outer, const int *inner,
                      int (*ends)[ENDS], pm_error *error)
{
  bool nested = false;
  int above = group_end(w, ends[0], socket[i], "socket", -1, error);
  for (int k = 0; k < m->count; k++) nested = nested || (outer[k] == outer[i] && inner[k] != inner[i]);
  if (above >= 0 && nested) above = group_end(w, ends[1], outer[i], "outer", above, error);
  if (above >= 0 && !is_direct(m, outer, i)) above = group_end(w, ends[2], inner[i], "switch", above, error);
  return above >= 0 ? pm__sketch_link(w, pm__sketch_find(w, m->name[i]), above, w->host_link, 1, error)
    : PM_STATUS_BAD_VALUE;
}

static int add_pcie(pm__sketch *w, const matrix *m, pm_error *error)
{
  int socket[ENDS], outer[ENDS], inner[ENDS], ends[3][ENDS], status = PM_OK;
  const pm__sketch_cpu unknown = {.vendor = "", .family = -1, .model = -1};
  const pm__sketch_cpu grace = {.vendor = "Grace", .family = -1, .model = -1};
  group(m, 2, socket);
  group(m, 1, outer);
  group(m, 0, inner);
  deal_out(w, m, socket);
  for (int i = 0; i < m->count; i++) ends[0][i] = ends[1][i] = ends[2][i] = -1;
  bool c2c = pm__sketch_has_c2c(w);
  for (int i = 0; i < m->count && status == PM_OK; i++) {
    int cpu = group_end(w, ends[0], socket[i], "socket", -1, error);
    if (cpu >= 0 && c2c)
      status = pm__sketch_link(w, pm__sketch_find(w, m->name[i]), cpu, is_gpu(m->name[i]) ? w->host_link :
                               pm__sketch_host_pcie(w), 1, error);
    else status = cpu >= 0 ? add_device(w, m, i, socket, outer, inner, ends, error) : PM_STATUS_BAD_VALUE;
  }
  return status == PM_OK ? pm__sketch_join_cpus(w, c2c ? &grace : &unknown, error) : status;
}

/* The number of an NV# cell, 0 for another. */
static int nvlinks(const char *cell)
{
  int count = strncmp(cell, "NV", 2) == 0 ? pm__whole_at(cell + 2, NVLINKS_MOST, NULL) : 0;
  return count > 0 ? count : 0;
}

/*
** Through switches, a pair has as many links as the one of its GPUs that has fewer; the best GPU has all that it is
** sold
** with. Fills `links` by GPU. Direct links never look like this on more than two GPUs: they would be more than a GPU
** has.
*/
static bool find_switched(const pm__sketch *w, const matrix *m, int *links)
{
  int most = 0, joined = 0;
  for (int i = 0; i < m->count; i++) {
    links[i] = 0;
    for (int j = 0; j < m->count; j++)
      if (i != j && nvlinks(m->cell[i][j]) > links[i]) links[i] = nvlinks(m->cell[i][j]);
    if (links[i] > most) most = links[i];
    joined += links[i] > 0;
  }
  for (int i = 0; i < m->count; i++)
    for (int j = 0; j < i; j++)
      if (nvlinks(m->cell[i][j]) != (links[i] < links[j] ? links[i] : links[j])) return false;
  return joined > 2 && most == w->nvlinks;
}

static int add_switched(pm__sketch *w, const matrix *m, const int *links, pm_error *error)
{
  char link[2 * PM_TEXT_MAX];
  int hub = pm__sketch_end(w, PM_VERTEX_NVSWITCH, "nvswitch", error), status = PM_OK;
  pm__sketch_switch_link(w, link, sizeof link);
  if (hub < 0) return PM_STATUS_BAD_VALUE;
  for (int i = 0; i < m->count && status == PM_OK; i++)
    if (links[i] > 0) status = pm__sketch_link(w, pm__sketch_find(w, m->name[i]), hub, link, links[i], error);
  pm__sketch_say(w, "assumed: pairs show NV%d, all links of a GPU, so one vertex represents the switches", w->nvlinks);
  return status;
}

static int add_direct(pm__sketch *w, const matrix *m, pm_error *error)
{
  int status = PM_OK;
  for (int i = 0; i < m->count && status == PM_OK; i++)
    for (int j = i + 1; j < m->count && status == PM_OK; j++) {
      int links = nvlinks(m->cell[i][j]);
      if (links == 0) continue;
      if (w->nvlink[0] == '\0')
        return pm__fail_at(error, PM_STATUS_BAD_VALUE, w->file, m->line[i],
                           "%s to %s is %s, but gpu \"%s\" has no NVLink", m->name[i], m->name[j], m->cell[i][j],
                               w->gpu);
      status = pm__sketch_link(w, pm__sketch_find(w, m->name[i]), pm__sketch_find(w, m->name[j]), w->nvlink, links,
                               error);
    }
  return status;
}

static int add_nvlinks(pm__sketch *w, const matrix *m, pm_error *error)
{
  int links[ENDS];
  return find_switched(w, m, links) ? add_switched(w, m, links, error) : add_direct(w, m, error);
}

static int add_all(pm__sketch *w, const matrix *m, pm_error *error)
{
  for (int i = 0; i < m->count; i++)
    if (pm__sketch_end(w, is_gpu(m->name[i]) ? PM_VERTEX_GPU : PM_VERTEX_NIC, m->name[i],
                       error) < 0) return PM_STATUS_BAD_VALUE;
  int status = add_nvlinks(w, m, error);
  if (status == PM_OK) status = add_pcie(w, m, error);
  pm__sketch_say(w, "assumed: a PCIe switch per group of neighbours; the matrix shows neither switches nor speeds");
  bool hidden = false, told = false;
  for (int i = 0; i < m->gpus; i++) {
    told = told || m->affinity[i][0] != '\0';
    for (int j = 0; j < i; j++) hidden = hidden || nvlinks(m->cell[i][j]) > 0;
  }
  if (hidden && told)
    pm__sketch_say(w, "assumed: where NVLink hides the PCIe path between GPUs, GPUs of one affinity share a CPU");
  if (hidden && !told)
    pm__sketch_say(w, "assumed: where NVLink hides the PCIe path between GPUs, it is derived from common NICs");
  return status;
}

int pm__import_topo(pm__sketch *w, const char *text, pm_error *error)
{
  if (w->gpu[0] == '\0') return pm__fail(error, PM_STATUS_BAD_ARGUMENT,
                                         "the matrix does not name the GPU; give it, as in --gpu h100-sxm5");
  matrix *m = (matrix *)calloc(1, sizeof *m);
  if (m == NULL) return pm__no_memory(error);
  int status = read_matrix(w, m, text, error);
  if (status == PM_OK) status = check_matrix(w, m, error);
  if (status == PM_OK) status = add_all(w, m, error);
  free(m);
  return status;
}
