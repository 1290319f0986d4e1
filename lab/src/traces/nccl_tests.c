/*
** What nccl-tests and rccl-tests print. A log may have several runs, each a preamble (the test, its GPUs), a header and
** rows of out-of-place times; launchers put labels before each line, and pages that quote a log eat the '#'. So lines
** are known by their words, wherever these begin.
*/
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "perfmodel.h"
#include "traces/collective_run.h"

enum { LINE_MOST = 1024, WORDS_MOST = 40, WORD_SIZE = 400 };

/* A line in words. */
typedef struct line {
  const char *text;
  char word[WORDS_MOST][WORD_SIZE];
  int count, number;
} line;

typedef struct reader {
  pm__lab_trace *trace;
  const pm_catalog *catalog;
  pm__lab_collective_run run;
  int time, algorithm_bandwidth, bus_bandwidth, wrong; /* places of these columns behind the size's; 0: unknown */
  int number;                                          /* of the line */
  bool rows;                                           /* of this run, have been read */
  int wrong_rows;
} reader;

/* ---- Lines ---- */

static void split(line *l, const char *text)
{
  int length;
  l->text = text;
  l->count = 0;
  for (; l->count < WORDS_MOST && sscanf(text, "%399s%n", l->word[l->count], &length) == 1; text += length) l->count++;
}

/* Colours of terminals and the bars of tables are blanks. */
static void blank_marks(char *copy)
{
  for (char *p = copy; *p != '\0'; p++) {
    size_t escape = *p == '\033' && p[1] == '[' ? 2 + strcspn(p + 2, "ABCDHJKmhlsu") : 0;
    if (escape > 0 && p[escape] != '\0') memset(p, ' ', escape + 1);
    if (*p == '|') *p = ' ';
  }
}

/* The line without what mpirun --tag-output puts before it, "[1,0]<stdout>:". */
static const char *untagged(char *copy)
{
  char *tag = strstr(copy, "<stdout>:");
  return tag != NULL ? tag + strlen("<stdout>:") : copy;
}

static int find_word(const line *l, const char *word, int from)
{
  for (int i = from; i < l->count; i++)
    if (strcmp(l->word[i] + (l->word[i][0] == '#' && l->word[i][1] != '\0'), word) == 0) return i;
  return -1;
}

static bool is_number(const char *word)
{
  double value;
  return pm_number_parse(word, &value) == PM_OK;
}

static bool is_type(const char *word)
{
  static const char *const types[] = {"int8",  "uint8", "char", "int32", "uint32", "int", "int64", "uint64", "half",
                                      "float", "double", "bfloat16", "f8e4m3", "f8e5m2", "fp8_e4m3", "fp8_e5m2"};
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
    if (strcmp(word, types[i]) == 0) return true;
  return false;
}

/* Where the row begins: two numbers and a type. Anything else is what other programs said; -1. A size that is none
** ("512M") is refused by who reads the row. */
static int row_begins(const line *l)
{
  for (int i = 0; i + 2 < l->count; i++) {
    bool size = is_number(l->word[i]) || isdigit((unsigned char)l->word[i][0]);
    if (size && is_number(l->word[i + 1]) && is_type(l->word[i + 2])) return i;
  }
  return -1;
}

/* ---- What comes before the rows ---- */

static void next_run(reader *r)
{
  pm__lab_collective_begin(&r->run);
  r->rows = false;
  r->time = r->algorithm_bandwidth = r->bus_bandwidth = r->wrong = 0;
}

/* "size count type redop root time algbw busbw #wrong": the first time is out of place. */
static void read_header(reader *r, const line *l, int size)
{
  if (r->rows) next_run(r);
  int time = find_word(l, "time", size), algorithm = find_word(l, "algbw", size), bus = find_word(l, "busbw", size);
  r->time = time > 0 ? time - size : 0;
  r->algorithm_bandwidth = algorithm > 0 ? algorithm - size : 0;
  r->bus_bandwidth = bus > 0 ? bus - size : 0;
  int wrong = find_word(l, "wrong", size);
  r->wrong = wrong > 0 ? wrong - size : 0;
}

