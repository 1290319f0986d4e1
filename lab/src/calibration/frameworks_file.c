/* Frameworks and generations of GPU libraries as a file of the catalogue, fitted constants in the places of the old
** ones. */
#include "calibration/calibration.h"

static const char frameworks_head[] =
  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
  "<!-- What frameworks and GPU libraries add to kernels and collectives, with constants fitted by perfmodel "
  "calibrate\n"
  "     (docs/calibration.md). Every number says what it rests on: fitted_to names the sources of the training rates "
  "that\n"
  "     it was fitted to, with the formulas of docs/model.md; else its origin is\n"
  "     fact     how the software is built\n"
  "     default  a setting that it comes with\n"
  "     guess    nothing behind it yet\n"
  "     A profile with evidence \"uncalibrated\" has no training rate behind it; \"documents\" was fitted to rows of "
  "the source\n"
  "     documents (perfmodel calibrate, set documents), which therefore say little about it. A profile that is `like` "
  "another has its\n"
  "     host times. -->\n"
  "<perfmodel version=\"1\">\n";

static const char profiles_head[] =
  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
  "<!-- How engines and frameworks run a forward pass: constants of the formulas in docs/inference.md, fitted by "
  "perfmodel\n"
  "     calibrate, set inference (docs/calibration.md). No datasheet value and no measurement stands here.\n"
  "\n"
  "     What an entry does not give is that of the profile it is `like`, then that of the framework it names, whose "
  "constants\n"
  "     were fitted to training: host time of a kernel times 0.6 (rule: no gradient is booked), host time of a step, "
  "time of\n"
  "     convolutions and of own kernels over the kernel model, conversions of layout. A framework without an entry has "
  "all from\n"
  "     training.\n"
  "     fusion     which layers run together: a fact about the software -->\n"
  "<perfmodel version=\"1\">\n";

typedef struct written {
  const pm_calibration *calibration;
  const pm_catalog *catalog;
  bool all;
  pm__lab_replaced *replaced;
  const void *user;
} written;

static void write_entries(pm__string *out, const char *kind, const written *w)
{
  pm__lab_entry entry;
  for (size_t i = 0; pm__lab_entry_at(w->catalog, kind, i, &entry); i++)
    if (w->all || pm__lab_calibration_has(w->calibration, entry.id))
      pm__lab_entry_write(out, &entry, w->replaced, w->user);
}

void pm__lab_frameworks_write(pm__string *out, const pm_calibration *calibration, const pm_catalog *catalog, bool all,
                              pm__lab_replaced *replaced, const void *user)
{
  static const char *const kinds[] = {"cudnn_generation", "prediction_interval", "framework"};
  const written fitted = {calibration, catalog, false, replaced, user};
  const written asked = {calibration, catalog, all, replaced, user};
  pm__string_add(out, frameworks_head);
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) write_entries(out, kinds[k], &asked);
  write_entries(out, "kernel_calibration", &fitted);
  pm__string_add(out, "\n</perfmodel>\n");
}

void pm__lab_profiles_write(pm__string *out, const pm_calibration *calibration, const pm_catalog *catalog, bool all,
                            pm__lab_replaced *replaced, const void *user)
{
  const written fitted = {calibration, catalog, false, replaced, user};
  const written asked = {calibration, catalog, all, replaced, user};
  pm__string_add(out, profiles_head);
  write_entries(out, "inference_profile", &asked);
  write_entries(out, "kernel_calibration", &fitted);
  pm__string_add(out, "\n</perfmodel>\n");
}
