/*
** The command: what its parts share. Works through <perfmodel.h> alone.
**
** A sub-command is a file with one `const command`: its arguments, its options and its words. Parsing, --help, the
** manual page and the completion are all made from that table.
*/
#ifndef PERFMODEL_COMMAND_H
#define PERFMODEL_COMMAND_H

#include <stdbool.h>
#include <stdio.h>
#include <perfmodel.h>

/* Exit status: number, and what it means to a user. */
#define EXIT_CODE_LIST(X)                                                                                       \
  X(DONE, 0, "done")                                                                                            \
  X(CONSTRAINT, 1, "the request is valid but cannot be satisfied: more GPUs than the system has, a precision "   \
                   "that the GPU lacks, nodes that nothing joins, a global batch that does not divide, more memory "   \
                   "than the GPU has; or what doctor looked over is implausible")                            \
  X(USAGE, 2, "usage: an unknown name, option or value")                                                        \
  X(INPUT, 3, "an input file cannot be read, or is wrong")                                                      \
  X(INTERNAL, 4, "the output cannot be written, memory ran out, or perfmodel itself is at fault")

typedef enum exit_code {
#define EXIT_CODE_ENUM(name, number, doc) CODE_##name = number,
  EXIT_CODE_LIST(EXIT_CODE_ENUM)
#undef EXIT_CODE_ENUM
} exit_code;

/* ---- Options and commands ---- */

typedef enum option_id {
  OPTION_HELP,
  OPTION_HELP_ALL,
  OPTION_FORMAT,
  OPTION_OUTPUT,
  OPTION_CATALOG,
  OPTION_QUIET,
  OPTION_GPUS,
  OPTION_NODES,
  OPTION_BATCH,
  OPTION_GLOBAL_BATCH,
  OPTION_PRECISION,
  OPTION_DATASET,
  OPTION_SET,
  OPTION_LAYERS,
  OPTION_STAGES,
  OPTION_ROWS,
  OPTION_ROW_SIZE,
  OPTION_FRAMEWORK,
  OPTION_OPTIMIZER,
  OPTION_INFERENCE,
  OPTION_SERVE,
  OPTION_TASK,
  OPTION_BY,
  OPTION_DEPTH,
  OPTION_DATA,
  OPTION_BYTES,
  OPTION_ALGORITHM,
  OPTION_PROTOCOL,
  OPTION_THREAD_GPUS,
  OPTION_SERVERS,
  OPTION_NCCL,
  OPTION_LOADS,
  OPTION_IN_NETWORK,
  OPTION_IN_ORDER,
  OPTION_SWITCH_PORTS,
  OPTION_OVERSUBSCRIPTION,
  OPTION_CODING,
  OPTION_AS,
  OPTION_FROM,
  OPTION_COLLECTIVE,
  OPTION_BRIDGES,
  OPTION_NIC,
  OPTION_GPU,
  OPTION_ID,
  OPTION_STORAGE,
  OPTION_RATE,
  OPTION_NETWORK,
  OPTION_UNITS,
  OPTION_LOADER,
  OPTION_CPU,
  OPTION_WORKERS,
  OPTION_DECODE,
  OPTION_PREFETCH,
  OPTION_FILES,
  OPTION_CHUNK,
  OPTION_READS,
  OPTION_CACHE,
  OPTION_POLICY,
  OPTION_FIRST_EPOCH,
  OPTION_SAMPLE_OUT,
  OPTION_UPLINK_GPUS,
  OPTION_KERNEL_MODEL,
  OPTION_M,
  OPTION_N,
  OPTION_K,
  OPTION_PRODUCTS,
  OPTION_TN,
  OPTION_CHANNELS,
  OPTION_OUT_CHANNELS,
  OPTION_GROUPS,
  OPTION_IMAGE,
  OPTION_WINDOW,
  OPTION_STRIDE,
  OPTION_PADDING,
  OPTION_PASS,
  OPTION_HIDDEN,
  OPTION_STEPS,
  OPTION_PERSISTENT,
  OPTION_HEADS,
  OPTION_TOKENS,
  OPTION_KEYS,
  OPTION_HEAD_SIZE,
  OPTION_ATTENTION,
  OPTION_CAUSAL,
  OPTION_KV_HEADS,
  OPTION_KV_BYTES,
  OPTION_KEY_WINDOW,
  OPTION_VALUE_SIZE,
  OPTION_LATENT,
  OPTION_OPERAND_BYTES,
  OPTION_COLUMNS,
  OPTION_ENERGY,
  OPTION_SORT,
  OPTION_WHERE,
  OPTION_ELEMENTS,
  OPTION_TENSORS,
  OPTION_PARAMETERS,
  OPTION_PAGEABLE,
  OPTION_LATENCY,
  OPTION_SYSTEM,
  OPTION_TARGET_RATE,
  OPTION_EPOCHS,
  OPTION_WITHIN,
  OPTION_MINIMIZE,
  OPTION_PRICE,
  OPTION_PRICE_DATE,
  OPTION_PUE,
  OPTION_MAX_NODES,
  OPTION_PARETO,
  OPTION_TOP,
  OPTION_FIRST,
  OPTION_RANK,
  OPTION_FRONT,
  OPTION_FRONT_OF,
  OPTION_CHOICES,
  OPTION_WHY,
  OPTION_GPU_HOUR_PRICE,
  OPTION_TTFT,
  OPTION_TPOT,
  OPTION_MAX_GPUS,
  OPTION_MAX_WORKERS,
  OPTION_TRACE,
  OPTION_RAISE,
  OPTION_UPGRADE,
  OPTION_ARCHITECTURE,
  OPTION_HOLD_OUT,
  OPTION_MAX_MAPE,
  OPTION_ERRORS,
  OPTION_XML,
  OPTION_ALL,
  OPTION_PART,
  OPTION_SOURCE,
  OPTION_AXIS,
  OPTION_TOPOLOGY,
  OPTION_LIKE,
  OPTION_RUN,
  OPTION_DELIMITER,
  OPTION_RESUME,
  OPTION_DECIMAL,
  OPTION_LORA,
  OPTION_TRAINABLE,
  OPTION_FIELDS,   /* in a list: the fields of a record, see options.h */
  OPTION_OF_FIELD, /* one of them */
  OPTION_COUNT
} option_id;

