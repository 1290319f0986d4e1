/* Reading a command line by the table of options. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "options.h"
#include "settings.h"

const cli_option common_options[] = {
  {OPTION_FORMAT, '\0', "format", "table|csv|json",
   "how the result is written (default: by the ending of the -o file, else table)"},
  {OPTION_OUTPUT, 'o', "output", "FILE",
   "write the result to FILE, whole or not at all; - is standard output"},
  {OPTION_CATALOG, '\0', "catalog", "PATH",
   "also load this XML file, or all files of a folder; may be repeated"},
  {OPTION_QUIET, 'q', "quiet", NULL, "no notes and warnings on standard error"},
  {OPTION_HELP, 'h', "help", NULL, "print this help"},
  {OPTION_HELP_ALL, '\0', "help-all", NULL, "print it with every option"},
  {OPTION_COUNT, '\0', NULL, NULL, NULL},
};

/* The words of the command line that are still to be read. */
typedef struct cli_words {
  char **word;
  int count, next;
} cli_words;

static bool is_word_of(const char *words, const char *word)
{
  size_t length = strlen(word);
  const char *at = strstr(words, word);
  bool starts = at != NULL && (at == words || strchr(" [|", at[-1]) != NULL);
  return starts && (at[length] == '\0' || strchr(" ]|", at[length]) != NULL);
}

typedef bool cli_option_test(const cli_option *option, const char *name, size_t length);

static bool is_named(const char *name, const char *word, size_t length)
{
  return strlen(name) == length && memcmp(name, word, length) == 0;
}

static bool has_name(const cli_option *option, const char *name, size_t length)
{
  return is_named(option->name, name, length);
}

static bool has_letter(const cli_option *option, const char *name, size_t length)
{
  return length == 1 && option->letter == name[0];
}

static const cli_known *find_option(const cli_request *request, cli_option_test *test, const char *name, size_t length)
{
  const cli_options *known = request->options;
  for (size_t i = 0; i < known->count; i++)
    if (test(&known->items[i].option, name, length)) return &known->items[i];
  return NULL;
}

/* Whether an option is named as an argument is, "--network" or "--model" of NETWORK. */
static bool is_argument(const cli_command *command, const char *name)
{
  char word[64];
  const char *usual = pm_name_find_alias("option", name);
  snprintf(word, sizeof word, "%s", usual != NULL ? usual : name);
  for (char *c = word; *c != '\0'; c++) *c = (char)toupper((unsigned char)*c);
  return word[0] != '\0' && is_word_of(command->arguments, word);
}

static int unknown_option(const cli_request *request, const char *word)
{
  const char *names[OPTIONS_MOST + 1] = {NULL};
  char name[64];
  for (size_t i = 0; i < request->options->count; i++) names[i] = request->options->items[i].option.name;
  snprintf(name, sizeof name, "%.*s", (int)strcspn(word + strspn(word, "-"), "="), word + strspn(word, "-"));
  if (is_argument(request->command, name))
    return fail(CODE_USAGE, "\"%.80s\" is an argument, not an option; usage: perfmodel %s %s [options]", word,
                request->command->name,
                request->command->arguments);
  const char *what = pm_name_find_alias("unmodelled", name);
  if (what != NULL) return fail(CODE_USAGE, "\"%.80s\": %s are not modelled", word, what);
  const char *meant = closest_name(name, names);
  if (meant != NULL) return fail(CODE_USAGE, "unknown option \"%.80s\"; did you mean \"--%s\"?", word, meant);
  return fail(CODE_USAGE, "unknown option \"%.80s\"; see perfmodel %s --help", word, request->command->name);
}

/* An option has one value; another one of it would be silently dropped. */
static int given_twice(const cli_option *option, const char *first, const char *second)
{
  return fail(CODE_USAGE, "--%s is given twice, as \"%.80s\" and \"%.80s\"; give it once", option->name, first, second);
}

static int keep_field(cli_request *request, const cli_known *known, const char *text)
{
  bool all = strcmp(known->field->name, "gpus") == 0 && strcmp(text, "all") == 0;
  if (all) return CODE_DONE; /* as if none were given: those of each node */
  for (size_t i = 0; i < request->given_count; i++) {
    if (request->given[i].field != known->field) continue;
    bool same = strcmp(request->given[i].text, text) == 0;
    return same ? CODE_DONE : given_twice(&known->option, request->given[i].text, text);
  }
  request->given[request->given_count++] = (cli_given){known->field, text};
  return CODE_DONE;
}

/* A parameter of every network, and an option since people ask for it. */
static int keep_trainable(cli_request *request)
{
  const char *text = request->value[OPTION_TRAINABLE];
  if (text == NULL) return CODE_DONE;
  int length = snprintf(request->trainable, sizeof request->trainable, "trainable=%s", text);
  if (length < 0 || (size_t)length >= sizeof request->trainable)
    return fail(CODE_USAGE, "--trainable \"%.80s...\" is longer than %d bytes", text, TRAINABLE_MOST - 11);
  request->sets.items[request->sets.count++] = request->trainable;
  return CODE_DONE;
}

