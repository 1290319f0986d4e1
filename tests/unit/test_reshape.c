/* Shapes: other views, parts, orders, joins. */
#include "one_layer.h"
#include <string.h>

static const struct {
  const char *kind, *input, *attributes, *output;
} known[] = {
  {"flatten", "256x6x6", "", "9216"},
  {"flatten", "8x256x6x6", "from=1", "8x9216"},
  {"flatten", "768x14x14", "from=-2", "768x196"}, /* patches of a ViT */
  {"flatten", "7", "", "7"},
  {"reshape", "768x14x14", "shape=768,196", "768x196"},
  {"reshape", "196x768", "shape=196,12,-1", "196x12x64"},
  {"reshape", "6x4", "shape=-1", "24"},
  {"reshape", "24", "shape=1,2,3,4,1,1", "1x2x3x4x1x1"},
  {"permute", "768x196", "order=1,0", "196x768"},
  {"permute", "196x12x64", "order=1,0,2", "12x196x64"},
  {"permute", "3x4x5x6x7x8", "order=5,4,3,2,1,0", "8x7x6x5x4x3"},
  {"slice", "197x768", "end=1", "1x768"}, /* the class token */
  {"slice", "197x768", "start=1", "196x768"},
  {"slice", "10x6", "axis=-1 start=-2", "10x2"},
  {"slice", "10x6", "start=2 end=-3", "5x6"},
  {"slice", "10x6", "start=1 step=2", "5x6"},
  {"slice", "10x6", "step=3", "4x6"},
  {"pad", "3x224x224", "padding=3", "3x230x230"},
  {"pad", "3x224x224", "padding=0 padding_end=1", "3x225x225"},
  {"pad", "3x10x20", "padding=1,2", "3x12x24"},
  {"pad", "3x10x20", "padding=1,0,0 padding_end=4,0,5", "8x10x25"},
  {"pad", "10", "padding=2", "14"},
  {"concat", "4x6 4x6", "axis=-1", "4x12"},
  {"concat", "4x6 5x6 1x6", "", "10x6"},
  {"concat", "4x6x2", "axis=1", "4x6x2"},
};

START_TEST(shapes_are_known)
{
  char text[PM_TEXT_MAX];
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    pm_network *network = layer_of(known[i].kind, known[i].input, known[i].attributes);
    pm__shape_text(&last_layer(network)->output, text, sizeof text);
    ck_assert_msg(strcmp(text, known[i].output) == 0, "%s of %s with %s: %s", known[i].kind, known[i].input,
                  known[i].attributes, text);
    ck_assert(last_layer(network)->parameters == 0 && last_layer(network)->flop[PM__FORWARD] == 0);
    pm_network_free(network);
  }
}
END_TEST

START_TEST(views_cost_nothing_and_copies_move_each_element)
{
  pm_network *flat = layer_of("flatten", "4x5x6", ""), *same = layer_of("permute", "4x5x6", "order=0,1,2");
  pm_network *turned = layer_of("permute", "4x5x6", "order=2,1,0"), *part = layer_of("slice", "4x5x6", "end=1");
  ck_assert(last_layer(flat)->saved.view && last_layer(flat)->kernel_count == 0);
  ck_assert(last_layer(same)->saved.view && last_layer(same)->kernel_count == 0);
  ck_assert(!last_layer(turned)->saved.view && elements_moved(turned, PM__FORWARD, 2) == 2 * 240);
  ck_assert(last_layer(part)->saved.view && elements_moved(part, PM__FORWARD, 1) == 0);
  ck_assert(elements_moved(part, PM__DGRAD, 1) == 120 + 30);
  pm_network_free(flat);
  pm_network_free(same);
  pm_network_free(turned);
  pm_network_free(part);
}
END_TEST

