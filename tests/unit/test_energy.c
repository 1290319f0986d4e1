/* Energy and power: the law of a board with given constants in numbers, nodes and sites, and what limits may not do. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "fixtures.h"
#include "kernel/energy.h"
#include "plan/energy.h"
#include "search/vary.h"

static const double TERA = 1e12;

/* ---- The law, with constants of its own ---- */

static pm_kernel_calibration law(double idle, double simt, double tensor, double energy)
{
  pm_kernel_calibration k;
  pm_record_clear(pm_record_type_find("kernel_calibration"), &k);
  k.idle_power = idle;
  k.simt_power = simt;
  k.tensor_power = tensor;
  k.tensor_flop_energy = energy;
  k.simt_power_basis = k.tensor_power_basis = PM_ORIGIN_FITTED;
  k.exchange_power = 0.23;
  k.power_margin = 0.985;
  k.limit_softness = 2.09;
  k.limit_free = 0.97;
  k.limit_fixed = 0.101;
  k.limit_fixed_most = 0.8;
  k.limit_knee = 0.871;
  k.limit_voltage = 2.631;
  k.limit_clocked = 0.917;
  k.limit_least = 0.5;
  k.host_power_air = 0.45;
  k.host_power_liquid = 0.3;
  k.supply_efficiency = 0.972;
  k.power_band_fitted = 0.15;
  k.power_band_rule = 0.3;
  return k;
}

static pm__kernel_board board(double power, const pm_kernel_calibration *k, bool tensor, double bytes)
{
  pm__kernel_board b;
  pm_gpu gpu = fixture_gpu();
  gpu.power = power;
  pm__power_init(&b, &gpu, k, (pm__kernel_engine){tensor, bytes, 15 * TERA});
  return b;
}

static pm__kernel_board v100(void)
{
  const pm_kernel_calibration k = law(38.0 / 250, 224.0 / 250, 0.68, 0);
  return board(250, &k, false, 4);
}

static pm__kernel_board h100(double bytes)
{
  const pm_kernel_calibration k = law(0.12, 0.896, 0.681, 0.87e-12);
  return board(700, &k, true, bytes);
}

/* A node of eight such boards, cooled by a liquid, that may draw so much. */
static pm_system *node(double power, double design)
{
  const pm_kernel_calibration k = law(0.12, 0.896, 0.681, 0.87e-12);
  pm_machine machine;
  pm_gpu gpu = fixture_gpu();
  pm_record_clear(pm_record_type_find("machine"), &machine);
  gpu.power = power;
  machine.gpus = 8;
  machine.power = design;
  machine.liquid_cooled = 1;
  pm_system *system = pm_system_new(&machine, &gpu, NULL);
  system->kernels = k;
  return system;
}

static const pm__plan_site here = {1, NAN, NAN, NAN, NAN};

static void near(double value, double expected, double digits)
{
  ck_assert_msg(fabs(value - expected) <= 0.5001 * digits, "%.9g, not %.9g", value, expected);
}

/* FP32 cores without rows draw by their rate, and no more than those with rows. */
START_TEST(fp32_cores_by_rule)
{
  pm__kernel_board b;
  pm_gpu gpu = fixture_gpu();
  pm_kernel_calibration k = law(0.204, 0.896, NAN, NAN);
  k.simt_power_basis = PM_ORIGIN_RULE;
  k.simt_rule_draw = 24.2e-12;
  gpu.power = 250;
  pm__power_init(&b, &gpu, &k, (pm__kernel_engine){false, 4, 5.27 * TERA});
  ck_assert_int_eq(b.basis, PM_ORIGIN_RULE);
  pm__power_init(&b, &gpu, &k, (pm__kernel_engine){false, 4, 50 * TERA});
  near(pm__power_of(&b, 1, false).power, 224.0, 0.1);
}
END_TEST

START_TEST(tensor_cores_draw_by_their_rate)
{
  pm__kernel_board b = h100(2), byte = h100(1);
  const double rates[] = {0, 100, 200, 400};
  near(pm__power_of(&b, TERA, true).power, 689.5, 0.1);
  for (int i = 0; i < 4; i++)
    ck_assert(pm__power_of(&byte, rates[i] * TERA, false).power <= pm__power_of(&b, rates[i] * TERA, false).power);
}
END_TEST

