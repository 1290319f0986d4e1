/* A report as one string, in any of the renderings. */
#include <stdlib.h>
#include "report/report.h"

/* Names are users' own, and terminals obey controls and marks of direction. */
static void add_clean(pm__string *out, const char *text)
{
  while (*text != '\0' && !out->failed)
    if (*text == '\n') pm__string_add(out, "\n"), text++;
    else text = pm__utf8_add_clean(out, text);
}

static void add_text(pm__string *out, const pm_report *report, int width)
{
  pm__string text = {NULL, 0, 0, false};
  pm__report_write_text(&text, report, width);
  if (text.failed) out->failed = true;
  else add_clean(out, text.length > 0 ? text.text : "");
  free(text.text);
}

char *pm_report_format(const pm_report *report, pm_rendering rendering, int width, pm_error *error)
{
  pm__string out = {NULL, 0, 0, false};
  if (report == NULL || rendering < PM_RENDERING_TEXT || rendering > PM_RENDERING_SUMMARY)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "there is no report, or no such rendering"), (char *)NULL;
  pm__string_add(&out, "");
  switch (rendering) {
  case PM_RENDERING_TEXT: add_text(&out, report, width); break;
  case PM_RENDERING_HTML: pm__report_write_html(&out, report); break;
  case PM_RENDERING_MARKDOWN: pm__report_write_markdown(&out, report); break;
  default: add_clean(&out, report->summary.length > 0 ? report->summary.text : "");
  }
  if (!out.failed) return out.text;
  pm__no_memory(error);
  free(out.text);
  return NULL;
}
