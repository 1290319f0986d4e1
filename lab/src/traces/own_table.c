/*
** Tables of the user's own, as spreadsheets and scripts write them: separated by commas, semicolons, tabs or bars;
** titles
** in other words and any case ("Batch size", "img/s"); numbers with marks between thousands, decimal commas, "1.4k";
** units
** and precisions as people spell them. They become the layout of the set. A number that can be read in two ways, or two
** columns of one meaning, is refused; a table none of whose titles is known is no table of measurements.
*/
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perfmodel.h"
#include "base/csv.h"
#include "traces/own_cells.h"
#include "traces/traces.h"

enum { COLUMNS_MOST = 400, CELL_MOST = 400 };

/* ---- Titles ---- */

typedef enum meaning { TEXT, NUMBER, RATE, UNIT, PRECISION, GPU, FRAMEWORK, VERSION } meaning;


/* Titles of the sets of rates, and what else they are called. Names are compared without case and punctuation. */
static const struct {
  const char *title, *others; /* separated by commas */
  meaning means;
} rates[] = {
  {"model", "network,net,model name,architecture,arch,workload", TEXT},
  {"framework", "software,library,backend", FRAMEWORK},
  {"framework_version", "version,framework ver,pytorch version,torch version,pytorch,torch", VERSION},
  {"gpu", "gpu model,gpu name,gpu type,device,accelerator,card,hardware", GPU},
  {"gpu_memory_GB", "gpu memory,gpu mem,vram,memory per gpu", NUMBER},
  {"system", "machine,server,node type,instance,instance type", TEXT},
  {"gpus", "num gpus,n gpus,ngpus,n gpu,number of gpus,gpu count,gpu num,world size,total gpus", NUMBER},
  {"nodes", "num nodes,n nodes,nnodes,number of nodes,node count,hosts", NUMBER},
  {"batch_per_gpu", "batch,batch size,batchsize,bs,batch size per gpu,per gpu batch size,per device batch size,"
                    "local batch size,train batch size,infer batch size", NUMBER},
  {"global_batch", "global batch size,gbs,total batch,total batch size", NUMBER},
  {"precision", "dtype,data type,datatype,math,math mode", PRECISION},
  {"optimizer", "optim", TEXT},
  {"seq_len", "seq,sequence length,seq length,seqlen,sequence,max seq length,context length", NUMBER},
  {"image_size", "img size,image resolution,resolution,input size,train img size,infer img size", NUMBER},
  {"throughput", "rate,speed,performance,train samples per sec,infer samples per sec,samples per sec,samples per "
          "second,"
                 "images per sec,images per second,tokens per sec,tokens per second,imgs per sec", RATE},
  {"unit", "units,throughput unit", UNIT},
  {"latency_avg_ms", "latency ms,latency us,latency s,latency,avg latency ms,avg latency,mean latency ms,mean latency,"
                     "infer step time,train step time", NUMBER},
  {"serving", "", TEXT},
  {"source_repo", "source", TEXT}, {"source_path", "", TEXT}, {"source_commit_or_date", "date", TEXT},
  {"parallelism", "plan", TEXT}, {"schedule", "pipeline schedule", TEXT},
  {"note", "notes,comment,comments,remark", TEXT}, {"id", "", TEXT}};

enum { RATES = sizeof rates / sizeof rates[0], UNKNOWN = -1 };

/* What a source column is: which title, or none; a unit that its title has. */
typedef struct column {
  int title;
  pm__lab_own_unit unit;
  bool each; /* of one GPU, says its title */
} column;

/* ---- Reading titles ---- */

/* "Throughput (img/s)": the name, and what is in brackets. */
static void split_title(const char *text, char *name, char *inner, size_t size)
{
  while (*text == '#' || *text == ' ') text++;
  size_t length = strcspn(text, "([");
  size_t within = text[length] != '\0' ? strcspn(text + length + 1, ")]") : 0;
  snprintf(inner, size, "%.*s", (int)within, text[length] != '\0' ? text + length + 1 : "");
  while (length > 0 && text[length - 1] == ' ') length--;
  snprintf(name, size, "%.*s", (int)(length < size ? length : size - 1), text);
}

