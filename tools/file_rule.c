/* Files that are written: the rule, which the command and Lua keep. Python has it in perfmodel/_files.py. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "file_rule.h"

bool file_write_all(int descriptor, const char *text, size_t size)
{
  while (size > 0) {
    ssize_t written = write(descriptor, text, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text += written;
    size -= (size_t)written;
  }
  return true;
}

/* Closes, and says what failed first. */
static bool close_after(int descriptor, bool good)
{
  int reason = errno;
  if (close(descriptor) != 0 && good) return false;
  errno = reason;
  return good;
}

/*
** The rule for files: what is written is there whole or not at all, unless what was there must stay the same file.
**
**     no file                       it is written beside the place, and renamed
**     a file with one name          as above, with the owner, group and rights of the old one
**     several names (hard links), or an owner whom it cannot be given to, a device, a pipe
**                                   written in place, where a full disk leaves a part
**     a link                        what it points to, whether that is there or not
**     a file that is read           an error: what only it holds would be lost
**
** Signals wait while a file beside the place exists, and one that is larger than the system allows is an error.
*/

/* A pipe that nobody reads from yet is tried again for a while. */
static int open_to_write(const char *path)
{
  enum { TRIES = 40, PAUSE = 50 /* milliseconds */ };
  int descriptor = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  for (int i = 0; i < TRIES && descriptor < 0 && errno == ENXIO; i++) {
    poll(NULL, 0, PAUSE);
    descriptor = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  }
  if (descriptor >= 0) fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
  return descriptor;
}

/* In place: what is there stays the same file. A device or a pipe has no length. */
static int write_in_place(const char *path, bool regular, const char *text, size_t size)
{
  int descriptor = open_to_write(path);
  bool good = descriptor >= 0 && file_write_all(descriptor, text, size);
  if (good && regular) good = ftruncate(descriptor, (off_t)size) == 0;
  if (descriptor >= 0) good = close_after(descriptor, good);
  return good ? 0 : errno;
}

/* The rights that a new file gets. */
static mode_t rights_of_new(void)
{
  mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

/* The owner, group and rights of the file that is replaced; `old` NULL: there is none. */
static bool take_over(int descriptor, const struct stat *old)
{
  struct stat own;
  if (old == NULL) return fchmod(descriptor, rights_of_new()) == 0;
  if (fstat(descriptor, &own) != 0) return false;
  bool same = own.st_uid == old->st_uid && own.st_gid == old->st_gid;
  return (same || fchown(descriptor, old->st_uid, old->st_gid) == 0) && fchmod(descriptor, old->st_mode & 07777) == 0;
}

/* Writes beside the place and puts the result there only when all of it is there. False with `beside` empty if it
** cannot be what the old file is. */
static bool replace_file(const char *path, char *beside, const struct stat *old, const char *text, size_t size)
{
  int descriptor = mkstemp(beside);
  if (descriptor < 0) return false;
  bool over = take_over(descriptor, old);
  bool good = over && file_write_all(descriptor, text, size) && fsync(descriptor) == 0;
  if (close_after(descriptor, good) && rename(beside, path) == 0) return true;
  int reason = errno;
  unlink(beside);
  if (!over && reason == EPERM) beside[0] = '\0';
  errno = reason;
  return false;
}

static int replace(const char *path, const struct stat *old, const char *text, size_t size)
{
  sigset_t all, before;
  const char *slash = strrchr(path, '/');
  int folder = slash != NULL ? (int)(slash + 1 - path) : 0; /* a name of its own: that of the file may be the longest */
  size_t room = strlen(path) + sizeof ".perfmodel.XXXXXX";
  char *beside = (char *)malloc(room);
  if (beside == NULL) return ENOMEM;
  snprintf(beside, room, "%.*s.perfmodel.XXXXXX", folder, path);
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before);
  bool good = replace_file(path, beside, old, text, size), in_place = !good && old != NULL && beside[0] == '\0';
  int problem = good ? 0 : in_place ? write_in_place(path, true, text, size) : errno;
  sigprocmask(SIG_SETMASK, &before, NULL);
  free(beside);
  return problem;
}

