/* Machines described by other programs, drawings of ours, and the doctor. */
#define _DEFAULT_SOURCE /* mkstemps */
#include <math.h>
#include <stdio.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fixtures.h"
#include "hardware/system.h"
#include "shipped.h"
#include "topology/drawing.h"

static char *read_file(const char *name)
{
  char path[600];
  pm_error error = PM_ERROR_NONE;
  snprintf(path, sizeof path, "%s/tests/import/%s", PM_SOURCE_DIR, name);
  char *text = pm_file_read(path, &error);
  ck_assert_msg(text != NULL, "%s", error.text);
  return text;
}

/* A text with every `old` in it changed. */
static char *changed(const char *text, const char *old, const char *new_text)
{
  char *out = (char *)calloc(1, strlen(text) * (1 + strlen(new_text)) + 1);
  ck_assert_ptr_nonnull(out);
  for (const char *at; (at = strstr(text, old)) != NULL; text = at + strlen(old)) {
    strncat(out, text, (size_t)(at - text));
    strcat(out, new_text);
  }
  return strcat(out, text);
}

/* Loads the XML into a catalogue of its own and builds the system. */
static pm_system *build(const char *xml, pm_catalog **own)
{
  char path[] = "/tmp/perfmodel-import-XXXXXX.xml";
  pm_error error = PM_ERROR_NONE;
  int descriptor = mkstemps(path, 4);
  ck_assert(descriptor >= 0 && write(descriptor, xml, strlen(xml)) == (ssize_t)strlen(xml));
  close(descriptor);
  *own = pm_catalog_new(&error);
  ck_assert_msg(pm_catalog_load(*own, path, &error) == PM_OK, "%s", error.text);
  unlink(path);
  pm_system *system = pm_catalog_new_system(*own, "mine", &error);
  ck_assert_msg(system != NULL, "%s", error.text);
  return system;
}

static char *import(const char *format, const char *text, const char *gpu_name, char **report)
{
  pm_error error = PM_ERROR_NONE;
  const pm_attribute known[] = {{"gpu", gpu_name}};
  char *xml = pm_import(catalog, format, text, "source", "mine", known, gpu_name != NULL, report, &error);
  ck_assert_msg(xml != NULL, "%s", error.text);
  return xml;
}

/* A machine as another program described it, the report on it, and the system that was made of it. */
typedef struct imported {
  pm_catalog *own;
  pm_system *system;
  char *xml, *report;
} imported;

static imported import_text(const char *format, const char *text, const char *gpu_name)
{
  imported m = {NULL, NULL, NULL, NULL};
  m.xml = import(format, text, gpu_name, &m.report);
  m.system = build(m.xml, &m.own);
  return m;
}

static imported import_file(const char *format, const char *file, const char *gpu_name)
{
  char *text = read_file(file);
  imported m = import_text(format, text, gpu_name);
  pm_string_free(text);
  return m;
}

static void drop(imported *m)
{
  pm_system_free(m->system);
  pm_catalog_free(m->own);
  pm_string_free(m->xml);
  pm_string_free(m->report);
}

/* What we print as a matrix comes back with the same links, and prints the same matrix. */
START_TEST(matrices_come_back)
{
  static const char *const machines[] = {"dgx1-v100", "dgx1-p100", "dgx2", "dgx-a100", "c4140-v100-sxm2"};
  for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++) {
    pm_catalog *own;
    pm_system *system = build_system(machines[i]);
    char *report = NULL, *matrix = pm__system_format_matrix(system, NULL);
    char *xml = import("topo", matrix, pm_system_get_gpu(system)->id, &report);
    ck_assert(strstr(report, "assumed: ") != NULL && strstr(report, "read: ") != NULL);
    pm_system *back = build(xml, &own);
    char *again = pm__system_format_matrix(back, NULL);
    for (int a = 0; a < pm_system_get_machine(system)->gpus; a++)
      for (int b = 0; b < pm_system_get_machine(system)->gpus; b++)
        ck_assert_int_eq(pm__system_count_gpu_links(system, a, b), pm__system_count_gpu_links(back, a, b));
    if (i < 2) ck_assert_str_eq(matrix, again); /* the others hide PCIe behind NVLink */
    pm_string_free(again);
    pm_string_free(xml);
    pm_string_free(report);
    pm_string_free(matrix);
    pm_system_free(back);
    pm_system_free(system);
    pm_catalog_free(own);
  }
}
END_TEST

START_TEST(nccl_dump_is_read)
{
  imported m = import_file("nccl", "nccl.xml", NULL);
  ck_assert_int_eq(pm_system_get_machine(m.system)->gpus, 2);
  ck_assert_str_eq(pm_system_get_gpu(m.system)->id, "v100-sxm2-16gb");
  ck_assert_int_eq(pm__system_count_gpu_links(m.system, 0, 1), 2);
  ck_assert_double_eq_tol(pm_system_get_network_bandwidth(m.system), 12.5e9, 1);
  ck_assert(strstr(m.report, "read: 2 GPUs") != NULL);
  drop(&m);
}
END_TEST

START_TEST(hwloc_is_read)
{
  imported m = import_file("hwloc", "hwloc.xml", "v100-sxm2-16gb");
  ck_assert_int_eq(pm_system_get_machine(m.system)->gpus, 2);
  ck_assert_int_eq(pm__system_count_gpu_links(m.system, 0, 1), 0);
  ck_assert(strstr(m.report, "left out: NVLinks") != NULL);
  drop(&m);
}
END_TEST

