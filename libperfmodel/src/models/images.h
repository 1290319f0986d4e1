/* What models of images have in common. */
#ifndef PM_MODELS_IMAGES_H
#define PM_MODELS_IMAGES_H

#include "models/encoder.h"

enum { PM__STAGES = 32 };

/* An image as large as asked for, else as the configuration says. */
void pm__image_input(pm__body *body, const pm__config *config);

/* Its patches as rows of `hidden` features; returns how many there are. */
double pm__image_patches(pm__body *body, const pm__config *config, double hidden, double otherwise, bool bias);

/* A list of whole numbers, one for each stage; `otherwise` ends with 0. Returns how many there are. */
int pm__image_stages(const pm__config *config, const char *name, const double *otherwise, double *out);

/* The same of the layers of each stage. */
int pm__image_depths(const pm__config *config, const double *otherwise, double *out);

void pm__image_classifier(pm__body *body, const pm__config *config);

#endif
