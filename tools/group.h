/* Between the commands that work on a group of GPUs of one system. */
#ifndef PERFMODEL_GROUP_H
#define PERFMODEL_GROUP_H

#include "command.h"

typedef struct gpu_list {
  int *gpu; /* NULL: the first `count` */
  int count;
} gpu_list;

/* --gpus: "8" is the first eight, "0,1,2,3" these; all GPUs of the system if it is not given. */
bool read_gpu_list(const cli_request *request, const pm_system *system, gpu_list *list);

/* The value of an option that is a choice of a record's field, by name. */
bool read_choice_option(const cli_request *request, option_id id, const char *record, const char *field,
                        int32_t *value);

/* The group that the request describes, NULL with an exit code: --gpus, --nodes, --thread-gpus, --nccl, --servers. */
pm_group *open_group(const cli_request *request, const pm_system *system, int *code);

/* A number with its unit, or a plain one: bytes. */
bool read_bytes(const char *text, double *bytes);

#endif