/* Devices by class alone, as the files of Azure's and Amazon's machines have them. */
START_TEST(nccl_static_file_is_read)
{
  imported m = import_file("nccl", "nccl_static.xml", "a100-sxm4-40gb");
  ck_assert_int_eq(pm_system_get_machine(m.system)->gpus, 2);
  ck_assert(strstr(m.report, "2 GPUs, 2 CPUs, 2 PCIe switches, 1 NVLink switch, 2 NICs") != NULL);
  ck_assert(strstr(m.report, "assumed: all 12 NVLinks") != NULL && strstr(m.report, "no NIC with a speed") != NULL);
  ck_assert(strstr(m.xml, "from=\"gpu0\" to=\"plx1\"") != NULL); /* the lower bus is in the second socket */
  pm_ring ring;
  ck_assert_int_eq(pm_ring_find(m.system, 2, 1, &ring, NULL), PM_OK);
  ck_assert_double_eq_tol(ring.rings, 12, 1e-9);
  drop(&m);
}
END_TEST

/* A virtual machine: no link speeds, switches without a bus, a GPU that names itself, a NIC beside PCI. */
START_TEST(nccl_dump_of_a_virtual_machine_is_read)
{
  imported m = import_file("nccl", "nccl_vm.xml", NULL);
  ck_assert(strstr(m.report, "2 GPUs, 1 CPU, 0 PCIe switches, 1 NVLink switch, 1 NIC") != NULL);
  ck_assert(strstr(m.report, "left out: 12 links of gpu1") != NULL);
  ck_assert(strstr(m.xml, "type=\"pcie5-x16\" from=\"gpu0\"") != NULL &&
            strstr(m.xml, "type=\"pcie4-x16\" from=\"gpu1\"") != NULL);
  ck_assert_double_eq_tol(pm_system_get_network_bandwidth(m.system), 12.5e9, 1);
  drop(&m);
}
END_TEST

/* hwloc with NVML: GPUs by their model, NVLinks in a matrix between GPUs, packages and switches, split over lines. */
START_TEST(hwloc_nvlinks_are_read)
{
  imported m = import_file("hwloc", "hwloc_nvlink.xml", NULL);
  ck_assert_str_eq(pm_system_get_gpu(m.system)->id, "p100-sxm2");
  ck_assert_int_eq(pm__system_count_gpu_links(m.system, 0, 1), 2);
  ck_assert_int_eq(pm__system_count_gpu_links(m.system, 0, 2), 0);
  ck_assert(strstr(m.report, "assumed: \"Tesla P100-SXM2-16GB\" is p100-sxm2") != NULL);
  ck_assert(strstr(m.report, "3 GPUs, 2 CPUs, 0 PCIe switches, 1 NVLink switch") != NULL);
  ck_assert(strstr(m.xml, "from=\"gpu2\" to=\"cpu1*2\"") != NULL && strstr(m.xml, "from=\"gpu2\" to=\"nvs0\"") != NULL);
  drop(&m);
}
END_TEST

/* As today's nvidia-smi prints it: NICs by number with a legend, further columns, escapes that underline the
** heading. */
START_TEST(topo_of_today_is_read)
{
  static const char text[] =
    "\t\033[4mGPU0\tGPU1\tGPU2\tNIC0\tNIC1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\033[0m\n"
    "GPU0\t X \tNV18\tNV18\tPIX\tSYS\t0-47,96-143\t0\t\tN/A\n"
    "GPU1\tNV18\t X \tNV18\tNODE\tSYS\t0-47,96-143\t0\t\tN/A\n"
    "GPU2\tNV18\tNV18\t X \tSYS\tPIX\t48-95,144-191\t1\t\tN/A\n"
    "NIC0\tPIX\tNODE\tSYS\t X \tSYS\t\t\t\t\n"
    "NIC1\tSYS\tSYS\tPIX\tSYS\t X \t\t\t\t\n"
    "\nLegend:\n\n  X    = Self\n  SYS  = Connection traversing PCIe as well as the SMP interconnect\n"
    "  NV#  = Connection traversing a bonded set of # NVLinks\n\nNIC Legend:\n\n  NIC0: mlx5_0\n  NIC1: mlx5_1\n\n";
  imported m = import_text("topo", text, "h100-sxm5");
  ck_assert(strstr(m.report, "3 GPUs, 2 CPUs, 3 PCIe switches, 1 NVLink switch, 2 NICs") != NULL);
  drop(&m);
}
END_TEST

/* All pairs show NVLink alone, and there are no NICs: the affinity tells which GPUs share a CPU. */
START_TEST(topo_affinity_is_read)
{
  imported m = import_file("topo", "topo_affinity.txt", "h100-sxm5");
  ck_assert(strstr(m.report, "8 GPUs, 2 CPUs, 8 PCIe switches, 1 NVLink switch") != NULL);
  ck_assert(strstr(m.report, "GPUs of one affinity") != NULL);
  ck_assert(strstr(m.xml, "from=\"plx3\" to=\"cpu0\"") != NULL && strstr(m.xml, "from=\"plx4\" to=\"cpu1\"") != NULL);
  drop(&m);
}
END_TEST

/* PCIe cards, neighbours of which a bridge joins; the CPUs, not the NUMA nodes, as older drivers print them. */
START_TEST(topo_bridges_are_read)
{
  imported m = import_file("topo", "topo_bridges.txt", "rtx-3090");
  ck_assert_int_eq(pm__system_count_gpu_links(m.system, 0, 1), 4);
  ck_assert_int_eq(pm__system_count_gpu_links(m.system, 2, 3), 4);
  ck_assert_int_eq(pm__system_count_gpu_links(m.system, 1, 2), 0);
  ck_assert(strstr(m.report, "4 GPUs, 2 CPUs, 4 PCIe switches, 0 NVLink switches") != NULL);
  ck_assert(strstr(m.xml, "nvlink3-bridge-ga102") != NULL);
  drop(&m);
}
END_TEST

