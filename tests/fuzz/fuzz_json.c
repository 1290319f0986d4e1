/* Any text as JSON, walked through to its end: values, or one mistake, after which there is nothing. */
#include "base/json.h"
#include "fuzz.h"

enum { DEPTH = 32 };

static void walk(pm__json *json, int depth)
{
  char word[16];
  if (depth == DEPTH) pm__json_skip(json);
  else if (pm__json_is(json, '{')) {
    for (pm__json_enter(json, '{'); pm__json_next_key(json, word, sizeof word);) walk(json, depth + 1);
  } else if (pm__json_is(json, '[')) {
    for (pm__json_enter(json, '['); pm__json_next(json);) walk(json, depth + 1);
  } else if (pm__json_is(json, '"')) {
    if (pm__json_string(json, word, sizeof word)) must(strlen(word) < sizeof word);
  } else if (pm__json_is(json, '0')) pm__json_number(json);
  else pm__json_skip(json);
}

/* A value read as a slice is the same text, and a reader within it makes no other mistake. */
static void skip_then_walk(const char *text)
{
  pm_error error = PM_ERROR_NONE;
  pm__json json = pm__json_open(text, "fuzz.json", &error);
  pm__json_slice slice = pm__json_skip(&json);
  if (json.failed) return;
  must(slice.text >= text && slice.text + slice.length <= text + strlen(text));
  pm__json inner = pm__json_within(&json, slice);
  walk(&inner, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  char *text = text_of(bytes, size);
  pm_error error = PM_ERROR_NONE;
  pm__json json = pm__json_open(text, "fuzz.json", &error);
  walk(&json, 0);
  must_be_said(!json.failed, &error);
  must(!json.failed || !pm__json_next(&json));
  skip_then_walk(text);
  free(text);
  return 0;
}
