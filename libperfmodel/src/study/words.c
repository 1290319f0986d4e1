/* Words that several blocks of a report use. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "study/report.h"

static bool is_training(const pm__study_subject *s)
{
  return s->answer == PM__STUDY_STEP || s->answer == PM__STUDY_STEP_MEMORY;
}

const char *pm__study_field(const pm__study_subject *s, const char *name, char text[PM_TEXT_MAX])
{
  const pm_record_type *type = pm_record_type_find(is_training(s) ? "run" : "inference_run");
  const void *record = is_training(s) ? (const void *)&s->run : (const void *)&s->call;
  return pm_record_format(pm_record_find_field(type, name), record, text);
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
  return with_blanks(pm_record_find_field(pm_record_type_find("prediction"), "verdict")->choices[verdict].name, text);
}

const char *pm__study_sentence(const char *word, char text[PM_TEXT_MAX])
{
  with_blanks(word, text);
  text[0] = (char)toupper((unsigned char)text[0]);
  return text;
}

double pm__study_gpus(const pm__study_subject *s)
{
  return is_training(s) ? (double)s->run.gpus * s->run.nodes : (double)s->call.gpus * s->call.nodes;
}
