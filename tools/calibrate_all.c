/*
** perfmodel calibrate --all: rows -> constants -> intervals -> pages. Each part starts from the files of the tree, and
** what it finds is written into them before the next one starts; a part that fails leaves what those before it wrote.
*/
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "calibrate_all.h"

/* What was done, a row for each file of a part. */
#define PAGES "docs, README.md"
#define PRINTED "standard output"
enum { ROWS_MOST = 64 };
typedef struct progress {
  const cli_request *request;
  const char *part[ROWS_MOST], *file[ROWS_MOST], *result[ROWS_MOST];
  size_t rows, done, parts;
  double start;
} progress;

static double seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* How long it took is for people only, so that the same parts print the same. */
static void note_part(progress *p, const cli_part *part)
{
  p->done++;
  if (isatty(STDERR_FILENO))
    note(p->request, "part %zu of %zu: %s, after %.0f s", p->done, p->parts, part->name, seconds() - p->start);
  else note(p->request, "part %zu of %zu: %s", p->done, p->parts, part->name);
}

static void add_row(progress *p, const cli_part *part, const char *file, const char *result)
{
  if (p->rows == ROWS_MOST) return;
  p->part[p->rows] = part->name;
  p->file[p->rows] = file;
  p->result[p->rows++] = result;
}

/* ---- One part ---- */

/* The entries with what the set says, as a file of the catalogue. */
static int fit(const pm_lab *lab, const cli_part *part, pm_catalog *catalog, pm_error *error)
{
  pm_calibration_options options = lab->calibration_options_make();
  options.set = part->name;
  pm_calibration *calibration = lab->calibrate(catalog, &options, error);
  if (calibration != NULL)
    pm_catalog_load_text(catalog, lab->calibration_get_xml(calibration), part->name, error);
  lab->calibration_free(calibration);
  return error->status == PM_OK ? CODE_DONE : fail_error(error);
}

static int run_script(const cli_tree *tree, const cli_part *part, pm_catalog *catalog, pm_error *error)
{
  char *text;
  int code = script_run(tree, part, &text);
  if (code != CODE_DONE) return code;
  if (part->files[0] != NULL) pm_catalog_load_text(catalog, text, part->script, error);
  if (part->prints) printf("%s\n", text);
  fflush(stdout); /* the table behind it has a stream of its own */
  free(text);
  return error->status == PM_OK ? CODE_DONE : fail_error(error);
}

static int save(progress *p, const cli_tree *tree, const cli_part *part, const pm_catalog *catalog)
{
  int code = CODE_DONE;
  for (const char *const *file = part->files; *file != NULL && code == CODE_DONE; file++) {
    bool changed;
    code = tree_save(tree, catalog, *file, &changed);
    add_row(p, part, *file, changed ? "written" : "unchanged");
  }
  return code;
}

static int take_starts(const cli_part *part, pm_catalog *catalog, pm_error *error)
{
  for (const cli_start *s = part->starts; s != NULL && s->kind != NULL; s++) {
    const pm_value value = {.field = s->field, .text = s->text};
    if (pm_catalog_set_values(catalog, s->kind, s->entry, &value, 1, error) != PM_OK) return fail_error(error);
  }
  return CODE_DONE;
}

static int run_part(progress *p, const pm_lab *lab, const cli_tree *tree, const cli_part *part)
{
  int code;
  pm_error error = PM_ERROR_NONE;
  note_part(p, part);
  pm_catalog *catalog = tree_catalog(tree, &code);
  if (catalog == NULL) return code;
  code = take_starts(part, catalog, &error);
  if (code == CODE_DONE) code = part->script != NULL ? run_script(tree, part, catalog, &error)
                                                   : fit(lab, part, catalog, &error);
  if (code == CODE_DONE) code = save(p, tree, part, catalog);
  pm_catalog_free(catalog);
  return code;
}

static int run_print(progress *p, const pm_lab *lab, const cli_tree *tree, const cli_part *part)
{
  int code = run_part(p, lab, tree, part);
  if (code == CODE_DONE) add_row(p, part, PRINTED, "printed");
  return code;
}

/* Pages show what the program and its packages predict, so these must have been built with the constants. */
static int run_pages(progress *p, const pm_lab *lab, const cli_tree *tree, const cli_part *part)
{
  if (tree->root == tree->source && tree_is_built(tree)) {
    int code = run_part(p, lab, tree, part);
    if (code == CODE_DONE) add_row(p, part, PAGES, "written");
    return code;
  }
  note(p->request, "part pages was not run: build perfmodel with the new constants, then: perfmodel calibrate --all "
       "--part "
       "pages --source %.200s", tree->source);
  add_row(p, part, PAGES, "left");
  return CODE_DONE;
}

/* ---- All of them ---- */

static int write_rows(progress *p, int code)
{
  pm_error error = PM_ERROR_NONE;
  cli_request request = *p->request;
  request.value[OPTION_OUTPUT] = NULL; /* the folder of the files */
  pm_table *table = pm_table_new(p->rows, &error);
  if (table != NULL) pm_table_add_text(table, "part", "part of the calibration", p->part, &error);
  if (table != NULL) pm_table_add_text(table, "file", "file that holds its constants", p->file, &error);
  if (table != NULL) pm_table_add_text(table, "result", "whether any of them changed", p->result, &error);
  int written = write_table(&request, table, &error);
  return code != CODE_DONE ? code : written;
}

/* A script that cannot run is left to be run later; after a fit that fails nothing can follow. */
static int run_parts(progress *p, const pm_lab *lab, const cli_tree *tree, unsigned chosen)
{
  int result = CODE_DONE;
  for (size_t i = 0; part_at(i) != NULL; i++) {
    const cli_part *part = part_at(i);
    if ((chosen >> i & 1) == 0) continue;
    const char *what = part->files[0] != NULL ? part->files[0] : part->prints ? PRINTED : PAGES;
    int code = part->prints ? run_print(p, lab, tree, part)
             : part->files[0] != NULL ? run_part(p, lab, tree, part) : run_pages(p, lab, tree, part);
    if (code == CODE_DONE) continue;
    add_row(p, part, what, "left");
    result = code;
    if (part->script == NULL) break;
  }
  return result;
}

int calibrate_all(const cli_request *request, const pm_lab *lab)
{
  cli_tree tree;
  unsigned chosen;
  progress p = {.request = request, .start = seconds()};
  if (!read_parts(request, &chosen)) return CODE_USAGE;
  int code = tree_open(&tree, request);
  if (code != CODE_DONE) return code;
  for (size_t i = 0; part_at(i) != NULL; i++) p.parts += chosen >> i & 1;
  code = run_parts(&p, lab, &tree, chosen);
  return write_rows(&p, code);
}
