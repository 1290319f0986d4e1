/*
** Several states of Lua in one process, each in a thread of its own: they share nothing of Lua's, but all of the
** library's. Every state gives the answers of the first one, and each is closed while others are at work. Threads that
** are the first to open the module open it at the same time; it is unloaded with the last state of a round.
*/
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 8, STATES = 4 /* of a thread, one after the other */, ROUNDS = 150, ANSWER = 400 };

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

static bool answer(const char *question, char *text)
{
  lua_State *L = luaL_newstate();
  if (L == NULL) return false;
  luaL_openlibs(L);
  const bool good = luaL_dostring(L, question) == LUA_OK;
  snprintf(text, ANSWER, "%s", lua_tostring(L, -1));
  lua_close(L);
  return good;
}

static char expected[ANSWER];

static void *work(void *wrong)
{
  char text[ANSWER];
  for (int i = 0; i < STATES; i++)
    if (!answer(piece, text) || strcmp(text, expected) != 0) snprintf((char *)wrong, ANSWER, "%s", text);
  return wrong;
}

static void *open_module(void *wrong)
{
  char text[ANSWER];
  if (!answer("return tostring(require 'perfmodel.core' ~= nil)", text)) snprintf((char *)wrong, ANSWER, "%s", text);
  return wrong;
}

/* How many of the threads say what is wrong. */
static int run(void *(*function)(void *))
{
  pthread_t threads[THREADS];
  static char wrong[THREADS][ANSWER];
  int failed = 0;
  for (int i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], NULL, function, wrong[i]) != 0) return fprintf(stderr, "no thread\n"), 1;
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    if (wrong[i][0] == '\0') continue;
    fprintf(stderr, "a state says   %s\nthe first said %s\n", wrong[i], expected);
    failed++;
  }
  return failed;
}

int main(void)
{
  int failed = 0;
  for (int i = 0; i < ROUNDS && failed == 0; i++) failed = run(open_module);
  if (failed > 0) return 1;
  if (!answer(piece, expected)) return fprintf(stderr, "%s\n", expected), 1;
  return run(work) > 0;
}
