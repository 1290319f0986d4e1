/* Networks from configurations of Hugging Face: parameters of small models by hand, how weights are stored, what is
** refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fixtures.h"
#include "network/network.h"
#include "perfmodel/model.h"

static pm_network *read_model(const char *text)
{
  pm_error error = PM_ERROR_NONE;
  const pm_attribute seq = {"seq", "8"};
  pm_network *network = pm_model_read(text, "mine/config.json", &seq, 1, &error);
  ck_assert_msg(network != NULL, "%s: %s", text, error.text);
  return network;
}

/* Hidden size 64, two layers, four heads of 16, 256 between them, 100 words. */
enum { H = 64, F = 256, V = 100, P = 32, HEAD = 16 };

static const struct {
  const char *text;
  double parameters;
} models[] = {
  /* Two tables; norms with biases, one key and value for all heads. */
  {"{\"model_type\": \"gpt_bigcode\", \"n_embd\": 64, \"n_layer\": 2, \"n_head\": 4, \"n_inner\": 256, "
   "\"vocab_size\": 100, \"n_positions\": 32}",
   V * H + P * H + 2 * (4 * H + (H + 1) * (H + 2 * HEAD) + (H + 1) * H + (H + 1) * F + (F + 1) * H) + 2 * H},
  /* No biases anywhere, no table of positions. */
  {"{\"model_type\": \"mpt\", \"d_model\": 64, \"n_layers\": 2, \"n_heads\": 4, \"expansion_ratio\": 4, "
   "\"vocab_size\": 100, \"max_seq_len\": 32}",
   V * H + 2 * (2 * H + H * 3 * H + H * H + 2 * H * F) + H},
  /* Gated, with norms before the last product of attention and of the feed-forward part. */
  {"{\"model_type\": \"bitnet\", \"hidden_size\": 64, \"num_hidden_layers\": 2, \"num_attention_heads\": 4, "
   "\"num_key_value_heads\": 4, \"intermediate_size\": 256, \"vocab_size\": 100, \"tie_word_embeddings\": true}",
   V * H + 2 * (2 * H + 4 * H * H + 3 * H * F + H + F) + H},
};

START_TEST(parameters_are_those_by_hand)
{
  for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
    pm_network_totals totals;
    pm_network *network = read_model(models[i].text);
    ck_assert_int_eq(pm_network_get_totals(network, &totals, NULL), PM_OK);
    ck_assert_msg(totals.parameters == models[i].parameters, "%s: %.0f, not %.0f", models[i].text, totals.parameters,
                  models[i].parameters);
    pm_network_free(network);
  }
}
END_TEST

#define LLAMA "\"model_type\": \"llama\", \"hidden_size\": 64, \"num_hidden_layers\": 2, \"num_attention_heads\": 4, " \
              "\"intermediate_size\": 256, \"vocab_size\": 100"

START_TEST(weights_are_stored_as_the_configuration_says)
{
  static const struct {
    const char *stated;
    int stored;
  } ways[] = {
    {"\"quant_algo\": \"NVFP4\"", PM_STORED_NVFP4}, {"\"quant_algo\": \"MXFP4\"", PM_STORED_MXFP4},
    {"\"quant_algo\": \"W4A16_AWQ\"", PM_STORED_INT4}, {"\"quant_algo\": \"FP8\"", PM_STORED_FP8},
    {"\"quant_algo\": \"INT8\"", PM_STORED_FP8}, {"\"quant_algo\": \"other\"", PM_STORED_AS_RUN},
    {"\"quant_method\": \"bitsandbytes\", \"load_in_4bit\": true", PM_STORED_INT4},
    {"\"quant_method\": \"bitsandbytes\", \"load_in_8bit\": true", PM_STORED_FP8},
    {"\"quant_method\": \"bitsandbytes\"", PM_STORED_AS_RUN}, {"\"quant_method\": \"mxfp4\"", PM_STORED_MXFP4},
    {"\"quant_method\": \"fp8\", \"weight_block_size\": [128, 128]", PM_STORED_FP8_BLOCK},
    {"\"quant_method\": \"fbgemm_fp8\"", PM_STORED_FP8}, {"\"quant_method\": \"gptq\", \"bits\": 4", PM_STORED_INT4},
  };
  for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
    char text[600];
    snprintf(text, sizeof text, "{" LLAMA ", \"quantization_config\": {%s}}", ways[i].stated);
    pm_network *network = read_model(text);
    ck_assert_msg((int)network->weights == ways[i].stored, "%s: %d", ways[i].stated, (int)network->weights);
    ck_assert_int_eq((int)network->expert_weights, ways[i].stored);
    pm_network_free(network);
  }
}
END_TEST

static double parameters_of(const char *text)
{
  pm_network_totals totals;
  pm_network *network = read_model(text);
  ck_assert_int_eq(pm_network_get_totals(network, &totals, NULL), PM_OK);
  pm_network_free(network);
  return totals.parameters;
}

#define CLIP(kind, architecture) "{\"model_type\": \"" kind "\", \"architectures\": [\"" architecture "\"], " \
        "\"hidden_size\": 64, \"num_attention_heads\": 4, \"num_hidden_layers\": 2, \"intermediate_size\": 128, " \
        "\"image_size\": 64, \"projection_dim\": 48}"

#define BERT(architecture, more) "{\"model_type\": \"bert\", \"architectures\": [\"" architecture "\"], " more \
        "\"hidden_size\": 64, \"num_attention_heads\": 4, \"num_hidden_layers\": 2, \"intermediate_size\": 128, " \
        "\"max_position_embeddings\": 32, \"vocab_size\": 100}"

