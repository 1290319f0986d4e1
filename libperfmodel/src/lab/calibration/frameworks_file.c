/* Frameworks and generations of GPU libraries as a file of the catalogue, fitted constants in the places of the old ones. */
#include "lab/calibration/calibration.h"

static const char head[] =
  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
  "<!-- What frameworks and GPU libraries add to kernels and collectives, with constants fitted by perfmodel calibrate\n"
  "     (docs/calibration.md). Every number says what it rests on: fitted_to names the sources of the training rates that\n"
  "     it was fitted to, with the formulas of docs/model.md; else its origin is\n"
  "     fact     how the software is built\n"
  "     default  a setting that it comes with\n"
  "     guess    nothing behind it yet\n"
  "     A profile with evidence \"uncalibrated\" has no training rate behind it; \"documents\" was fitted to rows of the source\n"
  "     documents (perfmodel calibrate, set documents), which therefore say little about it. A profile that is `like` another has its\n"
  "     host times. -->\n"
  "<perfmodel version=\"1\">\n";

void pm__lab_frameworks_write(pm__string *out, const pm_calibration *c, const pm_catalog *catalog, bool all,
                              pm__lab_replaced *replaced, const void *user)
{
  static const int kinds[] = {PM__CUDNN_GENERATIONS, PM__PREDICTION_INTERVALS, PM__FRAMEWORKS, PM__KERNEL_CALIBRATIONS};
  pm__string_add(out, head);
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
    const pm__entry *entry;
    for (size_t i = 0; i < catalog->lists[kinds[k]].count; i++)
      if (pm__catalog_at(catalog, kinds[k], i, &entry, NULL) != PM_OK) out->failed = true;
      else if ((all && kinds[k] != PM__KERNEL_CALIBRATIONS) || pm__lab_calibration_has(c, entry->id))
        pm__lab_entry_write(out, entry, replaced, user);
  }
  pm__string_add(out, "\n</perfmodel>\n");
}
