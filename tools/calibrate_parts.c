/*
** The manifest of perfmodel calibrate --all: which parts there are, in which order, and which files each one writes.
** A part starts from the files as the parts before it left them:
**
**     operators     what hosts and engines add to kernels; kernels are fitted with it
**     training      frameworks and libraries; language models, source documents and inference start from their times
**     status        which rows stand behind the constants; intervals are fitted by these words
**     errors        what the constants come to: of kinds of run, and without one mechanism after the other
**     pages         the numbers of the documentation, once the program is built with the constants
*/
#include <stdlib.h>
#include <string.h>
#include "calibrate_all.h"

#define CALIBRATION(name) "data/calibration/" name ".xml"
#define FRAMEWORKS "data/frameworks/frameworks.xml"

/*
** Hosts of operators and the constants of attention are fitted to the same rows, one after the other. Each turn moves
** both again, by up to a quarter where rows hardly decide them (Ada, Blackwell), so there is one turn, from here: what
** attention took in the turn before, fitted to the same rows in 2026-11. Like the start of any search these are no
** result; the hosts that are found with them are shipped, and then the attention that is found with these hosts.
*/
#define START(architecture, field, text) {"kernel_calibration", architecture, field, text}
#define ATTENTION(architecture, block, score, load, part)                                    \
  START(architecture, "flash_block", block), START(architecture, "flash_score", score),      \
  START(architecture, "flash_load", load), START(architecture, "flash_part", part)

static const cli_start attention[] = {
  ATTENTION("ampere", "2.73 us", "0.05208", "13.67 B", "542.2"),
  ATTENTION("ada", "4.308 us", "0.1349", "17.11 B", "49.3"),
  ATTENTION("hopper", "2.807 us", "0.002993", "33.67 B", "661.8"),
  ATTENTION("blackwell", "2.486 us", "0.05488", "50.81 B", "579"),
  {NULL, NULL, NULL, NULL},
};

static const cli_part parts[] = {
  {"collectives", NULL, {CALIBRATION("collectives")}, NULL, false},
  {"operators", NULL, {CALIBRATION("kernel_harnesses")}, attention, false},
  {"kernels", NULL, {CALIBRATION("kernels")}, NULL, false},
  {"training", NULL, {FRAMEWORKS, CALIBRATION("kernels")}, NULL, false},
  {"language", NULL, {FRAMEWORKS, CALIBRATION("kernels")}, NULL, false},
  {"documents", NULL, {FRAMEWORKS}, NULL, false},
  {"inference", NULL, {CALIBRATION("inference"), CALIBRATION("kernels")}, NULL, false},
  {"large-models", NULL, {"data/frameworks/today.xml"}, NULL, false},
  {"plans", NULL, {"data/frameworks/today.xml", CALIBRATION("kernels")}, NULL, false},
  {"grouped", NULL, {FRAMEWORKS, CALIBRATION("kernels")}, NULL, false},
  {"serving", NULL, {"data/frameworks/engines.xml", CALIBRATION("kernel_harnesses")}, NULL, false},
  {"energy", NULL, {CALIBRATION("kernels")}, NULL, false},
  {"status", "calibration_status.py", {CALIBRATION("operators"), FRAMEWORKS, CALIBRATION("inference")}, NULL, false},
  {"intervals", "fit_intervals.py", {FRAMEWORKS}, NULL, false},
  {"input-interval", "input_interval.py", {FRAMEWORKS}, NULL, false},
  {"errors", "errors.py", {NULL}, NULL, true},
  {"pages", "pages.py", {NULL}, NULL, false},
};

enum { PARTS = sizeof parts / sizeof parts[0] };

const cli_part *part_at(size_t index)
{
  return index < PARTS ? &parts[index] : NULL;
}

static bool choose(const char *name, unsigned *chosen)
{
  char known[200] = "";
  for (size_t i = 0; i < PARTS; i++) {
    if (strcmp(parts[i].name, name) == 0) return *chosen |= 1u << i, true;
    snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i > 0 ? ", " : "", parts[i].name);
  }
  fail(CODE_USAGE, "--part \"%.80s\" is unknown; it must be one of %s, as in: "
       "perfmodel calibrate --all --part kernels", name, known);
  return false;
}

bool read_parts(const cli_request *request, unsigned *chosen)
{
  texts names;
  bool good = true;
  *chosen = (1u << PARTS) - 1;
  if (request->value[OPTION_PART] == NULL) return true;
  if (!read_option_names("part", request->value[OPTION_PART], &names)) return false;
  *chosen = 0;
  for (size_t i = 0; i < names.count && good; i++) good = choose(names.items[i], chosen);
  free(names.items);
  return good;
}