/* "step time (ms)" and "step_time_s": the rate's inverse. */
static bool read_step_time(const char *name, const char *inner, pm__lab_own_unit *unit)
{
  static const char names[] = "step time,iteration time,iter time,batch time,time per step,time per iteration,time per "
                              "batch,time/step,time/iter,time/iteration,time/batch";
  char words[120];
  const char *last = strrchr(name, ' ');
  bool whole = pm__lab_own_is_one_of(name, names) && inner[0] != '\0';
  snprintf(words, sizeof words, "%.*s", last != NULL ? (int)(last - name) : 0, name);
  if (!whole && (last == NULL || !pm__lab_own_is_one_of(words, names))) return false;
  snprintf(words, sizeof words, "%.40s/step", whole ? inner : last + 1);
  return pm__lab_own_unit_read(words, unit);
}

static int title_of(meaning means)
{
  int i = 0;
  while (i < RATES - 1 && rates[i].means != means) i++;
  return i;
}

/* "Avg. train throughput": words that a rate may have before it; what is behind them. */
static const char *skip_words(const char *name, bool *rate)
{
  char word[24];
  for (size_t length; (length = strcspn(name, " ")) > 0; name += length + strspn(name + length, " ")) {
    snprintf(word, sizeof word, "%.*s", (int)length, name);
    bool throughput = pm__lab_own_is_one_of(word, "throughput,tput,rate,speed");
    if (!throughput && !pm__lab_own_is_one_of(word, "avg,average,mean,median,measured,total,overall,train,training,"
                                                    "infer,inference")) break;
    *rate = *rate || throughput;
  }
  return name;
}

/* A title of a rate, with a unit or without; `rate`: it is known to be one. */
static column read_rate(const char *title, const char *inner, bool rate)
{
  char name[100];
  column c = {.title = UNKNOWN, .unit = {.factor = 1}};
  snprintf(name, sizeof name, "%s", title);
  for (char *p = name; *p != '\0'; p++) *p = *p == '_' ? ' ' : *p;
  const char *rest = skip_words(name, &rate);
  bool each = pm__lab_own_is_one_of(rest, "per gpu,per card,per device,gpu");
  c.each = rate && (each || pm__lab_own_is_one_of(inner, "per gpu,per card,per device"));
  if (read_step_time(rest, inner, &c.unit) || (rate && pm__lab_own_unit_read(inner, &c.unit)) ||
      pm__lab_own_unit_read(rest, &c.unit) || (rate && (rest[0] == '\0' || each))) c.title = title_of(RATE);
  return c;
}

static column read_title(const char *text)
{
  column c = {.title = UNKNOWN, .unit = {.factor = 1}};
  char name[100], inner[100];
  split_title(text, name, inner, sizeof name);
  for (int i = 0; i < RATES && c.title == UNKNOWN; i++)
    if (pm__same_name(rates[i].title, name) || pm__lab_own_is_one_of(name, rates[i].others)) c.title = i;
  if (c.title != UNKNOWN && rates[c.title].means != RATE) return c;
  column as_rate = read_rate(name, inner, c.title != UNKNOWN);
  return as_rate.title != UNKNOWN ? as_rate : c;
}

/* ---- Cells ---- */

static void trim(char *cell)
{
  while (cell[0] == ' ') memmove(cell, cell + 1, strlen(cell));
  for (size_t n = strlen(cell); n > 0 && cell[n - 1] == ' '; n--) cell[n - 1] = '\0';
}


