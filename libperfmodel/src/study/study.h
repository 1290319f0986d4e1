/* Internals of a study. */
#ifndef PM_STUDY_STUDY_H
#define PM_STUDY_STUDY_H

#include "complete/complete.h"
#include "perfmodel/study.h"
#include "search/parallel_plans.h"
#include "task/task.h"

/* A framework, or an inference profile, as GPUs of one architecture have it. */
typedef struct pm__study_software {
  char architecture[PM_TEXT_MAX];
  pm_framework_profile framework;
  pm_inference_profile profile;
  pm_memory_profile memory; /* of the inference profile */
  pm_engine_profile engine;
} pm__study_software;

/* A name, or a class of plans of which nobody named the framework. */
typedef struct pm__study_slot {
  char name[2 * PM_TEXT_MAX];
  bool named, none;             /* none: kernels and collectives only */
  pm__study_software *own;      /* records instead of a name; NULL: by name */
  pm__study_software **found;   /* by architecture */
  size_t count, capacity;
  pm__study_software **by_system; /* NULL where it was not needed yet */
  int32_t index;                /* in the plan; -1: not used yet */
} pm__study_slot;

/* A network of the setup, as it is and with each implementation of attention. */
typedef struct pm__study_network {
  pm_network *own;                      /* a copy: the user's may get further layers while runs are predicted */
  pm_network *with[PM_ATTENTION_COUNT]; /* NULL: not needed yet, or as it is */
  pm__network_traits traits;
  int32_t place[PM_ATTENTION_COUNT]; /* in the plan, from 1; 0: not used yet */
} pm__study_network;

/* A network of the plan. */
typedef struct pm__study_use {
  int32_t network, attention;
} pm__study_use;

struct pm_study {
  const pm_catalog *catalog;
  const pm__task *task;
  pm_memory_profile generic; /* of runs without a framework */
  pm__study_network *networks;
  size_t network_count;
  const pm_system **systems;
  size_t system_count;
  pm__study_slot *slots; /* of the names, or of the classes */
  size_t slot_count;
  pm__study_use *uses;
  size_t use_count;
  int32_t *used; /* slots of the plan */
  size_t used_count;
  pm_plan **plans;
  size_t plan_count, plan_capacity, built_networks, built_slots; /* what the last one has */
  char **notes;
  size_t note_count, note_capacity;
};

/* The software of a slot on a system, found if it is not yet; NULL with an error. */
const pm__study_software *pm__study_find(pm_study *study, pm__study_slot *slot, int32_t system, pm_error *error);

/* The software of a slot of the plan; NULL: none, or not known. */
const pm__study_software *pm__study_software_at(const pm_study *study, int32_t slot, int32_t system);

/* The same question as asked of one run: its network, system and slot, which has software unless it is none. */
pm__complete_question pm__study_question(const pm_study *study, const pm_given *given, const pm__study_network *network,
                                         int32_t system, const pm__study_slot *slot);

/* The places in the plan of a network as the software wants it, and of a slot; -1 with an error. */
int32_t pm__study_use_network(pm_study *study, const pm__complete_question *q, int32_t network, pm_error *error);
int32_t pm__study_use_slot(pm_study *study, pm__study_slot *slot);

/* Runs to search from: of a run in each class of software, or in the framework that was named. */
typedef struct pm__study_bases {
  pm__search_base *list;
  size_t count;
} pm__study_bases;

int pm__study_check_bases(const pm_study *study, const pm_given *given, const void *runs, size_t count,
                          size_t run_size, pm_error *error);
int pm__study_add_bases(pm_study *study, const pm_given *given, const pm_run *run, pm__study_bases *all,
                        pm_error *error);

/* The global batch that a search of the run has: as given, or assumed where it is NAN; NAN with an error. */
double pm__study_global_batch(const pm_study *study, const pm_run *run, double global_batch, pm_error *error);

#endif
