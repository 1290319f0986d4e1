/*
** The shipped vision networks against published counts. Parameters must be equal; multiply-accumulates must agree in
** every digit that the named table prints.
**
**   torchvision   num_params and _ops of the weights of torchvision 0.29; its documentation prints _ops as "GFLOPS",
**                 but they are multiply-accumulates
**   timm          benchmark-infer-amp-nchw-pt240-cu124-rtx3090.csv of timm's results, infer_gmacs and param_count. Its
**                 counter (fvcore) adds 2 per batch-norm element to the multiply-accumulates
**   paper         the paper that the network's entry names
**   others        said where they stand
*/
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "network/network.h"
#include "shipped.h"

typedef struct published {
  const char *id, *sets;      /* "image=384 classes=10" */
  double parameters;          /* 0: not published */
  const char *gmac, *table;   /* as printed; NULL: not published */
} published;

static const published torchvision[] = {
  {"alexnet", "", 61100840, "0.714", "torchvision"},
  {"vgg11", "", 132863336, "7.609", "torchvision"},
  {"vgg13", "", 133047848, "11.308", "torchvision"},
  {"vgg16", "", 138357544, "15.47", "torchvision"},
  {"vgg19", "", 143667240, "19.632", "torchvision"},
  {"vgg11-bn", "", 132868840, "7.609", "torchvision"},
  {"vgg13-bn", "", 133053736, "11.308", "torchvision"},
  {"vgg16-bn", "", 138365992, "15.47", "torchvision"},
  {"vgg19-bn", "", 143678248, "19.632", "torchvision"},
  {"googlenet", "", 6624904, "1.498", "torchvision"},
  {"googlenet", "aux=1", 13004888, NULL, "torchvision"},
  {"inception-v3", "aux=1", 27161264, NULL, "torchvision"},
  {"inception-v3", "", 23834568, "5.713", "torchvision"},
  {"resnet18", "", 11689512, "1.814", "torchvision"},
  {"resnet34", "", 21797672, "3.664", "torchvision"},
  {"resnet50", "", 25557032, "4.089", "torchvision"},
  {"resnet101", "", 44549160, "7.801", "torchvision"},
  {"resnet152", "", 60192808, "11.514", "torchvision"},
  {"resnext50-32x4d", "", 25028904, "4.23", "torchvision"},
  {"resnext101-32x8d", "", 88791336, "16.414", "torchvision"},
  {"resnext101-64x4d", "", 83455272, "15.46", "torchvision"},
  {"wide-resnet50-2", "", 68883240, "11.398", "torchvision"},
  {"wide-resnet101-2", "", 126886696, "22.753", "torchvision"},
  {"densenet121", "", 7978856, "2.834", "torchvision"},
  {"densenet161", "", 28681000, "7.728", "torchvision"},
  {"densenet169", "", 14149480, "3.36", "torchvision"},
  {"densenet201", "", 20013928, "4.291", "torchvision"},
  {"squeezenet1-0", "", 1248424, "0.819", "torchvision"},
  {"squeezenet1-1", "", 1235496, "0.349", "torchvision"},
  {"mobilenet-v2", "", 3504872, "0.301", "torchvision"},
  {"mobilenet-v3-large", "", 5483032, "0.217", "torchvision"},
  {"mobilenet-v3-small", "", 2542856, "0.057", "torchvision"},
  {"efficientnet-b0", "", 5288548, "0.386", "torchvision"},
  {"efficientnet-b1", "", 7794184, "0.687", "torchvision"},
  {"efficientnet-b2", "", 9109994, "1.088", "torchvision"},
  {"efficientnet-b3", "", 12233232, "1.827", "torchvision"},
  {"efficientnet-b4", "", 19341616, "4.394", "torchvision"},
  {"efficientnet-b5", "", 30389784, "10.266", "torchvision"},
  {"efficientnet-b6", "", 43040704, "19.068", "torchvision"},
  {"efficientnet-b7", "", 66347960, "37.746", "torchvision"},
  {"regnet-x-400mf", "", 5495976, "0.414", "torchvision"},
  {"regnet-x-800mf", "", 7259656, "0.8", "torchvision"},
  {"regnet-x-1.6gf", "", 9190136, "1.603", "torchvision"},
  {"regnet-x-3.2gf", "", 15296552, "3.177", "torchvision"},
  {"regnet-x-8gf", "", 39572648, "7.995", "torchvision"},
  {"regnet-x-16gf", "", 54278536, "15.941", "torchvision"},
  {"regnet-x-32gf", "", 107811560, "31.736", "torchvision"},
  {"regnet-y-400mf", "", 4344144, "0.402", "torchvision"},
  {"regnet-y-800mf", "", 6432512, "0.834", "torchvision"},
  {"regnet-y-1.6gf", "", 11202430, "1.612", "torchvision"},
  {"regnet-y-3.2gf", "", 19436338, "3.176", "torchvision"},
  {"regnet-y-8gf", "", 39381472, "8.473", "torchvision"},
  {"regnet-y-16gf", "", 83590140, "15.912", "torchvision"},
  {"regnet-y-16gf", "image=384", 83590140, "46.735", "torchvision"},
  {"regnet-y-32gf", "", 145046770, "32.28", "torchvision"},
  {"regnet-y-32gf", "image=384", 145046770, "94.826", "torchvision"},
  {"convnext-tiny", "", 28589128, "4.456", "torchvision"},
  {"convnext-small", "", 50223688, "8.684", "torchvision"},
  {"convnext-base", "", 88591464, "15.355", "torchvision"},
  {"convnext-large", "", 197767336, "34.361", "torchvision"},
  {"vit-b-16", "", 86567656, "17.564", "torchvision"},
  {"vit-b-16", "image=384", 86859496, "55.484", "torchvision"},
  {"vit-b-16", "flash=1 dropout=1", 86567656, "17.564", "torchvision"},
  {"vit-b-32", "", 88224232, "4.409", "torchvision"},
  {"vit-l-16", "", 304326632, "61.555", "torchvision"},
  {"vit-l-16", "image=512", 305174504, "361.986", "torchvision"},
  {"vit-l-32", "", 306535400, "15.378", "torchvision"},
  {"swin-t", "", 28288354, "4.491", "torchvision"},
  {"swin-s", "", 49606258, "8.741", "torchvision"},
  {"swin-b", "", 87768224, "15.431", "torchvision"},
  {"ssd300", "", 35641826, "34.858", "torchvision"},
};