typedef struct own {
  const char *file;
  char separator;
  pm_error *error;
  pm__string csv;
  column columns[COLUMNS_MOST];
  size_t count;
  bool pytorch; /* a title says that versions are PyTorch's */
  char mark;    /* before decimals; 0: nothing tells */
  bool unit;    /* titles or cells have one */
  bool counted; /* names of GPUs have their number, and no column of its own is there */
  bool release; /* names of frameworks have one, and no column of its own is there */
  size_t *lines, line_count, line_capacity; /* of the rows, where some lines were passed over */
} own;

/* The line of a row. */
static size_t line_of(const own *t, size_t row)
{
  return row < t->line_count ? t->lines[row] : row + 1;
}

static const char *cell_of(const own *t, const pm__csv *table, size_t row, const char *title)
{
  for (size_t i = 0; i < t->count; i++)
    if (t->columns[i].title != UNKNOWN && strcmp(rates[t->columns[i].title].title, title) == 0)
      return table->cells[row * table->columns + i];
  return "";
}

static double number_of(const own *t, const pm__csv *table, size_t row, const char *title)
{
  char cell[64];
  double value;
  snprintf(cell, sizeof cell, "%s", cell_of(t, table, row, title));
  pm__lab_own_number(cell, sizeof cell, t->mark, t->separator == ',');
  return pm_number_parse(cell, &value) == PM_OK ? value : (double)NAN;
}

static int clean_number(own *t, char *cell, size_t size, size_t row)
{
  char asked[48];
  snprintf(asked, sizeof asked, "%.40s", cell);
  if (pm__lab_own_number(cell, size, t->mark, t->separator == ',')) return PM_OK;
  return pm__fail_at(t->error, PM_STATUS_BAD_VALUE, t->file, (int)line_of(t, row), "\"%s\" may be a thousand times "
                     "as much, or not; write it without the %s", asked, strchr(asked, ',') != NULL ? "comma" : "dot");
}

static int clean_cell(own *t, const column *c, char *cell, size_t size, bool pytorch, size_t row)
{
  pm__lab_own_unit unit;
  trim(cell);
  switch (rates[c->title].means) {
  case NUMBER:
  case RATE: return clean_number(t, cell, size, row);
  case UNIT:
    if (pm__lab_own_unit_read(cell, &unit)) snprintf(cell, size, "%s", unit.name);
    return PM_OK;
  case PRECISION: pm__lab_own_precision(cell, size); return PM_OK;
  case VERSION:
    if (pytorch) pm__lab_own_version(cell, size);
    return PM_OK;
  case GPU:
  case FRAMEWORK:
  case TEXT:
  default: return PM_OK;
  }
}

/* The unit of a row's rate: that of its cell, of the unit's column or of the title. */
static pm__lab_own_unit written_unit(const own *t, const pm__csv *table, size_t row)
{
  pm__lab_own_unit unit = {.factor = 1};
  const char *rate = cell_of(t, table, row, "throughput");
  rate += strspn(rate, " 0123456789.,'~");
  if (pm__lab_own_unit_read(rate, &unit) || pm__lab_own_unit_read(cell_of(t, table, row, "unit"), &unit)) return unit;
  for (size_t i = 0; i < t->count; i++)
    if (t->columns[i].unit.name[0] != '\0') return t->columns[i].unit;
  return (pm__lab_own_unit){.factor = 1};
}

static pm__lab_own_unit unit_of(const own *t, const pm__csv *table, size_t row)
{
  pm__lab_own_unit unit = written_unit(t, table, row);
  for (size_t i = 0; i < t->count; i++)
    if (t->columns[i].each && unit.name[0] != '\0' && strstr(unit.name, "/GPU") == NULL)
      strncat(unit.name, "/GPU", sizeof unit.name - strlen(unit.name) - 1);
  return unit;
}

/* Samples of a step over all GPUs. */
static double samples_of(const own *t, const pm__csv *table, size_t row)
{
  char gpu[CELL_MOST];
  double all = number_of(t, table, row, "global_batch"), gpus = number_of(t, table, row, "gpus");
  snprintf(gpu, sizeof gpu, "%s", cell_of(t, table, row, "gpu"));
  if (isnan(gpus)) gpus = fmax(1, pm__lab_own_count(gpu));
  double nodes = number_of(t, table, row, "nodes");
  if (!isnan(all)) return all;
  return number_of(t, table, row, "batch_per_gpu") * gpus * (isnan(nodes) ? 1 : nodes);
}