/* The clock at which 900 TFLOP/s draw no more than they may; below the limit, the rate at which they would meet it. */
START_TEST(products_keep_to_the_clock_that_power_leaves)
{
  pm__kernel_board b = h100(2);
  double run = b.run, e = 0.87e-12, full = 900 * TERA;
  near(run + e * full, 1259.7, 0.1);
  near(pm__power_hold(&b, run, e, full) / TERA, 687.99, 0.05);
  near(pm__power_hold(&b, run, e, 200 * TERA) / TERA, 212.8 / 0.87, 0.05);
  ck_assert(isinf(pm__power_hold(&b, run, 0, full)) && isinf(pm__power_hold(&b, b.top, e, full)));
  double meets = (b.top - run) / e, before = 0;
  near(pm__power_hold(&b, run, e, meets * (1 + 1e-12)) / meets, 1, 1e-9);
  for (double rate = meets; rate < 4e15; rate *= 1.05) {
    double held = pm__power_hold(&b, run, e, rate);
    ck_assert(held > before && held <= rate && held <= pm__power_hold(&b, run, e * 0.9, rate));
    before = held;
  }
}
END_TEST

/* ---- Limits ---- */

/* A lower limit neither speeds up nor draws more, and both are continuous, at the knee too. */
START_TEST(lower_limits_never_speed_up)
{
  const double draws[] = {60, 100, 180, 222, 246.25};
  for (int i = 0; i < 5; i++) {
    pm__kernel_board b = v100();
    pm__kernel_draw before = {INFINITY, 0};
    for (double limit = 300; limit >= 39; limit -= 0.1) {
      pm__power_set_limit(&b, limit);
      pm__kernel_draw now = pm__power_at_limit(&b, draws[i]);
      ck_assert(now.power <= before.power + 1e-9 && now.slow >= before.slow - 1e-9);
      ck_assert(now.power <= 0.985 * limit + 1e-9);
      if (limit < 299.9) ck_assert(before.power - now.power < 0.3 && now.slow / before.slow < 1.02);
      before = now;
    }
  }
}
END_TEST

START_TEST(the_knee_is_continuous)
{
  pm__kernel_board b = v100();
  double low = 39, high = 249;
  for (int i = 0; i < 200; i++) { /* the limit at which the clock is that of the knee */
    double middle = (low + high) / 2, slow;
    pm__power_set_limit(&b, middle);
    slow = pm__power_at_limit(&b, 222).slow;
    *(slow > 0.917 / 0.871 + 0.083 ? &low : &high) = middle;
  }
  pm__power_set_limit(&b, low);
  pm__kernel_draw below = pm__power_at_limit(&b, 222);
  pm__power_set_limit(&b, high);
  pm__kernel_draw above = pm__power_at_limit(&b, 222);
  ck_assert(fabs(below.slow / above.slow - 1) < 1e-9 && fabs(below.power / above.power - 1) < 1e-9);
}
END_TEST

/* ---- Nodes and sites ---- */

/* 60 ms of kernels at 200 TFLOP/s, 25 ms of exchanges, 15 ms of waiting; eight boards of one node, `nodes` of them. */
static pm__plan_energy_work step_of(const pm__kernel_board *b, double nodes, double samples)
{
  return (pm__plan_energy_work){.time = 0.1, .busy = 0.06, .exchange = 0.025,
                                .kernels = 0.06 * pm__power_of(b, 200 * TERA, false).power, .gpus = 8 * nodes,
                                .nodes = nodes, .samples = samples, .tokens = 1, .rate_spread = 0};
}

/* ---- The numbers of the design page, with its constants ---- */

/* `power` [W] for a time [s] of one board alone, without a host: so many samples, each of so many tokens. */
static pm__plan_energy alone(double power, double time, double samples, double tokens, double carbon)
{
  pm_system *system = node(700, 10200);
  pm__kernel_board b = h100(2);
  const pm__plan_energy_work work = {.time = time, .busy = time, .kernels = power * time, .gpus = 1, .nodes = 1,
                                     .samples = samples, .tokens = tokens};
  system->machine.host_power = 0;
  system->kernels.supply_efficiency = 1;
  pm__plan_energy all = pm__energy_of(system, &b, &work, (pm__plan_site){1, carbon, NAN, NAN, NAN});
  pm_system_free(system);
  return all;
}