/* Numbers of parameters from the tests of osmr/imgclsmob where torchvision lacks the network, else torchvision's. */
static const published timm[] = {
  {"resnext101-32x4d", "", 44177704, NULL, "osmr/imgclsmob"},
  {"resnext101-32x4d", "image=288", 44177704, "13.24", "timm"},
  {"se-resnext101-32x4d", "", 48955416, "8.02", "timm, osmr/imgclsmob"},
  {"se-resnext101-32x4d", "image=288", 48955416, "13.25", "timm, osmr/imgclsmob"},
  {"inception-bn", "", 11295240, NULL, "osmr/imgclsmob"},
  {"inception-v4", "", 42679816, "12.28", "timm, osmr/imgclsmob"},
  {"resnet152", "", 60192808, "11.56", "timm"},
  {"resnet101", "image=288", 44549160, "12.95", "timm"},
  {"vgg16", "", 138357544, "15.47", "timm"},
  {"vgg16-bn", "", 138365992, "15.5", "timm"},
  {"vgg19-bn", "", 143678248, "19.66", "timm"},
  {"wide-resnet101-2", "", 126886696, "22.8", "timm"},
  {"resnext101-64x4d", "", 83455272, "15.52", "timm"},
  {"resnext101-32x8d", "", 88791336, "16.48", "timm"},
  {"regnet-x-16gf", "", 54278536, "15.99", "timm"},
  {"regnet-y-16gf", "", 83590140, "15.96", "timm"},
};

