/*
** Experiment files: a sweep as XML, element by element what the options of the sweep say.
**
**     <experiment version="1" task="training">
**       <networks>resnet50, vgg16</networks> <systems>dgx1-v100</systems>
**       <batch>32, 64</batch>                             any field of the task's runs, one value or several
**       <axis path="gpu.memory_bandwidth">x1, x1.1</axis> a number of the hardware
**       <where>memory&lt;=16GB</where>                    a condition on a column; may be repeated
**       <front by="-throughput, memory"/>                 rows than which no other is better in all of these
**       <best by="-throughput" count="10"/>               the first rows by a column, instead of all
**       <columns>batch, throughput</columns> <output>rows.parquet</output>
**     </experiment>
**
** Also frameworks, global_batch, dataset, <set name="PARAMETER">, catalog. Each becomes a row: the option, and its
** values separated by commas. What only the catalogue knows, such as whether there is such a network, is found by
** whoever runs the sweep.
*/
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/document.h"
#include "import/settings.h"
#include "perfmodel/run.h"
#include "record/count.h"

typedef struct experiment_row {
  int line;
  const char *key, *value, *option, *set_to;
} experiment_row;

typedef struct experiment {
  const char *file;
  const char *task;
  const pm_record_type *run; /* what its runs are */
  pm__document *document; /* has room for the rows' texts */
  experiment_row *rows;
  size_t count, capacity;
  pm_error *error;
} experiment;

/* Elements that are no fields of a run. */
typedef struct experiment_element {
  const char *name, *option;
  const char *attribute; /* NAME=values; NULL: it has none */
  bool list;             /* of values separated by commas */
  bool repeated;
} experiment_element;

static const experiment_element experiment_elements[] = {
  {"networks", "networks", NULL, true, false},
  {"systems", "systems", NULL, true, false},
  {"frameworks", "framework", NULL, true, false},
  {"global_batch", "global_batch", NULL, true, false},
  {"dataset", "dataset", NULL, false, false},
  {"axis", "axis", "path", true, true},
  {"set", "set", "name", false, true},
  {"catalog", "catalog", NULL, false, true},
  {"where", "where", NULL, true, true},
  {"columns", "columns", NULL, true, false},
  {"output", "output", NULL, false, false},
};

#define FAIL_HERE(x, e, ...) pm__fail_at((x)->error, PM_STATUS_BAD_SYNTAX, (x)->file, (e)->line, __VA_ARGS__)

static const char *copy(experiment *x, const char *text)
{
  return pm__arena_copy(&x->document->arena, text, strlen(text));
}

static int add_row(experiment *x, const pm__element *e, const char *option, const char *set_to)
{
  experiment_row *rows = (experiment_row *)pm__grow(x->rows, x->count, &x->capacity, sizeof *rows);
  if (rows == NULL || set_to == NULL) return pm__no_memory(x->error);
  x->rows = rows;
  rows[x->count++] = (experiment_row){e->line, e->name, e->text, option, set_to};
  return PM_OK;
}

/* ---- Values ---- */

/* "32, 64" as "32,64". */
static int join_list(const experiment *x, const pm__element *e, const char *text, char *list)
{
  size_t used = 0;
  for (const char *at = text;; at++) {
    at += strspn(at, " \t\r\n");
    size_t length = strcspn(at, ","), kept = length;
    while (kept > 0 && isspace((unsigned char)at[kept - 1])) kept--;
    if (kept == 0) return FAIL_HERE(x, e, "a value of <%.40s> is empty: write them as 1, 2, 4", e->name);
    used += (size_t)snprintf(list + used, PM__VALUE_MAX - used, "%s%.*s", used > 0 ? "," : "", (int)kept, at);
    at += length;
    if (*at == '\0') return PM_OK;
  }
}

static int join_values(const experiment *x, const pm__element *e, char *list)
{
  return join_list(x, e, e->text, list);
}

