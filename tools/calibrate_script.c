/* Parts of perfmodel calibrate --all that are Python: scripts, which are told of this program and of the files. */
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "calibrate_all.h"

extern char **environ;

/* This program; without /proc, what is on the path. */
static void find_self(char *path, size_t size)
{
  ssize_t length = readlink("/proc/self/exe", path, size - 1);
  if (length > 0 && (size_t)length < size - 1) path[length] = '\0';
  else snprintf(path, size, "perfmodel");
}

/* ---- The command line: python3 SCRIPT SELF FILE... ---- */

enum { WORDS_MOST = 16 };
typedef struct words {
  char *item[WORDS_MOST + 1], self[4096];
  size_t count;
  bool failed;
} words;

static void add_path(words *line, const char *root, const char *file)
{
  char *path = line->count < WORDS_MOST ? tree_path(root, file) : NULL;
  line->failed = line->failed || path == NULL;
  if (path != NULL) line->item[line->count++] = path;
}

static void free_words(words *line)
{
  for (size_t i = 1; i < line->count; i++) /* a path that there was no memory for left its place to the next word */
    if (line->item[i] != line->self) free(line->item[i]);
}

static void make_line(words *line, const cli_tree *tree, const cli_part *part)
{
  static char python[] = "python3", folder[] = "lab/scripts";
  memset(line, 0, sizeof *line);
  char *scripts = tree_path(tree->source, folder);
  find_self(line->self, sizeof line->self);
  line->item[line->count++] = python;
  if (scripts != NULL) add_path(line, scripts, part->script);
  else line->failed = true;
  line->item[line->count++] = line->self;
  const bool reads = part->files[0] != NULL || part->prints;
  for (size_t i = 0; reads && tree_file(i) != NULL; i++) add_path(line, tree->root, tree_file(i));
  free(scripts);
}

/* ---- Running ---- */

static char *read_all(int descriptor)
{
  char buffer[4096];
  ssize_t count;
  cli_page page;
  if (!page_open(&page)) return NULL;
  while ((count = read(descriptor, buffer, sizeof buffer)) > 0 || (count < 0 && errno == EINTR))
    if (count > 0) fwrite(buffer, 1, (size_t)count, page.stream);
  if (fclose(page.stream) == 0 && count == 0) return page.text;
  free(page.text);
  return NULL;
}

/* Its standard output; NULL if it could not be started or failed. */
static char *run(char **line)
{
  int ends[2], status = 1;
  pid_t child;
  posix_spawn_file_actions_t actions;
  if (pipe(ends) != 0) return NULL;
  bool good = posix_spawn_file_actions_init(&actions) == 0;
  good = good && posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO) == 0 &&
         posix_spawn_file_actions_addclose(&actions, ends[0]) == 0 &&
         posix_spawn_file_actions_addclose(&actions, ends[1]) == 0 &&
         posix_spawnp(&child, line[0], &actions, NULL, line, environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  char *text = good ? read_all(ends[0]) : NULL;
  close(ends[0]);
  while (good && waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (status == 0 && text != NULL) return text;
  free(text);
  return NULL;
}

int script_run(const cli_tree *tree, const cli_part *part, char **text)
{
  words line;
  make_line(&line, tree, part);
  *text = line.failed ? NULL : run(line.item);
  int code = line.failed ? fail_memory() : CODE_DONE;
  if (!line.failed && *text == NULL)
    code = fail(CODE_INPUT, "part %s was not run: python3 did not run %s, which needs numpy and scipy, or for pages "
                "the "
                "package perfmodel; with these: perfmodel calibrate --all --part %s --source %.200s", part->name,
                line.item[1], part->name, tree->source);
  free_words(&line);
  return code;
}