/* A V100 whose kernels draw 224 W for `busy` of `time`. */
static pm__plan_energy partly(double busy, double time)
{
  pm_system *system = node(250, 1000);
  pm__kernel_board b = v100();
  const pm__plan_energy_work work = {.time = time, .busy = busy, .kernels = 224 * busy, .gpus = 1, .nodes = 1,
                                     .samples = 341.3, .tokens = NAN};
  pm__plan_energy all = pm__energy_of(system, &b, &work, here);
  pm_system_free(system);
  return all;
}

static pm__kernel_draw limited(double limit, double drawn)
{
  pm__kernel_board b = v100();
  pm__power_set_limit(&b, limit);
  return pm__power_at_limit(&b, drawn);
}

/* x of the law, from the time. */
static double clock_at(double limit)
{
  return 0.917 / (limited(limit, 222).slow - 0.083);
}

static double energy_at(double limit)
{
  pm__kernel_draw draw = limited(limit, 222);
  return draw.power * draw.slow / 222;
}

static pm__plan_energy nodes_of(double nodes, double samples, pm__plan_site site)
{
  pm_system *system = node(700, 10200);
  pm__kernel_board b = h100(2);
  const pm__plan_energy_work work = step_of(&b, nodes, samples);
  pm__plan_energy all = pm__energy_of(system, &b, &work, site);
  pm_system_free(system);
  return all;
}

static double waiting_node(void)
{
  pm_system *system = node(700, 10200);
  pm__kernel_board b = h100(2);
  const pm__plan_energy_work work = {.time = 1, .gpus = 8, .nodes = 1, .samples = 1, .tokens = NAN};
  double power = pm__energy_of(system, &b, &work, here).power;
  pm_system_free(system);
  return power;
}

static double h100_at(double rate)
{
  pm__kernel_board b = h100(2);
  return pm__power_of(&b, rate * TERA, false).power;
}

static double p100_running(void)
{
  pm__kernel_board b;
  pm_gpu gpu = fixture_gpu();
  pm_kernel_calibration k = law(0.204, 0.896, NAN, NAN);
  k.simt_power_basis = PM_ORIGIN_RULE;
  k.simt_rule_draw = 24.2e-12;
  gpu.power = 250;
  pm__power_init(&b, &gpu, &k, (pm__kernel_engine){false, 4, 5.27 * TERA});
  return pm__power_of(&b, 1, false).power;
}