/* The words of --lora are fields of a run, as if each were given by its own option. */
static int keep_lora(cli_request *request)
{
  pm_error error = PM_ERROR_NONE;
  const char *text = request->value[OPTION_LORA];
  pm_table *table = text != NULL ? pm_settings_read("lora", text, "--lora", &error) : NULL;
  int code = text == NULL || table != NULL ? CODE_DONE : fail(CODE_USAGE, "--lora \"%.80s\": %s", text, error.text);
  for (size_t i = 0; table != NULL && code == CODE_DONE && i < pm_table_count_rows(table) && i < LORA_WORDS; i++) {
    char name[PM_TEXT_MAX], *value = request->lora[i];
    read_setting(table, i, name, value);
    for (size_t k = 0; k < request->options->count; k++) {
      const pm_field *field = request->options->items[k].field;
      if (field == NULL || strcmp(field->name, name) != 0) continue;
      code = keep_field(request, &request->options->items[k], value);
    }
  }
  pm_table_free(table);
  return code;
}

/* --columns 1024 of a kernel was the size of a row; columns of the result have names. */
static const cli_known *row_size(const cli_request *request, const cli_known *known, const char *value)
{
  bool number = known->option.id == OPTION_COLUMNS && value[0] >= '0' && value[0] <= '9';
  const cli_known *size = number ? find_option(request, has_name, "row-size", strlen("row-size")) : NULL;
  return size != NULL ? size : known;
}

static int keep(cli_request *request, const cli_known *known, const char *value)
{
  const cli_option *option = &known->option;
  if (known->field != NULL) return keep_field(request, known, value);
  bool many = option->id == OPTION_CATALOG || option->id == OPTION_SET || option->id == OPTION_AXIS;
  const char *before = request->value[option->id];
  if (!many && before != NULL && strcmp(before, value) != 0) return given_twice(option, before, value);
  if (option->id == OPTION_CATALOG) request->catalogs.items[request->catalogs.count++] = value;
  if (option->id == OPTION_SET) request->sets.items[request->sets.count++] = value;
  if (option->id == OPTION_AXIS) request->axes.items[request->axes.count++] = value;
  request->value[option->id] = value;
  return CODE_DONE;
}

/* `value` is what stands behind '=', or a letter, or NULL: then the next word is the value. */
static int take_option(cli_request *request, cli_words *words, const cli_known *known, const char *value)
{
  const cli_option *option = &known->option;
  if (option->value == NULL) {
    if (value != NULL && known->field == NULL) return fail(CODE_USAGE, "--%s takes no value", option->name);
    return keep(request, known, value != NULL ? value : known->field != NULL ? "yes" : "");
  }
  if (value == NULL && words->next < words->count) value = words->word[words->next++];
  if (value == NULL) return fail(CODE_USAGE, "--%s needs a value: %s", option->name, option->value);
  if (value[0] == '\0') return fail(CODE_USAGE, "--%s has an empty value; it takes %s", option->name, option->value);
  return keep(request, row_size(request, known, value), value);
}

static int take_long(cli_request *request, cli_words *words, const char *word)
{
  size_t length = strcspn(word + 2, "=");
  const cli_known *option = find_option(request, has_name, word + 2, length);
  if (option == NULL) return unknown_option(request, word);
  return take_option(request, words, option, word[2 + length] == '=' ? word + 3 + length : NULL);
}

/* "-q", "-o FILE", "-oFILE", "-qo FILE". */
static int take_letters(cli_request *request, cli_words *words, const char *word)
{
  for (const char *letter = word + 1; *letter != '\0'; letter++) {
    const cli_known *option = find_option(request, has_letter, letter, 1);
    if (option == NULL) return unknown_option(request, word);
    if (option->option.value != NULL) return take_option(request, words, option, letter[1] != '\0' ? letter + 1 : NULL);
    int code = keep(request, option, "");
    if (code != CODE_DONE) return code;
  }
  return CODE_DONE;
}

static int take_words(cli_request *request, cli_words *words)
{
  bool options = true;
  while (words->next < words->count) {
    const char *word = words->word[words->next++];
    int code = CODE_DONE;
    if (options && strcmp(word, "--") == 0) options = false;
    else if (options && strncmp(word, "--", 2) == 0) code = take_long(request, words, word);
    else if (options && word[0] == '-' && word[1] != '\0') code = take_letters(request, words, word);
    else request->arguments.items[request->arguments.count++] = word;
    if (code != CODE_DONE) return code;
  }
  return CODE_DONE;
}

static bool ends_with(const char *text, const char *end)
{
  size_t length = strlen(text), tail = strlen(end);
  return length > tail && strcmp(text + length - tail, end) == 0;
}