typedef struct cli_option {
  option_id id;
  char letter;       /* '\0': no short form */
  const char *name;  /* without the dashes; NULL ends a list */
  const char *value; /* what its value is called; NULL for a flag */
  const char *doc;
} cli_option;

typedef struct texts {
  const char **items;
  size_t count;
} texts;

struct cli_command;
struct cli_options;

enum { LORA_WORDS = 16, TRAINABLE_MOST = 400 };

/* What was given for a field of the run. */
typedef struct cli_given {
  const pm_field *field;
  const char *text;
} cli_given;

/* A command line, read. */
typedef struct cli_request {
  const struct cli_command *command;
  const char *value[OPTION_COUNT]; /* NULL: not given; "" for a flag that is; given twice with other values: refused */
  texts arguments;
  texts catalogs, sets, axes; /* the options that may be repeated */
  cli_given *given;           /* each field once */
  size_t given_count;
  char lora[LORA_WORDS][PM_TEXT_MAX]; /* what --lora gives */
  char trainable[TRAINABLE_MOST]; /* --trainable as a parameter of the network */
  struct cli_options *options; /* all that the command knows */
  pm_format format;
  bool workbook;    /* the file of -o ends in .xlsx */
  bool streamed;    /* in .parquet or .arrow, or is a folder */
  char **words;     /* all that was asked, as it was written */
  int word_count;
} cli_request;

typedef struct cli_command {
  const char *name;
  const char *arguments;   /* as the usage line has them */
  const char *summary;     /* a few words, for the list of commands */
  const char *description; /* paragraphs, separated by an empty line */
  const char *example;
  const cli_option *options; /* its own, besides the common ones */
  size_t least, most;    /* how many arguments it takes */
  int (*run)(const cli_request *request); /* NULL: the Python package does it, see python_run */
} cli_command;

extern const cli_command list_command, show_command, layers_command, memory_command, predict_command, sweep_command,
  compare_command, explain_command,
  validate_command, check_command, collective_command, rings_command, copies_command, fabric_command, topology_command,
  import_command, doctor_command, export_command, new_command, input_command, kernel_command, infer_command,
  serve_command,
      size_command, plot_command, report_command,
  sensitivity_command, calibrate_command, search_command, run_command;

/* All sub-commands, the common dozen first; index from 0, NULL past the last. */
enum { COMMANDS_MOST = 40, COMMANDS_COMMON = 12 };
const cli_command *command_at(size_t index);
const cli_command *command_find(const char *name);

