/* Groups of GPUs from the options of a command. */
#include <stdlib.h>
#include <string.h>
#include "group.h"

static bool read_numbers(const char *text, texts *items, gpu_list *list)
{
  list->gpu = (int *)calloc(items->count, sizeof *list->gpu);
  list->count = (int)items->count;
  if (list->gpu == NULL) return fail_memory(), false;
  for (size_t i = 0; i < items->count; i++) {
    double value;
    if (pm_number_parse(items->items[i], &value) != PM_OK || !(value >= 0 && value <= 1e6) || value != (int)value) {
      fail(CODE_USAGE, "--gpus \"%.80s\": \"%.40s\" is not a GPU number; GPUs count from 0", text, items->items[i]);
      free(list->gpu);
      list->gpu = NULL;
      return false;
    }
    list->gpu[i] = (int)value;
  }
  return true;
}

bool read_gpu_list(const cli_request *request, const pm_system *system, gpu_list *list)
{
  texts items;
  const char *text = request->value[OPTION_GPUS];
  list->gpu = NULL;
  list->count = pm_system_get_machine(system)->gpus;
  if (text == NULL) return true;
  if (strchr(text, ',') == NULL) {
    double count;
    if (!read_count("gpus", text, COUNT_MOST, &count)) return false;
    list->count = (int)count;
    return true;
  }
  if (!read_names("--gpus", text, &items)) return false;
  bool good = read_numbers(text, &items, list);
  free(items.items);
  return good;
}

bool read_choice_option(const cli_request *request, option_id id, const char *record, const char *field_name,
                        int32_t *value)
{
  enum { MOST = 32 };
  const char *text = request->value[id], *names[MOST] = {NULL};
  const pm_choice *choices = pm_record_find_field(pm_record_type_find(record), field_name)->choices;
  char known[300] = "";
  if (text == NULL) return true;
  for (int32_t i = 0; choices[i].name != NULL && i + 1 < MOST; i++) {
    size_t used = strlen(known);
    if (strcmp(choices[i].name, text) == 0) return *value = i, true;
    snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "", choices[i].name);
    names[i] = choices[i].name;
  }
  const char *meant = closest_name(text, names);
  if (meant != NULL)
    fail(CODE_USAGE, "--%s \"%.80s\" is unknown; did you mean \"%s\"?", option_name(request, id), text, meant);
  else fail(CODE_USAGE, "--%s \"%.80s\" is unknown; it must be one of %s", option_name(request, id), text, known);
  return false;
}

static bool read_group_choice(const cli_request *request, pm_group_choice *choice)
{
  double nodes, threads, servers;
  *choice = pm_group_choice_make();
  if (!read_count_option(request, OPTION_NODES, COUNT_MOST, choice->nodes, &nodes) ||
      !read_count_option(request, OPTION_THREAD_GPUS, COUNT_MOST, choice->thread_gpus, &threads) ||
      !read_count_option(request, OPTION_SERVERS, COUNT_MOST, choice->servers, &servers) ||
      !read_choice_option(request, OPTION_NCCL, "group", "nccl", &choice->nccl))
    return false;
  choice->in_network = request->value[OPTION_IN_NETWORK] != NULL;
  choice->nodes = (int32_t)nodes;
  choice->thread_gpus = (int32_t)threads;
  choice->servers = (int32_t)servers;
  return true;
}

pm_group *open_group(const cli_request *request, const pm_system *system, int *code)
{
  gpu_list list;
  pm_group_choice choice;
  pm_error error = PM_ERROR_NONE;
  *code = CODE_USAGE;
  if (!read_group_choice(request, &choice) || !read_gpu_list(request, system, &list)) return NULL;
  pm_group *group = pm_group_new(system, list.gpu, list.count, &choice, &error);
  *code = group != NULL ? CODE_DONE : fail_error(&error);
  free(list.gpu);
  return group;
}

bool read_bytes(const char *text, double *bytes)
{
  pm_error error = PM_ERROR_NONE;
  if (pm_number_parse(text, bytes) == PM_OK && *bytes >= 0) return true;
  if (pm_quantity_parse(text, "B", bytes, &error) == PM_OK && *bytes >= 0) return true;
  fail(CODE_USAGE, "--bytes \"%.80s\" is not a size; write \"64 MiB\" or a number of bytes", text);
  return false;
}
