/* What the Python package does: perfmodel plot and report, with the words as they are, and workbooks of tables. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifndef __wasi__
#include <sys/wait.h>
#endif
#include "command.h"

enum { PATH_ROOM = 4096 };

/* Modules of the folder that one happens to be in are none of the program's. */
static const char start[] =
  "import sys\n"
  "sys.path[:] = [place for place in sys.path if place]\n"
  "try:\n"
  "  from perfmodel._command import main\n"
  "except ImportError:\n"
  "  print('perfmodel: this needs the Python package, for ' + sys.executable + ': '\n"
  "        'pip install \"perfmodel[plot,excel]\"', file=sys.stderr)\n"
  "  sys.exit(2)\n"
  "sys.exit(main(sys.argv[1:]))\n";

#ifdef __wasi__
static int start_python(char **words)
{
  (void)words, (void)start;
  return fail(CODE_USAGE, "Python is not available");
}

int write_workbook(const cli_request *request, const char *packed)
{
  (void)request, (void)packed;
  return start_python(NULL);
}

char *import_network(const cli_request *request, const char *path, int *code)
{
  (void)request, (void)path;
  *code = start_python(NULL);
  return NULL;
}
#else
/* The Python that PERFMODEL_PYTHON names (the script that pip installs sets it); else the one beside the command, or
** the first of PATH. */
static void find_python(char *path, size_t room)
{
  const char *named = getenv("PERFMODEL_PYTHON");
  if (named != NULL && named[0] != '\0' && strlen(named) < room) {
    memcpy(path, named, strlen(named) + 1);
    return;
  }
  ssize_t length = readlink("/proc/self/exe", path, room - sizeof "python3");
  path[length > 0 ? length : 0] = '\0';
  char *slash = strrchr(path, '/');
  if (slash != NULL) memcpy(slash + 1, "python3", sizeof "python3");
  if (slash == NULL || access(path, X_OK) != 0) memcpy(path, "python3", sizeof "python3");
}

/* Replaces this process; returns only if that is not possible. */
static int start_python(char **words)
{
  char path[PATH_ROOM];
  find_python(path, sizeof path);
  words[0] = path;
  fflush(NULL);
  execvp(path, words);
  return fail(CODE_USAGE, "this needs Python: cannot start %s: %s; install it, then: "
              "pip install \"perfmodel[plot,excel]\"",
              path, strerror(errno));
}

static int run_module(const char *what, int argc, char **argv);

/* The child reads the table and writes the file. */
static int read_as_workbook(const cli_request *request, int from)
{
  char file[PATH_ROOM], name[32];
  snprintf(file, sizeof file, "%s", request->value[OPTION_OUTPUT]);
  char **words = (char **)calloc((size_t)request->word_count + 2, sizeof *words);
  if (words == NULL || dup2(from, STDIN_FILENO) < 0) return free(words), fail_memory();
  snprintf(name, sizeof name, "%s", request->command->name);
  words[0] = file, words[1] = name;
  for (int i = 0; i < request->word_count; i++) words[2 + i] = request->words[i];
  int code = run_module("workbook", request->word_count + 2, words);
  free(words);
  return code;
}