/* Half of the last digit that the page prints is what they may be off. */
START_TEST(the_numbers_of_the_design_page)
{
  const double kwh = 3.6e6, day = 86400, hours = 3600, run = 1746.06; /* 29.10 min */
  const pm__plan_energy busy = partly(1, 1), step = partly(0.08, 0.1), one = nodes_of(1, 65536, here);
  const pm__plan_energy site = nodes_of(16, 0.1 / day, (pm__plan_site){1.2, 400, 0.1, NAN, NAN});
  const pm__plan_energy bloom = alone(400, 1082990 * hours, 1, NAN, 57);
  const pm__plan_energy llama = alone(700, 39.3e6 * hours, 1, NAN, 414);
  const struct {
    int number;
    double computed, expected, digit;
  } rows[] = {
    {1, busy.gpu_power, 224.0, 0.1}, {2, busy.energy_per_sample, 0.65631, 1e-5},
    {3, busy.energy_per_sample * 1281167 / kwh, 0.23357, 1e-5}, {4, partly(0.5, 1).gpu_power, 131.0, 0.1},
    {5, step.energy, 18.68, 0.01}, {6, step.gpu_power, 186.8, 0.1}, {6, step.idle_energy_share, 0.0407, 1e-4},
    {7, p100_running(), 178.5, 0.1}, {8, limited(1e9, 222).power, 485.58, 0.01},
    {9, limited(100, 222).power, 96.86, 0.01}, {9, clock_at(100), 0.5235, 1e-4},
    {9, limited(100, 222).slow, 1.8348, 1e-4}, {9, energy_at(100), 0.8006, 1e-4},
    {10, limited(125, 222).power, 119.91, 0.01}, {10, limited(125, 222).slow, 1.4082, 1e-4},
    {11, limited(150, 222).power, 142.21, 0.01}, {11, clock_at(150), 0.8549, 1e-4},
    {11, limited(150, 222).slow, 1.1556, 1e-4}, {11, energy_at(150), 0.7403, 1e-4},
    {12, limited(200, 222).power, 184.12, 0.01}, {12, limited(200, 222).slow, 1.0556, 1e-4},
    {12, energy_at(200), 0.8755, 1e-4}, {13, limited(250, 222).power, 222.00, 0.01},
    {13, limited(250, 222).slow, 1, 1e-4}, {13, energy_at(250), 1, 1e-4},
    {14, limited(150, 100).power, 88.52, 0.01}, {14, limited(150, 100).slow, 1.0431, 1e-4},
    {15, h100_at(0), 476.7, 0.1}, {15, h100_at(100), 563.7, 0.1}, {15, h100_at(200), 650.7, 0.1},
    {16, h100_at(400), 689.5, 0.1}, {17, one.energy / 8, 46.427, 0.001}, {17, one.gpu_power, 464.3, 0.1},
    {18, one.power * 0.972, 5394.2, 0.1}, {18, one.power, 5549.5, 0.1}, {19, site.site_power / 1e3, 106.6, 0.1},
    {19, site.site_energy_per_sample / kwh, 2557, 1}, {20, site.carbon_per_sample / 1e3, 1023, 1},
    {20, site.energy_cost_per_sample, 255.7, 0.1}, {21, one.energy_per_token * 1e3, 5.667, 0.001},
    {21, one.site_energy_per_sample * 1e3, 8.468, 0.001}, {22, waiting_node(), 2419.8, 0.1},
    {23, bloom.site_energy_per_sample / kwh, 433196, 1}, {23, bloom.carbon_per_sample / 1e6, 24.69, 0.01},
    {24, llama.site_energy_per_sample / kwh / 1e3, 27510, 1}, {24, llama.carbon_per_sample / 1e6, 11390, 10},
    {25, alone(12127.9e3 / run, run, 1, NAN, 0).power, 6946, 1},
    {25, alone(8 * 700, run, 1, NAN, 0).energy / 1e3, 9778, 1},
    {25, one.design_power * run / 1e3, 17810, 1}, {25, one.design_power * run / 12127.9e3, 1.47, 0.01},
    {26, alone(486.44, 1, 1, 1069.57, 0).energy_per_token, 0.4548, 1e-4},
    {26, alone(700, 1, 1, 1069.57, 0).energy_per_token, 0.6545, 1e-4}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    ck_assert_msg(fabs(rows[i].computed - rows[i].expected) <= 0.5001 * rows[i].digit, "number %d: %.9g, not %.9g",
                  rows[i].number, rows[i].computed, rows[i].expected);
}
END_TEST

/* Sockets draw beside the boards, whatever these are; limited boards need smaller feeds. */
START_TEST(hosts_and_feeds)
{
  pm_system *system = node(700, 10200);
  pm__kernel_board b = h100(2);
  const pm__plan_energy_work busy = {.time = 1, .busy = 1, .kernels = 500, .gpus = 8, .nodes = 1, .samples = 1,
                                     .tokens = NAN, .rate_spread = 0};
  pm__plan_site bounded = {1.25, NAN, NAN, 1e6, 500};
  double before = pm__energy_of(system, &b, &busy, here).power;
  system->kernels.host_cpu_power = 250;
  near(pm__energy_of(system, &b, &busy, here).power - before, 2 * 250 / 0.972, 1e-6);
  system->machine.cpu_sockets = 4;
  near(pm__energy_of(system, &b, &busy, here).power - before, 4 * 250 / 0.972, 1e-6);
  near(pm__energy_of(system, &b, &busy, bounded).design_power, 10200 - 8 * 200, 1e-9);
  near(pm__energy_budget_nodes(system, bounded), 93, 1e-9);
  bounded.limit = NAN;
  near(pm__energy_budget_nodes(system, bounded), 78, 1e-9);
  bounded.limit = 700;
  ck_assert(pm__energy_of(system, &b, &busy, bounded).design_power == 10200);
  pm_system_free(system);
}
END_TEST

/* CPUs on the modules of the boards take what the modules leave them. */
START_TEST(modules_have_their_cpus)
{
  pm_system *system = node(700, 10200);
  pm__kernel_board b = h100(2);
  const pm__plan_energy_work waits = {.time = 1, .gpus = 8, .nodes = 1, .samples = 1, .tokens = NAN};
  double before = pm__energy_of(system, &b, &waits, here).power;
  system->kernels.host_cpu_power = 250;
  system->gpu.module_power = 700;
  ck_assert(pm__energy_of(system, &b, &waits, here).power == before);
  system->gpu.module_power = 730;
  near(pm__energy_of(system, &b, &waits, here).power - before, 8 * 30 / 0.972, 1e-6);
  system->gpu.module_power = 1000;
  near(pm__energy_of(system, &b, &waits, here).power - before, 2 * 250 / 0.972, 1e-6);
  pm_system_free(system);
}
END_TEST

/* 40 ports of 200 W: one level joins 40 links, two join 800 and three 16,000; without the switch they are unknown. */
START_TEST(switches_between_nodes)
{
  const struct {
    double nodes, ports;
  } rows[] = {{2, 16}, {5, 40}, {6, 3 * 48}, {100, 3 * 800}, {101, 5 * 808}};
  pm_system *system = node(700, 10200);
  pm__kernel_board b = h100(2);
  pm__plan_energy_work work = step_of(&b, 1, 1);
  ck_assert(pm__energy_of(system, &b, &work, here).network_power == 0);
  system->network.count = 8;
  system->network.link.switch_ports = 40;
  system->network.link.switch_power = 200;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    work = step_of(&b, rows[i].nodes, 1);
    pm__plan_energy all = pm__energy_of(system, &b, &work, (pm__plan_site){1.5, NAN, NAN, NAN, NAN});
    near(all.network_power, rows[i].ports * 5, 1e-6);
    near(all.site_power, 1.5 * (all.power + all.network_power), 1e-6);
  }
  system->network.link.switch_ports = 0;
  pm__plan_energy unknown = pm__energy_of(system, &b, &work, here);
  ck_assert(isnan(unknown.network_power) && unknown.site_power == unknown.power);
  pm_system_free(system);
}
END_TEST

