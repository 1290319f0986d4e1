/* malloc and its like, which fail when they are told to; see failing.h. For one thread. Under the address sanitizer,
** which has functions of its own by these names, the linker wraps the library's calls, and what other libraries
** allocate never fails. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* RTLD_NEXT */
#endif
#include "failing.h"
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static struct {
  void *(*take)(size_t), *(*take_zeros)(size_t, size_t), *(*resize)(void *, size_t);
  void (*release)(void *);
} real;

static long asked, chosen;
static bool counting, rest, watching;

/* ---- Pieces that are alive, in a table with open addresses ---- */

enum { PLACES = 1 << 20 };

static uintptr_t alive[PLACES];
static long alive_count;

static size_t place_of(uintptr_t piece)
{
  size_t place = (size_t)((piece >> 4) * 11400714819323198485u) % PLACES;
  while (alive[place] != 0 && alive[place] != piece) place = (place + 1) % PLACES;
  return place;
}

static void *note(void *piece)
{
  if (!watching || piece == NULL || alive_count > PLACES / 2) return piece;
  alive[place_of((uintptr_t)piece)] = (uintptr_t)piece;
  alive_count++;
  return piece;
}

/* Takes a piece out; those behind it move up, so that each is found where its search begins. */
static void forget(uintptr_t piece)
{
  size_t place = place_of(piece);
  if (!watching || alive[place] == 0) return;
  alive[place] = 0;
  alive_count--;
  for (size_t next = (place + 1) % PLACES; alive[next] != 0; next = (next + 1) % PLACES) {
    uintptr_t other = alive[next];
    alive[next] = 0;
    alive[place_of(other)] = other;
  }
}

/* ---- What the process calls ---- */

#ifdef FAILING_WRAPPED
#define malloc __wrap_malloc
#define calloc __wrap_calloc
#define realloc __wrap_realloc
#define free __wrap_free
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *piece);
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *old, size_t size);
void free(void *piece);
#endif

/* Looking the real functions up may itself allocate: that much is given from here, and never freed. */
static char first_bytes[4096];
static size_t first_used;

static bool is_first(const void *piece)
{
  return (const char *)piece >= first_bytes && (const char *)piece < first_bytes + sizeof first_bytes;
}

static void *first_piece(size_t size)
{
  first_used = (first_used + 15) / 16 * 16;
  if (size > sizeof first_bytes - first_used) abort();
  first_used += size;
  return first_bytes + first_used - size;
}

static bool find_real(void)
{
#ifdef FAILING_WRAPPED
  real.take = __real_malloc;
  real.take_zeros = __real_calloc;
  real.resize = __real_realloc;
  real.release = __real_free;
#endif
  static bool looking;
  if (real.release != NULL) return true;
  if (looking) return false;
  looking = true;
  void *found[] = {dlsym(RTLD_NEXT, "malloc"), dlsym(RTLD_NEXT, "calloc"), dlsym(RTLD_NEXT, "realloc"),
                   dlsym(RTLD_NEXT, "free")};
  memcpy(&real, found, sizeof real);
  looking = false;
  return true;
}

static bool fails(void)
{
  if (!counting) return false;
  asked++;
  bool now = chosen > 0 && (rest ? asked >= chosen : asked == chosen);
  if (now) errno = ENOMEM;
  return now;
}

void *malloc(size_t size)
{
  if (!find_real()) return first_piece(size);
  return fails() ? NULL : note(real.take(size));
}

void *calloc(size_t count, size_t size)
{
  if (!find_real()) return first_piece(count * size);
  return fails() ? NULL : note(real.take_zeros(count, size));
}

void *realloc(void *old, size_t size)
{
  find_real();
  if (fails()) return NULL;
  if (!is_first(old)) {
    void *piece = real.resize(old, size);
    if (piece != NULL && old != NULL) forget((uintptr_t)old);
    return note(piece);
  }
  void *piece = note(real.take(size));
  if (piece != NULL) memcpy(piece, old, size < sizeof first_bytes ? size : sizeof first_bytes);
  return piece;
}

void free(void *piece)
{
  if (piece == NULL || is_first(piece)) return;
  find_real();
  forget((uintptr_t)piece);
  real.release(piece);
}

/* ---- What tests call ---- */

void failing_watch(void)
{
  memset(alive, 0, sizeof alive);
  alive_count = 0;
  watching = true;
}

void failing_start(long which, bool for_ever)
{
  asked = 0;
  chosen = which;
  rest = for_ever;
  counting = true;
}

long failing_stop(void)
{
  counting = false;
  return asked;
}

long failing_leaks(void)
{
  watching = false;
  return alive_count;
}