/* Where a link leads, if it is one, `room` bytes; false if it has no end. */
static bool follow_links(const char *name, char *path, size_t room)
{
  char to[PATH_MAX];
  if (snprintf(path, room, "%s", name) >= (int)room) return errno = ENAMETOOLONG, false;
  for (int links = 0; links < 40; links++) {
    ssize_t length = readlink(path, to, sizeof to - 1);
    if (length < 0) return true;
    to[length] = '\0';
    char *slash = to[0] == '/' ? NULL : strrchr(path, '/');
    size_t folder = slash != NULL ? (size_t)(slash + 1 - path) : 0;
    if (snprintf(path + folder, room - folder, "%s", to) >= (int)(room - folder)) return errno = ENAMETOOLONG, false;
  }
  return errno = ELOOP, false;
}

int file_write(const char *name, const char *text, size_t size)
{
  struct stat status;
  char path[PATH_MAX];
  bool there = stat(name, &status) == 0;
  if (there && S_ISDIR(status.st_mode)) return EISDIR;
  bool regular = there && S_ISREG(status.st_mode);
  if (there && (!regular || status.st_nlink > 1)) return write_in_place(name, regular, text, size);
  if (there && (access(name, W_OK) != 0 || realpath(name, path) == NULL)) return errno;
  if (!there && (errno != ENOENT || !follow_links(name, path, sizeof path))) return errno;
  return replace(path, there ? &status : NULL, text, size);
}

const char *file_problem(int problem)
{
  if (problem == EISDIR) return "it is a folder";
  return problem == ENXIO ? "nobody reads from it" : strerror(problem);
}

/* ---- Whether two names are one file ---- */

/* The folder of a path, without links, and its last name. */
static bool find_place(const char *name, char *place, size_t room)
{
  char path[PATH_MAX], folder[PATH_MAX];
  if (!follow_links(name, path, sizeof path)) return false;
  char *slash = strrchr(path, '/');
  const char *last = slash != NULL ? slash + 1 : path;
  if (slash != NULL) *slash = '\0';
  if (realpath(slash == NULL ? "." : slash == path ? "/" : path, folder) == NULL) return false;
  return snprintf(place, room, "%s/%s", folder, last) < (int)room;
}

/* "-" and the names of the device are one. */
bool file_is_standard_output(const char *name)
{
  static const char *const names[] = {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strcmp(name, names[i]) == 0) return true;
  return false;
}

bool file_is_same(const char *a, const char *b)
{
  struct stat x, y;
  if (file_is_standard_output(a) && file_is_standard_output(b)) return true;
  char first[2 * PATH_MAX], second[2 * PATH_MAX];
  if (stat(a, &x) == 0 && stat(b, &y) == 0) return S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
  return find_place(a, first, sizeof first) && find_place(b, second, sizeof second) && strcmp(first, second) == 0;
}

/* Whether the file is one of a folder's that are read. */
static bool is_in_folder(const char *folder, const char *file)
{
  char above[PATH_MAX];
  struct stat status, one, other;
  const char *slash = strrchr(file, '/'), *ending = strrchr(file, '.');
  if (ending == NULL || strcmp(ending, ".xml") != 0 || stat(file, &status) != 0) return false;
  snprintf(above, sizeof above, "%.*s", slash != NULL ? (int)(slash - file + 1) : 1, slash != NULL ? file : ".");
  return stat(folder, &one) == 0 && stat(above, &other) == 0 && one.st_dev == other.st_dev &&
         one.st_ino == other.st_ino;
}

bool file_is_of(const char *input, const char *file)
{
  return file_is_same(input, file) || is_in_folder(input, file);
}
