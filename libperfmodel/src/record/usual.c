/* Names that users bring from elsewhere: what other programs call an option, a value of a choice, a framework. */
#include <string.h>
#include "base/base.h"
#include "perfmodel/record.h"

typedef struct usual_name {
  const char *of; /* of what it is a name */
  const char *usual, *name;
} usual_name;

static const usual_name usual_names[] = {
  {"precision", "float16", "fp16"}, {"precision", "half", "fp16"}, {"precision", "amp", "fp16"},
  {"precision", "mixed", "fp16"}, {"precision", "mixed_float16", "fp16"}, {"precision", "f16", "fp16"},
  {"precision", "bfloat16", "bf16"}, {"precision", "mixed_bfloat16", "bf16"}, {"precision", "float32", "fp32"},
  {"precision", "single", "fp32"}, {"precision", "float", "fp32"}, {"precision", "f32", "fp32"},
  {"precision", "tensorfloat32", "tf32"}, {"precision", "float64", "fp64"}, {"precision", "double", "fp64"},
  {"precision", "float8", "fp8"},
  {"option", "batch_size", "batch"}, {"option", "batchsize", "batch"}, {"option", "bs", "batch"},
  {"option", "bsz", "batch"}, {"option", "per_device_batch_size", "batch"}, {"option", "batch_per_gpu", "batch"},
  {"option", "micro_batch_size", "batch"}, {"option", "global_batch_size", "global-batch"},
  {"option", "num_gpus", "gpus"}, {"option", "n_gpus", "gpus"}, {"option", "ngpus", "gpus"},
  {"option", "gpu_count", "gpus"}, {"option", "num_devices", "gpus"}, {"option", "devices", "gpus"},
  {"option", "gpus_per_node", "gpus"}, {"option", "nproc_per_node", "gpus"}, {"option", "gpu", "gpus"},
  {"option", "num_nodes", "nodes"}, {"option", "n_nodes", "nodes"}, {"option", "nnodes", "nodes"},
  {"option", "dtype", "precision"}, {"option", "gradient_accumulation_steps", "accumulation"},
  {"option", "gradient_accumulation", "accumulation"}, {"option", "accumulate_grad_batches", "accumulation"},
  {"framework", "jax", "tf1-xla"}, {"framework", "flax", "tf1-xla"}, {"framework", "xla", "tf1-xla"},
  {"framework", "lightning", "pt-nchw"}, {"framework", "pytorch_lightning", "pt-nchw"},
  {"framework", "deepspeed", "pt-nchw"}, {"framework", "huggingface", "pt-nchw"},
  {"option", "optim", "optimizer"}, {"option", "model", "network"}, {"option", "net", "network"},
  {"option", "machine", "system"}, {"option", "node", "nodes"},
};

const char *pm_name_find_usual(const char *of, const char *name)
{
  if (of == NULL || name == NULL) return NULL;
  for (size_t i = 0; i < sizeof usual_names / sizeof usual_names[0]; i++)
    if (strcmp(usual_names[i].of, of) == 0 && pm__same_name(usual_names[i].usual, name)) return usual_names[i].name;
  return NULL;
}

const char *pm_field_find_meant(const pm_record_type *type, const char *name)
{
  const char *usual = pm_name_find_usual("option", name), *nearest = NULL;
  int least = name != NULL ? (int)(strlen(name) / 3) + 1 : 0;
  for (size_t i = 0; type != NULL && name != NULL && i < type->field_count; i++) {
    const char *each = type->fields[i].name;
    if (usual != NULL && pm__same_name(usual, each)) return each;
    int apart = pm__name_distance(name, each);
    if (apart >= least) continue;
    nearest = each;
    least = apart;
  }
  return nearest;
}