/* Texts of real machines give the NVLinks and CPUs that the catalogue has from their makers. */
static void same_wiring(const char *file, const char *gpu, const char *known, const char *counted)
{
  imported m = import_file("topo", file, gpu);
  pm_error error = PM_ERROR_NONE;
  pm_system *own = pm_catalog_new_system(catalog, known, &error);
  ck_assert_msg(own != NULL, "%s", error.text);
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < i; j++)
      ck_assert_int_eq(pm__system_count_gpu_links(m.system, i, j), pm__system_count_gpu_links(own, i, j));
  ck_assert_msg(strstr(m.report, counted) != NULL, "%s", m.report);
  ck_assert(strstr(m.report, "left out: no network") != NULL);
  pm_system_free(own);
  drop(&m);
}

START_TEST(topo_of_known_machines_is_read)
{
  same_wiring("topo_dgx1.txt", "v100-sxm2-16gb", "dgx1-v100",
              "8 GPUs, 2 CPUs, 4 PCIe switches, 0 NVLink switches, 4 NICs");
  same_wiring("topo_dgx_a100.txt", "a100-sxm4-40gb", "dgx-a100",
              "8 GPUs, 4 CPUs, 16 PCIe switches, 1 NVLink switch, 8 NICs");
}
END_TEST

static void refuse(const char *format, const char *text, const char *gpu_name, const char *fragment)
{
  pm_error error = PM_ERROR_NONE;
  const pm_attribute known[] = {{"gpu", gpu_name}};
  ck_assert(pm_import(catalog, format, text, "source", "mine", known, gpu_name != NULL, NULL, &error) == NULL);
  ck_assert_msg(strstr(error.text, fragment) != NULL, "%s", error.text);
}

START_TEST(wrong_sources_are_refused)
{
  refuse("topo", "nothing here", "v100", "no line begins with GPU0");
  refuse("topo", "\tGPU0\tGPU1\nGPU0\t X \tNV2\nGPU1\tNV1\t X \n", "v100",
         "GPU1 to GPU0 is NV1, but the reverse is NV2");
  refuse("topo", "\tGPU0\tGPU1\nGPU0\t X \tNV2\n", "v100", "there is no row of GPU1");
  refuse("topo", "\tGPU0\tGPU1\nGPU0\t X \tFOO\nGPU1\tFOO\t X \n", "v100", "source:2:");
  refuse("topo", "\tGPU0\tGPU1\nGPU0\t X \tNV9\nGPU1\tNV9\t X \n", "v100", "has 9 NVLinks");
  refuse("topo", "\tGPU0\tGPU1\nGPU0\t X \tNV4\nGPU1\tNV4\t X \n", "rtx-4090", "has no NVLink");
  refuse("topo", "\tGPU0\n", NULL, "does not name the GPU");
  refuse("nccl", "<topology/>", NULL, "is not NCCL's <system>");
  refuse("nccl", "<system><cpu/></system>", NULL, "does not name a GPU");
  refuse("nccl", "<system><cpu><pci busid=\"1\"><gpu dev=\"0\" sm=\"35\"/></pci></cpu></system>", NULL, "sm \"35\"");
  refuse("nccl", "<system><cpu", NULL, "source:1:");
  refuse("hwloc", "<!DOCTYPE t [<!ENTITY x \"y\">]><topology/>", "v100", "source:");
  char *known = read_file("hwloc_nvlink.xml"), *unknown = changed(known, "Tesla P100-SXM2-16GB", "Tesla Q100");
  refuse("hwloc", unknown, NULL, "no GPU of the catalogue has the name \"Tesla Q100\"; give its id");
  free(unknown);
  pm_string_free(known);
  refuse("hwloc", "<topology><object type=\"Machine\"/></topology>", NULL, "hwloc does not state the GPU");
  refuse(NULL, "a poem", NULL, "source: not a known description of a machine");
  pm_error error = PM_ERROR_NONE;
  ck_assert_ptr_null(pm_import(NULL, NULL, "", NULL, "mine", NULL, 0, NULL, &error));
  ck_assert_str_eq(error.text, "an import needs a catalogue, a text and an id");
  refuse("lspci", "", NULL, "unknown format \"lspci\"");
}
END_TEST

/* ---- What other machines look like ---- */

/* A dump of `count` GPUs of a PCI device under one CPU, with a port behind each but the last. */
static char *dump(const char *gpus, const char *cpu, const char *port)
{
  pm__string xml = {NULL, 0, 0, false};
  pm__string_format(&xml, "<system><cpu numaid=\"0\" %s>%s%s</cpu><cpu numaid=\"1\" %s/></system>", cpu, gpus, port,
                    cpu);
  ck_assert(!xml.failed);
  return xml.text;
}

static void check_dump(const char *gpus, const char *cpu, const char *port, const char *in_xml, const char *in_report)
{
  char *text = dump(gpus, cpu, port);
  imported m = import_text("nccl", text, NULL);
  ck_assert_msg(strstr(m.xml, in_xml) != NULL, "%s", m.xml);
  ck_assert_msg(strstr(m.report, in_report) != NULL, "%s", m.report);
  free(text);
  drop(&m);
}

#define GPU(dev, vendor, device, rest)                                                                               \
  "<pci busid=\"0000:" dev "0:00.0\" class=\"0x030200\" vendor=\"" vendor "\" device=\"" device "\"><gpu dev=\"" dev   \
  "\" " rest "/></pci>"
#define NIC(class, name, speed)                                                                                      \
  "<pci busid=\"0000:90:00.0\" class=\"" class "\"><nic><net name=\"" name "\" speed=\"" speed "\"/></nic></pci>"

