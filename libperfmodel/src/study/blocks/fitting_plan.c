/* What fits where the run does not, with as many samples per step: the fields in which it differs. */
#include <math.h>
#include <string.h>
#include "study/blocks/blocks.h"

static const char *const choices[] = {
  "gpus", "nodes", "lora_rank", "base_weights", "tensor_parallel", "sequence_parallel", "context_parallel",
  "pipeline_parallel", "virtual_pipeline", "expert_parallel", "zero", "recompute", "gradient_accumulation_steps",
  "batch", "micro_batch"};

static void fill(const pm__study_subject *s, pm_report *r)
{
  pm_run best;
  char value[PM_TEXT_MAX];
  const pm_record_type *type = pm_record_type_find("run");
  if (!s->trains || s->step.status != PM_STATUS_DOES_NOT_FIT) return;
  if (!pm__study_find_fitting(s, r, &best)) {
    pm__report_add(r, "none", "no plan on these GPUs fits, nor on more nodes");
    return;
  }
  for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
    const pm_field *field = pm_record_find_field(type, choices[i]);
    double own = pm_record_get_number(field, &s->run), other = pm_record_get_number(field, &best);
    bool same = own == other && (i > 0 || best.nodes == s->run.nodes); /* GPUs are those of a node beside nodes */
    bool total = s->given->global_batch != 0 && strcmp(choices[i], "batch") == 0; /* which decides it */
    if (same || total || isnan(other) || (isnan(own) && other == best.batch)) continue;
    pm__report_add(r, field->name, "%s", pm_record_format(field, &best, value));
  }
}

const pm__study_block pm__study_block_fitting_plan = {
  .title = "A plan that fits", .style = PM_REPORT_STYLE_VALUES,
  .fill = {[PM_REPORT_OF_ANSWERS] = fill}};
