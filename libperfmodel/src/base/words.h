/*
** Words of free text: runs of letters and digits, in lower case. "80 GB" and "16G" are the words 80gb and 16gb.
*/
#ifndef PM_BASE_WORDS_H
#define PM_BASE_WORDS_H

#include "base/base.h"

enum { PM__WORDS_MOST = 64, PM__WORDS_BYTES = 512 };

typedef struct pm__words {
  char text[PM__WORDS_BYTES];
  const char *word[PM__WORDS_MOST];
  size_t count;
} pm__words;

/* Splits a text; words beyond the limits are dropped. Words point into the struct: a copy points into the original. */
void pm__words_split(pm__words *words, const char *text);

bool pm__word_is_memory(const char *word); /* "16gb" */

bool pm__words_have(const pm__words *words, const char *word);

/* Whether all words of `some` are among `all`. */
bool pm__words_within(const pm__words *some, const pm__words *all);

/* Whether a condition holds for a text: all words of one of its alternatives, separated by '|', are in it. "-" means an
** empty text, quotes a literal text, '!' negates an alternative, and an empty condition always holds. */
bool pm__words_hold(const char *condition, const char *text);

#endif