/* PCI devices name the GPU, whose generation has several. */
START_TEST(devices_name_the_gpu)
{
  static const char *const known[][3] = {
    {"0x2335", "90", "h200-sxm5"},   {"0x2331", "90", "h100-pcie"}, {"0x20b5", "80", "a100-pcie-80gb"},
    {"0x1eb8", "75", "t4"},          {"0x2237", "86", "a10g"},      {"0x26b9", "89", "l40s"},
    {"0x2941", "100", "gb200"},      {"0x2b85", "120", "rtx-5090"}};
  char gpus[300], wanted[60];
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    snprintf(gpus, sizeof gpus, "<pci busid=\"1\" class=\"0x030200\" vendor=\"0x10de\" device=\"%s\"><gpu dev=\"0\" "
             "sm=\"%s\"/></pci>", known[i][0], known[i][1]);
    snprintf(wanted, sizeof wanted, "<gpu>%s</gpu>", known[i][2]);
    check_dump(gpus, "", "", wanted, "1 GPU");
  }
  refuse("nccl", "<system><cpu><pci busid=\"1\"><gpu dev=\"0\" sm=\"86\"/></pci></cpu></system>", NULL, "--gpu a10");
  refuse("nccl", "<system><cpu>" GPU("0", "0x10de", "0x2335", "sm=\"90\"") GPU("1", "0x10de", "0x2330", "sm=\"90\"")
         "</cpu></system>", NULL, "h200-sxm5 and h100-sxm5 in one machine");
}
END_TEST

/* RCCL's sm is a number of compute units. */
START_TEST(units_name_amd_gpus)
{
  check_dump("<pci busid=\"1\"><gpu dev=\"0\" sm=\"304\" gcn=\"gfx942\"/></pci>", "", "", "<gpu>mi300x</gpu>",
             "GPUs of gcn gfx942 are mi300x, not mi325x");
  check_dump("<pci busid=\"1\"><gpu dev=\"0\" sm=\"120\" gcn=\"908\"/></pci>", "", "", "<gpu>mi100</gpu>", "mi100");
  check_dump("<pci busid=\"1\"><gpu dev=\"0\" sm=\"64\" gcn=\"906\"/></pci>", "", "", "<gpu>mi60</gpu>", "mi60");
}
END_TEST

/* A number of units that the GPU of the generation has not is another GPU, or a part of one. */
START_TEST(other_units_are_refused)
{
  refuse("nccl", "<system><cpu><pci busid=\"1\"><gpu dev=\"0\" sm=\"80\" gcn=\"gfx942\"/></pci></cpu></system>", NULL,
         "gcn \"gfx942\" of 80 compute units (mi300x has 304)");
  check_dump("<pci busid=\"1\"><gpu dev=\"0\" sm=\"94\" gcn=\"gfx942\"/></pci>", "", "", "<gpu>mi300x</gpu>", "mi300x");
}
END_TEST

/* A PCIe link of any lanes and speed keeps its bandwidth; a GPU on C2C has none, whatever the dump says. */
START_TEST(pcie_keeps_its_bandwidth)
{
#define SLOT(device, speed, width)                                                                                    \
  "<pci busid=\"0000:10:00.0\" vendor=\"0x10de\" device=\"" device "\" link_speed=\"" speed "\"" \
  " link_width=\"" width "\"><gpu dev=\"0\" sm=\"86\"/></pci>"
  check_dump(SLOT("0x2204", "8.0 GT/s PCIe", "4"), "", "", "<bandwidth>31.5076923 Gbit/s</bandwidth>", "4 lanes");
  check_dump(SLOT("0x2204", "2.5 GT/s PCIe", "16"), "", "", "<bandwidth>32 Gbit/s</bandwidth>", "4 GB/s");
  check_dump(SLOT("0x2204", "16.0 GT/s PCIe", "8"), "", "", "type=\"pcie3-x16\"", "1 GPU");
  check_dump(SLOT("0x2204", "32.0 GT/s PCIe", "8"), "", "", "type=\"pcie4-x16\"", "1 GPU");
  check_dump(SLOT("0x2941", "32.0 GT/s PCIe", "16"), "", "", "type=\"nvlink-c2c\"", "1 GPU");
}
END_TEST

/* Links between AMD GPUs are those of their generation. */
START_TEST(xgmi_is_of_the_generation)
{
  static const char *const known[][2] = {{"0x75a3", "xgmi-mi300"}, {"0x74a5", "xgmi-mi300"}, {"0x740c", "xgmi-mi200"},
                                         {"0x738c", "xgmi-mi100"}};
  char gpus[700];
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    snprintf(gpus, sizeof gpus, "<pci busid=\"0000:01:00.0\" vendor=\"0x1002\" device=\"%s\"><gpu dev=\"0\" "
             "gcn=\"?\"><xgmi "
             "target=\"0000:02:00.0\" count=\"1\" tclass=\"0x120000\"/></gpu></pci><pci busid=\"0000:02:00.0\"><gpu "
             "dev=\"1\" gcn=\"?\"/></pci>", known[i][0]);
    check_dump(gpus, "", "", known[i][1], "2 GPUs");
  }
}
END_TEST

/* Ports have speeds and kinds of their own; Ethernet is no InfiniBand. */
START_TEST(ports_are_what_they_are)
{
  static const char gpu_text[] = GPU("0", "0x10de", "0x2335", "sm=\"90\"");
  check_dump(gpu_text, "", NIC("0x020700", "mlx5_0", "400000"), "link=\"infiniband-ndr\" count=\"1\"", "1 x "
             "infiniband-ndr");
  check_dump(gpu_text, "", NIC("0x020000", "mlx5_0", "400000"), "link=\"roce-400g\" count=\"1\"", "1 x roce-400g");
  check_dump(gpu_text, "", NIC("0x020000", "eno1", "1000"), "<bandwidth>1 Gbit/s</bandwidth>", "1 x ethernet-1g");
  check_dump(gpu_text, "", NIC("0x020000", "eth0", "10000"), "link=\"ethernet-10g\" count=\"1\"", "1 x ethernet-10g");
  check_dump(gpu_text, "", NIC("0x020000", "rdmap0s6", "100000"), "link=\"efa-100g\"", "1 x efa-100g");
  check_dump(gpu_text, "", NIC("0x020000", "hsn0", "200000"), "link=\"slingshot-200g\"", "1 x slingshot-200g");
  check_dump(gpu_text, "", NIC("0x020800", "hfi1_0", "100000"), "link=\"omni-path-100\" count=\"1\"", "1 x "
             "omni-path-100");
  check_dump(gpu_text, "", NIC("0x020700", "mlx5_4", "200000") NIC("0x020700", "mlx5_5", "100000"),
             "link=\"infiniband-hdr\" count=\"1\"", "left out: 1 port of 100 Gbit/s beside 1 of 200 Gbit/s");
}
END_TEST

