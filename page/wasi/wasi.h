/* What POSIX has and WASI has not, for the command in a browser: included before every file of it. */
#ifndef PM_PAGE_WASI_H
#define PM_PAGE_WASI_H

#include <sys/stat.h>
#include <sys/types.h>

/* In memory, files have no rights. */
mode_t umask(mode_t mask);
#define fchmod(descriptor, mode) ((void)(mode), 0)
#define fchown(descriptor, owner, group) ((void)(owner), 0)

/* Nobody signals. */
#include <signal.h>
#define SIG_BLOCK 0
#define SIG_SETMASK 2
#define sigfillset(set) ((void)(set), 0)
#define sigprocmask(how, set, old) ((void)(set), (void)(old), 0)

/* A file of a new name, for writing. */
int mkstemp(char *pattern);

/* There is no terminal, whose width this would be. */
#define TIOCGWINSZ 0x5413
struct winsize {
  unsigned short ws_row, ws_col, ws_xpixel, ws_ypixel;
};

#endif