/* Channels of an image or a volume that go last, or come back; tokens and features are no image. */
START_TEST(channels_go_last_where_they_lie)
{
  static const struct { const char *input, *order; size_t kernels; } turns[] = {
    {"4x5x6", "order=1,2,0", 0}, {"4x5x6", "order=2,0,1", 0}, {"3x4x5x6", "order=1,2,3,0", 0},
    {"3x4x5x6", "order=2,3,0,1", 2}, {"4x5x6", "order=0,2,1", 2}, {"5x6", "order=1,0", 2},
  };
  for (size_t i = 0; i < sizeof turns / sizeof turns[0]; i++) {
    pm_network *network = layer_of("permute", turns[i].input, turns[i].order);
    ck_assert_msg(last_layer(network)->kernel_count == turns[i].kernels, "%s of %s", turns[i].order, turns[i].input);
    ck_assert(!last_layer(network)->saved.view);
    pm_network_free(network);
  }
}
END_TEST

/* Slices joined again are what they were cut from. */
START_TEST(parts_make_the_whole)
{
  pm_network *network = layer_of("relu", "10x6x4", "");
  int whole = (int)network->count - 1;
  for (int axis = 0; axis < 3; axis++) {
    static const char *const first[] = {"axis=0 end=3", "axis=1 end=3", "axis=2 end=3"};
    static const char *const rest[] = {"axis=0 start=3", "axis=1 start=3", "axis=2 start=3"};
    static const char *const join[] = {"axis=0", "axis=1", "axis=2"};
    int parts[] = {put_kind(network, "slice", whole, first[axis]), put_kind(network, "slice", whole, rest[axis])};
    ck_assert_int_ge(try_kind(network, "concat", parts, 2, join[axis], NULL), 0);
    for (int i = 0; i < 3; i++)
      ck_assert(last_layer(network)->output.size[i] == network->layers[whole].output.size[i]);
  }
  pm_network_free(network);
}
END_TEST

START_TEST(what_cannot_be_is_refused)
{
  ck_refused("flatten", "4x6", "from=2", "4x6 has no axis 2");
  ck_refused("reshape", "4x6", "shape=5,5", "4x6 cannot become 5x5");
  ck_refused("reshape", "4x6", "shape=-1,5", "4x6 cannot become -1x5");
  ck_refused("reshape", "4x6", "shape=-1,-1", "4x6 cannot become -1x-1");
  ck_refused("reshape", "4x6", "shape=0,24", "4x6 cannot become 0x24");
  ck_refused("reshape", "4x6", "shape=1,2,3,4,1,1,1", "is not 1 to 6 numbers");
  ck_refused("permute", "4x6", "order=0", "must have each of 0 to 1 once");
  ck_refused("permute", "4x6", "order=0,0", "must have each of 0 to 1 once");
  ck_refused("permute", "4x6", "order=0,5", "must have each of 0 to 1 once");
  ck_refused("slice", "4x6", "start=4", "4 to 4 is not within dimension 0 of 4x6");
  ck_refused("slice", "4x6", "start=-5", "-1 to 4 is not within");
  ck_refused("slice", "4x6", "axis=1 end=7", "0 to 7 is not within dimension 1");
  ck_refused("pad", "3x4x5x6", "padding=1,2", "2 numbers do not pad 3x4x5x6");
  ck_refused("concat", "4x6 5x6", "axis=1", "joins 4x6 and 5x6");
  ck_refused("concat", "4x6 4x6x1", "", "joins 4x6 and 4x6x1");
  ck_refused("concat", "4x6 4x6", "axis=2", "4x6 has no axis 2");
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("reshape");
  TCase *tests = tcase_create("reshape");
  tcase_add_test(tests, shapes_are_known);
  tcase_add_test(tests, views_cost_nothing_and_copies_move_each_element);
  tcase_add_test(tests, channels_go_last_where_they_lie);
  tcase_add_test(tests, parts_make_the_whole);
  tcase_add_test(tests, what_cannot_be_is_refused);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