/* The CPU in the file says what joins two of it. */
START_TEST(cpus_decide_what_joins_them)
{
  static const char gpu_text[] = GPU("0", "0x10de", "0x2335", "sm=\"90\"");
  check_dump(gpu_text, "vendor=\"GenuineIntel\" familyid=\"6\" modelid=\"143\"", "", "type=\"upi-sapphire\"", "of "
             "this CPU");
  check_dump(gpu_text, "vendor=\"GenuineIntel\" familyid=\"6\" modelid=\"106\"", "", "type=\"upi-icelake\"", "of this "
             "CPU");
  check_dump(gpu_text, "vendor=\"GenuineIntel\" familyid=\"6\" modelid=\"85\"", "", "type=\"upi-skylake\"", "of this "
             "CPU");
  check_dump(gpu_text, "vendor=\"AuthenticAMD\" familyid=\"175\" modelid=\"17\"", "", "infinity-fabric-epyc", "of "
             "this CPU");
  check_dump(gpu_text, "", "", "type=\"upi-sapphire\"", "does not name the CPU");
}
END_TEST

/* Two trays of a rack in one dump: GPUs are numbered again on each host, and reach their Grace by C2C. */
START_TEST(fused_dump_is_read)
{
  imported m = import_file("nccl", "nccl_two_trays.xml", NULL);
  ck_assert_int_eq(pm_system_get_machine(m.system)->gpus, 8);
  ck_assert_int_eq(pm_system_get_machine(m.system)->hosts, 2);
  ck_assert(strstr(m.report, "8 GPUs, 4 CPUs, 0 PCIe switches, 1 NVLink switch, 4 NICs") != NULL);
  ck_assert(strstr(m.xml, "type=\"nvlink-c2c\" from=\"gpu7\" to=\"cpu3\"") != NULL && strstr(m.xml, "upi") == NULL);
  ck_assert_int_eq(pm__system_count_gpu_links(m.system, 0, 7), 0); /* through the switch */
  drop(&m);
}
END_TEST

START_TEST(switches_without_a_class_count)
{
  imported m = import_file("hwloc", "hwloc_nvswitch.xml", NULL);
  ck_assert(strstr(m.report, "6 NVLink switches") != NULL);
  drop(&m);
}
END_TEST

START_TEST(topo_of_grace_is_read)
{
  imported m = import_file("topo", "topo_grace.txt", "gb200");
  ck_assert_msg(strstr(m.report, "4 GPUs, 2 CPUs, 0 PCIe switches, 1 NVLink switch, 6 NICs") != NULL, "%s", m.report);
  ck_assert(strstr(m.xml, "type=\"nvlink-c2c\" from=\"gpu0\" to=\"cpu0\"") != NULL);
  drop(&m);
}
END_TEST

/* A GPU that lost its NVLinks is described, and named; one that is sold with some and shows none, too. */
START_TEST(faults_are_named)
{
  imported m = import_file("topo", "topo_lost_nvlink.txt", "b200");
  ck_assert(strstr(m.report, "noticed: GPU2 shows 0 of its 18 NVLinks") != NULL);
  ck_assert(strstr(m.xml, "to=\"nvs0*18\"") != NULL && strstr(m.xml, "from=\"gpu2\" to=\"nvs0") == NULL);
  drop(&m);
  m = import_file("topo", "topo_hidden.txt", "h100-sxm5");
  ck_assert(strstr(m.report, "noticed: h100-sxm5 has 18 NVLinks but the source shows none") != NULL);
  ck_assert(strstr(m.report, "8 GPUs, 2 CPUs") != NULL && strstr(m.xml, "upi-sapphire") != NULL);
  drop(&m);
}
END_TEST

/* So are those of a dump: links that are lost, and all of them. */
START_TEST(faults_of_a_dump_are_named)
{
#define LINKED(dev, count)                                                                                            \
  "<pci busid=\"0000:" dev "0:00.0\" vendor=\"0x10de\" device=\"0x2335\"><gpu dev=\"" dev "\" sm=\"90\">"             \
  "<nvlink target=\"ff\" count=\"" count "\" tclass=\"0x068000\"/></gpu></pci>"
  check_dump(LINKED("0", "18") LINKED("1", "12"), "", "", "<gpu>h200-sxm5</gpu>",
             "noticed: GPU1 shows 12 of its 18 NVLinks, others all");
  check_dump(GPU("0", "0x10de", "0x2335", "sm=\"90\"") GPU("1", "0x10de", "0x2335", "sm=\"90\""), "", "",
             "<gpu>h200-sxm5</gpu>", "noticed: h200-sxm5 has 18 NVLinks but the source shows none");
#define TO(dev, links) \
  "<pci busid=\"0000:" dev "0:00.0\" vendor=\"0x10de\" device=\"0x2335\"><gpu dev=\"" dev "\" sm=\"90\">" links \
  "</gpu></pci>"
  check_dump(TO("0", "") TO("1", "<nvlink target=\"0000:00:00.0\" count=\"18\" tclass=\"0x030200\"/>"), "", "",
             "from=\"gpu1\" to=\"gpu0*18\"", "assumed: links of gpu1 to gpu0, which shows none back");
#undef TO
  check_dump(GPU("0", "0x10de", "0x2335", "sm=\"90\""), "", NIC("0x020700", "mlx5_7", "-5"), "<gpu>h200-sxm5</gpu>",
             "left out: port \"mlx5_7\", whose speed \"-5\" is none");
}
END_TEST