/* Words with one blank between them. */
static void set_name(char *name, size_t size, const char *text)
{
  size_t used = 0;
  for (; *text != '\0' && used + 1 < size; text++)
    if (*text != ' ') name[used++] = *text;
    else if (used > 0 && name[used - 1] != ' ') name[used++] = ' ';
  while (used > 0 && name[used - 1] == ' ') used--;
  name[used] = '\0';
}

/* "Rank  0 Group  0 Pid   6899 on host1 device  0 [0000:04:00] NVIDIA H100 80GB HBM3" */
static int read_rank(reader *r, const char *rank)
{
  char host[300]; /* a name of the domain name system has 253 letters at most */
  const char *on = strstr(rank, " on "), *gpu = strchr(rank, ']');
  if (on == NULL || gpu == NULL || strstr(on, " device ") == NULL || sscanf(on, " on %299s", host) != 1) return PM_OK;
  if (strlen(host) + 1 == sizeof host)
    return pm__fail_at(r->trace->error, PM_STATUS_BAD_VALUE, r->trace->file, r->number,
                       "\"%.60s...\" is too long for the name of a host", host);
  if (r->rows) next_run(r);
  char name[sizeof r->run.gpu];
  set_name(name, sizeof name, gpu + 1);
  if (r->run.ranks++ == 0) memcpy(r->run.gpu, name, sizeof name);
  if (strcmp(name, r->run.gpu) != 0)
    return pm__fail_at(r->trace->error, PM_STATUS_BAD_VALUE, r->trace->file, r->number,
                       "a rank on \"%.60s\" beside \"%.60s\"; a system has GPUs of one kind", name, r->run.gpu);
  return pm__lab_collective_add_host(r->trace, &r->run, host);
}

static void read_test(reader *r, const char *text)
{
  const char *name = strstr(text, "concluded") == NULL ? pm__lab_collective_named(text) : NULL;
  if (name == NULL) return;
  if (r->rows) next_run(r);
  snprintf(r->run.collective, sizeof r->run.collective, "%s", name);
}

static void read_version(reader *r, const char *text)
{
  int a, b, c, code;
  const char *library = strstr(text, "nccl-library="), *said = strstr(text, "CCL version ");
  if (library != NULL && sscanf(library, "nccl-library=%9d", &code) == 1)
    pm__lab_collective_set_version(&r->run, code);
  else if (said != NULL && r->run.version[0] == '\0' && sscanf(said, "CCL version %3d.%3d.%3d", &a, &b, &c) == 3)
    snprintf(r->run.version, sizeof r->run.version, "%d.%d.%d", a, b, c);
}

/* Of each thread; what is no number is refused with the rows. */
static void read_gpus(reader *r, const char *text)
{
  char word[PM_NUMBER_MAX] = "";
  if (sscanf(text, "%31s", word) != 1 || pm_number_parse(word, &r->run.thread_gpus) != PM_OK) r->run.thread_gpus = 0;
}

static int read_preamble(reader *r, const line *l)
{
  const char *rank = strstr(l->text, "Rank "), *gpus = strstr(l->text, " nGpus ");
  read_test(r, l->text);
  if (gpus != NULL && r->rows) next_run(r);
  read_version(r, l->text);
  if (gpus != NULL) read_gpus(r, gpus + strlen(" nGpus "));
  return rank != NULL ? read_rank(r, rank) : PM_OK;
}

/* ---- Rows ---- */

static double bandwidth_at(const line *l, int place)
{
  double value;
  return place > 0 && place < l->count && pm_number_parse(l->word[place], &value) == PM_OK ? value : 0;
}

/* Whether what the collective left in memory was wrong: the time is then of something else. */
static bool is_wrong(reader *r, const line *l, int size)
{
  double wrong;
  int place = size + r->wrong;
  if (r->wrong == 0 || place >= l->count || pm_number_parse(l->word[place], &wrong) != PM_OK || wrong == 0)
    return false;
  r->wrong_rows++;
  snprintf(r->trace->note, sizeof r->trace->note, "%.200s: left out: %d row%s whose results were wrong (#wrong)",
           r->trace->file, r->wrong_rows, r->wrong_rows == 1 ? "" : "s");
  return true;
}

