/*
** The band of a collective's time: between its edges lie 80 of 100 machines that no constant was fitted to. Its width is
** known at three sizes of messages and goes evenly, in the logarithm of the size, between them.
*/
#ifndef PM_COLLECTIVE_BAND_H
#define PM_COLLECTIVE_BAND_H

#include "perfmodel/hardware.h"

enum { PM__BAND_SIZES = 3 };

/* The slow edges over the time at those sizes. */
void pm__collective_band_init(double band[PM__BAND_SIZES], const pm_collective_fit *fit);

/* The slow edge over the time, and the time over the fast edge. A few ns. */
double pm__collective_band_at(const double band[PM__BAND_SIZES], double bytes);

#endif
