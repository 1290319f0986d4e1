/* The programs and their lines. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perfmodel.h"
#include "base/base.h"
#include "traces/step_lines.h"

#define GIB 1073741824.0

/* In the order in which a log is tried: a program that prints beside a progress bar comes before the bar. */
static const pm__lab_step_program programs[] = {
  {"DeepSpeed's flops profiler", "deepspeed", {"DeepSpeed Flops Profiler", "samples/second"}, PM__TIMING_SUMMARY, false,
   "one step that was profiled",
   {{"samples/second", PM__STEP_SAMPLE_RATE, 1}, {"batch size per GPU", PM__STEP_BATCH, 1},
    {"world size", PM__STEP_GPUS, 1}}},
  {"Megatron-LM", "megatron-core", {"elapsed time per iteration ("}, PM__TIMING_LINES, false, NULL,
   {{"iteration", PM__STEP_NUMBER, 1},
    {"elapsed time per iteration (ms)", PM__STEP_SECONDS, 1e-3},
    {"elapsed time per iteration (s)", PM__STEP_SECONDS, 1},
    {"global batch size", PM__STEP_SAMPLES, 1},
    {"consumed samples", PM__STEP_CONSUMED, 1}}},
  {"NeMo", "megatron-core", {"train_step_timing in s"}, PM__TIMING_LINES, false, NULL,
   {{"global_step", PM__STEP_NUMBER, 1},
    {"train_step_timing in s", PM__STEP_SECONDS, 1},
    {"global_batch_size", PM__STEP_SAMPLES, 1},
    {"consumed_samples", PM__STEP_CONSUMED, 1}}},
  {"torchtitan", "", {"step:", "tps:", "memory:"}, PM__TIMING_LINES, false, NULL,
   {{"step", PM__STEP_NUMBER, 1}, {"tps", PM__STEP_TOKEN_RATE, 1}, {"memory", PM__STEP_RESERVED, GIB}}},
  {"MaxText", "jax", {"completed step:", "seconds:"}, PM__TIMING_LINES, false, NULL,
   {{"completed step", PM__STEP_NUMBER, 1}, {"seconds", PM__STEP_SECONDS, 1}}},
  {"DeepSpeed", "deepspeed", {"CurrSamplesPerSec"}, PM__TIMING_LINES, false, NULL,
   {{"global_step", PM__STEP_NUMBER, 1},
    {"CurrSamplesPerSec", PM__STEP_SAMPLE_RATE, 1},
    {"MaxMemAllocated", PM__STEP_ALLOCATED, GIB}}},
  {"DeepSpeed's pipeline", "deepspeed", {"steps:", "iter time (s)"}, PM__TIMING_LINES, false, NULL,
   {{"steps", PM__STEP_NUMBER, 1}, {"iter time (s)", PM__STEP_SECONDS, 1}}},
  {"Lightning's progress bar", "", {"v_num=", "%|"}, PM__TIMING_BAR, true, NULL, {{NULL, PM__STEP_NUMBER, 0}}},
  {"a progress bar", "", {"%|", "["}, PM__TIMING_BAR, false, NULL, {{NULL, PM__STEP_NUMBER, 0}}},
  {"a summary of Hugging Face's Trainer", "", {"train_runtime", "train_steps_per_second"}, PM__TIMING_SUMMARY, false,
   "a mean of the whole run with its start and evaluation",
   {{"train_samples_per_second", PM__STEP_SAMPLE_RATE, 1}, {"train_steps_per_second", PM__STEP_RATE, 1}}},
};

enum { PROGRAMS = sizeof programs / sizeof programs[0] };

/* ---- Numbers ---- */

static bool is_part(char c)
{
  return isalnum((unsigned char)c) || c == '_';
}

/* "5,762": a comma belongs to a number where three digits follow. */
static bool is_group(const char *comma)
{
  return isdigit((unsigned char)comma[1]) && isdigit((unsigned char)comma[2]) && isdigit((unsigned char)comma[3]) &&
         !isdigit((unsigned char)comma[4]);
}

static double number_at(const char *text)
{
  char digits[40];
  size_t n = 0;
  double value;
  for (; n < sizeof digits - 1 && *text != '\0'; text++)
    if (isdigit((unsigned char)*text) || *text == '.' || (n > 0 && strchr("eE", *text) != NULL) ||
        (strchr("+-", *text) != NULL && (n == 0 || strchr("eE", digits[n - 1]) != NULL))) digits[n++] = *text;
    else if (*text != ',' || n == 0 || !is_group(text)) break;
  if (n == sizeof digits - 1) return NAN; /* it goes on */
  while (n > 0 && strchr("eE.", digits[n - 1]) != NULL) n--;
  digits[n] = '\0';
  return n > 0 && pm_number_parse(digits, &value) == PM_OK ? value : (double)NAN;
}