/* The rate in the unit that is written: tokens become samples where the row says how long these are, and so does the
** time of a step. What is no number stays. */
static int clean_rate(own *t, const pm__csv *table, size_t row, pm__lab_own_unit *unit, char *cell, size_t size)
{
  double value, seq = number_of(t, table, row, "seq_len");
  size_t digits = strspn(cell, " 0123456789.,'~");
  pm__lab_own_unit inside;
  if (cell[digits] != '\0' && pm__lab_own_unit_read(cell + digits, &inside)) cell[digits] = '\0';
  trim(cell);
  int status = clean_number(t, cell, size, row);
  if (status != PM_OK || pm_number_parse(cell, &value) != PM_OK) return status;
  bool tokens = strncmp(unit->name, "tokens/s", 8) == 0 && seq >= 1, rate = strcmp(unit->name, "iterations/s") == 0;
  if (rate) value *= samples_of(t, table, row), snprintf(unit->name, sizeof unit->name, "samples/s");
  if (unit->steps) value = samples_of(t, table, row) / (value * unit->factor);
  else value *= unit->factor / (tokens ? seq : 1);
  if (tokens) snprintf(unit->name, sizeof unit->name, "%s", strstr(unit->name, "/GPU") ? "samples/s/GPU" : "samples/s");
  if (unit->steps || tokens || rate || unit->factor != 1) snprintf(cell, size, "%.9g", value);
  return PM_OK;
}

static void add_cell(own *t, const char *cell, bool first)
{
  bool quoted = strpbrk(cell, ",\"\n\r") != NULL;
  if (!first) pm__string_add(&t->csv, ",");
  if (quoted) pm__string_add(&t->csv, "\"");
  for (const char *p = cell; *p != '\0'; p++) {
    if (*p == '"') pm__string_add(&t->csv, "\"");
    pm__string_add_bytes(&t->csv, p, 1);
  }
  if (quoted) pm__string_add(&t->csv, "\"");
}

/* ---- The table ---- */

static char separator_of(const char *text)
{
  size_t heading = strcspn(text, "\n"), counts[4] = {0};
  static const char marks[] = ",;\t|";
  for (size_t i = 0; i < heading; i++)
    for (size_t k = 0; k < 4; k++) counts[k] += text[i] == marks[k];
  size_t best = 0;
  for (size_t k = 1; k < 4; k++)
    if (counts[k] > counts[best]) best = k;
  return marks[best];
}

/* How many of the titles of a line are known. */
static int known_titles(const char *line)
{
  char cell[100];
  int known = 0;
  const char separators[] = {separator_of(line), '\n', '\0'}, *p = line;
  for (int i = 0; i < COLUMNS_MOST; i++, p++) {
    size_t length = strcspn(p, separators), quote = *p == '"';
    snprintf(cell, sizeof cell, "%.*s", (int)(length < sizeof cell ? length : sizeof cell - 1), p + quote);
    cell[strcspn(cell, "\r\"")] = '\0';
    trim(cell);
    known += cell[0] != '\0' && read_title(cell).title != UNKNOWN;
    p += length;
    if (*p == '\0' || *p == '\n') break;
  }
  return known;
}

/* The line of the titles: remarks, a name of the table and Excel's "sep=;" may be above it. */
static const char *titles_of(const char *text)
{
  enum { ABOVE = 30 };
  const char *line = text;
  for (int i = 0; i < ABOVE && *line != '\0'; i++) {
    if (known_titles(line) >= 2) return line;
    line += strcspn(line, "\n");
    line += *line == '\n';
  }
  return text;
}

