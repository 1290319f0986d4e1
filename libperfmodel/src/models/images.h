/* What models of images have in common. */
#ifndef PM_MODELS_IMAGES_H
#define PM_MODELS_IMAGES_H

#include "models/encoder.h"

/* An image as large as asked for, else as the configuration says. */
void pm__image_input(pm__body *body, const pm__config *config);

/* Its patches as rows of `hidden` features; returns their number. */
double pm__image_patches(pm__body *body, const pm__config *config, double hidden, double otherwise, bool bias);

void pm__image_classifier(pm__body *body, const pm__config *config);

#endif
