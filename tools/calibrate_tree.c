/* The source tree that perfmodel calibrate --all reads and writes, or the copy of its files that -o asks for. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "calibrate_all.h"

char *tree_path(const char *root, const char *file)
{
  size_t room = strlen(root) + strlen(file) + 2;
  char *path = (char *)malloc(room);
  if (path != NULL) snprintf(path, room, "%s/%s", root, file);
  return path;
}

const char *tree_file(size_t index)
{
  const char *seen[64];
  size_t count = 0;
  for (size_t p = 0; part_at(p) != NULL; p++)
    for (const char *const *file = part_at(p)->files; *file != NULL; file++) {
      size_t i = 0;
      while (i < count && strcmp(seen[i], *file) != 0) i++;
      if (i < count) continue;
      if (count == index) return *file;
      seen[count++] = *file;
    }
  return NULL;
}

/* ---- Opening ---- */

static int cannot_write(const char *path)
{
  return fail(CODE_INTERNAL, "cannot write into \"%.400s\": %s", path, strerror(errno));
}

static int make_folder(const char *path)
{
  return mkdir(path, 0777) == 0 || errno == EEXIST ? CODE_DONE : cannot_write(path);
}

/* Makes the folders of a file below the root, which is there. */
static int make_folders(const char *root, const char *file)
{
  int code = CODE_DONE;
  char *path = tree_path(root, file);
  if (path == NULL) return fail_memory();
  for (char *slash = path + strlen(root) + 1; code == CODE_DONE && (slash = strchr(slash, '/')) != NULL; slash++) {
    *slash = '\0';
    code = make_folder(path);
    *slash = '/';
  }
  free(path);
  return code;
}

static char *read_file(const char *root, const char *file, pm_error *error)
{
  char *path = tree_path(root, file), *text = path != NULL ? pm_file_read(path, error) : NULL;
  free(path);
  return text;
}

static int write_text(const char *root, const char *file, const char *text)
{
  char *path = tree_path(root, file);
  int code = path != NULL ? write_file(path, text, strlen(text)) : fail_memory();
  free(path);
  return code;
}

static int copy_file(const cli_tree *tree, const char *file)
{
  pm_error error = PM_ERROR_NONE;
  char *text = read_file(tree->source, file, &error);
  int code = text != NULL ? make_folders(tree->root, file) : fail_error(&error);
  if (code == CODE_DONE) code = write_text(tree->root, file, text);
  pm_string_free(text);
  return code;
}

static int check_source(const cli_tree *tree)
{
  for (size_t i = 0; tree_file(i) != NULL; i++) {
    char *path = tree_path(tree->source, tree_file(i));
    int reason = path == NULL ? ENOMEM : access(path, R_OK) == 0 ? 0 : errno;
    free(path);
    if (reason != 0)
      return fail(CODE_INPUT, "\"%.200s\" is not a source tree of perfmodel, %s: %s; give it with --source DIR",
                  tree->source, tree_file(i), strerror(reason));
  }
  return CODE_DONE;
}

/* A file is replaced by one beside it, so that its folder is what must be writable. */
static int check_writable(const cli_tree *tree)
{
  int code = CODE_DONE;
  for (size_t i = 0; tree_file(i) != NULL && code == CODE_DONE; i++) {
    char *path = tree_path(tree->root, tree_file(i));
    if (path == NULL) return fail_memory();
    *strrchr(path, '/') = '\0';
    if (access(path, W_OK) != 0) code = cannot_write(path);
    free(path);
  }
  return code;
}

int tree_open(cli_tree *tree, const cli_request *request)
{
  const char *output = request->value[OPTION_OUTPUT];
  tree->source = request->value[OPTION_SOURCE] != NULL ? request->value[OPTION_SOURCE] : ".";
  tree->root = output != NULL ? output : tree->source;
  int code = check_source(tree);
  if (code == CODE_DONE && output != NULL) code = make_folder(output);
  for (size_t i = 0; output != NULL && tree_file(i) != NULL && code == CODE_DONE; i++)
    code = copy_file(tree, tree_file(i));
  return code == CODE_DONE ? check_writable(tree) : code;
}

/* ---- Values ---- */

pm_catalog *tree_catalog(const cli_tree *tree, int *code)
{
  pm_error error = PM_ERROR_NONE;
  pm_catalog *catalog = pm_catalog_new(&error);
  int status = catalog != NULL ? PM_OK : error.status;
  for (size_t i = 0; status == PM_OK && tree_file(i) != NULL; i++) {
    char *path = tree_path(tree->root, tree_file(i));
    status = path != NULL ? pm_catalog_load(catalog, path, &error) : PM_STATUS_NO_MEMORY;
    free(path);
  }
  *code = status == PM_OK ? CODE_DONE : error.status == PM_OK ? fail_memory() : fail_error(&error);
  if (status == PM_OK) return catalog;
  pm_catalog_free(catalog);
  return NULL;
}

int tree_save(const cli_tree *tree, const pm_catalog *catalog, const char *file, bool *changed)
{
  int code = CODE_DONE;
  pm_error error = PM_ERROR_NONE;
  char *before = read_file(tree->root, file, &error);
  char *after = before != NULL ? pm_catalog_format_file(catalog, before, file, &error) : NULL;
  *changed = after != NULL && strcmp(before, after) != 0;
  if (after == NULL) code = error.status == PM_OK ? fail_memory() : fail_error(&error);
  else if (*changed) code = write_text(tree->root, file, after);
  pm_string_free(before);
  pm_string_free(after);
  return code;
}

bool tree_is_built(const cli_tree *tree)
{
  bool same = true;
  pm_catalog *shipped = pm_catalog_new(NULL);
  for (size_t i = 0; shipped != NULL && same && tree_file(i) != NULL; i++) {
    char *text = read_file(tree->root, tree_file(i), NULL);
    char *built = text != NULL ? pm_catalog_format_file(shipped, text, tree_file(i), NULL) : NULL;
    same = built != NULL && strcmp(text, built) == 0;
    pm_string_free(text);
    pm_string_free(built);
  }
  pm_catalog_free(shipped);
  return same && shipped != NULL;
}