/* A row without what Markdown has around it; 0: none, an empty line or the rule below titles. */
static size_t trim_row(const char **line, size_t length, char separator)
{
  const char *begin = *line, *end = begin + length;
  while (end > begin && (strchr("\r ", end[-1]) != NULL || (separator == '|' && end[-1] == '|'))) end--;
  while (separator == '|' && begin < end && (*begin == '|' || *begin == ' ')) begin++;
  *line = begin;
  bool rule = separator == '|' && strspn(begin, "-:| ") >= (size_t)(end - begin);
  return rule ? 0 : (size_t)(end - begin);
}

/* The cells of a row between commas: those that hold one are quoted. */
static void add_row(pm__string *out, const char *row, size_t length, char separator)
{
  const char *end = row + length;
  for (const char *p = row; p <= end; p++) {
    size_t cell = 0;
    while (p + cell < end && p[cell] != separator) cell++;
    bool quoted = separator != ',' && memchr(p, ',', cell) != NULL && p[0] != '"';
    if (quoted) pm__string_add(out, "\"");
    pm__string_add_bytes(out, p, cell);
    if (quoted) pm__string_add(out, "\"");
    p += cell;
    pm__string_add(out, p < end ? "," : "\n");
  }
}

static int keep_line(own *t, size_t number)
{
  size_t *lines = (size_t *)pm__grow(t->lines, t->line_count, &t->line_capacity, sizeof *lines);
  if (lines == NULL) return pm__no_memory(t->error);
  t->lines = lines;
  lines[t->line_count++] = number;
  return PM_OK;
}

/* The same table between commas, without lines that are no rows. */
static char *with_commas(own *t, const char *text, const char *titles)
{
  pm__string out = {NULL, 0, 0, false};
  size_t number = 1;
  int status = PM_OK;
  for (; text < titles; text++) number += *text == '\n';
  for (const char *line = titles; *line != '\0' && status == PM_OK; number++) {
    size_t length = strcspn(line, "\n");
    const char *row = line;
    size_t kept = trim_row(&row, length, t->separator);
    if (kept > 0) add_row(&out, row, kept, t->separator);
    if (kept > 0) status = keep_line(t, number);
    line += length + (line[length] == '\n');
  }
  if (out.text == NULL) pm__string_add(&out, "\n"); /* nothing but rules */
  if (!out.failed && status == PM_OK) return out.text;
  free(out.text);
  if (status == PM_OK) pm__no_memory(t->error);
  return NULL;
}

/* Between commas, a cell may go on on the next line, so that only a table with more above or between is rewritten. */
static bool is_plain(const own *t, const char *text, const char *titles)
{
  bool quoted = strchr(text, '"') != NULL;
  bool empty = strstr(text, "\n\n") != NULL || strstr(text, "\n\r\n") != NULL;
  return t->separator == ',' && titles == text && (quoted || !empty);
}

static bool has(const own *t, const char *title)
{
  for (size_t i = 0; i < t->count; i++)
    if (t->columns[i].title != UNKNOWN && strcmp(rates[t->columns[i].title].title, title) == 0) return true;
  return false;
}

/* Where no column is a rate, the latency of a batch is the time of a step, if its title has a unit. */
static void take_latency(own *t, const pm__csv *table)
{
  char name[100], inner[100], words[120];
  for (size_t i = 0; i < t->count; i++) {
    if (t->columns[i].title == UNKNOWN || strcmp(rates[t->columns[i].title].title, "latency_avg_ms") != 0) continue;
    split_title(table->cells[i], name, inner, sizeof name);
    const char *last = strpbrk(name, " _") != NULL ? strpbrk(name, " _") + 1 : "";
    if (strncmp(last, "avg_", 4) == 0) last += 4;
    snprintf(words, sizeof words, "%.40s/step", inner[0] != '\0' ? inner : last);
    if (pm__lab_own_unit_read(words, &t->columns[i].unit)) t->columns[i].title = title_of(RATE);
    return;
  }
}

