/*
** Tables of the user's own, as spreadsheets and scripts write them: separated by commas, semicolons, tabs or bars;
** titles
** in other words and any case ("Batch size", "img/s"); numbers with marks between thousands, decimal commas, "1.4k";
** units
** and precisions as people spell them. They become the layout of the set. A number that can be read in two ways, or two
** columns of one meaning, is refused; a table none of whose titles is known is no table of measurements.
*/
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perfmodel.h"
#include "base/csv.h"
#include "traces/traces.h"

enum { COLUMNS_MOST = 400, CELL_MOST = 400 };

/* ---- Titles ---- */

typedef enum meaning { TEXT, NUMBER, RATE, UNIT, PRECISION, VERSION } meaning;

/* Titles of the sets of rates, and what else they are called. Names are compared without case and punctuation. */
static const struct {
  const char *title, *others; /* parted by commas */
  meaning means;
} rates[] = {
  {"model", "network,net,model name,architecture,arch,workload", TEXT},
  {"framework", "software,library,backend", TEXT},
  {"framework_version", "version,framework ver,pytorch version,torch version,pytorch,torch", VERSION},
  {"gpu", "gpu model,gpu name,gpu type,device,accelerator,card,hardware", TEXT},
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
  {"latency_avg_ms", "latency ms,latency,avg latency ms,mean latency ms,infer step time,train step time", NUMBER},
  {"serving", "", TEXT},
  {"source_repo", "source", TEXT}, {"source_path", "", TEXT}, {"source_commit_or_date", "date", TEXT},
  {"parallelism", "plan", TEXT}, {"schedule", "pipeline schedule", TEXT},
  {"note", "notes,comment,comments,remark", TEXT}, {"id", "", TEXT}};

enum { RATES = sizeof rates / sizeof rates[0], UNKNOWN = -1 };

/* What a source column is: which title, or none; a unit that its title has. */
typedef struct column {
  int title;
  char unit[40];
} column;

static bool is_one_of(const char *word, const char *list)
{
  char one[60];
  for (const char *p = list; *p != '\0'; p += p[0] == ',') {
    size_t length = strcspn(p, ",");
    snprintf(one, sizeof one, "%.*s", (int)length, p);
    if (pm__same_name(one, word)) return true;
    p += length;
  }
  return false;
}

/* ---- Units: "img/sec" is "images/s" ---- */

static const char *counted(const char *word)
{
  static const struct {
    const char *words, *name;
  } things[] = {{"img,imgs,image,images,pic,pics,frame,frames,fps", "images"},
      {"sample,samples,smp,example,examples", "samples"},
                {"seq,seqs,sequence,sequences", "sequences"}, {"tok,toks,token,tokens", "tokens"},
                {"sentence,sentences,sent", "sentences"}, {"step,steps,it,its,iteration,iterations", "iterations"}};
  for (size_t i = 0; i < sizeof things / sizeof things[0]; i++)
    if (is_one_of(word, things[i].words)) return things[i].name;
  return NULL;
}

/* False if it is no rate that people write so. */
static bool read_unit(const char *text, char *unit, size_t size)
{
  char what[24], per[24], rest[24] = "";
  while (*text == ' ') text++;
  int parts = sscanf(text, "%23[A-Za-z]%*[ /]%23[A-Za-z]%23[ /A-Za-z]", what, per, rest);
  if (parts >= 2 && strcmp(per, "per") == 0) parts = sscanf(text, "%23[A-Za-z] per %23[A-Za-z]%23[ /A-Za-z]", what,
      per, rest);
  const char *thing = parts >= 2 ? counted(what) : NULL;
  if (thing == NULL || !is_one_of(per, "s,sec,secs,second,seconds")) return false;
  bool each = parts == 3 && (is_one_of(rest, "gpu,pergpu,card,device"));
  if (parts == 3 && !each) return false;
  snprintf(unit, size, "%s/s%s", thing, each ? "/GPU" : "");
  return true;
}

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

static column read_title(const char *text)
{
  column c = {.title = UNKNOWN};
  char name[100], inner[100];
  split_title(text, name, inner, sizeof name);
  for (int i = 0; i < RATES && c.title == UNKNOWN; i++)
    if (pm__same_name(rates[i].title, name) || is_one_of(name, rates[i].others)) c.title = i;
  bool rate = c.title != UNKNOWN && rates[c.title].means == RATE;
  if (c.title != UNKNOWN && !rate) return c;
  if (rate && read_unit(inner, c.unit, sizeof c.unit)) return c;
  if (!read_unit(name, c.unit, sizeof c.unit)) { /* "train samples per sec" */
    const char *word = strrchr(name, '_') != NULL || strchr(name, ' ') != NULL ? name : "";
    if (rate && strstr(word, "sample") != NULL) snprintf(c.unit, sizeof c.unit, "samples/s");
    return c;
  }
  for (int i = 0; i < RATES; i++)
    if (rates[i].means == RATE) c.title = i;
  return c;
}