/* Whole numbers and choices are judged here; of quantities whoever runs the sweep reads the units. */
static int check_value(const experiment *x, const pm__element *e, const pm_field *field, const char *value)
{
  double place[16];
  pm_error why = PM_ERROR_NONE;
  pm_field alone = *field;
  alone.offset = 0;
  bool all = strcmp(value, "all") == 0 && strcmp(field->name, "gpus") == 0;
  bool none = strcmp(value, "0") == 0 && field->kind == PM_FIELD_INT;
  bool number = field->kind == PM_FIELD_REAL && strchr("+-.0123456789", value[0]) != NULL;
  if (all || none || number || pm_record_set(&alone, place, value, &why) == PM_OK) return PM_OK;
  return pm__fail_at(x->error, PM_STATUS_BAD_VALUE, x->file, e->line, "%.300s", why.text);
}

static int check_values(const experiment *x, const pm__element *e, const pm_field *field, const char *list)
{
  char value[PM__SETTING_MAX];
  int status = PM_OK;
  for (size_t length; status == PM_OK && *list != '\0'; list += length + (list[length] == ',')) {
    length = strcspn(list, ",");
    if (length >= sizeof value) return FAIL_HERE(x, e, "a value of <%.40s> is too long", e->name);
    snprintf(value, sizeof value, "%.*s", (int)length, list);
    status = check_value(x, e, field, value);
  }
  return status;
}

/* ---- Elements ---- */

static int check_attributes(const experiment *x, const pm__element *e, const char *a, const char *b, const char *c)
{
  for (const pm__document_attribute *at = e->attributes; at != NULL; at = at->next) {
    bool known = (a != NULL && strcmp(at->name, a) == 0) || (b != NULL && strcmp(at->name, b) == 0) ||
                 (c != NULL && strcmp(at->name, c) == 0);
    if (!known)
      return pm__fail_at(x->error, PM_STATUS_BAD_SYNTAX, x->file, e->line, "<%.40s> has no attribute \"%.40s\"",
                         e->name, at->name);
  }
  return PM_OK;
}

static int check_once(const experiment *x, const pm__element *e)
{
  for (size_t i = 0; i < x->count; i++)
    if (strcmp(x->rows[i].key, e->name) == 0)
      return FAIL_HERE(x, e,
                         "<%.40s> is given twice, first in line %d: write its values in one", e->name, x->rows[i].line);
  return PM_OK;
}

static int check_plain(const experiment *x, const pm__element *e)
{
  if (e->child != NULL) return FAIL_HERE(x, e, "<%.40s> has values, and no elements", e->name);
  return e->text[0] != '\0' ? PM_OK : FAIL_HERE(x, e, "<%.40s> is empty", e->name);
}

/* "PATH=VALUES" and "NAME=VALUE" of an element with an attribute. */
static int add_named(experiment *x, const pm__element *e, const experiment_element *kind, const char *values)
{
  char text[2 * PM__VALUE_MAX];
  const char *name = pm__element_attribute(e, kind->attribute);
  if (name == NULL || name[0] == '\0')
    return pm__fail_at(x->error, PM_STATUS_BAD_SYNTAX, x->file, e->line, "<%s> needs the attribute %s", e->name,
                       kind->attribute);
  snprintf(text, sizeof text, "%s=%s", name, values);
  return add_row(x, e, kind->option, copy(x, text));
}

static int read_element(experiment *x, const pm__element *e, const experiment_element *kind)
{
  char list[PM__VALUE_MAX];
  int status = check_plain(x, e);
  if (status == PM_OK && !kind->repeated) status = check_once(x, e);
  if (status == PM_OK) status = check_attributes(x, e, kind->attribute, NULL, NULL);
  if (status == PM_OK && kind->list) status = join_values(x, e, list);
  if (status != PM_OK) return status;
  const char *values = kind->list ? list : e->text;
  return kind->attribute != NULL ? add_named(x, e, kind, values) : add_row(x, e, kind->option, copy(x, values));
}