static int read_titles(own *t, const pm__csv *table)
{
  for (size_t i = 0; i < table->columns; i++) {
    column c = read_title(table->cells[i]);
    for (size_t k = 0; k < t->count && c.title != UNKNOWN; k++)
      if (t->columns[k].title == c.title && strcmp(rates[c.title].title, table->cells[k]) == 0) c.title = UNKNOWN;
      else if (t->columns[k].title == c.title)
        return pm__fail_at(t->error, PM_STATUS_BAD_VALUE, t->file, 1, "columns \"%.40s\" and \"%.40s\" both mean %s; "
                           "leave one "
                           "out", table->cells[k], table->cells[i], rates[c.title].title);
    t->pytorch = t->pytorch || strstr(table->cells[i], "orch") != NULL;
    t->columns[t->count++] = c;
  }
  if (!has(t, "throughput")) take_latency(t, table);
  return PM_OK;
}

/* What titles say for all rows: the unit of the rate; and the machine that the user named. */
static void add_common(own *t, const char *unit, const char *gpu, bool titles)
{
  if (t->unit && !has(t, "unit")) add_cell(t, titles ? "unit" : unit, false);
  if (gpu != NULL && !has(t, "gpu") && !has(t, "system")) add_cell(t, titles ? "system" : gpu, false);
  pm__string_add(&t->csv, "\n");
}

/* What the name of the framework says of its release, where no column does. */
static int release_of(const own *t, const pm__csv *table, size_t row, char *version, size_t size)
{
  int said[2], named[2];
  const char *said_in = cell_of(t, table, row, "framework_version"), *framework = cell_of(t, table, row, "framework");
  bool any = pm__lab_own_release(framework, version, size);
  bool both = any && sscanf(version, "%3d.%3d", &named[0], &named[1]) == 2 &&
              sscanf(said_in + strcspn(said_in, "0123456789"), "%3d.%3d", &said[0], &said[1]) == 2 && said[0] < 10;
  if (both && (said[0] != named[0] || said[1] != named[1]))
    return pm__fail_at(t->error, PM_STATUS_BAD_VALUE, t->file, (int)line_of(t, row),
                       "\"%.40s\" is not version \"%.40s\"", framework, said_in);
  if (!any || said_in[0] != '\0') version[0] = '\0';
  return PM_OK;
}

/* Without the release, which has its own column; "torch" is PyTorch where a release says so. */
static void clean_framework(const own *t, const pm__csv *table, size_t row, char *cell, size_t size)
{
  char both[CELL_MOST], version[CELL_MOST];
  snprintf(both, sizeof both, "%.150s %.150s", cell, cell_of(t, table, row, "framework_version"));
  if (!pm__lab_own_release(both, version, sizeof version - 40)) return;
  snprintf(cell, size, strstr(cell, "timm") != NULL ? "PyTorch timm" : "PyTorch");
}

static bool is_pytorch(const own *t, const pm__csv *table, size_t row)
{
  for (size_t i = 0; i < t->count; i++) {
    const char *cell = table->cells[row * table->columns + i];
    if (t->columns[i].title == UNKNOWN || strcmp(rates[t->columns[i].title].title, "framework") != 0) continue;
    return strstr(cell, "orch") != NULL || pm__same_name(cell, "timm") || pm__same_name(cell, "pt");
  }
  return t->pytorch;
}

/* The number of GPUs in the name of a row's; as text, "" for none. */
static int count_of(const own *t, const pm__csv *table, size_t row, char *text, size_t size)
{
  char gpu[CELL_MOST];
  double said = number_of(t, table, row, "gpus");
  snprintf(gpu, sizeof gpu, "%s", cell_of(t, table, row, "gpu"));
  int count = pm__lab_own_count(gpu);
  text[0] = '\0';
  if (count > 0) snprintf(text, size, "%d", count);
  if (count == 0 || isnan(said) || fmod(said, count) == 0) return PM_OK;
  return pm__fail_at(t->error, PM_STATUS_BAD_VALUE, t->file, (int)line_of(t, row), "\"%.60s\" is not %.10g GPUs",
                     cell_of(t, table, row, "gpu"), said);
}