/* Options that every sub-command takes; ends with a NULL name. */
extern const cli_option common_options[];

/* Runs a sub-command in Python, with the words behind its name as they are (python.c). An exit code. */
int python_run(const cli_command *command, int argc, char **argv);

/* The text of a catalogue file with the network that Python reads of a file (ONNX, Keras), with what --set says. It is
** released with free. NULL: what is wrong is printed. */
char *import_network(const cli_request *request, const char *path, int *code);

/* Writes a packed table to the workbook of -o. An exit code. */
int write_workbook(const cli_request *request, const char *packed);

/* Names the file that all further messages are about. */
void fail_about(const char *file);

/* Reads what follows the sub-command's name. Prints what is wrong and returns an exit code; 0 is good. */
int request_read(cli_request *request, const cli_command *command, int argc, char **argv);
void request_free(cli_request *request);
bool wants_help(const cli_request *request);

/* ---- Words (help.c, manual.c, completion.c) ---- */

void print_help(FILE *stream);
void print_help_all(FILE *stream);
void print_command_help(FILE *stream, const cli_command *command, bool all);
void print_manual(FILE *stream);
void print_completion(FILE *stream);

/* ---- Messages (message.c): one line to stderr, "perfmodel: ..." ---- */

#if defined(__GNUC__)
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#else
#define PRINTF_LIKE(text, first)
#endif

int fail(int code, const char *format, ...) PRINTF_LIKE(2, 3); /* returns `code` */
int fail_error(const pm_error *error);                         /* returns the code that belongs to it */
/* Of a run without a prediction: with what its report, which is freed and may be NULL, says would fit. */
int fail_run(const cli_request *request, const pm_error *error, pm_report *report);

/* Prints the command that predicts the best plan of a search, on that system. */
void note_plan(const cli_request *request, const pm_run *best, const char *system, const char *framework);
int fail_memory(void);
void note(const cli_request *request, const char *format, ...) PRINTF_LIKE(2, 3); /* not with --quiet */
void note_lines(const cli_request *request, const char *lines);                   /* each line a note */

/* The exit code that belongs to an error. */
int error_code(const pm_error *error);

/* The name among `names` (ended by NULL) that `name` was probably meant to be, or NULL. */
const char *closest_name(const char *name, const char *const *names);

/* ---- Values (value.c): each prints what is wrong, naming the option, and returns false ---- */

bool read_count(const char *option_name, const char *text, double most, double *value);
bool read_counts(const char *option_name, const char *text, double most, double **values, size_t *count);
bool read_precision(const char *text, int32_t *precision);
/* One of the choices of a record's field; what the option is called may differ. NULL leaves *value. */
bool read_choice(const char *option_name, const char *record, const char *field, const char *text, int32_t *value);
bool read_kernels(const char *text, int32_t *model);
bool read_sets(const cli_request *request, pm_attribute **sets);
bool unknown_choice(const char *option_name, const char *text, const pm_choice *choices); /* says so; false */

/* The name of an option of the command. */
const char *option_name(const cli_request *request, option_id id);

/* Options that are fields of a record, into one; those that are not given leave it. */
typedef struct cli_field {
  option_id option;
  const char *field;
} cli_field;
bool read_fields(const cli_request *request, const char *record, const cli_field *fields, size_t count, void *to);

/* The value of an option that counts something, or `other` if it is not given. */
bool read_count_option(const cli_request *request, option_id id, double most, double other, double *value);

/* A comma-separated list as names of its own; each must not be empty. Freed as one block. */
bool read_names(const char *what, const char *text, texts *names);
bool read_option_names(const char *option_name, const char *text, texts *names);

#define COUNT_MOST 2147483647.0

/* ---- Catalogue (catalogue.c): each prints what is wrong and returns NULL, with the exit code in *code ---- */

pm_catalog *open_catalog(const cli_request *request, int *code);
/* Whether a file is one that Python reads: an ONNX or a Keras model. */
bool is_python_file(const char *name);

pm_network *open_network(const cli_request *request, const pm_catalog *catalog, const char *name, int *code);
pm_system *open_system(const pm_catalog *catalog, const char *name, int *code);

/* Opens the system that is the first argument, and runs a command on it; returns its exit code. */
int on_system(const cli_request *request, int (*command)(const cli_request *request, const pm_system *system));

int unknown_kind(const char *kind); /* says so, and returns the exit code */