/* <best by="-throughput" count="10"/> */
static int read_best(experiment *x, const pm__element *e)
{
  double count;
  const char *by = pm__element_attribute(e, "by"), *most = pm__element_attribute(e, "count");
  int status = check_once(x, e);
  if (status == PM_OK) status = check_attributes(x, e, "by", "count", NULL);
  if (status != PM_OK) return status;
  if (by == NULL || by[0] == '\0' || e->child != NULL || e->text[0] != '\0')
    return FAIL_HERE(x, e, "<%.40s> is written <best by=\"-throughput\" count=\"10\"/>", e->name);
  if (most == NULL) most = "10";
  if (pm_number_parse(most, &count) != PM_OK || pm__count_check("count", count, 1, NULL) != PM_OK)
    return FAIL_HERE(x, e, "count \"%.40s\" is not a whole number of at least 1", most);
  status = add_row(x, e, "sort", by);
  return status == PM_OK ? add_row(x, e, "top", most) : status;
}

/* <front by="-throughput, memory"/> */
static int read_front(experiment *x, const pm__element *e)
{
  char list[PM__VALUE_MAX];
  const char *by = pm__element_attribute(e, "by");
  int status = check_once(x, e);
  if (status == PM_OK) status = check_attributes(x, e, "by", NULL, NULL);
  if (status != PM_OK) return status;
  if (by == NULL || strchr(by, ',') == NULL || e->child != NULL || e->text[0] != '\0')
    return FAIL_HERE(x, e, "<%.40s> is written <front by=\"-throughput, memory\"/>", e->name);
  if (strlen(by) >= sizeof list) return FAIL_HERE(x, e, "the columns of <%.40s> are too long", e->name);
  status = join_list(x, e, by, list);
  return status == PM_OK ? add_row(x, e, "front", copy(x, list)) : status;
}

/* A field of the runs of the task. */
static int read_field(experiment *x, const pm__element *e, const pm_field *field)
{
  char list[PM__VALUE_MAX];
  int status = check_plain(x, e);
  if (status == PM_OK) status = check_once(x, e);
  if (status == PM_OK) status = check_attributes(x, e, NULL, NULL, NULL);
  if (status == PM_OK) status = join_values(x, e, list);
  if (status == PM_OK) status = check_values(x, e, field, list);
  return status == PM_OK ? add_row(x, e, field->name, copy(x, list)) : status;
}

static int unknown_element(const experiment *x, const pm__element *e)
{
  const pm_record_type *type = x->run;
  enum { MOST = 256 };
  const char *names[MOST] = {"best", "front"};
  size_t count = 2;
  for (size_t i = 0; i < sizeof experiment_elements / sizeof experiment_elements[0]; i++)
    names[count++] = experiment_elements[i].name;
  for (size_t i = 0; i < type->field_count && count < MOST; i++)
    if (type->fields[i].option == NULL || type->fields[i].option[0] != '\0') names[count++] = type->fields[i].name;
  const char *meant = pm_name_find_meant(e->name, names, count);
  return FAIL_HERE(x, e,
                     "<%.40s> is no part of an experiment of %s%s%s%s", e->name, x->task,
                     meant != NULL ? "; did you mean <" : "", meant != NULL ? meant : "", meant != NULL ? ">?" : "");
}

static int read_child(experiment *x, const pm__element *e)
{
  const pm_field *field = pm_record_find_field(x->run, e->name);
  if (strcmp(e->name, "best") == 0) return read_best(x, e);
  if (strcmp(e->name, "front") == 0) return read_front(x, e);
  for (size_t i = 0; i < sizeof experiment_elements / sizeof experiment_elements[0]; i++)
    if (strcmp(experiment_elements[i].name, e->name) == 0) return read_element(x, e, &experiment_elements[i]);
  if (field != NULL && (field->option == NULL || field->option[0] != '\0')) return read_field(x, e, field);
  return unknown_element(x, e);
}

/* ---- The file ---- */

static bool has(const experiment *x, const char *option)
{
  for (size_t i = 0; i < x->count; i++)
    if (strcmp(x->rows[i].option, option) == 0) return true;
  return false;
}

