/* What convolutions and transposed convolutions share. */
#ifndef PM_NETWORK_KINDS_CONV_H
#define PM_NETWORK_KINDS_CONV_H

#include "network/kinds/kinds.h"

/* The slots that every kind of convolution has; each begins its own after PM__CONV_OWN. */
enum {
  PM__CONV_KERNEL,
  PM__CONV_STRIDE = PM__CONV_KERNEL + PM__TUPLE_SLOTS,
  PM__CONV_PADDING = PM__CONV_STRIDE + PM__TUPLE_SLOTS,
  PM__CONV_PADDING_END = PM__CONV_PADDING + PM__TUPLE_SLOTS,
  PM__CONV_DILATION = PM__CONV_PADDING_END + PM__TUPLE_SLOTS,
  PM__CONV_BIAS = PM__CONV_DILATION + PM__TUPLE_SLOTS,
  PM__CONV_GROUPS,
  PM__CONV_OUT_CHANNELS,
  PM__CONV_OWN
};

/* The lines of their rules. */
#define PM__CONV_CHANNELS_RULE \
  PM__REQUIRED("out_channels", PM__CONV_OUT_CHANNELS, PM__COUNT, 1, 1e7, "channels of the output")
#define PM__CONV_WINDOW_RULES                                                                                      \
  PM__REQUIRED("kernel", PM__CONV_KERNEL, PM__TUPLE, 1, 1e5, "size of the kernel"),                                \
    PM__OPTIONAL("stride", PM__CONV_STRIDE, PM__TUPLE, 1, 1e5, 1, "step of the kernel"),                           \
    PM__OPTIONAL("padding", PM__CONV_PADDING, PM__TUPLE, 0, 1e5, 0, "zeros in front of each axis, and behind it"), \
    PM__LIKE("padding_end", PM__CONV_PADDING_END, PM__TUPLE, 0, 1e5, "padding", "zeros behind, if others"),        \
    PM__OPTIONAL("dilation", PM__CONV_DILATION, PM__TUPLE, 1, 1e5, 1, "distance of the kernel's elements")
#define PM__CONV_GROUPS_RULE \
  PM__OPTIONAL("groups", PM__CONV_GROUPS, PM__COUNT, 1, 1e7, 1, "parts of the channels that do not see each other")
#define PM__CONV_PARAMETER_RULES \
  PM__SWITCHED("bias", PM__CONV_BIAS, 1, "adds a learned number to each output channel"), PM__SHARED_RULE

/* How many axes a kind works on: its traits. */
typedef struct pm__conv_traits {
  int axes;
} pm__conv_traits;

/* Elements of the kernel. */
double pm__conv_window(const pm__layer *layer);

/* PM_STATUS_BAD_SHAPE unless the groups divide the channels. */
int pm__conv_check_groups(const pm__layer *layer, int64_t channels, double out_channels, pm_error *error);

/* Sets parameters and MAC, and lists the three kernels. `geometry` is the convolution. */
void pm__conv_count(pm__layer *layer, pm__layer_kernels *kernels, double weights, double mac, const pm__conv *geometry);

/* The sizes of input and output, and the attributes, on the axes that the kind has. */
void pm__conv_space(const pm__layer *layer, const pm__shape *in, const pm__shape *out, pm__conv *geometry);

#endif
