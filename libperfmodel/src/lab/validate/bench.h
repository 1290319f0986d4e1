/*
** Runs to predict, gathered on a bench first and predicted together: networks, systems and frameworks are built once, and one plan
** holds them all.
*/
#ifndef PM_LAB_VALIDATE_BENCH_H
#define PM_LAB_VALIDATE_BENCH_H

#include "perfmodel/inference.h"
#include "perfmodel/predict.h"
#include "perfmodel/validate.h"
#include "lab/validate/others.h"

typedef struct pm__bench pm__bench;

/* `out`: whose constants frameworks do without. */
pm__bench *pm__bench_new(const pm_catalog *catalog, pm__left_out out, pm_error *error);
void pm__bench_free(pm__bench *bench);

/* The position of "resnet50" or "bert-large seq=384" among the networks; -1 with an error. */
int pm__bench_network(pm__bench *bench, const char *name, pm_error *error);

/* Whether the network of that name (without parameters) takes this parameter. */
bool pm__bench_takes(pm__bench *bench, const char *name, const char *parameter);

int pm__bench_system(pm__bench *bench, const char *name, pm_error *error);

/* The position of "pt-nchw" or "tf1-nchw@cudnn6" among the frameworks, -1 for ""; -2 with an error. */
int pm__bench_framework(pm__bench *bench, const char *name, pm_error *error);

const char *pm__bench_network_id(const pm__bench *bench, int network);
const char *pm__bench_system_id(const pm__bench *bench, int system);

/* The position of "tensorrt" among the profiles of inference; -1 with an error. */
int pm__bench_profile(pm__bench *bench, const char *name, pm_error *error);

/* The built network, system or framework. */
const pm_network *pm__bench_built_network(const pm__bench *bench, int network);
pm_system *pm__bench_built_system(const pm__bench *bench, int system);
pm_framework_profile *pm__bench_built_framework(const pm__bench *bench, int framework);

/* The position of the run, which is added if there is none like it yet; -1 with an error. */
int pm__bench_add(pm__bench *bench, const pm_run *run, pm_error *error);

int pm__bench_add_inference(pm__bench *bench, const pm_inference_run *run, pm_error *error);

/* Predicts all runs. */
int pm__bench_predict(pm__bench *bench, pm_error *error);

/* Predicts the first trainings again, after constants of the built frameworks or systems have changed. */
int pm__bench_predict_again(pm__bench *bench, size_t count);

/* The prediction, or NULL before pm__bench_predict; and why it has no numbers. */
const pm_prediction *pm__bench_prediction(const pm__bench *bench, int run);
int pm__bench_check(const pm__bench *bench, int run, pm_error *error);
const pm_inference *pm__bench_inference(const pm__bench *bench, int run);
int pm__bench_inference_check(const pm__bench *bench, int run, pm_error *error);

#endif