double pm__lab_step_number(const char *text, const char *word)
{
  size_t length = strlen(word);
  for (const char *p = strstr(text, word); p != NULL; p = strstr(p + length, word)) {
    if ((p > text && is_part(p[-1])) || is_part(p[length])) continue;
    const char *behind = p + length + strspn(p + length, "\"' :=");
    if (isdigit((unsigned char)*behind) || strchr("+-.", *behind) != NULL) return number_at(behind);
  }
  return NAN;
}

/* ---- Progress bars: " 10%|#    | 100/1000 [01:20<12:00,  1.25it/s]" ---- */

/* "1:02:03" or "02:03" in seconds; NAN for what is none. */
static double clock_at(const char *text)
{
  double all = 0;
  int parts = 0;
  for (; isdigit((unsigned char)*text) && parts < 3; parts++) {
    char *end;
    all = all * 60 + (double)strtoul(text, &end, 10);
    text = end + (*end == ':');
  }
  return parts >= 2 && *text == '<' ? all : (double)NAN;
}

/* Bars of other loops than training have a name. */
bool pm__lab_step_is_other(const char *line)
{
  static const char *const words[] = {"alidat", "anity", "eval", "Eval", "redict", "est", "oad", "Map", "Generat",
                                      "okeniz", "Fetch", "heckpoint", NULL};
  const char *bar = strstr(line, "%|");
  for (const char *const *word = words; bar != NULL && *word != NULL; word++)
    if (pm__text_find(line, (size_t)(bar - line), *word) != NULL) return true;
  return false;
}

static bool read_bar(const char *line, pm__lab_step *step)
{
  unsigned long done, total;
  const char *bar = strstr(line, "%|"), *counts = bar != NULL ? strchr(bar + 2, '|') : NULL;
  const char *clock = counts != NULL ? strchr(counts, '[') : NULL;
  bool rate = clock != NULL && (strstr(clock, "it/s") != NULL || strstr(clock, "s/it") != NULL);
  if (!rate || pm__lab_step_is_other(line) || sscanf(counts + 1, "%9lu/%9lu", &done, &total) != 2) return false;
  step->value[PM__STEP_DONE] = step->value[PM__STEP_NUMBER] = (double)done;
  step->value[PM__STEP_TOTAL] = (double)total;
  step->value[PM__STEP_ELAPSED] = clock_at(clock + 1);
  return !isnan(step->value[PM__STEP_ELAPSED]);
}

/* ---- Lines ---- */

static bool has_marks(const pm__lab_step_program *program, const char *text)
{
  for (size_t i = 0; i < 3 && program->marks[i] != NULL; i++)
    if (strstr(text, program->marks[i]) == NULL) return false;
  return true;
}

/* A table of the user's may have a column train_runtime; a summary has it as a key. */
static bool is_summary(const char *text)
{
  if (strstr(text, "samples/second:") != NULL && strstr(text, "Flops Profiler -") != NULL) return true;
  return strstr(text, "train_runtime\":") != NULL || strstr(text, "train_runtime':") != NULL;
}

/* Whether some line of the text is one of the program's. */
static bool has_line(const pm__lab_step_program *program, const char *text)
{
  char line[PM__STEP_LINE];
  pm__lab_step step;
  if (!has_marks(program, text)) return false;
  if (program->timing == PM__TIMING_SUMMARY) return is_summary(text);
  while (*text != '\0') {
    text = pm__lab_step_line(text, line);
    if (pm__lab_step_read(program, line, &step)) return true;
  }
  return false;
}

const pm__lab_step_program *pm__lab_step_program_of(const char *text)
{
  for (size_t i = 0; i < PROGRAMS; i++)
    if (has_line(&programs[i], text)) return &programs[i];
  return NULL;
}

const pm__lab_step_program *pm__lab_step_summary_of(const char *text)
{
  for (size_t i = 0; i < PROGRAMS; i++)
    if (programs[i].timing == PM__TIMING_SUMMARY && has_line(&programs[i], text)) return &programs[i];
  return NULL;
}

/* Colours of a terminal are left out. */
const char *pm__lab_step_line(const char *text, char line[PM__STEP_LINE])
{
  size_t n = 0;
  while (*text != '\0' && *text != '\n' && *text != '\r') {
    size_t colour = text[0] == '\x1b' && text[1] == '[' ? 2 + strspn(text + 2, "0123456789;") : 0;
    if (colour > 0 && text[colour] != '\0' && text[colour] != '\n') text += colour + 1;
    else if (n < PM__STEP_LINE - 1) line[n++] = *text++;
    else text++;
  }
  line[n] = '\0';
  return text + (*text == '\r' && text[1] == '\n' ? 2 : *text != '\0');
}

bool pm__lab_step_read(const pm__lab_step_program *program, const char *line, pm__lab_step *step)
{
  for (int i = 0; i < PM__STEP_VALUES; i++) step->value[i] = NAN;
  if (!has_marks(program, line)) return false;
  if (program->timing == PM__TIMING_BAR) return read_bar(line, step);
  for (const pm__lab_step_word *w = program->words; w->word != NULL; w++) {
    double number = pm__lab_step_number(line, w->word);
    if (!isnan(number)) step->value[w->is] = number * w->factor;
  }
  return true;
}