static int write_cell(own *t, const pm__csv *table, size_t row, size_t i, pm__lab_own_unit *unit)
{
  char cell[CELL_MOST];
  const column *c = &t->columns[i];
  int status = PM_OK;
  snprintf(cell, sizeof cell - 40, "%s", table->cells[row * table->columns + i]);
  meaning means = c->title != UNKNOWN ? rates[c->title].means : TEXT;
  if (means == RATE) status = clean_rate(t, table, row, unit, cell, sizeof cell);
  else if (means == GPU) pm__lab_own_count(cell);
  else if (means == FRAMEWORK) clean_framework(t, table, row, cell, sizeof cell);
  else if (means == VERSION && cell[0] == '\0') status = release_of(t, table, row, cell, sizeof cell - 40);
  else if (means == UNIT && unit->name[0] != '\0') snprintf(cell, sizeof cell, "%s", unit->name);
  else if (c->title != UNKNOWN) status = clean_cell(t, c, cell, sizeof cell, is_pytorch(t, table, row), row);
  add_cell(t, cell, i == 0);
  return status;
}

/* A unit column before the rate's waits for what the rate becomes. */
static int write_row(own *t, const pm__csv *table, size_t row, const char *system)
{
  char scratch[CELL_MOST], version[CELL_MOST], count[16];
  pm__lab_own_unit unit = unit_of(t, table, row), left = unit;
  snprintf(scratch, sizeof scratch, "%s", cell_of(t, table, row, "throughput"));
  int status = clean_rate(t, table, row, &left, scratch, sizeof scratch);
  if (status == PM_OK) status = release_of(t, table, row, version, sizeof version - 40);
  if (status == PM_OK) status = count_of(t, table, row, count, sizeof count);
  for (size_t i = 0; i < t->count && status == PM_OK; i++) {
    bool is_unit = t->columns[i].title != UNKNOWN && rates[t->columns[i].title].means == UNIT;
    status = write_cell(t, table, row, i, is_unit ? &left : &unit);
  }
  if (t->line_count > 0 && !has(t, "id")) pm__string_format(&t->csv, ",line %zu", line_of(t, row));
  if (t->counted) add_cell(t, count, false);
  if (t->release) add_cell(t, version, false);
  add_common(t, left.name, system, false);
  return status;
}

static void find_counts(own *t, const pm__csv *table)
{
  char count[16];
  for (size_t row = 1; row < table->rows && !has(t, "gpus") && !t->counted; row++)
    t->counted = count_of(t, table, row, count, sizeof count) == PM_OK && count[0] != '\0';
}

static void find_release(own *t, const pm__csv *table)
{
  char version[CELL_MOST];
  for (size_t row = 1; row < table->rows && !has(t, "framework_version") && !t->release; row++)
    t->release = pm__lab_own_release(cell_of(t, table, row, "framework"), version, sizeof version);
}

static void find_mark(own *t, const pm__csv *table)
{
  for (size_t i = 0; i < t->count * table->rows; i++) {
    size_t at = i % t->count, row = i / t->count;
    meaning means = t->columns[at].title != UNKNOWN ? rates[t->columns[at].title].means : TEXT;
    if (row == 0 || (means != NUMBER && means != RATE) || t->mark != '\0') continue;
    t->mark = pm__lab_own_decimal_mark(table->cells[row * table->columns + at]);
  }
}

static int write_rows(own *t, const pm__csv *table, const char *system)
{
  int status = PM_OK;
  find_mark(t, table);
  find_release(t, table);
  find_counts(t, table);
  for (size_t i = 0; i < t->count; i++)
    add_cell(t, t->columns[i].title != UNKNOWN ? rates[t->columns[i].title].title : table->cells[i], i == 0);
  t->unit = table->rows > 1 && unit_of(t, table, 1).name[0] != '\0';
  if (t->line_count > 0 && !has(t, "id")) add_cell(t, "id", false);
  if (t->counted) add_cell(t, "gpus", false);
  if (t->release) add_cell(t, "framework_version", false);
  add_common(t, "", system, true);
  for (size_t row = 1; row < table->rows && status == PM_OK; row++) status = write_row(t, table, row, system);
  return status;
}

