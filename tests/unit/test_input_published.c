/* The input pipeline beside what was published: node limits, disk rates, decoding, reads. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fixtures.h"
#include "input/stages.h"
#include "measured.h"
#include "shipped.h"

#define MIB 1048576.0
#define INIT(type, name) pm_record_clear(pm_record_type_find(type), name)

static pm_input_setup setup_of(const char *dataset, const char *storage, const char *system)
{
  pm_input_setup s;
  memset(&s, 0, sizeof s);
  record("dataset", dataset, &s.dataset);
  record("storage", storage, &s.storage);
  if (pm_catalog_get_record(catalog, "storage_access", storage, &s.access, NULL) != PM_OK)
    INIT("storage_access", &s.access);
  INIT("decoder", &s.decoder);
  INIT("loader", &s.loader);
  record("system", system, &s.machine);
  return s;
}

static pm_input_rates ask(const pm_input_setup *setup, pm_input_run run)
{
  pm_error error = PM_ERROR_NONE;
  pm_input_rates rates;
  ck_assert_msg(pm_input_check(setup, &run, &error) == PM_OK, "%s", error.text);
  ck_assert_int_eq(pm_input_evaluate(setup, &run, &rates, 1), PM_OK);
  return rates;
}

static pm_input_run run_at(double rate)
{
  pm_input_run run = pm_input_run_make();
  run.decode = PM_DECODE_PLACE_NONE;
  run.gpu_rate = rate;
  return run;
}

/* Dell's guide, table 7: images/s, what it measured of the disks in Mb/s, and what it expected. */
static const double dell[3][3] = {{7095, 6370, 6414}, {2940, 2680, 2658}, {1590, 1440, 1437}};

START_TEST(disk_rates_of_the_dell_guide)
{
  pm_input_setup setup = setup_of("ilsvrc2012-x10", "isilon-f800", "c4140-v100-sxm2");
  for (int i = 0; i < 3; i++) {
    double mbit = ask(&setup, run_at(dell[i][0])).storage_rate * 8 / 1e6;
    printf("%.0f Mb/s, measured %.0f\n", mbit, dell[i][1]);
    ck_assert_double_le(fabs(mbit / dell[i][1] - 1), 0.012);
    ck_assert_double_le(fabs(mbit / dell[i][2] - 1), 0.001);
  }
}
END_TEST

/* 300 MB/s per node: 70 at the gateway, 50 at one chassis, 32 at the switch. */
START_TEST(node_limits_of_the_dell_guide)
{
  pm_input_setup setup = setup_of("ilsvrc2012-x10", "isilon-f800", "c4140-v100-sxm2");
  pm_input_rates r = ask(&setup, run_at(0.3e9 / setup.dataset.sample_size));
  ck_assert_double_eq(r.nodes_gateway, 70);
  ck_assert_double_eq(r.nodes_storage, 50);
  ck_assert_double_eq(r.nodes_ports, 32);
  ck_assert_double_eq(r.max_nodes, 32);
  pm_input_run cluster = run_at(0.3e9 / setup.dataset.sample_size);
  cluster.units = 36;
  ck_assert_double_eq(ask(&setup, cluster).nodes_storage, 1800); /* 540 GB/s */
  ck_assert_double_eq(ask(&setup, run_at(2940)).nodes_gateway, 63); /* with the 332 MB/s that the images need */
}
END_TEST

/* Four storages, three networks, packed records: none binds. */
START_TEST(storage_never_binds_packed_records)
{
  static const char *const storages[] = {"isilon-f800", "nl-sas-nfs", "ssd-nfs", "c4140-nvme"};
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 3; j++) {
      pm_input_setup setup = setup_of("ilsvrc2012-x10", storages[i], "c4140-v100-sxm2");
      record("decoder", "xeon-gold-6148", &setup.decoder);
      record("loader", "tensorflow", &setup.loader);
      pm_input_run run = run_at(dell[j][0]);
      run.decode = PM_DECODE_PLACE_CPU;
      run.workers = 24;
      pm_input_rates r = ask(&setup, run);
      ck_assert_msg(r.bottleneck == PM_INPUT_STAGE_COMPUTE, "%s, %g: limit %d", storages[i], dell[j][0], r.bottleneck);
      ck_assert_double_eq(r.throughput, dell[j][0]);
    }
}
END_TEST

/* Its 12 000 AlexNet images/s need less than the RAID 0 of a DGX-1 gives. */
START_TEST(raid_of_the_dgx1_is_enough)
{
  pm_input_setup setup = setup_of("ilsvrc2012", "dgx1-raid0", "dgx1-v100");
  pm_input_rates r = ask(&setup, run_at(12000));
  ck_assert_int_eq(r.bottleneck, PM_INPUT_STAGE_COMPUTE);
  ck_assert_double_eq_tol(r.storage, 17692, 1);
}
END_TEST

