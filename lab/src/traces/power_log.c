/*
** Power logs: samples of what each GPU draws, and windows of Zeus with their energy. Each GPU becomes up to two rows of
** energy: its mean power while it works (a share of the time that the log's utilization tells), and its mean power
** while it waits between two spells of work with its clocks up. A log without utilization tells nothing apart: all of
** it counts as work. Time is that between the first and the last sample, else a second for each.
*/
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perfmodel.h"
#include "traces/power_columns.h"

enum { GPUS = 256 };

static const double most_power = 1e5; /* W: more is no board */
static const double most_use = 100;   /* per cent */
static const double works = 50, waits = 1; /* per cent of utilization */

/* Samples of one kind. */
typedef struct sums {
  double power, use, energy, seconds;
  size_t count;
} sums;

typedef struct board {
  char id[PM__LAB_POWER_CELL], name[PM__LAB_POWER_CELL];
  double first, last, limit; /* time of samples [s]; limit [W] */
  size_t samples, lines_out;
  sums run, wait, between;   /* between: waiting since the last work, which counts once there is work again */
} board;

typedef struct power_log {
  pm__lab_trace *trace;
  pm__lab_power_columns columns;
  board *boards;
  size_t count, at;
  bool used; /* some sample had a utilization */
} power_log;

/* ---- Cells ---- */

