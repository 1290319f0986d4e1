/*
** The prediction interval of a collective's time, which covers 80 of 100 machines that no constant was fitted to. Its
** width is known at three message sizes and interpolated linearly in the logarithm of the size.
*/
#ifndef PM_COLLECTIVE_INTERVAL_H
#define PM_COLLECTIVE_INTERVAL_H

#include "perfmodel/hardware.h"

enum { PM__INTERVAL_SIZES = 3 };

/* The upper ends over the time at those sizes. */
void pm__collective_interval_init(double interval[PM__INTERVAL_SIZES], const pm_collective_fit *fit);

/* The upper end over the time, and the time over the lower end. A few ns. */
double pm__collective_interval_at(const double interval[PM__INTERVAL_SIZES], double bytes);

#endif