/* BNL, ResNet-18: 4 workers per GPU. Only the orders are claims; images/s are class values. */
static double resnet18(const char *system, const char *decoder, const char *storage, int gpus, int nodes)
{
  pm_input_setup setup = setup_of("ilsvrc2012", storage, system);
  record("decoder", decoder, &setup.decoder);
  record("loader", "pytorch", &setup.loader);
  pm_input_run run = run_at(1050.0 * gpus);
  run.decode = PM_DECODE_PLACE_CPU;
  run.format = PM_SAMPLE_FORMAT_FILES;
  run.gpus = gpus;
  run.workers = 4 * gpus;
  run.nodes = nodes;
  run.sample_out = 3 * 224 * 224 * 4;
  run.copy_bandwidth = 15.75e9;
  run.gpus_per_uplink = 2;
  return ask(&setup, run).total;
}

START_TEST(orders_of_resnet18)
{
  double aws = resnet18("p3dn", "xeon-platinum-8175m", "p3dn-nvme", 8, 1);
  double aws2 = resnet18("p3dn", "xeon-platinum-8175m", "p3dn-nvme", 8, 2);
  double dgx2 = resnet18("dgx2", "xeon-platinum-8168", "dgx2-nvme", 8, 1);
  double dgx2_16 = resnet18("dgx2", "xeon-platinum-8168", "dgx2-nvme", 16, 1);
  printf("AWS 2 x 8 / DGX-2 16: %.2f; DGX-2 / AWS at 8: %.2f; DGX-2 8 -> 16: %.2f\n", aws2 / dgx2_16, dgx2 / aws,
         dgx2_16 / dgx2);
  ck_assert_double_gt(aws2 / dgx2_16, 1);
  ck_assert_double_gt(dgx2 / aws, 1);
  ck_assert_double_lt(dgx2 / aws, 1.2);
  ck_assert_double_lt(dgx2_16 / dgx2, 1.8);
}
END_TEST

/* Keras, LittleCNN: batch 64 over batch 16, 2.8 at 32 x 32 and 1.3 at 224 x 224. */
START_TEST(fixed_cost_of_a_keras_step)
{
  pm_loader keras;
  record("loader", "keras", &keras);
  double update = pm__input_get_step_time(&keras, 900e9, 102.8e6, 0, 1);
  double small = (1024 / 26000.0 - keras.step_time) / 1024, large = (32 / 442.0 - update) / 32;
  double at_32 = 4 * pm__input_get_step_time(&keras, 900e9, 0, small, 16) / pm__input_get_step_time(&keras, 900e9, 0,
                                                                                                  small, 64);
  double at_224 = 4 * pm__input_get_step_time(&keras, 900e9, 102.8e6, large, 16) / pm__input_get_step_time(&keras,
      900e9, 102.8e6, large, 64);
  printf("LittleCNN: %.2f of 2.8, %.2f of 1.3\n", at_32, at_224);
  ck_assert_double_le(fabs(at_32 / 2.8 - 1), 0.10);
  ck_assert_double_le(fabs(at_224 / 1.3 - 1), 0.10);
}
END_TEST

/* MLPerf Storage: with what the storage gave, the emulated accelerators are busy between the least and 1. The sleeps of
** its accelerators are definitions of that benchmark. */
START_TEST(mlperf_storage_bounds)
{
  static const struct {
    const char *dataset, *accelerator;
    double bytes, batch, time, least;
  } kinds[] = {{"resnet50", "h100", 114660, 400, 0.224, 0.9},   {"resnet50", "a100", 114660, 400, 0.435, 0.9},
               {"unet3d", "h100", 146600628, 7, 0.323, 0.9},    {"unet3d", "a100", 146600628, 7, 0.636, 0.9},
               {"cosmoflow", "h100", 2828486, 1, 0.0035, 0.7}, {"cosmoflow", "a100", 2828486, 1, 0.00551, 0.7}};
  measured_file *file = measured_read("input_pipeline.csv");
  pm_input_setup setup = setup_of("ilsvrc2012", "nvme", "dgx1-v100");
  INIT("storage_access", &setup.access);
  INIT("storage", &setup.storage);
  int rows = 0, good = 0;
  for (size_t i = 0; i < file->count; i++)
    for (size_t k = 0; k < 6; k++) {
      if (strcmp(measured_text(file, i, "kind"), "mlperf") != 0 ||
          strcmp(measured_text(file, i, "dataset"), kinds[k].dataset) != 0 ||
          strcmp(measured_text(file, i, "accelerators"), kinds[k].accelerator) != 0)
        continue;
      setup.dataset.sample_size = kinds[k].bytes;
      setup.storage.bandwidth = measured_number(file, i, "value") * MIB;
      pm_input_rates r = ask(&setup, run_at(measured_number(file, i, "count") * kinds[k].batch / kinds[k].time));
      rows++;
      good += r.gpu_busy >= kinds[k].least - 0.03 && r.bottleneck == PM_INPUT_STAGE_STORAGE;
    }
  printf("MLPerf Storage: %d of %d\n", good, rows);
  ck_assert_int_eq(rows, 132);
  ck_assert_int_ge(good * 100, rows * 95);
  measured_free(file);
}
END_TEST