static const published others[] = {
  {"resnet101-v1", "", 44549160, "7.6", "he2016 table 1"},
  {"resnet152-v1", "", 60192808, "11.3", "he2016 table 1"},
  {"googlenet-lrn", "", 6998552, NULL, "netscope of bvlc_googlenet"},
  {"ssd300", "classes=21", 26285486, NULL, "by the paper's figure 2"},
  {"resnet200", "", 64666152, NULL, "imgclsmob's preresnet200b, 64,666,280, normalises the 64 channels once more"},
  {"efficientnet-widese-b0", "", 8423848, NULL, "summed by hand over NVIDIA's blocks, as b0 and b4 are"},
  {"efficientnet-widese-b4", "", 34927246, NULL, "the same"},
  {"u-net", "", 31030658, NULL, "Keras summaries of the paper's network"},
  {"u-net-medical", "", 34512258, NULL, "u-net and 3 x 3 instead of 2 x 2 on the way up: 5 x 696,320 more"},
  {"nnu-net-2d", "", 20613092, NULL, "torch, NVIDIA's layers with the filters of MONAI's DynUNet"},
  {"nnu-net-2d", "most=320", 10706468, NULL, "torch, NVIDIA's layers with its own filters"},
  {"nnu-net-3d", "", 31192868, NULL, "torch; the paper's followers print 31.2 M"},
  {"maskrcnn-resnet50-fpn", "", 44401393, "277.083979008", "torchvision; PyTorch's count of its modules at 800 x 1344"},
  {"dlrm-terabyte", "", 24036595969, "0.002458496", "summed by hand: 187,767,399 rows of 128, and the dense layers"},
  {"flux.1-dev", "", 11901408320, NULL, "diffusers' FluxTransformer2DModel, 11.9 B as published"},
  {"stable-diffusion-1.5", "", 859520964, "401.63672064", "diffusers 0.42 on the meta device; 859.52 M as published"},
  {"stable-diffusion-2", "", 865910724, "402.12873216", "the same; 866 M as published"},
  {"stable-diffusion-2", "image=768", 865910724, "1074.55287296", "the same"},
  {"stable-diffusion-xl", "", 2567463684, "3380.61819904", "the same; 2.6 B as published"},
  {"stable-diffusion-3-medium", "", 2028328000, "4452.168769536", "the same, SD3Transformer2DModel; 2.03 B"},
  {"retinanet-resnext50-fpn", "trainable=*", 37060652, "201.208394752", "torchvision's RetinaNet on its ResNeXt-50"},
  {"detr-resnet50", "", 41524768, "101.8360832", "Transformers' DETR; facebookresearch/detr: 41,302,368 trained"},
  {"detr-resnet50", "width=1216", 41524768, "91.9323648", "the same"},
  {"yolov8n", "", 3157200, "4.3719936", "Ultralytics 8.4; 3.2 M and 8.7 GFLOP in its documentation"},
  {"yolov8s", "", 11166560, "14.301312", "11.2 M, 28.6"},
  {"yolov8m", "", 25902640, "39.4683648", "25.9 M, 78.9"},
  {"yolov8l", "", 43691520, "82.5742592", "43.7 M, 165.2"},
  {"yolov8x", "", 68229648, "128.9021696", "68.2 M, 257.8"},
  {"yolo11n", "", 2624080, "3.2712512", "2.6 M, 6.5"},
  {"yolo11s", "", 9458752, "10.79488", "9.4 M, 21.5"},
  {"yolo11m", "", 20114688, "34.052224", "20.1 M, 68.0"},
  {"yolo11l", "", 25372160, "43.577984", "25.3 M, 86.9"},
  {"yolo11x", "", 56966176, "97.636224", "56.9 M, 194.9"},
  {"dlrm-dcnv2", "", 26151671809, "0.016030464", "summed by hand: 204,184,588 rows of 128, and the dense layers"},
  {"tacotron-2-lj", "", 28193153, NULL, "torch, NVIDIA's tacotron2"},
  {"waveglow-512", "", 267999848, NULL, "summed by hand over NVIDIA's modules, without weight norm"},
  {"u-net-bn", "", 31037633, NULL, "Keras summaries of the padded network with batch norm"},
};

