/* What was not given of the run, and is taken to be. */
#include "study/blocks/blocks.h"

static void fill(const pm__study_subject *s, pm_report *r)
{
  if (s->assumed[0] != '\0') pm__report_add(r, "assumed", "assumed: %s", s->assumed);
}

const pm__study_block pm__study_block_assumptions = {
  .title = "", .style = PM_REPORT_STYLE_SENTENCES,
  .fill = {fill, fill, fill, fill, fill, fill, fill, fill, fill, fill, fill}};