static int read_row(reader *r, const line *l, int size)
{
  pm__lab_collective_time time = {.line = l->number};
  const char *us = size + r->time < l->count ? l->word[size + r->time] : "";
  if (r->time == 0)
    return pm__fail_at(r->trace->error, PM_STATUS_BAD_SYNTAX, r->trace->file, l->number,
                       "a row stands before the header that names its columns");
  if (pm_number_parse(l->word[size], &time.bytes) != PM_OK || !pm__lab_collective_is_size(time.bytes))
    return pm__fail_at(r->trace->error, PM_STATUS_BAD_VALUE, r->trace->file, l->number,
                       "size \"%.40s\" is no whole number of bytes", l->word[size]);
  if (pm_number_parse(us, &time.us) != PM_OK || !pm__lab_collective_is_time(time.us))
    return pm__fail_at(r->trace->error, PM_STATUS_BAD_VALUE, r->trace->file, l->number,
                       "time \"%.40s\" is no number above 0", us);
  if (size + r->algorithm_bandwidth >= l->count || size + r->bus_bandwidth >= l->count)
    return pm__fail_at(r->trace->error, PM_STATUS_BAD_SYNTAX, r->trace->file, l->number, "this row is cut off");
  if (r->algorithm_bandwidth > 0) time.algorithm_bandwidth = bandwidth_at(l, size + r->algorithm_bandwidth);
  if (r->bus_bandwidth > 0) time.bus_bandwidth = bandwidth_at(l, size + r->bus_bandwidth);
  r->rows = true;
  if (is_wrong(r, l, size)) return PM_OK;
  return pm__lab_collective_add(r->trace, r->catalog, &r->run, &time);
}

static int read_line(reader *r, const line *l)
{
  r->number = l->number;
  int size = find_word(l, "size", 0), row = row_begins(l);
  if (size >= 0 && find_word(l, "count", size) == size + 1 && find_word(l, "algbw", size) > 0) read_header(r, l, size);
  else if (row >= 0) return read_row(r, l, row);
  else return read_preamble(r, l);
  return PM_OK;
}

/* ---- The text ---- */

/* Tables of collectives have columns "algbw_GBps" and "busbw_GBps". */
bool pm__lab_trace_is_nccl_text(const char *text)
{
  const char *header = strstr(text, "algbw"), *bus = header != NULL ? strstr(header, "busbw") : NULL;
  return bus != NULL && header[strlen("algbw")] != '_' && memchr(header, '\n', (size_t)(bus - header)) == NULL;
}

static int read_lines(reader *r)
{
  char copy[LINE_MOST];
  int status = PM_OK;
  line l = {.number = 0};
  for (const char *text = r->trace->text; *text != '\0' && status == PM_OK;) {
    size_t length = strcspn(text, "\n");
    snprintf(copy, sizeof copy, "%.*s", (int)(length < sizeof copy ? length : sizeof copy - 1), text);
    copy[strcspn(copy, "\r")] = '\0';
    l.number++;
    blank_marks(copy);
    split(&l, untagged(copy));
    bool cut = length >= sizeof copy && row_begins(&l) >= 0;
    status = cut ? pm__fail_at(r->trace->error, PM_STATUS_BAD_SYNTAX, r->trace->file, l.number,
                               "this row has more than %d bytes", LINE_MOST - 1) : read_line(r, &l);
    text += length + (text[length] == '\n');
  }
  return status;
}

int pm__lab_trace_read_nccl_text(pm__lab_trace *trace, const pm_catalog *catalog, pm__string *csv)
{
  reader r = {.trace = trace, .catalog = catalog, .run = {.thread_gpus = 1}};
  int status = read_lines(&r);
  if (status == PM_OK) status = pm__lab_collective_check(trace);
  pm__string_add(csv, pm__lab_collective_titles);
  pm__lab_collective_begin(&r.run);
  return status;
}