/* Draws within 15 or 30 %, joined with the rate by squares of logarithms. */
START_TEST(intervals_join_draw_and_rate)
{
  pm_system *system = node(700, 10200);
  pm__kernel_board b = h100(2);
  pm__plan_energy_work one = step_of(&b, 1, 1);
  pm__plan_energy alone = pm__energy_of(system, &b, &one, here);
  near(alone.energy_p90 / alone.energy, 1.15, 1e-9);
  near(alone.energy / alone.energy_p10, 1.15, 1e-9);
  one.rate_spread = log(1.15);
  near(log(pm__energy_of(system, &b, &one, here).energy_p90 / alone.energy), sqrt(2) * log(1.15), 1e-9);
  pm__power_set_limit(&b, 500); /* limits of tensor cores were never measured */
  one.rate_spread = 0;
  pm__plan_energy less = pm__energy_of(system, &b, &one, here);
  ck_assert_int_eq(less.energy_basis, PM_ORIGIN_RULE);
  near(less.energy_p90 / less.energy, 1.3, 1e-9);
  ck_assert_int_eq(less.power_in_range, 1);
  pm__power_set_limit(&b, 300);
  ck_assert_int_eq(pm__energy_of(system, &b, &one, here).power_in_range, 0);
  pm_system_free(system);
}
END_TEST

/* ---- Predictions of shipped hardware ---- */

static pm_catalog *catalog;
static pm_network *network;
static pm_system *systems[3];
static pm_plan *plan;

static void load(void)
{
  static const char *const names[] = {"gpu:v100-pcie-32gb", "dgx-h100", "gpu:rtx-3090"};
  catalog = pm_catalog_new(NULL);
  network = pm_catalog_new_network(catalog, "resnet50", NULL, 0, NULL);
  for (int i = 0; i < 3; i++) systems[i] = pm_catalog_new_system(catalog, names[i], NULL);
  plan = pm_plan_new((const pm_network *const *)&network, 1, (const pm_system *const *)systems, 3, NULL);
  ck_assert_ptr_nonnull(plan);
}

static void unload(void)
{
  pm_plan_free(plan);
  for (int i = 0; i < 3; i++) pm_system_free(systems[i]);
  pm_network_free(network);
  pm_catalog_free(catalog);
}

static pm_prediction predict(int system, int precision, double limit)
{
  pm_prediction p;
  pm_run run = pm_run_make();
  run.system_index = system;
  run.precision = precision;
  run.power_limit = limit;
  ck_assert_int_eq(pm_predict(plan, &run, &p, 1), PM_OK);
  return p;
}