/* Commands whose result is no table: XML, or a drawing. */
static bool writes_text(const cli_request *request)
{
  static const char *const names[] = {"import", "export", "new", "topology"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strcmp(request->command->name, names[i]) == 0) return true;
  return request->value[OPTION_XML] != NULL || request->value[OPTION_ALL] != NULL;
}

static bool streams_rows(const cli_request *request)
{
  return strcmp(request->command->name, "sweep") == 0 || strcmp(request->command->name, "run") == 0;
}

static bool is_folder(const char *name)
{
  struct stat status;
  return ends_with(name, "/") || (stat(name, &status) == 0 && S_ISDIR(status.st_mode));
}

/* Without --format the ending of the file says it: .csv, .json, or .txt and none for a table. */
static int format_of_file(cli_request *request, const char *file)
{
  const char *slash = file != NULL ? strrchr(file, '/') : NULL, *name = slash != NULL ? slash + 1 : file;
  const char *dot = file != NULL ? strrchr(name, '.') : NULL;
  if (file != NULL && streams_rows(request) && is_folder(file)) request->streamed = true;
  if (request->streamed || dot == NULL || dot == name || ends_with(name, ".txt")) return CODE_DONE;
  if (ends_with(name, ".csv")) request->format = PM_FORMAT_CSV;
  else if (ends_with(name, ".xlsx")) request->workbook = true, request->format = PM_FORMAT_CSV;
  else if (ends_with(name, ".json")) request->format = PM_FORMAT_JSON;
  else if (streams_rows(request) && (ends_with(name, ".parquet") || ends_with(name, ".arrow")))
    request->streamed = true;
  else if (!writes_text(request))
    return fail(CODE_USAGE, "-o \"%.80s\": files end in .csv, .json, .xlsx or .txt (a table); --format says it for any "
                            "other",
                file);
  return CODE_DONE;
}

static int choose_format(cli_request *request)
{
  const char *name = request->value[OPTION_FORMAT], *file = request->value[OPTION_OUTPUT];
  request->format = PM_FORMAT_TABLE;
  if (name == NULL) return format_of_file(request, file);
  int format = pm_format_find(name);
  if (format < 0) return fail(CODE_USAGE, "--format \"%.80s\" is unknown; it is one of table, csv, json", name);
  request->format = (pm_format)format;
  return CODE_DONE;
}

/* "gpus=8" or "gpus", where an option was meant. */
static int unexpected_argument(const cli_request *request, const char *word)
{
  const cli_command *command = request->command;
  const cli_known *known = find_option(request, has_name, word, strcspn(word, "="));
  if (known != NULL) return fail(CODE_USAGE, "unexpected argument \"%.80s\"; did you mean \"--%.80s\"?", word, word);
  return fail(CODE_USAGE, "unexpected argument \"%.80s\"; usage: perfmodel %s %s [options]", word, command->name,
              command->arguments);
}

static int check_arguments(const cli_request *request)
{
  const cli_command *command = request->command;
  size_t count = request->arguments.count;
  if (count < command->least)
    return fail(CODE_USAGE, "%s needs %s, such as: %s", command->name, command->arguments, command->example);
  if (count > command->most)
    return unexpected_argument(request, request->arguments.items[command->most]);
  for (size_t i = 0; i < count; i++)
    if (request->arguments.items[i][0] == '\0') return fail(CODE_USAGE, "an argument is empty");
  return CODE_DONE;
}

/* One block for the four lists; none can be longer than the command line. */
static bool make_room(cli_request *request, size_t room)
{
  request->arguments.items = (const char **)calloc(4 * room, sizeof *request->arguments.items);
  request->given = (cli_given *)calloc(OPTIONS_MOST, sizeof *request->given);
  request->options = options_new(request->command->options, common_options);
  if (request->arguments.items == NULL || request->given == NULL || request->options == NULL) return false;
  request->catalogs.items = request->arguments.items + room;
  request->sets.items = request->arguments.items + 2 * room;
  request->axes.items = request->arguments.items + 3 * room;
  return true;
}

bool wants_help(const cli_request *request)
{
  return request->value[OPTION_HELP] != NULL || request->value[OPTION_HELP_ALL] != NULL;
}

int request_read(cli_request *request, const cli_command *command, int argc, char **argv)
{
  cli_words words = {argv, argc, 0};
  memset(request, 0, sizeof *request);
  request->command = command;
  request->words = argv, request->word_count = argc;
  if (!make_room(request, (size_t)argc + 1)) return fail_memory();
  int code = take_words(request, &words);
  if (code == CODE_DONE) code = keep_lora(request);
  if (code == CODE_DONE) code = keep_trainable(request);
  if (code == CODE_DONE) code = choose_format(request);
  if (code == CODE_DONE && !wants_help(request)) code = check_arguments(request);
  return code;
}

void request_free(cli_request *request)
{
  free(request->arguments.items);
  free(request->given);
  free(request->options);
}