/* Windows cut lines and wrap them, mails and pages put marks before them: what is lost is refused, the rest read. */
START_TEST(damaged_matrices_are_refused)
{
  refuse("topo", "\tGPU0\nGPU0\t X \tPIX\nGPU1\tPIX\t X \n", "v100", "source:2: the row of GPU0 has more cells");
  refuse("topo", "\tGPU0\tGPU1\nGPU0\t X \tPIX\nGPU1\tPIX\t X \nNIC0\tPIX\tPIX\n", "v100",
         "source:4: a row of NIC0, which is not in the heading");
  refuse("topo", "\tGPU0\tGPU1\n\tNIC0\nGPU0\t X \tPIX\n\tPIX\nGPU1\tPIX\t X \n\tPIX\nNIC0\tPIX\tPIX\n\t X\n", "v100",
         "source:7: a row of NIC0");
  static const char *const marks[] = {"> ", "# ", "0: ", "2026-11-01T10:00:00Z stdout F ", "\xc2\xa0 ", "| ", ""};
  for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
    char text[400];
    snprintf(text, sizeof text, "\xef\xbb\xbf%s\tGPU0\tGPU1\tCPU Affinity\n%sGPU0\t X \tPHB\t0-63\n%sGPU1\tPHB\t"
             " X \t0-63\n", marks[i], marks[i], marks[i]);
    imported m = import_text(NULL, text, "rtx-3090");
    ck_assert(strstr(m.report, "read: 2 GPUs, 1 CPU") != NULL);
    drop(&m);
  }
}
END_TEST

START_TEST(topo_in_other_shapes_is_read)
{
  imported m = import_text("topo", "\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tPHB\t0-63\nGPU1\tPHB\t X \t0-63\n\n"
                           " \tGPU0\tGPU1\n GPU0\tX\tGNS\n GPU1\tGNS\tX\n", "rtx-3090");
  ck_assert(strstr(m.report, "left out: the matrix from line 5 on") != NULL);
  drop(&m);
  m = import_text("topo", "| | GPU0 | hns_0 | CPU Affinity |\n|---|---|---|---|\n| GPU0 | X | PXB | 0-7 |\n| hns_0 | "
                  "PXB | X | |\n",
                  "l4");
  ck_assert(strstr(m.report, "1 GPU, 1 CPU, 3 PCIe switches, 0 NVLink switches, 1 NIC") != NULL);
  drop(&m);
  m = import_file("topo", "topo_65.txt", "h100-sxm5");
  ck_assert_int_eq(pm_system_get_machine(m.system)->gpus, 65);
  drop(&m);
  refuse("topo", "\tGPU0\tGPU1\nGPU0\tPIX\t X \nGPU1\tPIX\t X \n", "v100", "source:2: \"PIX\" of GPU0 to GPU0");
  refuse("topo", "\tGPU0\tGPU1\nGPU0\t X \tPIX\nGPU0\t X \tPIX\n", "v100", "source:3: the row of GPU0 occurs twice");
}
END_TEST

/* rocm-smi counts no links: one where one hop joins, and four within a package of the MI250X. */
START_TEST(rocm_topology_is_read)
{
  imported m = import_file("rocm", "rocm_topo.txt", "mi300x");
  ck_assert_int_eq(pm_system_get_machine(m.system)->gpus, 4);
  ck_assert_int_eq(pm__system_count_gpu_links(m.system, 0, 3), 1);
  drop(&m);
  m = import_file("rocm", "rocm_topo.txt", "mi250x");
  ck_assert_int_eq(pm__system_count_gpu_links(m.system, 0, 1), 4);
  ck_assert_int_eq(pm__system_count_gpu_links(m.system, 1, 2), 1);
  drop(&m);
  refuse("rocm", "== Link Type between two GPUs ==\n GPU0 GPU1\nGPU0 0 XGMI\nGPU1 XGMI\n", "mi300x", "source:4: the "
         "row of GPU1");
  refuse("rocm", "== Link Type between two GPUs ==\n GPU0 GPU1\nGPU0 0 XGMI\n", "mi300x", "source:4: the row of GPU1 "
         "is missing");
  refuse("rocm", "== Link Type between two GPUs ==\n GPU0\nGPU0 ?\n", "mi300x", "no type of link");
}
END_TEST

/* The rate of NICs, where the source shows none. */
START_TEST(the_user_says_the_rate_of_nics)
{
  static const char text[] = "\tGPU0\tNIC0\nGPU0\t X \tPIX\nNIC0\tPIX\t X \n";
  static const pm_attribute good[] = {{"gpu", "h100"}, {"nic", "400 Gb/s"}}, slow[] = {{"gpu", "h100"}, {"nic", "40 "
          "Gb/s roce"}},
                            bad[] = {{"gpu", "h100"}, {"nic", "fast"}};
  pm_error error = PM_ERROR_NONE;
  char *xml = pm_import(catalog, NULL, text, "source", "mine", good, 2, NULL, &error);
  ck_assert(xml != NULL && strstr(xml, "<network link=\"infiniband-ndr\" count=\"1\"/>") != NULL);
  pm_string_free(xml);
  xml = pm_import(catalog, NULL, text, "source", "mine", slow, 2, NULL, &error);
  ck_assert(xml != NULL && strstr(xml, "<bandwidth>40 Gbit/s</bandwidth>") != NULL);
  pm_string_free(xml);
  ck_assert(pm_import(catalog, NULL, text, "source", "mine", bad, 2, NULL, &error) == NULL);
  ck_assert_msg(strstr(error.text, "nic \"fast\" is not the rate of a port") != NULL, "%s", error.text);
}
END_TEST

