/* What POSIX has and WASI has not: files of one user, and no other programs. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <pthread.h>
#include "calibrate_all.h"

mode_t umask(mode_t mask)
{
  (void)mask;
  return 022;
}

/* The pattern's own name: nobody else writes files. */
int mkstemp(char *pattern)
{
  memcpy(pattern + strlen(pattern) - 6, "result", 6);
  return open(pattern, O_WRONLY | O_CREAT | O_TRUNC, 0600);
}

int script_run(const cli_tree *tree, const cli_part *part, char **text)
{
  (void)tree, (void)part, (void)text;
  return fail(CODE_USAGE, "a page in a browser runs no scripts: perfmodel calibrate --all wants the command");
}
