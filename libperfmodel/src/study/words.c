/* Words that several blocks of a report use. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "study/report.h"

const char *pm__study_field(const pm__study_subject *s, const char *name, char text[PM_TEXT_MAX])
{
  return pm_record_format(pm_record_find_field(s->run_type, name), &s->record, text);
}

static double number(const pm_record_type *type, const void *record, const char *name)
{
  const pm_field *field = type != NULL && record != NULL ? pm_record_find_field(type, name) : NULL;
  return field != NULL ? pm_record_get_number(field, record) : (double)NAN;
}

double pm__study_run_number(const pm__study_subject *s, const char *name)
{
  return number(s->run_type, &s->record, name);
}

double pm__study_number(const pm__study_subject *s, const char *name)
{
  return number(s->answer_type, s->answers, name);
}

const pm_choice *pm__study_choice(const char *record, const char *field, int32_t value)
{
  return &pm_record_find_field(pm_record_type_find(record), field)->choices[value];
}

static const char *with_blanks(const char *word, char text[PM_TEXT_MAX])
{
  snprintf(text, PM_TEXT_MAX, "%s", word);
  for (char *c = text; *c != '\0'; c++)
    if (*c == '-') *c = ' ';
  return text;
}

const char *pm__study_verdict(int32_t verdict, char text[PM_TEXT_MAX])
{
  return with_blanks(pm__study_choice("prediction", "verdict", verdict)->name, text);
}

const char *pm__study_sentence(const char *word, char text[PM_TEXT_MAX])
{
  with_blanks(word, text);
  text[0] = (char)toupper((unsigned char)text[0]);
  return text;
}

const char *pm__study_title(const pm__study_subject *s, char text[PM_TEXT_MAX])
{
  char name[PM_TEXT_MAX];
  snprintf(text, PM_TEXT_MAX, "%.60s%s", pm__study_sentence(s->task->facts.name, name), s->trains ? "" : " of");
  return text;
}

double pm__study_gpus(const pm__study_subject *s)
{
  return pm__study_run_number(s, "gpus") * pm__study_run_number(s, "nodes");
}

bool pm__study_serves(const pm__study_subject *s)
{
  return s->answer_type != NULL && pm_record_find_field(s->answer_type, "ttft") != NULL;
}

void pm__study_hide_costs(const pm__study_subject *s, pm_table *table)
{
  static const char *const costs[] = {"hour_cost", "output_cost", "token_cost"};
  bool priced = false;
  for (size_t i = 0; i < s->served_count; i++) priced = priced || !isnan(s->served[i].price);
  for (size_t i = 0; i < sizeof costs / sizeof costs[0] && !priced; i++) pm_table_set_show(table, costs[i], 0);
}

bool pm__study_predicted(const pm__study_subject *s)
{
  return s->count == 1 && s->outcome.status == PM_OK;
}

const char *pm__study_amount(double tokens, double samples, char text[PM__REPORT_WORD])
{
  static const struct { double from; const char *word; } words[] = {{1e12, "T"}, {1e9, "B"}, {1e6, "M"}, {1, ""}};
  double amount = isnan(tokens) ? samples : tokens;
  size_t i = 0;
  while (amount < words[i].from && words[i].from > 1) i++;
  snprintf(text, PM__REPORT_WORD, "%.4g%s %s", amount / words[i].from, words[i].word,
           isnan(tokens) ? "samples" : "tokens");
  return text;
}
