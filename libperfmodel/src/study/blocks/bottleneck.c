/* What limits the run, in words. */
#include "study/blocks/blocks.h"

/* What takes the largest share, as the beginning of a sentence, and where the prediction has it: a share, or a time. */
static const struct {
  const char *words;
  size_t share, time;
} limits[PM_BOTTLENECK_COUNT] = {
  [PM_BOTTLENECK_COMPUTE] = {"Compute bound: kernels at the limit of arithmetic take",
                             offsetof(pm_prediction, compute_share), 0},
  [PM_BOTTLENECK_MEMORY_BANDWIDTH] = {"Memory-bandwidth bound: kernels that wait for device memory take",
                                      offsetof(pm_prediction, memory_bandwidth_share), 0},
  [PM_BOTTLENECK_COMMUNICATION] = {"Communication bound: exposed communication takes",
                                   offsetof(pm_prediction, communication_share), 0},
  [PM_BOTTLENECK_LAUNCH_OVERHEAD] = {"Bound by CPU launch overhead, which takes",
                                     offsetof(pm_prediction, launch_overhead_share), 0},
  [PM_BOTTLENECK_STRAGGLER_WAIT] = {"Bound by the straggler wait: waiting for the slowest GPU takes",
                                    offsetof(pm_prediction, straggler_wait_share), 0},
  [PM_BOTTLENECK_INPUT] = {"Input bound: waiting for samples takes", offsetof(pm_prediction, input_wait_share), 0},
  [PM_BOTTLENECK_TENSOR_COMMUNICATION] = {"Communication bound: exposed exchanges of tensor parallelism take", 0,
                                          offsetof(pm_prediction, tensor_communication_time)},
  [PM_BOTTLENECK_CONTEXT_COMMUNICATION] = {"Communication bound: exposed exchanges of context parallelism take", 0,
                                           offsetof(pm_prediction, context_communication_time)},
  [PM_BOTTLENECK_EXPERT_COMMUNICATION] = {"Communication bound: exposed exchanges of expert parallelism take", 0,
                                          offsetof(pm_prediction, expert_communication_time)},
  [PM_BOTTLENECK_EMBEDDING_COMMUNICATION] = {"Communication bound: exposed exchanges of pooled embeddings take", 0,
                                             offsetof(pm_prediction, embedding_communication_time)},
  [PM_BOTTLENECK_PIPELINE_COMMUNICATION] = {"Communication bound: exposed exchanges of pipeline parallelism take", 0,
                                            offsetof(pm_prediction, pipeline_communication_time)},
  [PM_BOTTLENECK_DATA_COMMUNICATION] = {"Communication bound: exposed exchanges of data parallelism take", 0,
                                        offsetof(pm_prediction, exposed_data_communication_time)},
  [PM_BOTTLENECK_BUBBLE] = {"Bound by the pipeline's bubble: its stages wait for each other",
                            offsetof(pm_prediction, bubble_share), 0},
  [PM_BOTTLENECK_OFFLOAD] = {"Bound by offloading: copies to the host and the update there take",
                             offsetof(pm_prediction, offload_share), 0},
};

static double read(const pm_prediction *p, size_t offset)
{
  return *(const double *)(const void *)((const char *)p + offset);
}

/* Of training, with its share of the step. */
static void add_share(const pm_prediction *p, pm_report *r)
{
  char text[PM__REPORT_WORD];
  const char *words = limits[p->bottleneck].words;
  size_t time = limits[p->bottleneck].time;
  double share = time > 0 ? read(p, time) / p->step_time : read(p, limits[p->bottleneck].share);
  if (words == NULL) pm__report_add(r, "bottleneck", "The bottleneck is not known.");
  else pm__report_add(r, "bottleneck", "%s %s of the step.", words, pm__report_percent(text, share));
  if (words != NULL) pm__report_set_value(r, share, "1");
}

static void fill(const pm__study_subject *s, pm_report *r)
{
  if (!pm__study_predicted(s)) return;
  int32_t bottleneck = (int32_t)pm__study_number(s, "bottleneck");
  const pm_choice *choice = pm__study_choice(s->task->facts.answer, "bottleneck", bottleneck);
  if (s->trains) add_share(&s->step, r);
  else if (pm__study_serves(s)) pm__report_add(r, "bottleneck", "Bottleneck: %s, %s.", choice->name, choice->doc);
  else pm__report_add(r, "bottleneck", "Bottleneck: %s of a %s.", choice->doc, s->task->facts.unit);
  pm__report_summarize(r, "bottleneck %s", choice->name);
}

const pm__study_block pm__study_block_bottleneck = {
  .title = "", .style = PM_REPORT_STYLE_SENTENCES,
  .fill = {[PM_REPORT_OF_ANSWERS] = fill}};