enum { SETS_MAX = 4 };

/* A network with "name=value name=value" set. */
static pm_network *build_with(const char *id, const char *sets)
{
  char text[100];
  pm_attribute list[SETS_MAX];
  pm_error error = PM_ERROR_NONE;
  size_t count = 0;
  strcpy(text, sets);
  for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " ")) {
    char *equals = strchr(word, '=');
    ck_assert(equals != NULL && count < SETS_MAX);
    *equals = '\0';
    list[count++] = (pm_attribute){word, equals + 1};
  }
  pm_network *network = pm_catalog_new_network(catalog, id, list, count, &error);
  ck_assert_msg(network != NULL, "%s", error.text);
  return network;
}

static double batch_norm_elements(const pm_network *network)
{
  int count = pm_network_count_layers(network);
  double elements = 0;
  pm_layer *rows = (pm_layer *)malloc((size_t)count * sizeof *rows);
  ck_assert(rows != NULL && pm__network_get_layers(network, 1, PM_PRECISION_FP32, rows, NULL) == PM_OK);
  for (int i = 0; i < count; i++)
    if (strcmp(rows[i].kind,
               "batch_norm") == 0) elements += rows[i].bytes_out / pm_precision_get_bytes(PM_PRECISION_FP32);
  free(rows);
  return elements;
}

/* Half a unit of the last digit that is printed. */
static double half_digit(const char *printed)
{
  const char *point = strchr(printed, '.');
  return 0.5 * pow(10, point != NULL ? -(double)strlen(point + 1) : 0);
}

/* `per_norm`: what the table counts besides, per batch-norm element. */
static void check(const published *row, double per_norm)
{
  pm_network *network = build_with(row->id, row->sets);
  double norms = batch_norm_elements(network);
  pm_network_totals totals = take_totals(network);
  double gmac = (totals.mac + per_norm * norms) / 1e9;
  ck_assert_msg(totals.parameters == row->parameters, "%s %s has %.0f parameters, not %.0f (%s)", row->id, row->sets,
                totals.parameters, row->parameters, row->table);
  ck_assert_msg(row->gmac == NULL || fabs(gmac - strtod(row->gmac, NULL)) <= half_digit(row->gmac) * (1 + 1e-9),
                "%s %s: %.5f G, not %s (%s)", row->id, row->sets, gmac, row->gmac, row->table);
}

START_TEST(counts_are_those_of_torchvision)
{
  check(&torchvision[_i], 0);
}
END_TEST

START_TEST(counts_are_those_of_timm)
{
  check(&timm[_i], 2);
}
END_TEST

START_TEST(counts_are_those_of_papers)
{
  check(&others[_i], 0);
}
END_TEST

/* The stride in the first 1 x 1 instead of the 3 x 3 changes no parameter. The paper prints 3.8 for 3.858: cut. */
START_TEST(resnet50_of_the_paper)
{
  pm_network_totals paper = totals("resnet50-v1"), usual = totals("resnet50-v1.5");
  ck_assert_str_eq(usual.id, "resnet50");
  ck_assert(paper.parameters == usual.parameters);
  ck_assert(floor(paper.mac / 1e8) / 10 == 3.8);
}
END_TEST

/* Summed by hand: two blocks of two 3 x 3 convolutions, each with a 2 x 2 pool, then 512 and 10. */
static double littlecnn(int image, int lost)
{
  int after = ((image - lost) / 2 - lost) / 2;
  double convolutions = 32 * (3 * 9 + 1) + 32 * (32 * 9 + 1) + 64 * (32 * 9 + 1) + 64 * (64 * 9 + 1);
  return convolutions + 512.0 * (64.0 * after * after + 1) + 10 * (512 + 1);
}

