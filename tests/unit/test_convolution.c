/* Convolutions: shapes, counts, and how they relate to each other. */
#include "one_layer.h"
#include <stdio.h>
#include <string.h>

static const char *shape_of(const pm_network *network)
{
  static char text[PM_TEXT_MAX];
  return pm__shape_text(&last_layer(network)->output, text, sizeof text);
}

/* Sizes of PyTorch's own examples: Conv1d, Conv2d, Conv3d, ConvTranspose2d, ConvTranspose3d. */
static const struct {
  const char *kind, *input, *attributes, *output;
} sizes[] = {
  {"conv1d", "16x50", "out_channels=33 kernel=3 stride=2", "33x24"},
  {"conv2d", "16x50x100", "out_channels=33 kernel=3,5 stride=2,1 padding=4,2 dilation=3,1", "33x26x100"},
  {"conv3d", "16x10x50x100", "out_channels=33 kernel=3,5,2 stride=2,1,1 padding=4,2,0", "33x8x50x99"},
  {"conv_transpose2d", "16x50x100", "out_channels=33 kernel=3,5 stride=2,1 padding=4,2", "33x93x100"},
  {"conv_transpose2d", "16x6x6", "out_channels=16 kernel=3 stride=2 padding=1 output_padding=1", "16x12x12"},
  {"conv_transpose3d", "16x10x50x100", "out_channels=33 kernel=3,5,2 stride=2,1,1 padding=0,4,2", "33x21x46x97"},
  {"conv_transpose1d", "4x7", "out_channels=2 kernel=4 stride=3 dilation=2", "2x25"},
  /* TensorFlow's "same" on an even size pads behind only. */
  {"conv2d", "3x224x224", "out_channels=32 kernel=3 stride=2 padding=0 padding_end=1", "32x112x112"},
  {"conv1d", "8x100", "out_channels=8 kernel=3 padding=2 padding_end=0", "8x100"}, /* causal */
};

START_TEST(sizes_are_as_documented)
{
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    pm_network *network = layer_of(sizes[i].kind, sizes[i].input, sizes[i].attributes);
    ck_assert_msg(strcmp(shape_of(network), sizes[i].output) == 0, "%s of %s with %s gives %s, not %s", sizes[i].kind,
                  sizes[i].input, sizes[i].attributes, shape_of(network), sizes[i].output);
    pm_network_free(network);
  }
}
END_TEST

/* Parameters and products by the documented formulas, over a grid of groups, kernels, strides and axes. */
static void check_grid(int axes, int groups, int kernel, int stride)
{
  static const char *const kinds[] = {"conv1d", "conv2d", "conv3d"};
  static const char *const inputs[] = {"24x19", "24x19x13", "24x19x13x11"};
  static const double in_size[] = {19, 13, 11};
  char attributes[100], transposed[32];
  double window = 1, positions = 1, in_positions = 1;
  for (int i = 0; i < axes; i++) {
    window *= kernel;
    positions *= (double)(((int)in_size[i] + 2 - kernel) / stride + 1);
    in_positions *= in_size[i];
  }
  snprintf(attributes, sizeof attributes, "out_channels=48 groups=%d kernel=%d stride=%d padding=1", groups, kernel,
           stride);
  snprintf(transposed, sizeof transposed, "conv_transpose%dd", axes);
  pm_network *direct = layer_of(kinds[axes - 1], inputs[axes - 1], attributes);
  pm_network *back = layer_of(transposed, inputs[axes - 1], attributes);
  ck_assert(last_layer(direct)->parameters == 48.0 * 24 / groups * window + 48);
  ck_assert(last_layer(direct)->mac == 48.0 * 24 / groups * window * positions);
  ck_assert(last_layer(back)->parameters == 48.0 * 24 / groups * window + 48);
  ck_assert(last_layer(back)->mac == 48.0 * 24 / groups * window * in_positions);
  pm_network_free(direct);
  pm_network_free(back);
}

START_TEST(counts_follow_their_formulas)
{
  for (int axes = 1; axes <= 3; axes++)
    for (int groups = 1; groups <= 12; groups *= 2 + (groups > 2))
      for (int kernel = 2; kernel <= 5; kernel++)
        for (int stride = 1; stride <= 3; stride++) check_grid(axes, groups, kernel, stride);
}
END_TEST