/* ---- Output (output.c) ---- */

/* Writes the text to stdout, or to the file of -o: whole, or not at all. Returns an exit code. */
int write_output(const cli_request *request, const char *text, size_t size);
int write_file(const char *name, const char *text, size_t size);

/* An error if the result would be written over a file that is read. */
int check_output(const cli_request *request);

/* The same for a table in the format asked for, with the columns of --columns; frees it. A NULL table is an error that
** `error` explains. */
int write_table(const cli_request *request, pm_table *table, const pm_error *error);

/* The same for a report, as text. */
int write_document(const cli_request *request, pm_report *report, const pm_error *error);

/* How CSV is written (local_csv.c). read_csv_form prints what is wrong; csv_localize returns a text to free, NULL
** without memory. */
typedef struct csv_form {
  char delimiter, decimal;
} csv_form;
bool read_csv_form(const cli_request *request, csv_form *form);
char *csv_localize(const pm_table *table, const char *text, const csv_form *form);

/* Whether what a descriptor leads to shows colours, and text with them, to be freed; NULL without memory (colour.c). */
bool has_colour(int descriptor);
char *colour_text(const char *text);

/* Keeps the columns of --columns, if there are such. An exit code. */
int keep_columns(const cli_request *request, pm_table *table);

/* Keeps the rows and columns that --where, --front, --sort, --top and --columns ask for. An exit code. */
int choose_rows(const cli_request *request, pm_table *table);

/* Whether the answer is a page for people, rather than a table. */
bool is_report(const cli_request *request);

/* The option of every command that prints a table. */
/* For tables of predictions; their reports have it anyway. */
#define ENERGY_OPTION                                                                                             \
  {OPTION_ENERGY, '\0', "energy", NULL, "also show what boards, nodes and the site draw, in tables"}

#define COLUMNS_OPTION                                                                                            \
  {OPTION_COLUMNS, '\0', "columns", "NAME,...",                                                                   \
   "print a table of these columns, as csv calls them; all: every column; main: of a sweep what was asked and the "    \
   "main results"},                                       \
  {OPTION_SORT, '\0', "sort", "NAME", "rows of the table by this column; descending with --sort=-NAME"},          \
  {OPTION_DELIMITER, '\0', "delimiter", "CHARACTER", "between the fields of csv: \",\", \";\", \"|\" or tab"},       \
  {OPTION_DECIMAL, '\0', "decimal", "CHARACTER",                                                                 \
   "decimal mark of csv: \".\" or \",\"; with \",\" fields are separated by \";\""},                               \
  {OPTION_WHERE, '\0', "where", "CONDITION,...",                                                                  \
   "only rows that meet these, such as \"memory>=80GB,architecture=hopper\""}

/* Of rows that are written as they come. */
#define WORKERS_OPTIONS \
  {OPTION_WORKERS, '\0', "workers", "N", \
   "processes that evaluate rows, which are streamed to the -o file or written into the -o folder"}, \
  {OPTION_RESUME, '\0', "resume", NULL, "continue an unfinished file of the same sweep, as left by Ctrl-C"}

/* The option of commands that ask for runs of any task. */
#define TASK_OPTION \
  {OPTION_TASK, '\0', "task", "NAME", "what the network is run for: training (the default), inference or serving"}

#define SERVE_OPTION                                                                                         \
  {OPTION_SERVE, '\0', "serve", NULL, "short for --task serving"},                                           \
  {OPTION_FRAMEWORK, '\0', "engine", "NAME,...", "of serving: the engine, another name of --framework; see " \
                                                 "perfmodel list engines (default vllm, the newest)"}

/* A table of these records (record type by name), the last of which is the total of the others: it has no position. */
pm_table *table_with_total(const char *type, const void *rows, size_t count, pm_error *error);

/* Characters on a line of the output: those of the terminal, or 0 (unlimited) for anything else. */
int output_width(const cli_request *request);

/* Text that is put together with fprintf to `stream`, then written whole. */
typedef struct cli_page {
  FILE *stream;
  char *text;
  size_t size;
} cli_page;

/* Prints words over lines of at most `width` characters (0: one line), the first starting at `column`, the others
** indented. A line feed in `text` ends a line. */
void print_wrapped(FILE *stream, const char *text, size_t column, size_t indent, size_t width);

bool page_open(cli_page *page);
int page_write(cli_page *page, const cli_request *request); /* writes and frees it; returns an exit code */

#endif