/* No text makes an importer do more than say no: every prefix of a good one, and every one with a letter changed. */
/* Numbers that no machine has are errors, not numbers of another size. */
static void refused(const char *format, const char *text, const char *message)
{
  char *report = NULL;
  pm_error error = PM_ERROR_NONE;
  const pm_attribute known[] = {{"gpu", "v100-sxm2-16gb"}};
  char *xml = pm_import(catalog, format, text, "source", "mine", known, 1, &report, &error);
  pm_string_free(report);
  ck_assert_msg(xml == NULL && strstr(error.text, message) != NULL, "%s", error.text);
}

START_TEST(absurd_numbers_are_refused)
{
#define NCCL(link, inside) \
  "<system version=\"1\"><cpu numaid=\"0\"><pci busid=\"0000:17:00.0\" class=\"0x030200\""                             \
    " " link ">" inside "</pci></cpu></system>"
  refused("nccl", NCCL("link_speed=\"8.0 GT/s\" link_width=\"99999999999\"", "<gpu dev=\"0\" sm=\"70\"/>"),
          "link_width \"99999999999\": no such PCIe link exists");
  refused("nccl", NCCL("link_speed=\"1e300 GT/s\" link_width=\"16\"", "<gpu dev=\"0\" sm=\"70\"/>"),
          "no such PCIe link exists");
  refused("nccl", NCCL("", "<gpu dev=\"0\" sm=\"70\"><nvlink target=\"x\" count=\"99999999999\" "
                           "tclass=\"0x068000\"/></gpu>"),
          "count \"99999999999\" is not a number of links");
  refused("nccl", NCCL("", "<gpu dev=\"0\" sm=\"70\"><nvlink target=\"x\" count=\"-1\" tclass=\"0x068000\"/></gpu>"),
          "count \"-1\" is not a number of links");
  refused("topo", "\tGPU0\tGPU1\nGPU0\t X \tNV99999999999\nGPU1\tNV99999999999\t X \n", "NV99999999999");
#undef NCCL
}
END_TEST

/* Names of devices are kept in so many letters; longer ones are found again all the same. */
START_TEST(devices_with_long_names_are_joined)
{
  char *text = read_file("hwloc_nvlink.xml");
  char *damaged = changed(text, "0002:01:00.0", "0002:01:00.0 and what another program wrote into it");
  imported m = import_text("hwloc", damaged, NULL), whole = import_text("hwloc", text, NULL);
  ck_assert_int_eq(pm_system_get_machine(m.system)->gpus, pm_system_get_machine(whole.system)->gpus);
  drop(&m);
  drop(&whole);
  free(damaged);
  pm_string_free(text);
}
END_TEST

/* A speed that is no number is the link that hosts have, and said; a bandwidth that is none is an error. */
START_TEST(hwloc_without_numbers)
{
  static const char *const none[] = {"nan", "inf", "-nan", "1e999", "0x10"};
  char *text = read_file("hwloc_nvlink.xml"), message[80];
  for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
    char *speeds = changed(text, "15.753846", none[i]), *matrix = changed(text, "40000 ", none[i]);
    imported m = import_text("hwloc", speeds, NULL);
    snprintf(message, sizeof message, "assumed: \"%s\" is not a link speed; pcie3-x16 is used", none[i]);
    ck_assert_ptr_nonnull(strstr(m.report, message));
    ck_assert_ptr_null(strstr(m.report, "link at"));
    drop(&m);
    snprintf(message, sizeof message, "\"%s", none[i]);
    refused("hwloc", matrix, message);
    free(matrix);
    free(speeds);
  }
  pm_string_free(text);
}
END_TEST

START_TEST(damaged_sources_do_no_harm)
{
  static const pm_attribute v100 = {"gpu", "v100"};
  static const char *const formats[] = {"nccl", "nccl", "nccl", "nccl", "hwloc", "hwloc", "hwloc", "rocm", "topo"};
  static const char *const files[] = {"nccl.xml", "nccl_static.xml", "nccl_vm.xml", "nccl_two_trays.xml", "hwloc.xml",
                                      "hwloc_nvlink.xml", "hwloc_nvswitch.xml", "rocm_topo.txt", "topo_grace.txt"};
  for (int f = 0; f < 9; f++) {
    char *text = read_file(files[f]);
    size_t length = strlen(text);
    for (size_t cut = 0; cut < length; cut += 37) {
      char kept = text[cut], *report = NULL;
      for (int change = 0; change < 2; change++) {
        text[cut] = change == 0 ? '\0' : '7';
        char *xml = pm_import(catalog, formats[f], text, "source", "mine", &v100, 1, &report, NULL);
        pm_string_free(xml);
        pm_string_free(report);
        report = NULL;
        text[cut] = kept;
      }
    }
    pm_string_free(text);
  }
}
END_TEST

START_TEST(the_doctor_finds)
{
  char path[600];
  pm_error error = PM_ERROR_NONE;
  snprintf(path, sizeof path, "%s/tests/import/implausible.xml", PM_SOURCE_DIR);
  pm_table *table = pm_file_diagnose(path, &error);
  ck_assert_msg(table != NULL, "%s", error.text);
  ck_assert_uint_eq(pm_table_count_rows(table), 11);
  char *text = pm_table_format(table, PM_FORMAT_CSV, 0, NULL);
  const char *const wanted[] = {"4,my-a100,peak_fp16_tensor,624 TFLOP/s,twice the dense peak: with sparsity,312 "
                                "TFLOP/s",
                                "7,pcie3-x16-mine,bandwidth,32 GB/s,both directions counted,15.75 GB/s",
                                "9,hdr-mine,bandwidth,200 GB/s,gigabits written as gigabytes,200 Gbit/s",
                                "11,nvlink3-mine,bandwidth,50 GB/s,both directions counted,25 GB/s"};
  for (size_t i = 0; i < 4; i++) ck_assert_msg(strstr(text, wanted[i]) != NULL, "%s\nin\n%s", wanted[i], text);
  pm_string_free(text);
  pm_table_free(table);
  ck_assert(pm_file_diagnose("/nonexistent.xml", &error) == NULL);
  ck_assert(pm_file_diagnose(NULL, NULL) == NULL);
}
END_TEST

