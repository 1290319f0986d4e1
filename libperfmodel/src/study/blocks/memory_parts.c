/* The parts of the memory that a GPU needs. */
#include "study/blocks/blocks.h"

static void add(const pm__study_subject *s, pm_report *r, const char *label, double bytes)
{
  if (bytes > 0) pm__report_add_part(r, label, bytes, "B", s->use.total);
}

static void fill(const pm__study_subject *s, pm_report *r)
{
  const pm_memory_use *use = &s->use;
  add(s, r, s->task->activations, use->activations);
  add(s, r, "live gradients", use->live_gradients);
  add(s, r, "held by the allocator", use->allocator);
  add(s, r, "weights", use->weights);
  add(s, r, "gradients of weights", use->gradients);
  add(s, r, "optimizer", use->optimizer);
  add(s, r, "communication", use->communication);
  add(s, r, "next input", use->input);
  add(s, r, "workspace", use->workspace);
  add(s, r, "context", use->context);
  add(s, r, "engine's reserve", use->reserve);
  add(s, r, "cache of keys and values", use->cache);
}

const pm__study_block pm__study_block_memory_parts = {
  .title = "Parts", .style = PM_REPORT_STYLE_PARTS,
  .fill = {[PM_REPORT_OF_MEMORY] = fill}};
