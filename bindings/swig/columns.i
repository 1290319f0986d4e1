/* Python only: columns of many runs, of which no run and no answer is kept. */
#if defined(SWIGPYTHON)
%{
enum { BLOCK = 256 }; /* runs and answers that stay in the cache of a core */

/* Rows of a space under way: their runs, their places in the columns. */
typedef struct columns {
  pm_study *study;
  const pm_given *given;
  const pm_task_facts *facts;
  const pm_record_type *run, *answer;
  unsigned extra;
  const char *const *names;
  size_t name_count;
  double *cells;       /* column after column */
  size_t rows, origin; /* of a column, and the row of the space that is its first */
  size_t used, place[BLOCK];
  char *runs, *answers, *same; /* the last: runs that differ in more than the batch */
} columns;

static void keep_column(const columns *c, size_t column, pm_error *error)
{
  const pm_field *field = pm_record_find_field(c->run, c->names[column]);
  const pm_record_type *type = field != NULL ? c->run : c->answer;
  const char *from = field != NULL ? c->runs : c->answers;
  if (field == NULL) field = pm_record_find_field(c->answer, c->names[column]);
  if (field == NULL) fail(error, PM_STATUS_NOT_FOUND, "there is no column \"%.60s\"", c->names[column]);
  double *cells = c->cells + column * c->rows;
  for (size_t i = 0; field != NULL && i < c->used; i++)
    cells[c->place[i]] = pm_record_get_number(field, from + i * type->size);
}

/* Completes and predicts the rows that wait, and keeps what is wanted of them. */
static void flush_rows(columns *c, pm_error *error)
{
  size_t size = c->run->size;
  if (error->status != PM_OK || c->used == 0) return;
  pass_rows(0, pm_study_complete(c->study, c->given, c->runs, c->runs, size, c->used, error), error);
  const pm_plan *plan = error->status == PM_OK ? pm_study_get_plan(c->study, error) : NULL;
  if (plan == NULL) return;
  pm_task_predict(plan, pm_study_get_task(c->study), c->extra, c->runs, size, c->answers, c->answer->size, c->used);
  for (size_t i = 0; i < c->name_count; i++) keep_column(c, i, error);
  c->used = 0;
}

static void add_row(columns *c, const void *run, const pm_field *batch, double value, size_t row, pm_error *error)
{
  char *own = c->runs + c->used * c->run->size;
  memcpy(own, run, c->run->size);
  if (batch != NULL) pm_record_set_number(batch, own, value, error);
  c->place[c->used++] = row - c->origin;
  if (c->used == BLOCK) flush_rows(c, error);
}

/* The axis that runs fastest, if it is that of the batch, or NULL. */
static pm_axis *batch_axis(pm_axis *axes, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (strcmp(axes[i].field, "batch") == 0) return &axes[i];
  return NULL;
}

/* Batch by batch: the core remembers a few dozen times of kernels within a call. */
static void add_rows(columns *c, const pm_space *space, pm_axis *axes, size_t first, size_t last, pm_error *error)
{
  pm_axis *batch = batch_axis(axes, space->axis_count);
  const pm_field *field = batch != NULL ? pm_record_find_field(c->run, "batch") : NULL;
  const size_t fast = batch != NULL ? batch->count : 1, end = (last + fast - 1) / fast;
  if (batch != NULL) batch->count = 1;
  for (size_t from = first / fast; from < end && error->status == PM_OK; from += BLOCK) {
    size_t count = end - from < BLOCK ? end - from : BLOCK;
    pm_space_get_runs(space, from, from + count, c->same, error);
    for (size_t at = 0; at < fast; at++)
      for (size_t i = 0; i < count && error->status == PM_OK; i++) {
        size_t row = (from + i) * fast + at;
        double value = batch != NULL ? batch->values[at] : 0;
        if (row >= first && row < last) add_row(c, c->same + i * c->run->size, field, value, row, error);
      }
  }
  flush_rows(c, error);
}

static void fill_columns(columns *c, AXES, double first, double last, pm_error *error)
{
  records base = records_new(c->facts->run, 1, error);
  pm_axis *array = axes_of(AXES_GIVEN, error);
  if (error->status == PM_OK) {
    pm_record_fill(c->facts->run, base.data, c->run->size);
    pm_record_set_number(pm_record_find_field(c->run, c->facts->software), base.data, 0, error);
    const pm_space space = {.type = c->run, .base = base.data, .axes = array, .axis_count = axis_count,
                            .global_batch = 0, .run_size = c->run->size};
    add_rows(c, &space, array, (size_t)first, (size_t)last, error);
  }
  free(array);
  records_free(&base);
}

/* Cells as the records have them whose only field this is. */
static void add_cells(pm_table *table, pm_field field, const double *numbers, pm_error *error)
{
  size_t rows = pm_table_count_rows(table), size = field.kind == PM_FIELD_REAL ? sizeof(double) : sizeof(int32_t);
  const pm_record_type type = {.name = "cell", .doc = "", .size = size, .fields = &field, .field_count = 1};
  int32_t *whole_numbers = (int32_t *)room(field.kind == PM_FIELD_REAL ? 0 : rows, sizeof *whole_numbers, error);
  field.offset = 0;
  for (size_t i = 0; field.kind != PM_FIELD_REAL && whole_numbers != NULL && i < rows; i++)
    whole_numbers[i] = (int32_t)numbers[i];
  const void *cells = field.kind == PM_FIELD_REAL ? (const void *)numbers : whole_numbers;
  if (error->status == PM_OK) pm_table_add_records(table, &type, cells, error);
  free(whole_numbers);
}
%}