/* Equal counts in every pass. */
static void check_same(pm_network *a, pm_network *b)
{
  const pm__layer *x = last_layer(a), *y = last_layer(b);
  ck_assert(x->parameters == y->parameters && x->parameter_tensors == y->parameter_tensors);
  ck_assert(x->mac == y->mac && x->mac_bnl == y->mac_bnl);
  ck_assert(x->elements_out == y->elements_out && x->elements_in == y->elements_in);
  for (int pass = 0; pass < PM__PASSES; pass++) {
    ck_assert(x->flop[pass] == y->flop[pass]);
    ck_assert(elements_moved(a, (pm__pass)pass, 3) == elements_moved(b, (pm__pass)pass, 3));
  }
  pm_network_free(a);
  pm_network_free(b);
}

START_TEST(a_depthwise_convolution_has_a_group_for_each_channel)
{
  check_same(layer_of("depthwise_conv2d", "32x112x112", "kernel=3 padding=1 bias=no"),
             layer_of("conv2d", "32x112x112", "out_channels=32 groups=32 kernel=3 padding=1 bias=no"));
  check_same(layer_of("depthwise_conv2d", "6x20x30", "kernel=5,3 stride=2 multiplier=4"),
             layer_of("conv2d", "6x20x30", "out_channels=24 groups=6 kernel=5,3 stride=2"));
  /* The first of MobileNet-v2: 288 parameters, 3.6 million products. */
  pm_network *network = layer_of("depthwise_conv2d", "32x112x112", "kernel=3 padding=1 bias=no");
  ck_assert(last_layer(network)->parameters == 288 && last_layer(network)->mac == 3612672);
  pm_network_free(network);
}
END_TEST

START_TEST(fewer_axes_are_axes_of_size_one)
{
  check_same(layer_of("conv1d", "8x50", "out_channels=12 kernel=5 stride=2 padding=2"),
             layer_of("conv2d", "8x1x50", "out_channels=12 kernel=1,5 stride=1,2 padding=0,2"));
  check_same(layer_of("conv2d", "8x40x50", "out_channels=12 kernel=3,5 dilation=2"),
             layer_of("conv3d", "8x1x40x50", "out_channels=12 kernel=1,3,5 dilation=1,2,2"));
  check_same(layer_of("conv_transpose1d", "8x50", "out_channels=12 kernel=4 stride=2 padding=1"),
             layer_of("conv_transpose2d", "8x1x50", "out_channels=12 kernel=1,4 stride=1,2 padding=0,1"));
}
END_TEST

/* A pointwise convolution is a fully connected layer on every position. */
START_TEST(a_pointwise_convolution_is_a_linear_layer)
{
  pm_network *conv = layer_of("conv2d", "64x7x9", "out_channels=100 kernel=1");
  pm_network *linear = layer_of("linear", "63x64", "out_features=100");
  ck_assert(last_layer(conv)->parameters == last_layer(linear)->parameters);
  ck_assert(last_layer(conv)->mac == last_layer(linear)->mac);
  ck_assert(last_layer(conv)->flop[PM__FORWARD] == last_layer(linear)->flop[PM__FORWARD]);
  pm_network_free(conv);
  pm_network_free(linear);
}
END_TEST

/* A transposed convolution undoes the shape of the convolution with the same attributes, with as many products. */
START_TEST(a_transposed_convolution_goes_back)
{
  for (int kernel = 1; kernel <= 5; kernel++)
    for (int stride = 1; stride <= 3; stride++) {
      char there[80], back[80], text[PM_TEXT_MAX];
      int size = 30 * stride + kernel - 2 * (kernel / 2); /* no rest */
      snprintf(there, sizeof there, "out_channels=10 kernel=%d stride=%d padding=%d bias=no", kernel, stride,
               kernel / 2);
      snprintf(back, sizeof back, "out_channels=6 kernel=%d stride=%d padding=%d bias=no", kernel, stride, kernel / 2);
      snprintf(text, sizeof text, "6x%dx%d", size, size);
      pm_network *network = layer_of("conv2d", text, there);
      double mac = last_layer(network)->mac, parameters = last_layer(network)->parameters;
      put_kind(network, "conv_transpose2d", (int)network->count - 1, back);
      ck_assert_str_eq(shape_of(network), text);
      ck_assert(last_layer(network)->mac == mac && last_layer(network)->parameters == parameters);
      pm_network_free(network);
    }
}
END_TEST

