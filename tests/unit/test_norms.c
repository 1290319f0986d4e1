/* Normalisations, and learned numbers of each channel. */
#include "one_layer.h"
#include <stdio.h>

static void check_parameters(const char *kind, const char *shape, const char *attributes, double parameters,
                             int tensors)
{
  pm_network *network = layer_of(kind, shape, attributes);
  const pm__layer *layer = last_layer(network);
  ck_assert_msg(layer->parameters == parameters && layer->parameter_tensors == tensors, "%s of %s with %s: %.0f in %d",
                kind, shape, attributes, layer->parameters, layer->parameter_tensors);
  ck_assert(layer->mac == 0 && layer->elements_out == layer->elements_in);
  pm_network_free(network);
}

START_TEST(parameters_are_as_documented)
{
  check_parameters("batch_norm", "64x56x56", "", 128, 2);
  check_parameters("batch_norm", "64", "", 128, 2);
  check_parameters("batch_norm", "64x4x5x6", "affine=no", 0, 0);
  check_parameters("layer_norm", "384x768", "", 1536, 2); /* BERT-base */
  check_parameters("layer_norm", "384x768", "bias=no", 768, 1);
  check_parameters("layer_norm", "384x768", "affine=no", 0, 0);
  check_parameters("layer_norm", "5x10x20", "dims=2", 400, 2);
  check_parameters("layer_norm", "5x10x20", "dims=3", 2000, 2);
  check_parameters("rms_norm", "100x4096", "", 4096, 1); /* Llama-2 7B */
  check_parameters("rms_norm", "100x4096", "affine=no", 0, 0);
  check_parameters("rms_norm", "100x4096", "heads=32", 128, 1); /* Qwen 3 */
  check_parameters("layer_norm", "100x4096", "heads=32", 256, 2);
  check_parameters("group_norm", "512x28x28", "groups=32", 1024, 2);
  check_parameters("group_norm", "512", "groups=32 affine=no", 0, 0);
  check_parameters("instance_norm", "64x20x20", "", 0, 0);
  check_parameters("instance_norm", "64x20", "affine=yes", 128, 2);
  check_parameters("bias", "64x20x20", "", 64, 1);
  check_parameters("bias", "7x768", "axis=-1", 768, 1);
  check_parameters("scale", "128x56x56", "", 128, 1); /* ConvNeXt's layer scale */
}
END_TEST

/* Group norm is layer norm in one group, instance norm in as many as there are channels. */
START_TEST(groups_lead_from_one_norm_to_the_other)
{
  pm_network *one = layer_of("group_norm", "12x5x7", "groups=1 affine=no");
  pm_network *all = layer_of("group_norm", "12x5x7", "groups=12 affine=no");
  pm_network *layer = layer_of("layer_norm", "12x5x7", "dims=3 affine=no");
  pm_network *instance = layer_of("instance_norm", "12x5x7", "");
  ck_assert(last_layer(one)->flop[PM__FORWARD] == last_layer(layer)->flop[PM__FORWARD]);
  ck_assert(kernels_of(one, last_layer(one))->shape.row == kernels_of(layer, last_layer(layer))->shape.row);
  ck_assert(kernels_of(one, last_layer(one))->shape.row == 12 * 5 * 7);
  ck_assert(kernels_of(all, last_layer(all))->shape.row == kernels_of(instance, last_layer(instance))->shape.row);
  ck_assert(kernels_of(all, last_layer(all))->shape.row == 5 * 7);
  ck_assert(last_layer(all)->saved.elements == 2 * 12 && last_layer(one)->saved.elements == 2);
  pm_network_free(one);
  pm_network_free(all);
  pm_network_free(layer);
  pm_network_free(instance);
}
END_TEST

START_TEST(operations_are_those_written_down)
{
  static const struct {
    const char *kind, *attributes;
    double flop;
  } known[] = {
    {"batch_norm", "", 4}, {"layer_norm", "", 7}, {"layer_norm", "bias=no", 6}, {"layer_norm", "affine=no", 5},
    {"rms_norm", "", 4},   {"rms_norm", "affine=no", 3}, {"group_norm", "groups=4", 7}, {"instance_norm", "", 5},
    {"lrn", "size=5", 13}, {"bias", "", 1},       {"scale", "", 1},
  };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    pm_network *network = layer_of(known[i].kind, "8x6x10", known[i].attributes);
    ck_assert_msg(last_layer(network)->flop[PM__FORWARD] == known[i].flop * 480, "%s %s", known[i].kind,
                  known[i].attributes);
    ck_assert(last_layer(network)->mac_bnl == (i == 0 ? 4 * 480 : known[i].kind[0] == 'b' ? 480 : 0));
    pm_network_free(network);
  }
}
END_TEST

/* Gradients of parameters are computed behind the network's own input too; without parameters, none. */
/* 8 output channels have 6 x 3 x 3 weights each, read twice and written, whatever the image and the batch. */
START_TEST(weights_are_standardised_once_for_all_samples)
{
  pm_network *network = layer_of("weight_standardization", "12x20x10", "out_channels=8 kernel=3 groups=2 gain=yes");
  const pm__layer *layer = last_layer(network);
  const pm__layer_kernel *kernel = kernels_of(network, layer);
  ck_assert(layer->parameters == 8 && layer->mac == 0 && kernel->shape.row == 6 * 9);
  ck_assert(kernel->work.elements == 0 && kernel->work.flop == 0 && kernel->work.fixed_elements == 3 * 8 * 54 + 8);
  pm_network_free(network);
}
END_TEST

START_TEST(parameters_have_gradients)
{
  static const char *const kinds[] = {"layer_norm", "rms_norm", "scale", "prelu"};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    pm_network *first = try_layer_of(kinds[i], "8x6x10", "", false, NULL);
    ck_assert(last_layer(first)->flop[PM__DGRAD] == 0 && last_layer(first)->flop[PM__WGRAD] > 0);
    pm_network_free(first);
  }
  pm_network *plain = layer_of("layer_norm", "8x6x10", "affine=no");
  ck_assert(last_layer(plain)->flop[PM__WGRAD] == 0 && last_layer(plain)->flop[PM__DGRAD] > 0);
  pm_network_free(plain);
}
END_TEST

START_TEST(what_cannot_be_is_refused)
{
  ck_refused("layer_norm", "5x8", "dims=3", "5x8 has no 3 dimensions");
  ck_refused("rms_norm", "5x8", "heads=3", "3 heads do not divide rows of 8");
  ck_refused("group_norm", "10x8", "groups=4", "4 groups do not divide 10 channels");
  ck_refused("group_norm", "10x8", "", "needs groups");
  ck_refused("instance_norm", "10", "", "takes channels and 1 to 3 dimensions of space, not 10");
  ck_refused("bias", "10x8", "axis=2", "10x8 has no axis 2");
  ck_refused("bias", "10x8", "axis=-3", "10x8 has no axis -3");
  ck_refused("lrn", "10x8", "", "takes channels x height x width");
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("norms");
  TCase *tests = tcase_create("norms");
  tcase_add_test(tests, parameters_are_as_documented);
  tcase_add_test(tests, groups_lead_from_one_norm_to_the_other);
  tcase_add_test(tests, operations_are_those_written_down);
  tcase_add_test(tests, weights_are_standardised_once_for_all_samples);
  tcase_add_test(tests, parameters_have_gradients);
  tcase_add_test(tests, what_cannot_be_is_refused);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