static bool send(int to, const char *text, size_t size)
{
  while (size > 0) {
    ssize_t written = write(to, text, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text += written, size -= (size_t)written;
  }
  return true;
}

/* The exit code of a child. */
static int await(pid_t child)
{
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : CODE_INTERNAL;
}

int write_workbook(const cli_request *request, const char *packed)
{
  int ends[2];
  fflush(NULL);
  if (pipe(ends) != 0) return fail(CODE_INTERNAL, "cannot make a pipe: %s", strerror(errno));
  pid_t child = fork();
  if (child < 0) return fail(CODE_INTERNAL, "cannot start Python: %s", strerror(errno));
  if (child == 0) {
    close(ends[1]);
    _exit(read_as_workbook(request, ends[0]));
  }
  close(ends[0]);
  (void)send(ends[1], packed, strlen(packed)); /* who ends early says why */
  close(ends[1]);
  return await(child);
}

/* The child writes the network as a file of the catalogue. */
static int write_network(const cli_request *request, const char *path, int to)
{
  char file[PATH_ROOM], quiet[] = "-q", id[PM_TEXT_MAX + 8];
  char **words = (char **)calloc(request->sets.count + 3, sizeof *words);
  int count = 0;
  if (words == NULL || dup2(to, STDOUT_FILENO) < 0) return free(words), fail_memory();
  snprintf(file, sizeof file, "%s", path);
  words[count++] = file;
  if (request->value[OPTION_QUIET] != NULL) words[count++] = quiet;
  snprintf(id, sizeof id, "id=%s", request->value[OPTION_ID] != NULL ? request->value[OPTION_ID] : "");
  if (request->value[OPTION_ID] != NULL) words[count++] = id;
  for (size_t i = 0; i < request->sets.count; i++) words[count++] = (char *)request->sets.items[i];
  int code = run_module("network", count, words);
  free(words);
  return code;
}

/* All that comes until the other end closes; NULL without memory. */
static char *receive(int from)
{
  size_t size = 0, room = 1 << 16;
  char *text = (char *)malloc(room);
  for (ssize_t got = 1; text != NULL && got != 0;) {
    got = read(from, text + size, room - size - 1);
    if (got < 0 && errno != EINTR) got = 0;
    if (got > 0) size += (size_t)got;
    if (size + 1 < room) continue;
    char *larger = (char *)realloc(text, room *= 2);
    if (larger == NULL) free(text);
    text = larger;
  }
  if (text != NULL) text[size] = '\0';
  return text;
}

char *import_network(const cli_request *request, const char *path, int *code)
{
  int ends[2];
  pid_t child = -1;
  fflush(NULL);
  if (pipe(ends) == 0) child = fork();
  if (child == 0) {
    close(ends[0]);
    _exit(write_network(request, path, ends[1]));
  }
  *code = child > 0 ? CODE_DONE : fail(CODE_INTERNAL, "cannot start Python: %s", strerror(errno));
  if (child < 0) return NULL;
  close(ends[1]);
  char *text = receive(ends[0]);
  close(ends[0]);
  *code = await(child);
  if (text == NULL && *code == CODE_DONE) *code = fail_memory();
  if (*code == CODE_DONE) return text;
  free(text);
  return NULL;
}
#endif

static int run_module(const char *what, int argc, char **argv)
{
  char program[sizeof start], name[32], option[] = "-c";
  char **words = (char **)calloc((size_t)argc + 5, sizeof *words);
  if (words == NULL) return fail_memory();
  memcpy(program, start, sizeof start);
  snprintf(name, sizeof name, "%s", what);
  words[1] = option, words[2] = program, words[3] = name;
  for (int i = 0; i < argc; i++) words[4 + i] = argv[i];
  int code = start_python(words);
  free(words);
  return code;
}

int python_run(const cli_command *command, int argc, char **argv)
{
  return run_module(command->name, argc, argv);
}

static const cli_option none[] = {{OPTION_COUNT, '\0', NULL, NULL, NULL}};

const cli_command plot_command = {
  "plot", "KIND ARGUMENTS", "draws an answer: scaling, where time and memory go, rooflines, fronts, topologies",
  "Draws what a question answers, to a file that ends in .svg, .png or .pdf, or as SVG. KIND is the question: "
  "predict, infer, serve, memory, sweep, compare, size, size-serving, size-training, search, sensitivity, upgrades, "
  "collective, loads, topology, validate; or the picture: scaling, roofline, timeline, front. Its arguments and "
  "options follow; several systems are separated by commas.\n\n"
  "The Python package draws, with matplotlib: pip install 'perfmodel[plot]'. perfmodel plot help lists what each "
  "kind takes.",
  "perfmodel plot scaling resnet50 dgx1-v100,dgx-a100 --batch 64 --precision fp16 -o scaling.svg", none, 0, 0, NULL};

const cli_command report_command = {
  "report", "KIND ARGUMENTS", "writes an answer as one HTML page, with pictures, what would help and how certain it "
                              "is",
  "Writes one self-contained page: the answer, pictures, the hardware change that would help most, prediction "
  "intervals, what the numbers are based on, and every assumption and input. KIND is predict, infer, serve, memory, "
  "sweep, compare, size, size-serving, size-training, search, sensitivity, upgrades, collective or validate; its "
  "arguments and options follow.\n\n"
  "The Python package writes it, with matplotlib: pip install 'perfmodel[plot]'.",
  "perfmodel report predict resnet50 dgx1-v100 --gpus 8 -o answer.html", none, 0, 0, NULL};