/* The shipped files are in good health. */
START_TEST(the_doctor_finds_nothing_in_ours)
{
  static const char *const folders[] = {"gpus", "links", "systems"};
  for (size_t i = 0; i < 3; i++) {
    char path[600];
    snprintf(path, sizeof path, "%s/data/%s", PM_SOURCE_DIR, folders[i]);
    pm_table *table = pm_file_diagnose(path, NULL);
    ck_assert(table != NULL);
    ck_assert_uint_eq(pm_table_count_rows(table), 0);
    pm_table_free(table);
  }
}
END_TEST

START_TEST(every_system_is_drawn)
{
  const char *id;
  for (size_t i = 0; (id = pm_catalog_get_id(catalog, "systems", i)) != NULL; i++) {
    pm_system *system = build_system(id);
    char *dot = pm__system_format_dot(system, NULL), *svg = pm__system_format_svg(system, NULL);
    ck_assert(strncmp(dot, "graph", 5) == 0 && strstr(dot, "}\n") != NULL);
    ck_assert(strncmp(svg, "<svg", 4) == 0 && strstr(svg, "</svg>\n") != NULL);
    pm_string_free(dot);
    pm_string_free(svg);
    pm_system_free(system);
  }
}
END_TEST

/* Names that would end a string, a tag or a line, or turn what follows about. */
static void check_drawing(char *drawing, bool graphviz)
{
  static const char *const never[] = {"<script", "\x1b", "\x07", "\xe2\x80\xae", "\xe2\x81\xa6"};
  for (size_t i = 0; i < sizeof never / sizeof never[0]; i++)
    ck_assert_msg(strstr(drawing, never[i]) == NULL, "%s", drawing);
  int quotes = 0;
  for (const char *c = drawing; *c != '\0'; c++) {
    quotes += *c == '"';
    ck_assert_msg(!graphviz || *c != '\n' || quotes % 2 == 0, "%s", drawing);
  }
  pm_string_free(drawing);
}

START_TEST(names_in_drawings_are_escaped)
{
  static const char *const names[] = {"a\"]; evil [label=\"", "<script>x</script>", "a\xe2\x80\xae" "b\xe2\x81\xa6",
                                      "\\", "&lt;",
                                      "a\nb\x1b[2J\x07", "\xff\xc3", "-->"};
  pm_system *dgx = build_system("dgx1-v100");
  pm_machine machine = *pm_system_get_machine(dgx);
  snprintf(machine.id, sizeof machine.id, "%s", names[0]);
  pm_system *system = pm_system_new(&machine, pm_system_get_gpu(dgx), NULL);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    ck_assert_int_ge(pm_system_add_vertex(system, names[i], i == 0 ? PM_VERTEX_CPU : PM_VERTEX_GPU, NULL), 0);
  check_drawing(pm__system_format_dot(system, NULL), true);
  check_drawing(pm__system_format_svg(system, NULL), false);
  pm_system_free(system);
  pm_system_free(dgx);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("import");
  TCase *tests = tcase_create("import");
  tcase_set_timeout(tests, 120);
  tcase_add_checked_fixture(tests, open_catalog, close_catalog);
  tcase_add_test(tests, matrices_come_back);
  tcase_add_test(tests, nccl_dump_is_read);
  tcase_add_test(tests, hwloc_is_read);
  tcase_add_test(tests, nccl_static_file_is_read);
  tcase_add_test(tests, nccl_dump_of_a_virtual_machine_is_read);
  tcase_add_test(tests, hwloc_nvlinks_are_read);
  tcase_add_test(tests, hwloc_without_numbers);
  tcase_add_test(tests, devices_with_long_names_are_joined);
  tcase_add_test(tests, topo_of_today_is_read);
  tcase_add_test(tests, topo_affinity_is_read);
  tcase_add_test(tests, topo_bridges_are_read);
  tcase_add_test(tests, topo_of_known_machines_is_read);
  tcase_add_test(tests, wrong_sources_are_refused);
  tcase_add_test(tests, devices_name_the_gpu);
  tcase_add_test(tests, units_name_amd_gpus);
  tcase_add_test(tests, xgmi_is_of_the_generation);
  tcase_add_test(tests, ports_are_what_they_are);
  tcase_add_test(tests, cpus_decide_what_joins_them);
  tcase_add_test(tests, fused_dump_is_read);
  tcase_add_test(tests, switches_without_a_class_count);
  tcase_add_test(tests, topo_of_grace_is_read);
  tcase_add_test(tests, faults_are_named);
  tcase_add_test(tests, topo_in_other_shapes_is_read);
  tcase_add_test(tests, damaged_matrices_are_refused);
  tcase_add_test(tests, faults_of_a_dump_are_named);
  tcase_add_test(tests, other_units_are_refused);
  tcase_add_test(tests, pcie_keeps_its_bandwidth);
  tcase_add_test(tests, rocm_topology_is_read);
  tcase_add_test(tests, the_user_says_the_rate_of_nics);
  tcase_add_test(tests, absurd_numbers_are_refused);
  tcase_add_test(tests, damaged_sources_do_no_harm);
  tcase_add_test(tests, the_doctor_finds);
  tcase_add_test(tests, the_doctor_finds_nothing_in_ours);
  tcase_add_test(tests, every_system_is_drawn);
  tcase_add_test(tests, names_in_drawings_are_escaped);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