#define HUNYUAN(experts, chosen) "{\"model_type\": \"hunyuan_v1_moe\", \"hidden_size\": 64, " \
        "\"num_attention_heads\": 4, \"num_key_value_heads\": 2, \"num_hidden_layers\": 2, " \
        "\"intermediate_size\": 128, \"vocab_size\": 100, \"num_experts\": " experts ", \"moe_topk\": " chosen "}"

/* What an architecture has at its end, and nothing else, is what it has more. */
START_TEST(heads_have_their_parameters)
{
  static const char *const towers[][2] = {
    {CLIP("clip_text_model", "CLIPTextModel"), CLIP("clip_text_model", "CLIPTextModelWithProjection")},
    {CLIP("clip_vision_model", "CLIPVisionModel"), CLIP("clip_vision_model", "CLIPVisionModelWithProjection")}};
  for (size_t i = 0; i < sizeof towers / sizeof towers[0]; i++)
    ck_assert_double_eq(parameters_of(towers[i][1]) - parameters_of(towers[i][0]), 64 * 48);
  double asked = parameters_of(BERT("BertForQuestionAnswering", ""));
  ck_assert_double_eq(parameters_of(BERT("BertForTokenClassification", "\"num_labels\": 2, ")), asked);
  ck_assert_double_eq(parameters_of(BERT("BertForTokenClassification", "\"num_labels\": 5, ")), asked + 3 * 65);
  ck_assert_double_eq(parameters_of(BERT("BertForSequenceClassification", "\"num_labels\": 1, ")),
                      parameters_of(BERT("BertForMultipleChoice", "")));
}
END_TEST

START_TEST(lists_stand_for_their_first_number)
{
  double four = parameters_of(HUNYUAN("4", "2"));
  ck_assert_double_eq(parameters_of(HUNYUAN("[4, 4]", "[2, 2]")), four);
  ck_assert_double_eq(parameters_of(HUNYUAN("6", "2")) - four, 2 * 2 * (3 * 64 * 128 + 64)); /* and their routers */
}
END_TEST

START_TEST(bad_settings_say_why)
{
  static const struct {
    pm_attribute set;
    const char *message;
  } bad[] = {
    {{"seq", "0"}, "seq 0 is not at least 1"}, {{"image", "2.5"}, "image 2.5 is not at least 1"},
    {{"flash", "maybe"}, "flash \"maybe\" is neither yes nor no"},
    {{"seq", NULL}, "a parameter needs a name and a value"},
    {{"batch", "2"}, "a model's configuration has no parameter \"batch\"; it has seq, image, flash, part, id, name"},
    {{"part", "ear"}, "the configuration of a llama has no part \"ear\""},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    pm_error error = PM_ERROR_NONE;
    ck_assert_ptr_null(pm_model_read("{" LLAMA "}", "config.json", &bad[i].set, 1, &error));
    ck_assert_msg(strstr(error.text, bad[i].message) != NULL, "%s", error.text);
  }
}
END_TEST

START_TEST(settings_that_are_no_numbers_are_refused)
{
  static const char *const bad[][2] = {
    {"{\"model_type\": \"llama\", \"hidden_size\": \"wide\"}",
     "hidden_size \"wide\", which is not a whole number from 1 to "},
    {"{" LLAMA ", \"rms_norm_eps\": 1, \"attention_dropout\": 7}",
     "attention_dropout 7, which is not a number from 0 to 1"},
    {"{" LLAMA ", \"tie_word_embeddings\": \"perhaps\"}",
     "tie_word_embeddings perhaps, which is neither true nor false"},
    {"{\"model_type\": \"unheard-of\"}", "unknown model_type \"unheard-of\""},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    pm_error error = PM_ERROR_NONE;
    ck_assert_ptr_null(pm_model_read(bad[i][0], "config.json", NULL, 0, &error));
    ck_assert_msg(strstr(error.text, bad[i][1]) != NULL, "%s", error.text);
  }
}
END_TEST

/* Every setting is looked for among all: files of the size of weights are none. */
START_TEST(no_configuration_is_as_large_as_weights)
{
  const size_t size = (size_t)17 << 20;
  pm_error error = PM_ERROR_NONE;
  char *text = (char *)malloc(size + 1);
  ck_assert_ptr_nonnull(text);
  memset(text, ' ', size);
  memcpy(text, "{" LLAMA "}", strlen("{" LLAMA "}"));
  text[size] = '\0';
  ck_assert_ptr_null(pm_model_read(text, "config.json", NULL, 0, &error));
  ck_assert_str_eq(error.text, "config.json: the file is larger than 16 MiB");
  free(text);
}
END_TEST

START_TEST(models_are_named_by_their_files)
{
  static const struct {
    const char *file, *id;
  } names[] = {{"models/my-bert/config.json", "my-bert"}, {"models/my-bert.json", "my-bert"}, {"my-bert/config.json",
               "my-bert"}, {"config.json", "llama"}, {NULL, "llama"}};
  const pm_attribute flash = {"flash", "no"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    pm_network *network = pm_model_read("{" LLAMA "}", names[i].file, &flash, 1, NULL);
    ck_assert_ptr_nonnull(network);
    ck_assert_str_eq(network->id, names[i].id);
    pm_network_free(network);
  }
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("models");
  TCase *tests = tcase_create("models");
  tcase_add_test(tests, parameters_are_those_by_hand);
  tcase_add_test(tests, weights_are_stored_as_the_configuration_says);
  tcase_add_test(tests, heads_have_their_parameters);
  tcase_add_test(tests, lists_stand_for_their_first_number);
  tcase_add_test(tests, bad_settings_say_why);
  tcase_add_test(tests, settings_that_are_no_numbers_are_refused);
  tcase_add_test(tests, no_configuration_is_as_large_as_weights);
  tcase_add_test(tests, models_are_named_by_their_files);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