/* Waiting longer adds the draw of waiting; twice the step is twice the energy, and eight boards eight times one. */
START_TEST(energy_is_additive)
{
  pm__kernel_board b = h100(2);
  pm_system *system = node(700, 10200);
  pm__plan_energy_work work = step_of(&b, 1, 1), longer = work, twice = work, single = work;
  longer.time += 0.3;
  twice.time *= 2;
  twice.busy *= 2;
  twice.exchange *= 2;
  twice.kernels *= 2;
  single.gpus = 1;
  double energy = pm__energy_of(system, &b, &work, here).energy;
  near(pm__energy_of(system, &b, &longer, here).energy, energy + 8 * 0.3 * 84, 1e-9);
  near(pm__energy_of(system, &b, &twice, here).energy, 2 * energy, 1e-9);
  near(8 * pm__energy_of(system, &b, &single, here).energy, energy, 1e-9);
  ck_assert(energy >= 8 * 84 * work.time && energy <= 8 * 0.985 * 700 * work.time);
  pm_system_free(system);
}
END_TEST

/* Nodes never draw more than their design power, whatever the limit of their boards. */
START_TEST(no_node_draws_more_than_its_design_power)
{
  const char *id;
  for (size_t i = 0; (id = pm_catalog_get_id(catalog, "system", i)) != NULL; i++) {
    pm_system *system = pm_catalog_new_system(catalog, id, NULL);
    pm_plan *own = pm_plan_new((const pm_network *const *)&network, 1, (const pm_system *const *)&system, 1, NULL);
    double power = pm_system_get_gpu(system)->power;
    for (double share = 0.4; share < 1.05; share += 0.2) {
      pm_prediction p;
      pm_run run = pm_run_make();
      run.gpus = pm_system_get_machine(system)->gpus;
      run.ignore_memory = 1;
      run.batch = 128;
      run.power_limit = share * power;
      ck_assert_int_eq(pm_predict(own, &run, &p, 1), PM_OK);
      ck_assert_msg(p.power <= p.design_power * (1 + 1e-12), "%s at %g W: %g of %g W", id, run.power_limit, p.power,
                    p.design_power);
      ck_assert(p.energy >= run.gpus * p.step_time * 0.05 * power && p.gpu_power <= 0.985 * run.power_limit + 1e-9);
    }
    pm_plan_free(own);
    pm_system_free(system);
  }
}
END_TEST

/* Feeds grow with the boards of a varied machine, by all ways to vary it, and feed them under every limit. */
START_TEST(a_node_feeds_its_boards)
{
  static const char *const powers[] = {"x0.5", "x1", "x2", "1e20 W", "1e-20 W"};
  pm_system *node = pm_catalog_new_system(catalog, "dgx-h100", NULL);
  double rest = 10200 - 8 * 700;
  for (size_t i = 0; i < 5; i++) {
    pm_system *varied = pm_system_new_with_number(node, "gpu.power", powers[i], NULL);
    double board = pm_system_get_gpu(varied)->power;
    pm_system *scaled = pm__system_new_scaled(node, PM_RESOURCE_POWER, board / 700, NULL);
    double design = pm__energy_node_design(varied, NAN), less = pm__energy_node_design(varied, 0.7 * board);
    ck_assert(fabs(design / (rest + 8 * board) - 1) < 1e-12 && less >= 8 * 0.7 * board && less <= design);
    near(pm__energy_node_design(scaled, NAN) / design, 1, 1e-12);
    pm_system_free(varied);
    pm_system_free(scaled);
  }
  pm_system_free(node);
}
END_TEST

/* Energy of a sample does not rise with the batch where its time does not; FP8 draws no more for a FLOP than BF16. */
START_TEST(larger_batches_need_no_more)
{
  double before = INFINITY, time = INFINITY;
  for (double batch = 8; batch <= 256; batch *= 2) {
    pm_run run = pm_run_make();
    pm_prediction p;
    run.batch = batch;
    ck_assert_int_eq(pm_predict(plan, &run, &p, 1), PM_OK);
    if (1 / p.throughput <= time) ck_assert(p.energy_per_sample <= before * (1 + 1e-9));
    before = p.energy_per_sample;
    time = 1 / p.throughput;
  }
}
END_TEST

