/* How the checkpoint of a network stores its weights, in words. */
#include <string.h>
#include "network/network.h"

static const char *const names[PM_STORED_COUNT] = {
#define STORED_NAME(name, text, ...) [PM_STORED_##name] = text,
  PM_STORED_LIST(STORED_NAME)
#undef STORED_NAME
};

const char *pm__stored_name(int stored)
{
  return names[stored];
}

static int find(const char *name, int *stored, pm_error *error)
{
  for (int i = 0; i < PM_STORED_COUNT; i++)
    if (strcmp(names[i], name) == 0) return *stored = i, PM_OK;
  return pm__fail(error, PM_STATUS_BAD_VALUE, "\"%.40s\" is not a storage format of weights; perfmodel serve --help "
                  "lists them", name);
}

int pm__network_set_stored(pm_network *network, const char *weights, const char *expert_weights, pm_error *error)
{
  int status = weights != NULL ? find(weights, &network->weights, error) : PM_OK;
  if (status == PM_OK && weights != NULL) network->expert_weights = network->weights;
  return status == PM_OK && expert_weights != NULL ? find(expert_weights, &network->expert_weights, error) : status;
}