%inline %{
/* Rows first .. last - 1 of a space, completed and predicted: fields of runs and answers as columns of numbers, one
** after the other in RESULTS, whose first row is row `origin` of the space. `extra` as in predict. */
static void study_columns(pm_study *study, AXES, double first, double last, double origin, GIVEN,
                          const char *const *names, size_t name_count, double extra, void *RESULTS, size_t BYTES,
                          pm_error *error)
{
  const pm_task_facts *facts = task_of(study);
  const pm_given all = given_of(facts->run, given, given_count, global_batch);
  columns c = {.study = study, .given = &all, .facts = facts, .run = pm_record_type_find(facts->run),
               .answer = pm_record_type_find(facts->answer), .extra = extra_bits(extra), .names = names,
               .name_count = name_count, .cells = (double *)RESULTS, .origin = plan_number(origin, "origin", error)};
  c.rows = name_count > 0 ? BYTES / sizeof(double) / name_count : 0;
  if (!(origin <= first && first <= last && last - origin <= (double)c.rows))
    fail(error, PM_STATUS_BAD_ARGUMENT, "rows %g to %g have no room", first, last);
  c.runs = (char *)room(BLOCK, c.run->size, error);
  c.same = (char *)room(BLOCK, c.run->size, error);
  c.answers = (char *)room(BLOCK, c.answer->size, error);
  if (error->status == PM_OK) fill_columns(&c, AXES_GIVEN, first, last, error);
  free(c.answers);
  free(c.same);
  free(c.runs);
}

/* A table of so many rows and no columns. */
static pm_table *table_new(double rows, pm_error *error)
{
  size_t count = plan_number(rows, "rows", error);
  return error->status == PM_OK ? pm_table_new(count, error) : NULL;
}

/* Appends the field of that name of the task's runs or answers, or the number of the hardware of that path. */
static void table_add_numbers(pm_table *table, const char *task, const char *name, const double *NUMBERS, size_t COUNT,
                              pm_error *error)
{
  const pm_task_facts *facts = task_named(task, error);
  const pm_field *of = facts == NULL ? NULL : pm_record_find_field(pm_record_type_find(facts->run), name);
  if (facts != NULL && of == NULL) of = pm_record_find_field(pm_record_type_find(facts->answer), name);
  pm_field field = {.name = name, .doc = "", .kind = PM_FIELD_REAL};
  const pm_field *number = facts != NULL && of == NULL ? pm_hardware_find_field(name, error) : NULL;
  if (of != NULL) field = *of;
  else if (number != NULL) field.unit = number->unit, field.doc = number->doc;
  if (as_many(COUNT, pm_table_count_rows(table), name, error) && error->status == PM_OK)
    add_cells(table, field, NUMBERS, error);
}

/* Appends a text column: for each row the place of its text among the names. */
static void table_add_words(pm_table *table, const char *name, const char *const *names, size_t name_count,
                            const double *NUMBERS, size_t COUNT, pm_error *error)
{
  const char **texts = (const char **)room(COUNT, sizeof *texts, error);
  as_many(COUNT, pm_table_count_rows(table), name, error);
  for (size_t i = 0; texts != NULL && i < COUNT; i++)
    texts[i] = NUMBERS[i] >= 0 && NUMBERS[i] < (double)name_count ? names[(size_t)NUMBERS[i]] : "";
  if (error->status == PM_OK) pm_table_add_text(table, name, name, texts, error);
  free(texts);
}
%}
#endif
