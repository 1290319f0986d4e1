/* Writing timelines. */
#include "step/trace_text.h"
#include <math.h>
#include "perfmodel/units.h"

/* A number of microseconds, whatever the locale. */
static void add_time(pm__trace_text *t, const char *name, double seconds)
{
  char number[PM_NUMBER_MAX];
  pm__string_format(&t->text, ",\"%s\":%s", name, pm_number_format(number, rint(seconds * 1e9) / 1e3));
}

static void add_name(pm__trace_text *t, const char *name)
{
  for (const char *c = name; *c != '\0'; c++) {
    if (*c == '"' || *c == '\\') pm__string_add(&t->text, "\\");
    if ((unsigned char)*c >= 32) pm__string_add_bytes(&t->text, c, 1);
  }
}

static void next(pm__trace_text *t)
{
  pm__string_add(&t->text, t->events++ > 0 ? ",\n" : "\n");
}

void pm__trace_begin(pm__trace_text *t)
{
  *t = (pm__trace_text){{NULL, 0, 0, false}, 0};
  pm__string_add(&t->text, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
}

void pm__trace_lane(pm__trace_text *t, int lane, const char *name)
{
  next(t);
  pm__string_format(&t->text, "{\"ph\":\"M\",\"pid\":1,\"tid\":%d,\"name\":\"thread_name\",\"args\":{\"name\":\"%s\"}}",
                    lane, name);
}

void pm__trace_add(pm__trace_text *t, const pm__trace_event *e)
{
  if (!(e->duration > 0)) return;
  next(t);
  pm__string_add(&t->text, "{\"ph\":\"X\",\"pid\":1,\"name\":\"");
  add_name(t, e->name);
  if (e->what != NULL) add_name(t, e->what);
  pm__string_format(&t->text, "\",\"tid\":%d", e->lane);
  add_time(t, "ts", e->start);
  add_time(t, "dur", e->duration);
  if (e->category != NULL) pm__string_format(&t->text, ",\"cat\":\"%s\"", e->category);
  if (e->micro_batch >= 0)
    pm__string_format(&t->text, ",\"args\":{\"micro_batch\":%d,\"chunk\":%d}", e->micro_batch, e->chunk);
  pm__string_add(&t->text, "}");
}

char *pm__trace_end(pm__trace_text *t, pm_error *error)
{
  pm__string_add(&t->text, "\n]}\n");
  if (!t->text.failed) return t->text.text;
  pm_string_free(t->text.text);
  pm__no_memory(error);
  return NULL;
}
