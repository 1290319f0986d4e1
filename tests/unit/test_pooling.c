/* Pooling and other sizes of an image. */
#include "one_layer.h"
#include <stdio.h>
#include <string.h>

static const struct {
  const char *kind, *input, *attributes, *output;
  double flop; /* forward */
} known[] = {
  {"max_pool", "64x112x112", "kernel=3 stride=2 padding=1", "64x56x56", 9.0 * 64 * 56 * 56},
  {"max_pool", "16x50", "kernel=3 stride=2", "16x24", 3.0 * 16 * 24},
  {"max_pool", "16x50x44x31", "kernel=3 stride=2", "16x24x21x15", 27.0 * 16 * 24 * 21 * 15},
  {"avg_pool", "16x50x32", "kernel=3,2 stride=2,1", "16x24x31", 6.0 * 16 * 24 * 31},
  {"avg_pool", "8x8x8", "kernel=2", "8x4x4", 4.0 * 8 * 16},
  {"max_pool", "3x112x112", "kernel=3 stride=2 padding=0 padding_end=1", "3x56x56", 9.0 * 3 * 56 * 56}, /* "same" */
  {"global_avg_pool", "2048x7x7", "", "2048x1x1", 2048.0 * 49},
  {"global_avg_pool", "16x9", "", "16x1", 16.0 * 9},
  {"global_avg_pool", "16x3x4x5", "", "16x1x1x1", 16.0 * 60},
  {"adaptive_avg_pool", "256x6x6", "size=6", "256x6x6", 256.0 * 36},
  {"adaptive_avg_pool", "512x14x14", "size=7", "512x7x7", 512.0 * 196},
  {"adaptive_avg_pool", "64x8x9", "size=5,7", "64x5x7", 64.0 * 12 * 15},
  {"adaptive_avg_pool", "4x3", "size=9", "4x9", 4.0 * 9}, /* each element three times */
  {"mean", "49x768", "axis=0", "768", 49.0 * 768 + 768},
  {"mean", "8x6x5", "axis=-2,-1 keep=yes", "8x1x1", 8.0 * 30 + 8},
  {"mean", "8x6x5", "axis=0,1,2", "1", 241},
  {"interpolate", "64x20x30", "scale=2", "64x40x60", 0},
  {"interpolate", "64x20x30", "scale=2,0.5 mode=linear", "64x40x15", 7.0 * 64 * 600},
  {"interpolate", "64x20x30", "size=64,31 mode=cubic", "64x64x31", 31.0 * 64 * 64 * 31},
  {"interpolate", "4x20", "size=50 mode=linear", "4x50", 3.0 * 200},
};

START_TEST(sizes_and_operations_are_known)
{
  char text[PM_TEXT_MAX];
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    pm_network *network = layer_of(known[i].kind, known[i].input, known[i].attributes);
    const pm__layer *layer = last_layer(network);
    pm__shape_text(&layer->output, text, sizeof text);
    ck_assert_msg(strcmp(text, known[i].output) == 0 && layer->flop[PM__FORWARD] == known[i].flop,
                  "%s of %s with %s: %s, %.0f", known[i].kind, known[i].input, known[i].attributes, text,
                  layer->flop[PM__FORWARD]);
    ck_assert(layer->parameters == 0 && layer->mac == 0);
    pm_network_free(network);
  }
}
END_TEST

/* The windows of an adaptive pool, one by one as documented: floor(i in / out) to ceil((i + 1) in / out). */
START_TEST(adaptive_windows_are_counted_exactly)
{
  for (int in = 1; in <= 24; in++)
    for (int out = 1; out <= 24; out++) {
      char shape[16], size[16];
      int length = 0;
      for (int i = 0; i < out; i++) length += ((i + 1) * in + out - 1) / out - i * in / out;
      snprintf(shape, sizeof shape, "3x%d", in);
      snprintf(size, sizeof size, "size=%d", out);
      pm_network *network = layer_of("adaptive_avg_pool", shape, size);
      ck_assert(last_layer(network)->flop[PM__FORWARD] == 3 * length);
      pm_network_free(network);
    }
}
END_TEST

START_TEST(one_size_is_the_global_average)
{
  pm_network *adaptive = layer_of("adaptive_avg_pool", "32x13x9", "size=1");
  pm_network *global = layer_of("global_avg_pool", "32x13x9", "");
  pm_network *window = layer_of("avg_pool", "32x13x9", "kernel=13,9");
  for (int pass = 0; pass < PM__PASSES; pass++) {
    ck_assert(last_layer(adaptive)->flop[pass] == last_layer(global)->flop[pass]);
    ck_assert(last_layer(window)->flop[pass] == last_layer(global)->flop[pass]);
    ck_assert(elements_moved(window, (pm__pass)pass, 1) == elements_moved(global, (pm__pass)pass, 1));
  }
  pm_network_free(adaptive);
  pm_network_free(global);
  pm_network_free(window);
}
END_TEST

START_TEST(what_cannot_be_is_refused)
{
  ck_refused("max_pool", "8", "kernel=2", "takes channels and 1 to 3 dimensions of space, not 8");
  ck_refused("max_pool", "8x4", "kernel=2,2", "kernel has 2 numbers; it takes 1");
  ck_refused("max_pool", "8x4x4", "kernel=2 padding=2", "padding 2 is more than half the kernel 2");
  ck_refused("max_pool", "8x4x4", "kernel=5", "does not fit its input 8x4x4");
  ck_refused("max_pool", "8x4x4", "kernel=2 stride=0", "stride \"0\" is not within");
  ck_refused("adaptive_avg_pool", "8x4x4", "size=2,2,2", "size has 3 numbers");
  ck_refused("mean", "8x4", "axis=2", "8x4 has no axis 2");
  ck_refused("mean", "8x4", "axis=1,-1", "names axis 1 twice");
  ck_refused("interpolate", "8x4x4", "", "needs either scale or size");
  ck_refused("interpolate", "8x4x4", "scale=2 size=8", "needs either scale or size");
  ck_refused("interpolate", "8x4x4", "scale=0.1", "does not fit its input");
  ck_refused("interpolate", "8x4x4", "scale=2 mode=best", "mode \"best\" is none of nearest, linear, cubic");
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("pooling");
  TCase *tests = tcase_create("pooling");
  tcase_add_test(tests, sizes_and_operations_are_known);
  tcase_add_test(tests, adaptive_windows_are_counted_exactly);
  tcase_add_test(tests, one_size_is_the_global_average);
  tcase_add_test(tests, what_cannot_be_is_refused);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
