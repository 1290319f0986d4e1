/*
** perfmodel calibrate --all: the parts of a calibration, and the source tree whose files they write.
*/
#ifndef PERFMODEL_CALIBRATE_ALL_H
#define PERFMODEL_CALIBRATE_ALL_H

#include "command.h"
#include "lab_load.h"

/* A value that a part starts from, whatever the tree has. */
typedef struct cli_start {
  const char *kind, *entry, *field, *text; /* NULL ends a list */
} cli_start;

/* A part fits a set of measurements, or runs a script of lab/scripts, and writes what it found into the tree. */
enum { PART_FILES_MOST = 3 };
typedef struct cli_part {
  const char *name;   /* as --part has it; of a fit also the set */
  const char *script; /* NULL: a fit */
  const char *files[PART_FILES_MOST + 1]; /* below the source tree; none: the script writes pages itself, or prints */
  const cli_start *starts; /* or NULL */
  bool prints;             /* what the script prints is what it is for */
} cli_part;

/* The manifest, in the order in which parts use each other's results; NULL past the last. */
const cli_part *part_at(size_t index);

/* What --part chooses, as bits by position; all parts without it. False after saying what is wrong. */
bool read_parts(const cli_request *request, unsigned *chosen);

/* ---- The tree (calibrate_tree.c) ---- */

typedef struct cli_tree {
  const char *source; /* folder of the tree that is read */
  const char *root;   /* folder that is written: the same, or a copy of the files of the manifest */
} cli_tree;

/* Whether the tree can be read and written, and the copy, if one is asked for. Exit codes. */
int tree_open(cli_tree *tree, const cli_request *request);

/* The files of the manifest, each once; NULL past the last. */
const char *tree_file(size_t index);

/* "ROOT/FILE", released with free; NULL without memory. */
char *tree_path(const char *root, const char *file);

/* The shipped catalogue with the files of the manifest as the tree has them; NULL after saying what is wrong. */
pm_catalog *tree_catalog(const cli_tree *tree, int *code);

/* Writes the catalogue's values into the file; *changed: whether that was anything new. */
int tree_save(const cli_tree *tree, const pm_catalog *catalog, const char *file, bool *changed);

/* Whether the program was built from the files as they are. */
bool tree_is_built(const cli_tree *tree);

/* ---- Scripts (calibrate_script.c) ---- */

/* What lab/scripts/NAME prints, run on the files of the tree; *text is released with free. Exit codes. */
int script_run(const cli_tree *tree, const cli_part *part, char **text);

/* All of it (calibrate_all.c). */
int calibrate_all(const cli_request *request, const pm_lab *lab);

#endif