/* The limit that a board has anyway changes no bit; a lower one is slower and draws less. */
START_TEST(its_own_limit_changes_no_bit)
{
  const double limits[] = {250, 700, 350};
  for (int i = 0; i < 3; i++) {
    pm_prediction none = predict(i, PM_PRECISION_FP16, NAN), own = predict(i, PM_PRECISION_FP16, limits[i]);
    pm_prediction less = predict(i, PM_PRECISION_FP16, 0.6 * limits[i]);
    ck_assert_mem_eq(&none, &own, sizeof own);
    ck_assert(less.step_time > none.step_time && less.gpu_power < none.gpu_power && less.energy < none.energy);
    ck_assert(none.gpu_power >= 0.1 * limits[i] && none.gpu_power <= 0.985 * limits[i]);
    ck_assert(less.gpu_power <= 0.985 * 0.6 * limits[i]);
  }
}
END_TEST

/* Several runs in one call remember what they share: a limit is not shared. */
START_TEST(limits_are_not_mixed_up_in_one_call)
{
  pm_run runs[4];
  pm_prediction together[4];
  const double limits[] = {NAN, 200, 150, NAN};
  for (int i = 0; i < 4; i++) {
    runs[i] = pm_run_make();
    runs[i].power_limit = limits[i];
  }
  ck_assert_int_eq(pm_predict(plan, runs, together, 4), PM_OK);
  for (int i = 0; i < 4; i++) {
    pm_prediction alone = predict(0, PM_PRECISION_FP32, limits[i]);
    ck_assert_mem_eq(&alone, &together[i], sizeof alone);
  }
}
END_TEST

/* Layers add up to the kernels of a step without a framework, which nothing waits for. */
START_TEST(layers_add_up_to_the_step)
{
  double sum = 0;
  int count = pm_network_count_layers(network);
  pm_layer_time *rows = (pm_layer_time *)malloc((size_t)count * sizeof *rows);
  const pm_gpu *gpu = pm_system_get_gpu(systems[1]);
  const pm_kernel_calibration *kernels = pm_system_get_kernels(systems[1]);
  ck_assert_int_eq(pm_network_get_times(network, gpu, kernels, 32, PM_PRECISION_FP16, rows, NULL), PM_OK);
  for (int i = 0; i < count; i++) sum += rows[i].energy;
  free(rows);
  pm_prediction p = predict(1, PM_PRECISION_FP16, NAN);
  ck_assert_msg(fabs(sum / p.energy - 1) < 1e-9, "layers %g J, step %g J", sum, p.energy);
}
END_TEST

START_TEST(sites_are_linear)
{
  pm_run run = pm_run_make();
  pm_prediction one, other;
  run.carbon = 400;
  run.energy_price = 0.1;
  ck_assert_int_eq(pm_predict(plan, &run, &one, 1), PM_OK);
  run.pue = 2;
  run.carbon = 100;
  ck_assert_int_eq(pm_predict(plan, &run, &other, 1), PM_OK);
  near(other.site_energy_per_sample / one.site_energy_per_sample, 2, 1e-9);
  near(other.carbon_per_sample / one.carbon_per_sample, 0.5, 1e-9);
  near(other.energy_cost_per_sample / one.energy_cost_per_sample, 2, 1e-9);
  ck_assert(other.energy == one.energy && other.power == one.power);
}
END_TEST

START_TEST(what_cannot_be_is_refused)
{
  const struct {
    double limit, pue, carbon, price;
    int status;
    const char *text;
  } bad[] = {{0, 1, NAN, NAN, PM_STATUS_BAD_ARGUMENT, "power_limit 0 W"},
             {-5, 1, NAN, NAN, PM_STATUS_BAD_ARGUMENT, "power_limit -5 W"},
             {INFINITY, 1, NAN, NAN, PM_STATUS_BAD_ARGUMENT, "power_limit inf W"},
             {251, 1, NAN, NAN, PM_STATUS_BAD_ARGUMENT, "above the 250 W"},
             {20, 1, NAN, NAN, PM_STATUS_UNREACHABLE, "below the idle power"},
             {NAN, 0.9, NAN, NAN, PM_STATUS_BAD_ARGUMENT, "pue 0.9"},
             {NAN, 11, NAN, NAN, PM_STATUS_BAD_ARGUMENT, "pue 11"},
             {NAN, NAN, NAN, NAN, PM_STATUS_BAD_ARGUMENT, "pue nan"},
             {NAN, 1, -1, NAN, PM_STATUS_BAD_ARGUMENT, "carbon -1"},
             {NAN, 1, 5001, NAN, PM_STATUS_BAD_ARGUMENT, "carbon 5001"},
             {NAN, 1, NAN, -0.1, PM_STATUS_BAD_ARGUMENT, "energy_price -0.1"}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    pm_error error = PM_ERROR_NONE;
    pm_run run = pm_run_make();
    run.power_limit = bad[i].limit;
    run.pue = bad[i].pue;
    run.carbon = bad[i].carbon;
    run.energy_price = bad[i].price;
    ck_assert_msg(pm_run_check(plan, &run, &error) == bad[i].status, "%zu: %s", i, error.text);
    ck_assert_msg(strstr(error.text, bad[i].text) != NULL, "%s", error.text);
  }
}
END_TEST