/* What the kernel models get to see. */
START_TEST(the_kernels_tell_their_geometry)
{
  pm_network *network = layer_of("conv_transpose2d", "10x6x7", "out_channels=4 kernel=3,5 stride=2 padding=1");
  const pm__layer *layer = last_layer(network);
  ck_assert_uint_eq(layer->kernel_count, 3);
  const pm__conv *conv = &kernels_of(network, layer)->shape.conv;
  ck_assert(conv->transposed && conv->channels == 4 && conv->out_channels == 10);
  ck_assert(conv->size[0] == 1 && conv->size[1] == 11 && conv->size[2] == 15);
  ck_assert(conv->out_size[0] == 1 && conv->out_size[1] == 6 && conv->out_size[2] == 7);
  ck_assert(conv->kernel[0] == 1 && conv->kernel[1] == 3 && conv->kernel[2] == 5);
  ck_assert(conv->stride[0] == 1 && conv->padding[0] == 0 && conv->dilation[0] == 1);
  ck_assert(layer->saved.inputs && !layer->saved.output && !layer->saved.view);
  pm_network_free(network);
}
END_TEST

START_TEST(what_cannot_be_is_refused)
{
  ck_refused("conv1d", "3x8x8", "out_channels=4 kernel=3", "takes channels x length, not 3x8x8");
  ck_refused("conv3d", "3x8x8", "out_channels=4 kernel=3", "channels x depth x height x width, not 3x8x8");
  ck_refused("conv2d", "3x8x8", "out_channels=4 kernel=3,3,3", "kernel has 3 numbers; it takes 1 or 2");
  ck_refused("conv1d", "3x8", "out_channels=4 kernel=3,3", "kernel has 2 numbers; it takes 1");
  ck_refused("conv3d", "3x8x8x8", "out_channels=4 kernel=3 stride=1,2", "stride has 2 numbers; it takes 1 or 3");
  ck_refused("conv2d", "3x8x8", "out_channels=4 kernel=3,3,3,3", "is not 1 to 3 numbers");
  ck_refused("conv2d", "3x8x8", "out_channels=4 kernel=3,", "is not a number");
  ck_refused("conv2d", "6x8x8", "out_channels=4 kernel=3 groups=3", "3 groups do not divide 6 input and 4 output");
  ck_refused("conv_transpose2d", "6x8x8", "out_channels=4 kernel=3 groups=4", "4 groups do not divide 6 input");
  ck_refused("conv_transpose2d", "6x8x8", "out_channels=4 kernel=3 stride=2 output_padding=2",
             "output_padding 2 is below neither stride 2 nor dilation 1");
  ck_refused("conv_transpose2d", "6x1x1", "out_channels=4 kernel=1 padding=3", "does not fit its input 6x1x1");
  ck_refused("depthwise_conv2d", "6x8x8", "kernel=3 groups=2", "no attribute \"groups\"");
  ck_refused("depthwise_conv2d", "6x8x8", "kernel=3 multiplier=0", "multiplier \"0\" is not within");
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("convolution");
  TCase *tests = tcase_create("convolution");
  tcase_add_test(tests, sizes_are_as_documented);
  tcase_add_test(tests, counts_follow_their_formulas);
  tcase_add_test(tests, a_depthwise_convolution_has_a_group_for_each_channel);
  tcase_add_test(tests, fewer_axes_are_axes_of_size_one);
  tcase_add_test(tests, a_pointwise_convolution_is_a_linear_layer);
  tcase_add_test(tests, a_transposed_convolution_goes_back);
  tcase_add_test(tests, the_kernels_tell_their_geometry);
  tcase_add_test(tests, what_cannot_be_is_refused);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
