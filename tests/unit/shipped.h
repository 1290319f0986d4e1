/*
** The shipped catalogue for tests: records, systems and networks by name, or the test fails.
*/
#ifndef SHIPPED_H
#define SHIPPED_H

#include <check.h>
#include "perfmodel.h"

static pm_catalog *catalog;

static inline void open_catalog(void)
{
  pm_error error = PM_ERROR_NONE;
  catalog = pm_catalog_new(&error);
  ck_assert_msg(catalog != NULL, "%s", error.text);
}

static inline void close_catalog(void)
{
  pm_catalog_free(catalog);
}

static inline void record(const char *kind, const char *name, void *out)
{
  pm_error error = PM_ERROR_NONE;
  ck_assert_msg(pm_catalog_get_record(catalog, kind, name, out, &error) == PM_OK, "%s", error.text);
}

static inline pm_gpu gpu(const char *name)
{
  pm_gpu out;
  record("gpu", name, &out);
  return out;
}

static inline pm_machine machine(const char *name)
{
  pm_machine out;
  record("system", name, &out);
  return out;
}

static inline pm_link link_type(const char *name)
{
  pm_link out;
  record("link", name, &out);
  return out;
}

static inline pm_dataset dataset(const char *name)
{
  pm_dataset out;
  record("dataset", name, &out);
  return out;
}

static inline pm_system *build_system(const char *name)
{
  pm_error error = PM_ERROR_NONE;
  pm_system *system = pm_catalog_new_system(catalog, name, &error);
  ck_assert_msg(system != NULL, "%s", error.text);
  return system;
}

static inline pm_network *build_network(const char *name)
{
  pm_error error = PM_ERROR_NONE;
  pm_network *network = pm_catalog_new_network(catalog, name, NULL, 0, &error);
  ck_assert_msg(network != NULL, "%s", error.text);
  return network;
}

static inline pm_ring ring(const char *name, int gpus, int nodes)
{
  pm_error error = PM_ERROR_NONE;
  pm_ring out;
  pm_system *system = build_system(name);
  ck_assert_msg(pm_ring_find(system, gpus, nodes, &out, &error) == PM_OK, "%s", error.text);
  pm_system_free(system);
  return out;
}

static inline pm_network_totals take_totals(pm_network *network)
{
  pm_error error = PM_ERROR_NONE;
  pm_network_totals out;
  ck_assert_msg(pm_network_get_totals(network, &out, &error) == PM_OK, "%s", error.text);
  pm_network_free(network);
  return out;
}

static inline pm_network_totals totals(const char *name)
{
  return take_totals(build_network(name));
}

static inline double gradients(const char *name)
{
  return totals(name).parameters * pm_precision_get_bytes(PM_PRECISION_FP32);
}

#endif