/* What runs draws no less than what waits. */
START_TEST(constants_that_cannot_be)
{
  pm_error error = PM_ERROR_NONE;
  pm_kernel_calibration k = *pm_system_get_kernels(systems[0]);
  k.simt_power = 0.5 * k.idle_power;
  ck_assert_int_eq(pm_kernel_calibration_check(&k, &error), PM_STATUS_BAD_VALUE);
  ck_assert_ptr_nonnull(strstr(error.text, "is below idle_power"));
}
END_TEST

/* Without a design power nothing is known, and nothing is 0. */
START_TEST(without_a_design_power_all_is_unknown)
{
  pm_prediction p;
  pm_run run = pm_run_make();
  pm_error error = PM_ERROR_NONE;
  pm_system *unknown = pm_system_new_with_number(systems[0], "gpu.power", "unknown", NULL);
  ck_assert_ptr_nonnull(unknown);
  pm_plan *own = pm_plan_new((const pm_network *const *)&network, 1, (const pm_system *const *)&unknown, 1, NULL);
  ck_assert_int_eq(pm_predict(own, &run, &p, 1), PM_OK);
  ck_assert(p.step_time > 0 && p.energy_basis == PM_ORIGIN_NONE);
  ck_assert(isnan(p.energy) && isnan(p.gpu_power) && isnan(p.power) && isnan(p.energy_p90));
  ck_assert(isnan(p.idle_energy_share));
  run.power_limit = 100;
  ck_assert_int_eq(pm_run_check(own, &run, &error), PM_STATUS_BAD_ARGUMENT);
  ck_assert_ptr_nonnull(strstr(error.text, "is not known"));
  pm_plan_free(own);
  pm_system_free(unknown);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("energy");
  TCase *numbers = tcase_create("law"), *shipped = tcase_create("predictions");
  tcase_add_test(numbers, the_numbers_of_the_design_page);
  tcase_add_test(numbers, fp32_cores_by_rule);
  tcase_add_test(numbers, tensor_cores_draw_by_their_rate);
  tcase_add_test(numbers, products_keep_to_the_clock_that_power_leaves);
  tcase_add_test(numbers, lower_limits_never_speed_up);
  tcase_add_test(numbers, the_knee_is_continuous);
  tcase_add_test(numbers, hosts_and_feeds);
  tcase_add_test(numbers, modules_have_their_cpus);
  tcase_add_test(numbers, switches_between_nodes);
  tcase_add_test(numbers, intervals_join_draw_and_rate);
  tcase_add_unchecked_fixture(shipped, load, unload);
  tcase_add_test(numbers, energy_is_additive);
  tcase_add_test(shipped, no_node_draws_more_than_its_design_power);
  tcase_add_test(shipped, a_node_feeds_its_boards);
  tcase_add_test(shipped, larger_batches_need_no_more);
  tcase_add_test(shipped, its_own_limit_changes_no_bit);
  tcase_add_test(shipped, limits_are_not_mixed_up_in_one_call);
  tcase_add_test(shipped, layers_add_up_to_the_step);
  tcase_add_test(shipped, sites_are_linear);
  tcase_add_test(shipped, what_cannot_be_is_refused);
  tcase_add_test(shipped, constants_that_cannot_be);
  tcase_add_test(shipped, without_a_design_power_all_is_unknown);
  suite_add_tcase(suite, numbers);
  suite_add_tcase(suite, shipped);
  return fixture_main(suite);
}
