/* The list in which a kind puts the kernels of a layer. */
#include <string.h>
#include "network/layer.h"

pm__kernel *pm__add_kernel(pm__kernel_list *list, pm__pass pass, pm__family family, pm__work work)
{
  pm__kernel *kernel = &list->kernel[list->count < PM__KERNELS_MAX ? list->count++ : PM__KERNELS_MAX - 1];
  memset(kernel, 0, sizeof *kernel);
  kernel->pass = pass;
  kernel->family = family;
  kernel->repeats = 1;
  kernel->work = work;
  return kernel;
}

pm__kernel *pm__add_gemm(pm__kernel_list *list, pm__pass pass, pm__gemm gemm, double elements, double fixed)
{
  pm__work work = {2 * gemm.count * gemm.m * gemm.n * gemm.k, elements, fixed};
  pm__kernel *kernel = pm__add_kernel(list, pass, PM__GEMM, work);
  kernel->matrix = true;
  kernel->shape.gemm = gemm;
  return kernel;
}
