/* Files that are written; the rule is in file_rule.c. */
#ifndef PERFMODEL_FILE_RULE_H
#define PERFMODEL_FILE_RULE_H

#include <stdbool.h>
#include <stddef.h>

/* Writes a file by the rule. 0, or an errno: EISDIR for a folder, ENXIO for a pipe that nobody reads from. */
int file_write(const char *name, const char *text, size_t size);

/* What an errno of file_write says to people. */
const char *file_problem(int problem);

/* All of it, however often signals interrupt; false with errno. */
bool file_write_all(int descriptor, const char *text, size_t size);

/* Whether a name is that of standard output: "-", and the device's. */
bool file_is_standard_output(const char *name);

/* Whether two names are of one file, whether that is there or not. */
bool file_is_same(const char *a, const char *b);

/* Whether a file is an input, or one of the folder that is: all of its that end in .xml. */
bool file_is_of(const char *input, const char *file);

#endif
