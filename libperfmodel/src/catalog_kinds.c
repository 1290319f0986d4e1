/* The kinds of entries. */
#include <stdio.h>
#include <string.h>
#include "catalog_entry.h"

static const pm__kind kinds[PM__KINDS] = {
  {"gpus", "gpu", "gpu", " peak_fp32 memory memory_bandwidth ",
   " id name architecture sms peak_fp32 peak_fp16_tensor memory memory_bandwidth power "},
  {"links", "link", "link", " kind bandwidth ", ""},
  {"systems", "system", "machine", " gpu gpus ", " id name gpu gpus cpu host_memory power "},
  {"networks", "network", "network", "", " id name input layers parameters mac flop training_flop "},
  {"datasets", "dataset", "dataset", " samples ", ""},
  {"measurements", "measurement", "measurement", " network system gpus nodes batch precision throughput ", ""},
  {"sources", "source", "source", "", ""},
  {"memory_profiles", "memory_profile", "memory_profile", " context ", " id name context allocator in_place mask "},
  {"optimizers", "optimizer", "optimizer", "", ""},
  {"usable_memories", "usable_memory", "usable_memory", " memory ", ""},
  {"transformer_habits", "transformer_habit", "transformer_habit", " split scores ", ""},
  {"kernel_calibrations", "kernel_calibration", "kernel_calibration", " simt_efficiency ",
   " id name simt_basis simt_efficiency tensor_basis tensor_efficiency "},
  {"calibrations", "calibration", "calibration", " efficiency hop_latency base_latency ", ""},
};

const pm__kind *pm__kind_at(size_t index)
{
  return index < PM__KINDS ? &kinds[index] : NULL;
}

int pm__kind_find(const char *name, pm_error *error)
{
  char known[400] = "";
  for (int i = 0; name != NULL && i < PM__KINDS; i++) {
    if (strcmp(name, kinds[i].plural) == 0 || strcmp(name, kinds[i].singular) == 0) return i;
    size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "", kinds[i].plural);
  }
  if (name == NULL) pm__fail(error, PM_BAD_ARGUMENT, "the kind of entry is missing");
  else pm__fail(error, PM_NOT_FOUND, "unknown kind \"%.60s\"; it is one of %s", name, known);
  return -1;
}

int pm__kind_of_element(const char *name)
{
  for (int i = 0; i < PM__KINDS; i++)
    if (strcmp(name, kinds[i].singular) == 0) return i;
  return -1;
}

bool pm__in_list(const char *list, const char *word)
{
  size_t length = strlen(word);
  for (const char *p = strstr(list, word); p != NULL; p = strstr(p + 1, word))
    if (p > list && p[-1] == ' ' && p[length] == ' ') return true;
  return false;
}