START_TEST(decoding_by_size)
{
  measured_file *file = measured_read("input_decode_sizes.csv");
  pm_decoder reference;
  pm_loader plain;
  record("decoder", "reference", &reference);
  INIT("loader", &plain);
  ck_assert_uint_eq(file->count, 4);
  for (size_t i = 0; i < file->count; i++) {
    double pixels = measured_number(file, i, "lines") * measured_number(file, i, "width");
    double time = 1e3 * pm__decode_get_time(&reference, &plain, pixels, measured_number(file, i, "bytes"));
    printf("%.3f ms, measured %.3f\n", time, measured_number(file, i, "ms"));
    ck_assert_double_le(fabs(time / measured_number(file, i, "ms") - 1), 0.03);
  }
  measured_free(file);
}
END_TEST

/* One thread, five CPUs, libraries that have a factor; and DataLoader, whose hand-over was fitted to these rows. */
START_TEST(decoding_by_cpu_and_library)
{
  static const struct {
    const char *name;
    double factor;
  } libraries[] = {{"simplejpeg", 1}, {"turbojpeg", 1.06}, {"torchvision", 1.03}, {"opencv", 1.02}, {"pillow", 1.25}};
  measured_file *file = measured_read("input_pipeline.csv");
  pm_dataset imagenet;
  record("dataset", "ilsvrc2012", &imagenet);
  double sum = 0, worst = 0;
  int rows = 0;
  for (size_t i = 0; i < file->count; i++)
    for (size_t k = 0; k < sizeof libraries / sizeof libraries[0]; k++) {
      pm_decoder decoder;
      pm_loader loader;
      char cpu[PM_TEXT_MAX];
      if (strcmp(measured_text(file, i, "kind"), "decode") != 0 ||
          strcmp(measured_text(file, i, "library"), libraries[k].name) != 0)
        continue;
      strcpy(cpu, measured_text(file, i, "device"));
      if (strchr(cpu, '(') != NULL) strchr(cpu, '(')[-1] = '\0';
      record("decoder", cpu, &decoder);
      INIT("loader", &loader);
      loader.library = libraries[k].factor;
      double rate = 1 / pm__decode_get_time(&decoder, &loader, imagenet.pixels, imagenet.sample_size);
      double off = fabs(rate / measured_number(file, i, "value") - 1);
      sum += off;
      worst = fmax(worst, off);
      rows++;
    }
  printf("decoding on one thread: %d rows, mean %.1f %%, worst %.1f %%\n", rows, 100 * sum / rows, 100 * worst);
  ck_assert_int_ge(rows, 15);
  ck_assert_double_le(sum / rows, 0.12);
  measured_free(file);
}
END_TEST

static double reads(const char *storage, double bytes, int format, double chunk, int flight)
{
  pm_input_setup setup = setup_of("ilsvrc2012", storage, "dgx1-v100");
  setup.dataset.sample_size = bytes;
  pm_input_run run = run_at(NAN);
  run.format = format;
  run.chunk = chunk;
  run.reads = flight;
  return ask(&setup, run).throughput;
}

/* Files of 16 KiB and 1 GiB were fitted; 1 MiB is a prediction. Of DALI, files were fitted; TFRecord is a
** prediction. */
START_TEST(reads_of_files_and_records)
{
  double small = reads("samsung-980-pro", 16384, PM_SAMPLE_FORMAT_FILES, MIB, 16) * 16384 / MIB;
  double middle = reads("samsung-980-pro", MIB, PM_SAMPLE_FORMAT_FILES, MIB, 16);
  double large = reads("samsung-980-pro", 1024 * MIB, PM_SAMPLE_FORMAT_FILES, MIB, 16) * 1024;
  double files = reads("nvme", 113044, PM_SAMPLE_FORMAT_FILES, MIB, 1);
  double records = reads("nvme", 113044, PM_SAMPLE_FORMAT_PACKED, 4 * MIB, 1);
  printf("fio %.0f, %.0f, %.0f MiB/s; DALI %.0f, %.0f images/s\n", small, middle, large, files, records);
  ck_assert_double_le(fabs(small / 1006.3 - 1), 0.12);
  ck_assert_double_le(fabs(middle / 2400.1 - 1), 0.121);
  ck_assert_double_le(fabs(large / 2762.0 - 1), 0.12);
  ck_assert_double_le(fabs(files / 5000 - 1), 0.12);
  ck_assert_double_le(fabs(records / 20000 - 1), 0.12);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("input_published");
  TCase *gates = tcase_create("gates");
  tcase_add_checked_fixture(gates, open_catalog, close_catalog);
  tcase_add_test(gates, disk_rates_of_the_dell_guide);
  tcase_add_test(gates, node_limits_of_the_dell_guide);
  tcase_add_test(gates, storage_never_binds_packed_records);
  tcase_add_test(gates, raid_of_the_dgx1_is_enough);
  tcase_add_test(gates, orders_of_resnet18);
  tcase_add_test(gates, fixed_cost_of_a_keras_step);
  tcase_add_test(gates, mlperf_storage_bounds);
  tcase_add_test(gates, decoding_by_size);
  tcase_add_test(gates, decoding_by_cpu_and_library);
  tcase_add_test(gates, reads_of_files_and_records);
  suite_add_tcase(suite, gates);
  return fixture_main(suite);
}
