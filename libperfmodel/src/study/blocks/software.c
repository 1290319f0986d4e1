/* Framework overhead on kernels and collectives, and what that rests on. */
#include "study/blocks/blocks.h"

static void fill(const pm__study_subject *s, pm_report *r)
{
  char basis[PM_FRAMEWORK_BASIS_MAX];
  const pm_framework_profile *f = s->software.framework;
  if (!s->trains || s->step.status != PM_OK) return;
  if (f == NULL) pm__report_add(r, "framework", "Framework: none, kernels and collectives only");
  else
    pm__report_add(r, "framework", "Framework: %s (%s), %s; %s", f->framework.name, f->framework.id, f->cudnn.name,
                   pm_framework_format_basis(&f->framework, basis));
}

const pm__study_block pm__study_block_software = {
  .title = "", .style = PM_REPORT_STYLE_SENTENCES,
  .fill = {[PM_REPORT_OF_ANSWERS] = fill, [PM_REPORT_OF_FIELD] = fill}};
