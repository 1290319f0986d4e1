/*
** Runs to predict, gathered first and predicted together: networks, systems and frameworks are built once, and one plan
** holds them all. The memory of the GPUs is ignored: what was measured did run.
*/
#ifndef PM_LAB_VALIDATION_PREDICTOR_H
#define PM_LAB_VALIDATION_PREDICTOR_H

#include "perfmodel-lab.h"
#include "validation/holdout.h"
#include "validation/quantity.h"

typedef struct pm__lab_predictor pm__lab_predictor;

/* `out`: whose constants frameworks do without. */
pm__lab_predictor *pm__lab_predictor_new(const pm_catalog *catalog, pm__lab_holdout out, pm_error *error);
void pm__lab_predictor_free(pm__lab_predictor *predictor);

/* The position of "resnet50" or "bert-large seq=384" among the networks; -1 with an error. */
int pm__lab_predictor_network(pm__lab_predictor *predictor, const char *name, pm_error *error);

/* Whether the network of that name (without parameters) takes this parameter; an error only if memory ran out. */
bool pm__lab_predictor_takes(pm__lab_predictor *predictor, const char *name, const char *parameter, pm_error *error);

int pm__lab_predictor_system(pm__lab_predictor *predictor, const char *name, pm_error *error);

/* Between a framework and the profile of memory that takes the place of its own. */
#define PM__LAB_MEMORY " memory="

/* The position of "pt-nchw", "tf1-nchw@cudnn6" or "pytorch-1.13 memory=apex-o2" among the frameworks, -1 for "";
** -2 with an error. */
int pm__lab_predictor_framework(pm__lab_predictor *predictor, const char *name, pm_error *error);

/* The name that it was asked for by, with parameters: "bert-large seq=384"; ids without. */
const char *pm__lab_predictor_network_name(const pm__lab_predictor *predictor, int network);
const char *pm__lab_predictor_network_id(const pm__lab_predictor *predictor, int network);
const char *pm__lab_predictor_system_id(const pm__lab_predictor *predictor, int system);

/* The position of "tensorrt" among the profiles of inference; -1 with an error. */
int pm__lab_predictor_profile(pm__lab_predictor *predictor, const char *name, pm_error *error);

/* The built network, system, framework or profile of inference. */
const pm_network *pm__lab_predictor_built_network(const pm__lab_predictor *predictor, int network);
pm_system *pm__lab_predictor_built_system(const pm__lab_predictor *predictor, int system);
pm_framework_profile *pm__lab_predictor_built_framework(const pm__lab_predictor *predictor, int framework);
pm_inference_profile *pm__lab_predictor_built_profile(const pm__lab_predictor *predictor, int profile);

/* The constants of kernels of a system, which has some: those that it is predicted with again after a change. */
pm_kernel_calibration *pm__lab_predictor_kernels(pm__lab_predictor *predictor, int system, pm_error *error);

size_t pm__lab_predictor_framework_count(const pm__lab_predictor *predictor);

/* The position of the run, which is added if there is none like it yet; -1 with an error. */
int pm__lab_predictor_add(pm__lab_predictor *predictor, const pm_run *run, pm_error *error);

int pm__lab_predictor_add_inference(pm__lab_predictor *predictor, const pm_inference_run *run, pm_error *error);

/* Predicts all runs. */
int pm__lab_predictor_predict(pm__lab_predictor *predictor, pm_error *error);

/* Predicts the first trainings and calls again, after constants of the built frameworks, profiles or systems have
** changed. */
int pm__lab_predictor_predict_again(pm__lab_predictor *predictor, size_t count);

/* The same for the trainings, or calls, at these positions alone; `kernels`: constants of kernels or of their libraries
** are among those that have changed. */
int pm__lab_predictor_predict_some(pm__lab_predictor *predictor, const int *trainings, size_t count, bool kernels);
int pm__lab_predictor_infer_some(pm__lab_predictor *predictor, const int *calls, size_t count, bool kernels);

/* The prediction, or NULL before pm__lab_predictor_predict; and why it has no numbers. */
const pm_prediction *pm__lab_predictor_prediction(const pm__lab_predictor *predictor, int run);
int pm__lab_predictor_check(const pm__lab_predictor *predictor, int run, pm_error *error);
const pm_inference *pm__lab_predictor_inference(const pm__lab_predictor *predictor, int run);
int pm__lab_predictor_inference_check(const pm__lab_predictor *predictor, int run, pm_error *error);

/* Memory of one GPU of a stage of a run of that task, or why it has none. */
int pm__lab_predictor_memory(const pm__lab_predictor *predictor, int32_t task, int run, int rank,
                             pm__lab_memory *memory, pm_error *error);

#endif