START_TEST(littlecnn_is_not_little_at_224)
{
  ck_assert(totals("littlecnn").parameters == littlecnn(32, 0));
  ck_assert(take_totals(build_with("littlecnn", "valid=1")).parameters == littlecnn(32, 2));
  ck_assert(take_totals(build_with("littlecnn", "image=224")).parameters == littlecnn(224, 0));
  ck_assert(take_totals(build_with("littlecnn", "image=224 valid=1")).parameters == littlecnn(224, 2));
  ck_assert_int_eq(totals("littlecnn").parameter_layers, 6);
}
END_TEST

/* The paper states C1 156, C5 48,120 and F6 10,164; C3 sees all maps here (2,416) and the output is linear (850). */
START_TEST(lenet_has_the_layers_of_its_paper)
{
  static const double parameters[] = {156, 0, 0, 2416, 0, 0, 0, 48120, 0, 10164, 0, 850, 0};
  pm_layer rows[13];
  pm_network *network = build_network("lenet-5");
  ck_assert_int_eq(pm_network_count_layers(network), 13);
  ck_assert(pm__network_get_layers(network, 1, PM_PRECISION_FP32, rows, NULL) == PM_OK);
  for (int i = 0; i < 13; i++) ck_assert(rows[i].parameters == parameters[i]);
  pm_network_free(network);
}
END_TEST

/* SSD's six maps hold 38 x 38 x 4 + 19 x 19 x 6 + ... boxes; U-Net's classes are those of the inner 388 x 388. */
START_TEST(shapes_are_those_of_the_papers)
{
  ck_assert_str_eq(totals("ssd300").output, "91x8732");
  ck_assert_str_eq(totals("ssd300-resnet50").output, "81x8732");
  ck_assert_str_eq(totals("u-net").output, "2x388x388");
  ck_assert_str_eq(totals("u-net-medical").output, "2x388x388");
  ck_assert_str_eq(totals("u-net-bn").output, "1x512x512");
  ck_assert_str_eq(totals("nnu-net-2d").output, "4x192x160");
  ck_assert_str_eq(totals("nnu-net-3d").output, "4x128x128x128");
}
END_TEST

/* Ids in the spelling of torchvision, Keras and timm. */
START_TEST(other_spellings_resolve)
{
  static const char *const names[][2] = {
    {"resnext50_32x4d", "resnext50-32x4d"}, {"wide_resnet50_2", "wide-resnet50-2"}, {"MobileNetV2", "mobilenet-v2"},
    {"efficientnet_b0", "efficientnet-b0"}, {"inception_v3", "inception-v3"}, {"DenseNet121", "densenet121"},
    {"vit_b_16", "vit-b-16"}, {"regnetx_016", "regnet-x-1.6gf"}, {"squeezenet1_1", "squeezenet1-1"},
    {"regnet_x_1_6gf", "regnet-x-1.6gf"}, {"regnet_x_16gf", "regnet-x-16gf"}, {"regnet_y_3_2gf", "regnet-y-3.2gf"},
    {"vgg16_bn", "vgg16-bn"}, {"convnext_tiny", "convnext-tiny"}, {"seresnext101_32x4d", "se-resnext101-32x4d"},
  };
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    const char *id = pm_catalog_resolve(catalog, "network", names[i][0], NULL);
    ck_assert_msg(id != NULL && strcmp(id, names[i][1]) == 0, "%s is not %s", names[i][0], names[i][1]);
  }
}
END_TEST

/* Whatever a loss is, nothing is computed from it; and there are networks with one. */
START_TEST(losses_are_last)
{
  int losses = 0;
  for (int i = 0; i < pm_catalog_count(catalog, "networks"); i++) {
    pm_network *network = build_network(pm_catalog_get_id(catalog, "networks", (size_t)i));
    for (size_t j = 0; j < network->count; j++) {
      const pm__layer *layer = &network->layers[j];
      if (layer->kind == NULL || layer->kind->role != PM__ROLE_LOSS) continue;
      ck_assert_msg(layer->consumers == 0, "%s: \"%s\" is read", network->id, layer->name);
      losses++;
    }
    pm_network_free(network);
  }
  ck_assert_int_gt(losses, 50);
}
END_TEST