/* ---- Cells ---- */

typedef struct own {
  const char *file;
  char separator;
  pm_error *error;
  pm__string csv;
  column columns[COLUMNS_MOST];
  size_t count;
  bool pytorch; /* a title says that versions are PyTorch's */
} own;

static bool is_grouped(const char *text, char mark)
{
  size_t first = strspn(text, "0123456789");
  if (first == 0 || first > 3 || text[first] != mark) return false;
  for (text += first; *text == mark; text += 4)
    if (!isdigit((unsigned char)text[1]) || !isdigit((unsigned char)text[2]) || !isdigit((unsigned char)text[3]))
        return false;
  return *text == '\0' || !isdigit((unsigned char)*text);
}

static void drop(char *text, char mark)
{
  char *to = text;
  for (const char *p = text; *p != '\0'; p++)
    if (*p != mark) *to++ = *p;
  *to = '\0';
}

/* A number as the library reads it. */
static int clean_number(own *t, char *cell, size_t size, int line)
{
  double value, factor = 1;
  char *comma = strchr(cell, ','), *dot = strchr(cell, '.');
  size_t length = strlen(cell);
  if (length == 0) return PM_OK;
  bool semicolons = t->separator != ',';
  if (comma != NULL && dot == NULL && semicolons && is_grouped(cell, ','))
    return pm__fail_at(t->error, PM_STATUS_BAD_VALUE, t->file, line, "\"%.40s\" may be a thousand times as much, or "
                       "not; "
                       "write it without the comma", cell);
  if (comma != NULL && (dot == NULL || comma < dot) && is_grouped(cell, ',')) drop(cell, ',');
  else if (dot != NULL && comma != NULL && dot < comma && is_grouped(cell, '.')) drop(cell, '.');
  for (char *p = cell; *p != '\0'; p++) *p = *p == ',' ? '.' : *p;
  length = strlen(cell);
  char last = length > 1 ? cell[length - 1] : '\0';
  if (last == 'k' || last == 'K' || last == 'M') {
    factor = last == 'M' ? 1e6 : 1e3;
    cell[length - 1] = '\0';
    if (pm_number_parse(cell, &value) == PM_OK) snprintf(cell, size, "%.9g", value * factor);
  }
  return PM_OK;
}

static void clean_precision(char *cell, size_t size)
{
  static const struct {
    const char *others, *name;
  } names[] = {{"mixed precision,amp fp16,fp16 amp,fp16 mixed,automatic mixed precision", "mixed"},
               {"half,float16,torch float16", "fp16"}, {"single,float,float32,torch float32,full,full precision",
                   "fp32"},
               {"bfloat16,torch bfloat16", "bf16"}};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (is_one_of(cell, names[i].others)) snprintf(cell, size, "%s", names[i].name);
}

/* "2.9.1+cu130" gets the words that tables of timm have for it, "pt29 pt291", by which the catalogue knows releases. */
static void clean_version(char *cell, size_t size)
{
  int major, minor, patch = -1;
  const char *p = cell + strcspn(cell, "0123456789");
  if (strstr(cell, "pt") != NULL || sscanf(p, "%3d.%3d.%3d", &major, &minor, &patch) < 2 || major > 9) return;
  size_t used = strlen(cell);
  snprintf(cell + used, size - used, " pt%d%d", major, minor);
  used = strlen(cell);
  if (patch >= 0) snprintf(cell + used, size - used, " pt%d%d%d", major, minor, patch);
}

