/* perfmodel run: the sweep of an experiment file, option by option what perfmodel sweep is told. */
#include <stdlib.h>
#include <string.h>
#include "options.h"
#include "sweep.h"

enum { WORD_ROOM = 8192, WORDS_MOST = 512 };

/* The words of the sweep, in one block of text for each. */
typedef struct run_words {
  char *items[WORDS_MOST];
  int count;
  char where[WORD_ROOM];
} run_words;

static int add_word(run_words *words, const char *head, const char *text)
{
  size_t size = strlen(head) + strlen(text) + 1;
  char *word = words->count < WORDS_MOST ? (char *)malloc(size) : NULL;
  if (word == NULL) return fail_memory();
  snprintf(word, size, "%s%s", head, text);
  words->items[words->count++] = word;
  return CODE_DONE;
}

/* "--tensor-parallel=": what the sweep calls an option of the file. */
static void name_option(const cli_options *known, const char *option, char *head, size_t size)
{
  const char *name = option;
  for (size_t i = 0; i < known->count; i++)
    if (known->items[i].field != NULL && strcmp(known->items[i].field->name, option) == 0)
      name = known->items[i].option.name;
  snprintf(head, size, "--%s=", name);
  for (char *c = head; *c != '\0'; c++)
    if (*c == '_') *c = '-';
}

/* A file of the catalogue is looked for beside the experiment. */
static int add_catalog(run_words *words, const char *file, const char *path)
{
  char folder[WORD_ROOM];
  const char *slash = strrchr(file, '/');
  int length = slash != NULL && path[0] != '/' ? (int)(slash - file) + 1 : 0;
  snprintf(folder, sizeof folder, "--catalog=%.*s", length, file);
  return add_word(words, folder, path);
}

/* Options of the command line go before those of the file. */
static bool is_replaced(const cli_request *request, const char *option)
{
  if (request == NULL) return false;
  return (strcmp(option, "output") == 0 && request->value[OPTION_OUTPUT] != NULL) ||
         (strcmp(option, "columns") == 0 && request->value[OPTION_COLUMNS] != NULL);
}

static int add_option(const cli_request *request, const char *file, const cli_options *known, const char *option,
                      const char *set_to, run_words *words)
{
  char head[128];
  if (strcmp(option, "networks") == 0 || strcmp(option, "systems") == 0 || is_replaced(request, option))
    return CODE_DONE;
  if (strcmp(option, "catalog") == 0) return add_catalog(words, file, set_to);
  if (strcmp(option, "where") == 0) {
    size_t used = strlen(words->where);
    snprintf(words->where + used, sizeof words->where - used, "%s%s", used > 0 ? "," : "", set_to);
    return CODE_DONE;
  }
  name_option(known, option, head, sizeof head);
  return add_word(words, head, set_to);
}

static const char *text_of(const pm_table *table, const char *column, size_t row)
{
  size_t i = 0;
  while (strcmp(pm_table_get_column(table, i)->name, column) != 0) i++;
  return pm_table_get_text(table, i, row, NULL);
}

/* The list of a row that every experiment has. */
static const char *list_of(const pm_table *table, const char *option)
{
  size_t row = 0;
  while (strcmp(text_of(table, "option", row), option) != 0) row++;
  return text_of(table, "set_to", row);
}

/* What the command line says besides the file. */
static int add_own(const cli_request *request, run_words *words)
{
  int code = CODE_DONE;
  for (int i = 0, file = 1; i < request->word_count && code == CODE_DONE; i++) {
    bool skip = file && strcmp(request->words[i], request->arguments.items[0]) == 0;
    if (skip) file = 0;
    else code = add_word(words, "", request->words[i]);
  }
  return code;
}

static int make_words(const cli_request *request, const char *file, const pm_table *table, run_words *words)
{
  cli_options *known = options_new(sweep_command.options, common_options);
  int code = known != NULL ? add_word(words, "", list_of(table, "networks")) : fail_memory();
  if (code == CODE_DONE) code = add_word(words, "", list_of(table, "systems"));
  for (size_t i = 0; i < pm_table_count_rows(table) && code == CODE_DONE; i++)
    code = add_option(request, file, known, text_of(table, "option", i), text_of(table, "set_to", i), words);
  if (code == CODE_DONE && words->where[0] != '\0') code = add_word(words, "--where=", words->where);
  free(known);
  return code == CODE_DONE && request != NULL ? add_own(request, words) : code;
}

static int use_sweep(const char *file, run_words *words, experiment_user *use, void *to)
{
  cli_request sweep;
  fail_about(file);
  int code = request_read(&sweep, &sweep_command, words->count, words->items);
  if (code == CODE_DONE) code = use(&sweep, to);
  request_free(&sweep);
  return code == CODE_USAGE ? CODE_INPUT : code; /* the words are the file's */
}

int experiment_use(const cli_request *request, const char *file, experiment_user *use, void *to)
{
  pm_error error = PM_ERROR_NONE;
  char *text = pm_file_read(file, &error);
  pm_table *table = text != NULL ? pm_settings_read("experiment", text, file, &error) : NULL;
  pm_string_free(text);
  if (table == NULL) return fail_error(&error);
  run_words *words = (run_words *)calloc(1, sizeof *words);
  int code = words != NULL ? make_words(request, file, table, words) : fail_memory();
  if (code == CODE_DONE) code = use_sweep(file, words, use, to);
  for (int i = 0; words != NULL && i < words->count; i++) free(words->items[i]);
  free(words);
  pm_table_free(table);
  return code;
}

static int run_sweep(const cli_request *sweep, void *to)
{
  (void)to;
  return sweep_command.run(sweep);
}

static int run(const cli_request *request)
{
  return experiment_use(request, request->arguments.items[0], run_sweep, NULL);
}

static const cli_option options[] = {
  WORKERS_OPTIONS,
  {OPTION_COLUMNS, '\0', "columns", "NAME,...", "columns of the result, instead of those of the file"},
  {OPTION_COUNT, '\0', NULL, NULL, NULL},
};

const cli_command run_command = {
  "run", "FILE", "runs an experiment file: a sweep with its conditions, columns and output, as XML",
  "Runs the sweep that an XML file describes: networks, systems, every option of a run with one value or several, "
  "conditions that rows must meet, the best rows by a column, columns, and the file that they are written to. The "
  "result is that of perfmodel sweep with the same options; -o and --columns go before the file's. perfmodel new "
  "experiment writes a file to begin with.",
  "perfmodel run experiment.xml -o rows.csv", options, 1, 1, run};
