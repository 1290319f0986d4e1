/* What each field of a call of inference comes from. */
#include "task/formulas.h"

#define PAGE "inference.md#the-formulas"
#define RATE "throughput"

const char *const pm__task_formulas_of_inference[] = {
  STATUS,
  "throughput|= total_gpus * batch / latency||" PAGE "|" RATE,
  "tokens_per_second|= throughput * model.tokens||" PAGE "|" RATE,
  INTERVAL_ENDS("throughput"),
  "latency|the root of the sum of squares of gpu_time and launch_time, and step_time|gpu_time launch_time "
  "step_time|" PAGE
  "|" RATE,
  "gpu_time|= product_time + pass_time + conversion_time||" PAGE,
  "product_time|convolutions and matrix multiplications of the forward pass, " EACH_KERNEL "|" KERNELS
  " profile.tensor_factor|" PAGE,
  "convolution_time|the convolutions among them, times the factor of the library|profile.tensor_factor "
  "profile.simt_factor " KERNELS "|" PAGE,
  "pass_time|memory-bound kernels, with the factor of those of the framework|profile.framework_kernel_factor "
  "profile.fusion gpu.memory_bandwidth " KERNELS "|" PAGE,
  "conversion_time|numbers of the tensors whose layout changes, over the bandwidth that kernels reach|"
  "profile.convert_tensor profile.convert_simt gpu.memory_bandwidth|" PAGE,
  "launch_time|host time of a kernel, times the kernels, on a core of this host|profile.launch "
  "profile.plain_launch kernels machine.cpu_core_clock machine.cpu_core_work|" PAGE,
  "step_time|host time of a call, of the copy of its inputs and of operations on single samples that the GPU waits for|"
  "profile.step_time profile.host_copy_bandwidth profile.launch|" PAGE,
  "kernels|kernels of the forward pass as the software runs it|profile.fusion|inference.md#the-kernels-that-run",
  "bottleneck|the largest of compute-bound kernels, memory-bound kernels and host|gpu_time launch_time step_time|" PAGE,
  "flop|= batch * model.flop||model.md#counts",
  "flop_rate|= flop / latency||" PAGE "|" RATE,
  "mfu|= flop_rate / peak||" PAGE "|" RATE,
  "memory|weights, activations that live at once, and what the software keeps|model.parameters memory_profile.context|"
  "model.md#memory",
  "gpu_memory|what the driver leaves to programs of the memory of the GPU, or usable_memory of the run|gpu.memory "
  "usable_memory|model.md#memory",
  "verdict|fits up to gpu_memory, tight up to 8 % above it|memory gpu_memory|model.md#memory",
  "largest_batch|the largest whose memory is at most gpu_memory|memory gpu_memory|model.md#memory",
  "calibration|the worst of what the kinds of work rest on that take a tenth of the call|profile.origin "
  "profile.calibrated_on|inference.md#constants-and-what-they-rest-on",
  "total_gpus|= gpus * nodes||" PAGE,
  "hfu|flop_rate without what Winograd and FFT save, over peak|flop_rate peak|" PAGE "|" RATE,
  NULL,
};