/* What programs write where they know nothing. */
static bool is_unknown(const char *cell)
{
  static const char *const words[] = {"", "-", "N/A", "[N/A]", "[Not Supported]", "[Unknown Error]", "[Not Found]"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (strcmp(cell, words[i]) == 0) return true;
  return false;
}

/* A number with or without its unit: "63.32 W", "63.32", "97 %". */
static bool read_number(const char *cell, double *value)
{
  char text[PM__LAB_POWER_CELL];
  size_t length = strcspn(cell, " %W");
  snprintf(text, sizeof text, "%.*s", (int)length, cell);
  const char *unit = cell + length + strspn(cell + length, " ");
  bool plain = unit[0] == '\0' || strcmp(unit, "W") == 0 || strcmp(unit, "%") == 0;
  return plain && pm_number_parse(text, value) == PM_OK && isfinite(*value);
}

/* Days from 1970 by the Gregorian calendar. */
static double days(int year, int month, int day)
{
  year -= month <= 2;
  int era = year / 400, of_era = year - era * 400, of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097.0 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* "2024/05/01 10:11:12.345", "2024-05-01T10:11:12", seconds; NAN for what is none. */
static double read_time(const char *cell)
{
  int year, month, day, hour, minute;
  char digits[20]; /* not a number: scanf's depend on the locale */
  double second;
  if (sscanf(cell, "%4d%*1[/-]%2d%*1[/-]%2d%*1[ T]%2d:%2d:%19[0-9.]", &year, &month, &day, &hour, &minute, digits) == 6
      && pm_number_parse(digits, &second) == PM_OK && year >= 0 && second >= 0 && second < 61)
    return days(year, month, day) * 86400 + hour * 3600.0 + minute * 60.0 + second;
  return pm_number_parse(cell, &second) == PM_OK && fabs(second) <= PM__LAB_TRACE_MOST ? second : (double)NAN;
}

/* ---- Boards ---- */

static bool is_at(const power_log *log, size_t i, const char *id)
{
  return i < log->count && strcmp(log->boards[i].id, id) == 0;
}

/* Boards take turns, so the next one is mostly the one that is meant. */
static board *find_board(power_log *log, const char *id, int line)
{
  size_t next = log->count > 0 ? (log->at + 1) % log->count : 0, i = is_at(log, next, id) ? next : 0;
  while (i < log->count && !is_at(log, i, id)) i++;
  if (i == GPUS) {
    pm__fail_at(log->trace->error, PM_STATUS_BAD_FILE, log->trace->file, line, "has more than %d GPUs", GPUS);
    return NULL;
  }
  if (i == log->count) {
    log->boards[log->count++] = (board){.first = NAN, .last = NAN, .limit = NAN};
    snprintf(log->boards[i].id, sizeof log->boards[i].id, "%s", id);
  }
  log->at = i;
  return &log->boards[i];
}

static void add(sums *to, double power, double use, double energy, double seconds)
{
  to->power += power;
  to->use += use;
  to->energy += energy;
  to->seconds += seconds;
  to->count++;
}

static void add_sums(sums *to, sums *from)
{
  to->power += from->power;
  to->count += from->count;
  *from = (sums){.count = 0};
}

static void add_sample(board *b, double power, double use, double time)
{
  if (!isnan(time)) b->last = time;
  if (isnan(b->first)) b->first = time;
  b->samples++;
  if (isnan(use) || use >= works) {
    if (b->run.count > 0) add_sums(&b->wait, &b->between);
    b->between = (sums){.count = 0};
    add(&b->run, power, use, 0, 0);
  }
  else if (use <= waits) add(&b->between, power, 0, 0, 0);
}

/* ---- Lines ---- */

static const char *cell(const pm__lab_power_line *line, int column, int first)
{
  int at = column > 0 ? column + first : column;
  return column >= 0 && at < line->count ? line->cell[at] : "";
}

/* "GPU 0" of dcgmi is two words. */
static void name_board(const power_log *log, const pm__lab_power_line *line, char *id)
{
  const pm__lab_power_columns *c = &log->columns;
  const char *text = c->first == 1 && line->count > 1 ? line->cell[1] : cell(line, c->gpu, 0);
  snprintf(id, PM__LAB_POWER_CELL, "%s", text[0] != '\0' ? text : "0");
}

static int bad(const power_log *log, int number, const char *what, const char *text, double most)
{
  return pm__fail_at(log->trace->error, PM_STATUS_BAD_VALUE, log->trace->file, number,
                     "%s \"%.40s\" is no number from 0 to %g", what, text, most);
}

/* A cell that may say nothing, which leaves the value alone. */
static int read_cell(const power_log *log, int number, const char *what, const char *text, double most, double *value)
{
  double read;
  if (is_unknown(text)) return PM_OK;
  if (!read_number(text, &read) || !(read >= 0 && read <= most)) return bad(log, number, what, text, most);
  *value = read;
  return PM_OK;
}

static int read_sample(power_log *log, const pm__lab_power_line *line, int number)
{
  char id[PM__LAB_POWER_CELL];
  const pm__lab_power_columns *c = &log->columns;
  const char *power = cell(line, c->power, c->first), *use = cell(line, c->use, c->first);
  double watts, share = NAN, limit = NAN;
  name_board(log, line, id);
  board *b = find_board(log, id, number);
  if (b == NULL) return PM_STATUS_BAD_FILE;
  if (is_unknown(power)) return b->lines_out++, PM_OK;
  int status = read_cell(log, number, "power", power, most_power, &watts);
  if (status == PM_OK) status = read_cell(log, number, "utilization", use, most_use, &share);
  if (status == PM_OK) status = read_cell(log, number, "limit", cell(line, c->limit, c->first), most_power, &limit);
  if (status != PM_OK) return status;
  if (strcmp(log->columns.program, "dcgmi") == 0 && share <= 1 && strchr(use, '.') != NULL) share *= 100;
  if (!isnan(share)) log->used = true;
  if (limit > 0) b->limit = limit;
  snprintf(b->name, sizeof b->name, "%s", cell(line, c->name, c->first));
  const char *said = cell(line, c->time, c->first);
  double time = read_time(said);
  if (isnan(time) && !is_unknown(said) && log->trace->note[0] == '\0')
    snprintf(log->trace->note, sizeof log->trace->note, "%s:%d: \"%.40s\" is no time that is read (2026/11/20 23:59:40)"
             "; without times a line is taken for a second", log->trace->file, number, said);
  add_sample(b, watts, share, time);
  return PM_OK;
}

/* A window named idle is waiting, any other one is work. */
static int read_window(power_log *log, const pm__lab_power_line *line, int number)
{
  const pm__lab_power_columns *c = &log->columns;
  const char *took = cell(line, c->took, 0);
  bool idle = strstr(cell(line, c->window, 0), "idle") != NULL;
  double seconds, joules;
  if (!read_number(took, &seconds) || !(seconds > 0 && seconds <= PM__LAB_TRACE_MOST))
    return pm__fail_at(log->trace->error, PM_STATUS_BAD_VALUE, log->trace->file, number,
                       "elapsed_time \"%.40s\" is no time above 0", took);
  for (int i = c->energy; i < line->count; i++) {
    char id[PM__LAB_POWER_CELL];
    snprintf(id, sizeof id, "%d", i - c->energy);
    board *b = find_board(log, id, number);
    if (b == NULL) return PM_STATUS_BAD_FILE;
    if (!read_number(line->cell[i], &joules) || !(joules >= 0 && joules / seconds <= most_power))
      return bad(log, number, "energy", line->cell[i], most_power * seconds);
    b->samples++;
    add(idle ? &b->wait : &b->run, joules / seconds, NAN, joules, seconds);
  }
  return PM_OK;
}

/* Titles come again in every loop of rocm-smi, and units below those of dmon. */
static int read_line(power_log *log, const char *text, size_t length, int number)
{
  pm__lab_power_line line;
  if (text[0] == '#') return PM_OK;
  pm__lab_power_split(&line, text, length, log->columns.blanks);
  bool unit = line.count > 0 && strcmp(line.cell[0], "ID") == 0;
  if (line.count == 0 || unit || pm__lab_power_header(text, length).program != NULL) return PM_OK;
  if (line.count == 1 && line.cell[0][0] == '\0') return PM_OK;
  return log->columns.energy >= 0 ? read_window(log, &line, number) : read_sample(log, &line, number);
}

static size_t line_length(const char *text)
{
  return strcspn(text, "\r\n");
}

/* The header is the first line that is not empty. */
static const char *first_line(const char *text, int *number)
{
  for (*number = 1; *text != '\0' && isspace((unsigned char)*text); text++) *number += *text == '\n';
  return text;
}

static int read_lines(power_log *log)
{
  int number, status = PM_OK;
  const char *text = first_line(log->trace->text, &number);
  log->columns = pm__lab_power_header(text, line_length(text));
  for (; *text != '\0' && status == PM_OK; number++) {
    status = read_line(log, text, line_length(text), number);
    text += strcspn(text, "\n");
    text += *text == '\n';
  }
  return status;
}

/* ---- Rows ---- */

static const char titles[] =
  "id,kind,system,gpus,power_limit,busy,quantity,value,duration,energy,samples,source,words,use\n";

/* The machine that the user names, else one with a GPU of the log's name. */
static int name_system(const power_log *log, const pm_catalog *catalog, const board *b, char *system, size_t size)
{
  pm__lab_trace *trace = log->trace;
  const char *name = trace->machine[0] != '\0' ? trace->machine : b->name;
  if (name[0] == '\0')
    return pm__fail(trace->error, PM_STATUS_BAD_FILE,
                    "%s: does not say which GPU it is of: give it with --system (perfmodel list gpus)", trace->file);
  const char *id = pm_catalog_resolve(catalog, "system", name, trace->error);
  if (id == NULL || pm__lab_trace_check_gpu(trace, catalog, b->name) != PM_OK) return trace->error->status;
  pm__text_set(system, size, id);
  return PM_OK;
}

static double seconds_of(const board *b, const sums *s)
{
  if (s->seconds > 0) return s->seconds;
  double all = b->last > b->first ? b->last - b->first : (double)b->samples;
  return all * (double)s->count / (double)b->samples;
}

static void write_row(const power_log *log, const board *b, const sums *s, const char *state, const char *system,
                      pm__string *csv)
{
  char limit[PM_NUMBER_MAX + 2] = "", busy[PM_NUMBER_MAX] = "", id[PM__LAB_POWER_CELL];
  double n = (double)s->count, seconds = seconds_of(b, s);
  double power = s->seconds > 0 ? s->energy / s->seconds : s->power / n;
  if (s->count == 0) return;
  if (b->limit > 0) snprintf(limit, sizeof limit, "%.6g W", b->limit);
  if (strcmp(state, "waiting") == 0) snprintf(busy, sizeof busy, "0");
  else if (log->used && !isnan(s->use)) snprintf(busy, sizeof busy, "%.6g", s->use / n / 100);
  snprintf(id, sizeof id, "%s", b->id);
  pm__lab_trace_clean(id);
  pm__string_format(csv, "GPU %s %s,log,%s,1,%s,%s,gpu_power,%.7g,%.6g,%.7g,%zu,%s,%zu line%s without a power,fit\n",
                    id, state, system, limit, busy, power, seconds, power * seconds, s->count, log->columns.program,
                    b->lines_out, b->lines_out == 1 ? "" : "s");
}

static int write_rows(const power_log *log, const pm_catalog *catalog, pm__string *csv)
{
  size_t rows = 0;
  int status = PM_OK;
  pm__string_add(csv, titles);
  for (size_t i = 0; i < log->count && status == PM_OK; i++) {
    const board *b = &log->boards[i];
    char system[2 * PM_TEXT_MAX];
    if (b->run.count + b->wait.count == 0) continue;
    status = name_system(log, catalog, b, system, sizeof system);
    if (status != PM_OK) break;
    write_row(log, b, &b->run, "running", system, csv);
    write_row(log, b, &b->wait, "waiting", system, csv);
    rows++;
  }
  if (status != PM_OK || rows > 0) return status;
  return pm__fail(log->trace->error, PM_STATUS_BAD_FILE, "%s: no GPU works in this log (utilization of %g %% or more)",
                  log->trace->file, works);
}

bool pm__lab_trace_is_power(const char *text)
{
  int number;
  text = first_line(text, &number);
  return pm__lab_power_header(text, line_length(text)).program != NULL;
}

int pm__lab_trace_read_power(pm__lab_trace *trace, const pm_catalog *catalog, pm__string *csv)
{
  power_log log = {.trace = trace};
  log.boards = (board *)calloc(GPUS, sizeof *log.boards);
  if (log.boards == NULL) return pm__no_memory(trace->error);
  int status = read_lines(&log);
  if (status == PM_OK) status = write_rows(&log, catalog, csv);
  free(log.boards);
  return status;
}
