/*
** Lua without memory: its allocator fails at the first allocation of a piece of Lua, then at the second, until none is
** left; once, where Lua collects its garbage and goes on, and with all that follow. The result is the right one, or the
** error that memory ran out, and what C allocated meanwhile is freed. The pieces come from the standard input, each
** ended by a line "--".
*/
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "failing.h"

/* Of the C library, past failing.c: what Lua has is not counted there. */
void *__libc_realloc(void *old, size_t size);
void __libc_free(void *piece);

typedef struct allocator {
  long asked, which, blocks;
  bool counting, for_ever;
} allocator;

enum { PIECE = 4096, ANSWER = 256,
      EVERY = 400 /* tries begin with every allocation; steps grow by a part in so many */ };

static void *allocate(void *user, void *old, size_t old_size, size_t size)
{
  allocator *a = (allocator *)user;
  if (size == 0) {
    a->blocks -= old != NULL;
    __libc_free(old);
    return NULL;
  }
  bool grows = old == NULL || size > old_size; /* Lua relies on it that a block can shrink */
  if (a->counting && grows) {
    a->asked++;
    if (a->which > 0 && (a->for_ever ? a->asked >= a->which : a->asked == a->which)) return NULL;
  }
  void *piece = __libc_realloc(old, size);
  if (piece != NULL && old == NULL) a->blocks++;
  return piece;
}

typedef struct outcome {
  int status;
  long asked, leaks;
  char answer[ANSWER];
} outcome;

/* Runs the function on top of the stack, with the `which`-th allocation failing; it stays there. */
static outcome attempt(lua_State *L, allocator *a, long which, bool for_ever)
{
  outcome out = {.status = LUA_OK};
  lua_gc(L, LUA_GCCOLLECT);
  failing_watch();
  long blocks = a->blocks;
  lua_pushvalue(L, -1);
  *a = (allocator){.which = which, .blocks = blocks, .counting = true, .for_ever = for_ever};
  out.status = lua_pcall(L, 0, 1, 0);
  a->counting = false;
  out.asked = a->asked;
  snprintf(out.answer, sizeof out.answer, "%s", lua_tostring(L, -1) != NULL ? lua_tostring(L, -1) : "nothing");
  lua_pop(L, 1);
  lua_gc(L, LUA_GCCOLLECT);
  lua_gc(L, LUA_GCCOLLECT); /* what was finalized in the first */
  out.leaks = failing_leaks();
  return out;
}

static bool judge(const char *piece, const outcome *got, const outcome *normal, long which, bool for_ever)
{
  const char *wrong = NULL;
  if (got->leaks > 0) wrong = "memory leaks";
  else if (got->status == LUA_OK && strcmp(got->answer, normal->answer) != 0) wrong = "another answer, and no error";
  else if (got->status != LUA_OK && strstr(got->answer, "not enough memory") == NULL) wrong = "another error";
  if (wrong != NULL)
    printf("%sallocation %ld failing %s: %s (status %d \"%s\", %ld leaks)\n", piece, which,
           for_ever ? "for ever" : "once",
                            wrong, got->status, got->answer, got->leaks);
  return wrong == NULL;
}

static int load(lua_State *L, const char *piece)
{
  if (luaL_loadstring(L, piece) == LUA_OK) return 0;
  printf("%s\n", lua_tostring(L, -1));
  return 1;
}

/* Returns how many tries were not answered as they must be; adds to *tries. */
static long fail_each(lua_State *L, allocator *a, const char *piece, long *tries)
{
  long wrong = 0;
  if (load(L, piece) != 0) return 1;
  attempt(L, a, 0, false); /* what is opened once, and kept */
  outcome normal = attempt(L, a, 0, false);
  if (normal.status != LUA_OK || normal.leaks > 0) wrong += !judge(piece, &normal, &normal, 0, false);
  for (int for_ever = 0; for_ever < 2 && wrong == 0; for_ever++)
    for (long k = 1; k <= normal.asked; k += 1 + k / EVERY, ++*tries) {
      outcome got = attempt(L, a, k, for_ever != 0);
      wrong += !judge(piece, &got, &normal, k, for_ever != 0);
    }
  lua_pop(L, 1);
  return wrong;
}

int main(void)
{
  allocator a = {.asked = 0};
  char piece[PIECE] = "", line[512];
  long wrong = 0, tries = 0;
  lua_State *L = lua_newstate(allocate, &a);
  if (L == NULL) return EXIT_FAILURE;
  luaL_openlibs(L);
  if (load(L, "pm = require 'perfmodel'") != 0 || lua_pcall(L, 0, 0, 0) != LUA_OK)
    return puts(lua_tostring(L, -1)), EXIT_FAILURE;
  while (fgets(line, sizeof line, stdin) != NULL) {
    if (strcmp(line, "--\n") != 0) {
      strncat(piece, line, sizeof piece - strlen(piece) - 1);
      continue;
    }
    wrong += fail_each(L, &a, piece, &tries);
    piece[0] = '\0';
  }
  lua_close(L);
  printf("%ld failed allocations of Lua, %ld not answered as they must be, %ld blocks kept\n", tries, wrong, a.blocks);
  return wrong == 0 && tries > 0 && a.blocks == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