static int clean_cell(own *t, const column *c, char *cell, size_t size, bool pytorch, int line)
{
  char unit[40];
  while (cell[0] == ' ') memmove(cell, cell + 1, strlen(cell));
  for (size_t n = strlen(cell); n > 0 && cell[n - 1] == ' '; n--) cell[n - 1] = '\0';
  switch (rates[c->title].means) {
  case NUMBER:
  case RATE: return clean_number(t, cell, size, line);
  case UNIT:
    if (read_unit(cell, unit, sizeof unit)) snprintf(cell, size, "%s", unit);
    return PM_OK;
  case PRECISION: clean_precision(cell, size); return PM_OK;
  case VERSION:
    if (pytorch) clean_version(cell, size);
    return PM_OK;
  case TEXT:
  default: return PM_OK;
  }
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

/* The same table with commas: cells that hold one are quoted. */
static char *with_commas(const char *text, char separator, pm_error *error)
{
  pm__string out = {NULL, 0, 0, false};
  bool quoted = false;
  for (const char *line = text; *line != '\0';) {
    size_t length = strcspn(line, "\n");
    const char *begin = line, *end = line + length;
    while (end > begin && (end[-1] == '\r' || (separator == '|' && (end[-1] == '|' || end[-1] == ' ')))) end--;
    while (separator == '|' && begin < end && (*begin == '|' || *begin == ' ')) begin++;
    bool rule = separator == '|' && strspn(begin, "-:| ") >= (size_t)(end - begin);
    for (const char *p = begin; !rule && p <= end; p++) {
      size_t cell = 0;
      while (p + cell < end && p[cell] != separator) cell++;
      quoted = memchr(p, ',', cell) != NULL && p[0] != '"';
      if (quoted) pm__string_add(&out, "\"");
      pm__string_add_bytes(&out, p, cell);
      if (quoted) pm__string_add(&out, "\"");
      p += cell;
      pm__string_add(&out, p < end ? "," : "\n");
    }
    line += length + (line[length] == '\n');
  }
  if (!out.failed && out.text != NULL) return out.text;
  free(out.text);
  pm__no_memory(error);
  return NULL;
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
  return PM_OK;
}

static bool has(const own *t, const char *title)
{
  for (size_t i = 0; i < t->count; i++)
    if (t->columns[i].title != UNKNOWN && strcmp(rates[t->columns[i].title].title, title) == 0) return true;
  return false;
}

static const char *unit_of_titles(const own *t)
{
  for (size_t i = 0; i < t->count; i++)
    if (t->columns[i].unit[0] != '\0') return t->columns[i].unit;
  return NULL;
}

/* What titles say for all rows: the unit of the rate; and the machine that the user named. */
static void add_common(own *t, const char *unit, const char *gpu, bool titles)
{
  if (unit != NULL && !has(t, "unit")) add_cell(t, titles ? "unit" : unit, false);
  if (gpu != NULL && !has(t, "gpu") && !has(t, "system")) add_cell(t, titles ? "system" : gpu, false);
  pm__string_add(&t->csv, "\n");
}

static bool is_pytorch(const own *t, const pm__csv *table, size_t row)
{
  for (size_t i = 0; i < t->count; i++) {
    const char *cell = table->cells[row * table->columns + i];
    if (t->columns[i].title == UNKNOWN || strcmp(rates[t->columns[i].title].title, "framework") != 0) continue;
    return strstr(cell, "orch") != NULL || pm__same_name(cell, "timm");
  }
  return t->pytorch;
}

static int write_rows(own *t, const pm__csv *table, const char *system)
{
  char cell[CELL_MOST];
  int status = PM_OK;
  const char *unit = unit_of_titles(t);
  for (size_t i = 0; i < t->count; i++)
    add_cell(t, t->columns[i].title != UNKNOWN ? rates[t->columns[i].title].title : table->cells[i], i == 0);
  add_common(t, unit, system, true);
  for (size_t row = 1; row < table->rows && status == PM_OK; row++) {
    bool pytorch = is_pytorch(t, table, row);
    for (size_t i = 0; i < t->count && status == PM_OK; i++) {
      snprintf(cell, sizeof cell - 40, "%s", table->cells[row * table->columns + i]);
      if (t->columns[i].title != UNKNOWN) status = clean_cell(t, &t->columns[i], cell, sizeof cell, pytorch, (int)row
          + 1);
      add_cell(t, cell, i == 0);
    }
    add_common(t, unit, system, false);
  }
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
  return t->count > 0 ? write_rows(t, table, system) : PM_OK;
}

char *pm__lab_own_table(const char *set, const char *shipped, const char *text, const char *file, const char *system,
                        pm_error *error)
{
  own t = {.file = file, .error = error, .csv = {.text = NULL}};
  pm__csv table;
  if (strncmp(text, "\xef\xbb\xbf", 3) == 0) text += 3;
  t.separator = separator_of(text);
  char *commas = t.separator != ',' ? with_commas(text, t.separator, error) : NULL;
  if (error->status != PM_OK) return NULL;
  pm_error unread = PM_ERROR_NONE;
  int status = pm__csv_read(&table, commas != NULL ? commas : text, file, &unread);
  if (status == PM_OK) {
    status = read_table(&t, &table, set, shipped, system);
    pm__csv_free(&table);
  } else if (unread.status == PM_STATUS_NO_MEMORY) *error = unread;
  else if (text[0] != '\0' && (strpbrk(text, "{<") != NULL || strcspn(text, ",;\t|") >= strcspn(text, "\n")))
    pm__lab_trace_no_table(file, set, error);
  else *error = unread;
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
