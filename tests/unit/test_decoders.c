/* Translators with frameworks: whole layers by a library, or word by word; losses with smoothed labels. */
#include "one_layer.h"
#include "shipped.h"

static pm_network *translator(const char *words)
{
  pm_error error = PM_ERROR_NONE;
  const pm_attribute seq[] = {{"seq", words}};
  pm_network *network = pm_catalog_new_network(catalog, "gnmt", seq, 1, &error);
  ck_assert_msg(network != NULL, "%s", error.text);
  return network;
}

/* One step of the networks on a V100, with a framework of the catalogue. */
static void predict(pm_network *const *networks, size_t count, const char *framework, int precision, pm_prediction *out)
{
  pm_error error = PM_ERROR_NONE;
  pm_framework_profile profile;
  pm_system *system = pm_catalog_new_system(catalog, "dgx1-v100", &error);
  pm_plan *plan = pm_plan_new((const pm_network *const *)networks, count, (const pm_system *const *)&system, 1, &error);
  ck_assert_msg(plan != NULL &&
                pm_catalog_get_framework(catalog, framework, &profile, &error) == PM_OK, "%s", error.text);
  for (size_t i = 0; i < count; i++) {
    pm_run run = pm_run_make();
    run.network_index = (int32_t)i;
    run.framework_index = i == 0 ? pm_plan_add_framework(plan, &profile, &error) : 0;
    run.batch = 128;
    run.precision = precision;
    ck_assert_msg(pm_predict(plan, &run, &out[i], 1) == PM_OK, "%s", error.text);
  }
  pm_plan_free(plan);
  pm_system_free(system);
}

static double kernel_time(const char *framework)
{
  pm_framework_profile profile;
  ck_assert_int_eq(pm_catalog_get_framework(catalog, framework, &profile, NULL), PM_OK);
  return profile.framework.kernel_time * 3.2 / (2.7 * 0.87); /* on the cores of a DGX-1 */
}

/* A library is called once for a layer, whatever the number of words; a graph's loop launches its operations for each.
** The path of a word: 10 operations of each of four cells, both ways, and 8 + 10 of attention. */
START_TEST(loops_ask_the_host_for_every_word)
{
  pm_network *networks[] = {translator("16"), translator("48")};
  pm_prediction whole[2], loop[2];
  predict(networks, 2, "pt-nchw", PM_PRECISION_FP32, whole);
  predict(networks, 2, "tf1-nchw", PM_PRECISION_FP32, loop);
  ck_assert_double_eq_tol(whole[1].launch_time / whole[0].launch_time, 1, 1e-12);
  double more = (loop[1].launch_time - loop[0].launch_time) / kernel_time("tf1-nchw");
  ck_assert_double_eq_tol(more / 32, 4 * 20 + 18, 1e-9);
  pm_network_free(networks[0]);
  pm_network_free(networks[1]);
}
END_TEST

/* The weights' gradients are products of one word each, and added up: more work than that of all words at once. */
START_TEST(loops_add_up_gradients_word_by_word)
{
  pm_network *networks[] = {translator("32")};
  pm_prediction whole, loop;
  predict(networks, 1, "pt-nchw", PM_PRECISION_FP32, &whole);
  predict(networks, 1, "tf1-nchw", PM_PRECISION_FP32, &loop);
  ck_assert_double_gt(loop.wgrad_time, 1.2 * whole.wgrad_time);
  pm_network_free(networks[0]);
}
END_TEST

/* The GPU does nothing while the host works on one sample after the other: the time adds up, whatever else takes. */
START_TEST(work_on_single_samples_adds_to_the_step)
{
  pm_network *networks[] = {layer_of("pointwise", "64x32000", "waited=40"),
                            layer_of("pointwise", "64x32000", "waited=80")};
  pm_prediction p[2];
  predict(networks, 2, "pt-nchw", PM_PRECISION_FP32, p);
  ck_assert_double_eq_tol((p[1].step_time - p[0].step_time) / (128 * 40 * kernel_time("pt-nchw")), 1, 1e-9);
  ck_assert_double_eq(p[1].compute_time, p[0].compute_time);
  pm_network_free(networks[0]);
  pm_network_free(networks[1]);
}
END_TEST