/* "run" of training, "inference_run" of inference: the record of a task's runs. */
static const pm_record_type *runs_of(const char *task)
{
  char name[64];
  snprintf(name, sizeof name, "%.40s_run", task);
  return pm_record_type_find(strcmp(task, "training") == 0 ? "run" : name);
}

static int read_root(experiment *x, const pm__element *root)
{
  const char *version = pm__element_attribute(root, "version"), *task = pm__element_attribute(root, "task");
  if (strcmp(root->name, "experiment") != 0) return FAIL_HERE(x, root, "<%.40s> is no <experiment>", root->name);
  if (version == NULL || strcmp(version, "1") != 0)
    return FAIL_HERE(x, root, "<%.40s> needs version=\"1\"", root->name);
  int status = check_attributes(x, root, "version", "task", "name");
  x->task = task != NULL ? task : "training";
  x->run = runs_of(x->task);
  if (status == PM_OK && x->run == NULL)
    status = FAIL_HERE(x, root, "there is no task \"%.40s\"; they are training, inference and serving", task);
  if (status == PM_OK && task != NULL) status = add_row(x, root, "task", task);
  if (status == PM_OK && root->text[0] != '\0')
    status = FAIL_HERE(x, root, "text outside of elements: \"%.40s\"", root->text);
  for (const pm__element *e = root->child; e != NULL && status == PM_OK; e = e->next) status = read_child(x, e);
  if (status != PM_OK) return status;
  if (!has(x, "networks")) return FAIL_HERE(x, root, "<%.40s> needs <networks>", root->name);
  return has(x, "systems") ? PM_OK : FAIL_HERE(x, root, "<%.40s> needs <systems>", root->name);
}

typedef const char *experiment_text(const experiment_row *row);

static const char *key_of(const experiment_row *row) { return row->key; }
static const char *value_of(const experiment_row *row) { return row->value; }
static const char *option_of(const experiment_row *row) { return row->option; }
static const char *set_to_of(const experiment_row *row) { return row->set_to; }

static int add_texts(pm_table *table, const experiment *x, const char *name, const char *doc, experiment_text *text)
{
  const char **texts = (const char **)malloc((x->count + 1) * sizeof *texts);
  if (texts == NULL) return pm__no_memory(x->error);
  for (size_t i = 0; i < x->count; i++) texts[i] = text(&x->rows[i]);
  int status = pm_table_add_text(table, name, doc, texts, x->error);
  free(texts);
  return status;
}

static pm_table *tabulate_experiment(const experiment *x)
{
  static const pm_field line = {"line", "1", "line of the file", offsetof(experiment_row, line),
                                .kind = PM_FIELD_INT};
  static const pm_record_type type = {"setting", "", sizeof(experiment_row), &line, 1};
  pm_table *table = pm_table_new_of_records(&type, x->rows, x->count, x->error);
  int status = table != NULL ? PM_OK : PM_STATUS_NO_MEMORY;
  if (status == PM_OK) status = add_texts(table, x, "key", "the element", key_of);
  if (status == PM_OK) status = add_texts(table, x, "value", "as it stands there", value_of);
  if (status == PM_OK) status = add_texts(table, x, "option", "what the sweep calls it", option_of);
  if (status == PM_OK) status = add_texts(table, x, "set_to", "its values, separated by commas", set_to_of);
  if (status == PM_OK) return table;
  pm_table_free(table);
  return NULL;
}

pm_table *pm__experiment_read(const char *text, const char *file, pm_error *error)
{
  pm_error own = PM_ERROR_NONE;
  experiment x = {.file = file, .error = error != NULL ? error : &own};
  pm_table *table = NULL;
  x.document = pm__document_read(text, strlen(text), file, error);
  if (x.document != NULL && read_root(&x, x.document->root) == PM_OK) table = tabulate_experiment(&x);
  pm__document_free(x.document);
  free(x.rows);
  return table;
}