static bool is_words(const char *set)
{
  return strcmp(set, "training") == 0 || strcmp(set, "training-checks") == 0 || strcmp(set, "inference") == 0;
}

/* In *found: any title of the set, as its shipped table has them. */
static int look_for_a_title(const pm__csv *table, const char *shipped, bool *found, pm_error *error)
{
  pm__csv known;
  char *text = pm_shipped_read(shipped, NULL);
  *found = text == NULL;
  if (text == NULL) return PM_OK;
  text[strcspn(text, "\n")] = '\0';
  int status = pm__csv_read(&known, text, shipped, error);
  if (status == PM_OK) {
    for (size_t i = 0; i < table->columns && !*found; i++) *found = pm__csv_column(&known, table->cells[i]) >= 0;
    pm__csv_free(&known);
  }
  pm_string_free(text);
  return status;
}

static int read_table(own *t, const pm__csv *table, const char *set, const char *shipped, const char *system)
{
  bool packed = pm__csv_column(table, "quantity") >= 0;
  if (table->columns > COLUMNS_MOST)
    return pm__fail_at(t->error, PM_STATUS_BAD_VALUE, t->file, 1, "more than %d columns", COLUMNS_MOST);
  int status = is_words(set) && !packed ? read_titles(t, table) : PM_OK;
  if (status != PM_OK) return status;
  bool known;
  status = look_for_a_title(table, shipped, &known, t->error);
  if (status != PM_OK) return status;
  for (size_t i = 0; i < t->count; i++) known = known || t->columns[i].title != UNKNOWN;
  if (!known) return pm__lab_trace_no_table(t->file, set, t->error);
  if (t->count > 0 && !has(t, "throughput"))
    return pm__fail(t->error, PM_STATUS_BAD_SYNTAX, "%s: no column \"throughput\", nor another of a rate, as "
                    "\"img/s\", \"tokens/s\" or \"step time (ms)\"", t->file);
  return t->count > 0 ? write_rows(t, table, system) : PM_OK;
}

char *pm__lab_own_table(const char *set, const char *shipped, const char *text, const char *file, const char *system,
                        pm_error *error)
{
  own t = {.file = file, .error = error, .csv = {.text = NULL}};
  pm__csv table;
  if (strncmp(text, "\xef\xbb\xbf", 3) == 0) text += 3;
  const char *titles = is_words(set) ? titles_of(text) : text;
  t.separator = separator_of(titles);
  char *commas = is_plain(&t, text, titles) ? NULL : with_commas(&t, text, titles);
  if (error->status != PM_OK) {
    free(t.lines);
    return NULL;
  }
  pm_error unread = PM_ERROR_NONE;
  int status = pm__csv_read(&table, commas != NULL ? commas : text, file, &unread);
  if (status == PM_OK) {
    status = read_table(&t, &table, set, shipped, system);
    pm__csv_free(&table);
  } else if (unread.status == PM_STATUS_NO_MEMORY) *error = unread;
  else if (text[0] != '\0' && (strpbrk(text, "{<") != NULL || strcspn(text, ",;\t|") >= strcspn(text, "\n")))
    pm__lab_trace_no_table(file, set, error);
  else *error = unread;
  free(t.lines);
  if (status == PM_OK && t.csv.failed) status = pm__no_memory(error);
  if (status == PM_OK && t.csv.text != NULL) {
    free(commas);
    return t.csv.text;
  }
  free(t.csv.text);
  if (status == PM_OK) return commas; /* NULL: as it is */
  free(commas);
  return NULL;
}