/* Software of which one core compares boxes waits for it, sample by sample; other software compares them on the GPU. */
START_TEST(one_core_compares_boxes_of_every_sample)
{
  pm_network *networks[] = {layer_of("pointwise", "64x32000", "waited=40"),
                            layer_of("pointwise", "64x32000", "waited=40 compared=1e6")};
  pm_prediction core[2], gpu[2];
  predict(networks, 2, "tf1-nhwc-2019", PM_PRECISION_FP32, core);
  predict(networks, 2, "tf1-nhwc", PM_PRECISION_FP32, gpu);
  double pair = 3e-9 * 3.2 / (2.7 * 0.87); /* on a core of a DGX-1 */
  ck_assert_double_eq_tol((core[1].step_time - core[0].step_time) / (128 * 1e6 * pair), 1, 1e-9);
  ck_assert_double_eq(core[1].compute_time, core[0].compute_time);
  ck_assert_double_eq(gpu[1].step_time, gpu[0].step_time);
  pm_network_free(networks[0]);
  pm_network_free(networks[1]);
}
END_TEST

/* Nine kernels are asked for where none are fused, and one where they are. */
START_TEST(small_kernels_are_launched_where_none_are_fused)
{
  pm_network *networks[] = {layer_of("pointwise", "64", ""), layer_of("pointwise", "64", "launches=9")};
  pm_prediction eager[2], fused[2];
  predict(networks, 2, "pt-nchw", PM_PRECISION_FP32, eager);
  predict(networks, 2, "tf1-xla", PM_PRECISION_FP32, fused);
  ck_assert_double_eq_tol((eager[1].launch_time - eager[0].launch_time) / (8 * kernel_time("pt-nchw")), 1, 1e-9);
  ck_assert_double_eq(fused[1].step_time, fused[0].step_time);
  pm_network_free(networks[0]);
  pm_network_free(networks[1]);
}
END_TEST

/*
** Logits of 64 x 32,000, in bytes of each: smoothing adds memory-bound kernels (8 to 12 forward, 16 to 32 backward).
** Mixed precision converts logits and gradients (14 and 22), unless the script asks the softmax for FP32 (10 and 30).
*/
START_TEST(smoothed_labels_cost_passes_over_the_logits)
{
  pm_network *networks[] = {layer_of("cross_entropy", "64x32000", ""),
                            layer_of("cross_entropy", "64x32000", "smoothing=0.1")};
  pm_prediction wide[2], mixed[2], fused[2];
  predict(networks, 2, "pt-nchw", PM_PRECISION_FP32, wide);
  predict(networks, 2, "pt-nchw", PM_PRECISION_FP16, mixed);
  predict(networks, 2, "tf1-xla", PM_PRECISION_FP16, fused);
  double scripted = mixed[1].compute_time / wide[1].compute_time, plain = mixed[0].compute_time / wide[0].compute_time;
  ck_assert_double_gt(wide[1].compute_time, wide[0].compute_time);
  ck_assert(scripted > 10 / 12.0 && scripted < 30 / 32.0 && plain > 22 / 16.0 && plain < 14 / 8.0);
  ck_assert_double_gt(fused[1].compute_time, fused[0].compute_time);
  pm_network_free(networks[0]);
  pm_network_free(networks[1]);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("decoders");
  TCase *cases = tcase_create("decoders");
  tcase_add_checked_fixture(cases, open_catalog, close_catalog);
  tcase_add_test(cases, loops_ask_the_host_for_every_word);
  tcase_add_test(cases, loops_add_up_gradients_word_by_word);
  tcase_add_test(cases, smoothed_labels_cost_passes_over_the_logits);
  tcase_add_test(cases, small_kernels_are_launched_where_none_are_fused);
  tcase_add_test(cases, work_on_single_samples_adds_to_the_step);
  tcase_add_test(cases, one_core_compares_boxes_of_every_sample);
  suite_add_tcase(suite, cases);
  return fixture_main(suite);
}
