/* The constants of a system's collectives as formulas want them. */
#ifndef PM_HARDWARE_COLLECTIVE_FIT_H
#define PM_HARDWARE_COLLECTIVE_FIT_H

#include "perfmodel/hardware.h"

/* The system's fitted constants, with what is unknown set so that it changes nothing. */
void pm__system_fit_complete(pm_collective_fit *fit, const pm_system *system);

#endif
