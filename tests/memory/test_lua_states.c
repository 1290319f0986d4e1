/*
** Several states of Lua in one process, each in a thread of its own: they share nothing of Lua's, but all of the
** library's. Every state gives the answers of the first one, and each is closed while others are at work.
*/
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 8, STATES = 4 /* of a thread, one after the other */, ANSWER = 400 };

static const char piece[] =
  "local pm, told = require 'perfmodel', {}\n"
  "for i = 1, 3 do\n"
  "  local net = pm.new_network('own', 'Own')\n"
  "  net:input('image', {3, 32, 32})\n"
  "  for k = 1, 20 do net:add('conv2d', {out_channels = 8 * i, kernel = 3, padding = 1}) end\n"
  "  told[#told + 1] = pm.predict{network = net, system = 'dgx1-v100', gpus = i}.throughput\n"
  "  told[#told + 1] = pm.infer{network = 'resnet50', system = 't4', batch = i}.latency\n"
  "  told[#told + 1] = #tostring(pm.sweep{network = 'alexnet', system = 'dgx1-v100', batch = {1, 2, 4 * i}})\n"
  "  told[#told + 1] = tostring(select(2, pcall(pm.predict, {network = 'resnet5', system = 'dgx1-v100'})))\n"
  "  told[#told + 1] = #pm.catalog():show('gpus', 'v100'):csv()\n"
  "  collectgarbage()\n"
  "end\n"
  "for i = 1, #told do told[i] = tostring(told[i]):sub(1, 24) end\n"
  "return table.concat(told, ' ')\n";

static bool answer(char *text)
{
  lua_State *L = luaL_newstate();
  if (L == NULL) return false;
  luaL_openlibs(L);
  const bool good = luaL_dostring(L, piece) == LUA_OK;
  snprintf(text, ANSWER, "%s", lua_tostring(L, -1));
  lua_close(L);
  return good;
}

static char expected[ANSWER];

static void *work(void *wrong)
{
  char text[ANSWER];
  for (int i = 0; i < STATES; i++)
    if (!answer(text) || strcmp(text, expected) != 0) snprintf((char *)wrong, ANSWER, "%s", text);
  return wrong;
}

int main(void)
{
  pthread_t threads[THREADS];
  static char wrong[THREADS][ANSWER];
  int failed = 0;
  if (!answer(expected)) return fprintf(stderr, "%s\n", expected), 1;
  for (int i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], NULL, work, wrong[i]) != 0) return fprintf(stderr, "no thread\n"), 1;
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    if (wrong[i][0] == '\0') continue;
    fprintf(stderr, "a state says   %s\nthe first said %s\n", wrong[i], expected);
    failed++;
  }
  return failed > 0;
}
