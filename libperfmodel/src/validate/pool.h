/*
** Runs to predict, gathered first and predicted together: networks, systems and frameworks are built once, and one plan
** holds them all.
*/
#ifndef PM_VALIDATE_POOL_H
#define PM_VALIDATE_POOL_H

#include "perfmodel/predict.h"
#include "perfmodel/validate.h"

typedef struct pm__pool pm__pool;

pm__pool *pm__pool_new(const pm_catalog *catalog, pm_error *error);
void pm__pool_free(pm__pool *pool);

/* The position of "resnet50" or "bert-large seq=384" among the networks; -1 with an error. */
int pm__pool_network(pm__pool *pool, const char *name, pm_error *error);

/* Whether the network of that name (without parameters) takes this parameter. */
bool pm__pool_takes(pm__pool *pool, const char *name, const char *parameter);

int pm__pool_system(pm__pool *pool, const char *name, pm_error *error);

/* The position of "pt-nchw" or "tf1-nchw@cudnn6" among the frameworks, -1 for ""; -2 with an error. */
int pm__pool_framework(pm__pool *pool, const char *name, pm_error *error);

const char *pm__pool_network_id(const pm__pool *pool, int network);
const char *pm__pool_system_id(const pm__pool *pool, int system);

/* The position of the run, which is added if there is none like it yet; -1 with an error. */
int pm__pool_add(pm__pool *pool, const pm_run *run, pm_error *error);

/* Predicts all runs. */
int pm__pool_predict(pm__pool *pool, pm_error *error);

/* The prediction, or NULL before pm__pool_predict; and why it has no numbers. */
const pm_prediction *pm__pool_prediction(const pm__pool *pool, int run);
int pm__pool_check(const pm__pool *pool, int run, pm_error *error);

#endif
