/* Where to read more of a field. */
#include "study/blocks/blocks.h"

static void fill(const pm__study_subject *s, pm_report *r)
{
  pm__report_add(r, "more", "More: docs/%s. Sources by name: perfmodel list sources. Numbers of the GPU: perfmodel "
                            "show gpu %s.", s->formula.page, s->gpu->id);
}

const pm__study_block pm__study_block_explained_more = {
  .title = "", .style = PM_REPORT_STYLE_SENTENCES,
  .fill = {[PM_REPORT_OF_FIELD] = fill}};