/* ---- Images that a network cannot take. */

/* The smallest image: `min_size` of torchvision's weights, which is what PyTorch's layers take; of the others what
** Keras Applications take, whose layers would take less. */
static const struct smallest {
  const char *id;
  int image;
} smallest[] = {
  {"alexnet", 63}, {"vgg16", 32}, {"vgg19-bn", 32}, {"googlenet", 15}, {"inception-v3", 75}, {"densenet121", 29},
  {"densenet161", 29}, {"squeezenet1-0", 21}, {"squeezenet1-1", 17}, {"resnet50", 32}, {"resnet18", 32},
  {"resnext50-32x4d", 32}, {"mobilenet-v2", 32}, {"mobilenet-v3-large", 32}, {"efficientnet-b0", 32},
  {"convnext-tiny", 32}, {"regnet-y-400mf", 32}, {"vit-b-16", 16}, {"vit-b-32", 32},
};

static pm_network *build_at(const char *id, int image, pm_error *error)
{
  char text[20];
  snprintf(text, sizeof text, "%d", image);
  const pm_attribute set = {"image", text};
  return pm_catalog_new_network(catalog, id, &set, 1, error);
}

START_TEST(images_are_large_enough)
{
  const struct smallest *row = &smallest[_i];
  pm_error error = PM_ERROR_NONE;
  pm_network *network = build_at(row->id, row->image, &error);
  ck_assert_msg(network != NULL, "%s at %d: %s", row->id, row->image, error.text);
  pm_network_free(network);
  memset(&error, 0, sizeof error);
  network = build_at(row->id, row->image - 1, &error);
  ck_assert_msg(network == NULL, "%s takes images of %d", row->id, row->image - 1);
  ck_assert_int_eq(error.status, PM_STATUS_BAD_SHAPE);
}
END_TEST

START_TEST(refused_images_say_why)
{
  pm_error error = PM_ERROR_NONE;
  ck_assert_ptr_null(build_at("resnet50", 8, &error));
  ck_assert_str_eq(error.text, "network \"resnet50\" needs image of at least 32, not 8");
  memset(&error, 0, sizeof error);
  ck_assert_ptr_null(build_at("vit-b-16", 100, &error));
  ck_assert_msg(strstr(error.text, "needs image in multiples of 16, not 100") != NULL, "%s", error.text);
  memset(&error, 0, sizeof error);
  ck_assert_ptr_null(build_at("vgg16", 16, &error));
  ck_assert_msg(strstr(error.text, "max_pool \"pool5\" does not fit its input 512x1x1") != NULL, "%s", error.text);
}
END_TEST

#define ROWS(table) (int)(sizeof table / sizeof table[0])

int main(void)
{
  Suite *suite = suite_create("zoo");
  TCase *tests = tcase_create("vision");
  tcase_add_unchecked_fixture(tests, open_catalog, close_catalog);
  tcase_add_loop_test(tests, counts_are_those_of_torchvision, 0, ROWS(torchvision));
  tcase_add_loop_test(tests, counts_are_those_of_timm, 0, ROWS(timm));
  tcase_add_loop_test(tests, counts_are_those_of_papers, 0, ROWS(others));
  tcase_add_test(tests, resnet50_of_the_paper);
  tcase_add_test(tests, littlecnn_is_not_little_at_224);
  tcase_add_test(tests, lenet_has_the_layers_of_its_paper);
  tcase_add_test(tests, shapes_are_those_of_the_papers);
  tcase_add_test(tests, other_spellings_resolve);
  tcase_add_test(tests, losses_are_last);
  tcase_add_loop_test(tests, images_are_large_enough, 0, ROWS(smallest));
  tcase_add_test(tests, refused_images_say_why);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
