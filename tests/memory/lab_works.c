/* Measurements beside predictions, constants from measurements: few rows of every set. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include "perfmodel-lab.h"
#include "works.h"

static const char rates[] =
  "model,framework,gpu,gpus,nodes,system,batch_per_gpu,precision,throughput,unit,note\n"
  "ResNet-50,PyTorch,V100,1,,,64,fp32,300,images/s,\n"
  "ResNet-50,PyTorch,V100,8,1,DGX-1,64,fp32,2300,images/s,\n"
  "ResNet-50,PyTorch,H100 SXM,8,1,h100-sxm5*8:nvswitch,64,fp16,9000,images/s,\n"
  "resnet18,TensorFlow,RTX 3090,4,1,,32,fp16,900,images/s,\n"
  "NoSuchNet,PyTorch,V100,1,,,8,fp32,10,images/s,\n"
  "resnet18,PyTorch,NoSuchGPU,1,,,8,fp32,10,images/s,\n";

static int validate(const char *set, const char *data, int rows, pm_error *error)
{
  const pm_validation what = {.set = set, .data = data, .rows = rows};
  return took_table(pm_validate(with.catalog, &what, error), error);
}

static int training(pm_error *error)
{
  return validate("training", rates, 0, error);
}

static int training_rows(pm_error *error)
{
  return validate("training", rates, 1, error);
}

static int inference(pm_error *error)
{
  return validate("inference", rates, 1, error);
}

static int kernels(pm_error *error)
{
  return validate("kernels", "kernel,M,N,K,precision,gpu,time_us\ngemm,512,512,512,fp32,V100,90\n"
                             "gemm,512,512,512,fp32,NoSuch,90\ngemm,1024,512,512,fp16,Tesla T4,50\n", 1, error);
}

static int collectives(pm_error *error)
{
  return validate("collectives",
                  "system,gpus,nodes,collective,message_bytes,time_us\nDGX-2,16,1,all_reduce,1048576,100\n"
                                 "h100-sxm5*8:nvswitch,8,1,all_gather,4096,30\nabacus,8,1,all_reduce,8,90\n", 0, error);
}

static const char powers[] =
  "task,network,framework,system,kind,precision,batch,gpus,concurrency,isl,osl,tpot,flop,rate,busy,full_power,"
  "power_limit,quantity,value\n"
  "training,resnet18,pytorch-1.10,v100-pcie-32gb,training,fp32,32,1,,,,,,,,,,gpu_power,220\n"
  "serving,llama3-8b,vllm-0.5,dgx-a100,serving,fp16,,1,32,200,200,0.03,1.6e10,900,,,,gpu_power,200\n"
  "training,,,v100-pcie-32gb,waiting,fp32,,1,,,,,,,0,,,gpu_power,38\n"
  "training,,,v100-pcie-32gb,limit-busy,fp32,,1,,,,,,,,222,150 W,slowdown,1.15\n"
  "training,,,nobody,waiting,fp32,,1,,,,,,,0,,,gpu_power,38\n";

static int energy(pm_error *error)
{
  return validate("energy", powers, 0, error);
}

static int energy_rows(pm_error *error)
{
  return validate("energy", powers, 1, error);
}

static int power_log(pm_error *error)
{
  return validate("energy", "timestamp, index, name, power.draw [W], utilization.gpu [%]\n"
                            "2026/11/20 10:00:00, 0, Tesla V100-PCIE-32GB, 220.5 W, 99 %\n"
                            "2026/11/20 10:00:01, 0, Tesla V100-PCIE-32GB, [N/A], 99 %\n", 1, error);
}

static int statements(pm_error *error)
{
  return validate("storage", NULL, 0, error);
}

static int shipped_plain(pm_error *error)
{
  return took_text(pm_shipped_read("measured/statements.csv", error), error);
}

static int shipped_packed(pm_error *error)
{
  return took_text(pm_shipped_read("measured/inference.csv", error), error);
}

static int calibrate(const char *set, const char *data, const char *entries, pm_error *error)
{
  pm_calibration_options options = pm_calibration_options_make();
  options.set = set;
  options.data = data;
  options.entries = entries;
  options.date = "2026-11";
  pm_calibration *fitted = pm_calibrate(with.catalog, &options, error);
  if (fitted == NULL) return error->status;
  for (const char *p = pm_calibration_get_xml(fitted); *p != '\0'; p++) took_number(*p);
  for (const char *p = pm_calibration_get_notes(fitted); *p != '\0'; p++) took_number(*p);
  pm_calibration_free(fitted);
  return PM_OK;
}

static int fit_training(pm_error *error)
{
  return calibrate("training", rates, "pt-nchw", error);
}

static int fit_inference(pm_error *error)
{
  return calibrate("inference", rates, "pt-nchw", error);
}

static int fit_kernels(pm_error *error)
{
  static char rows[4000] = "kernel,M,N,K,precision,gpu,time_us\n";
  for (int k = 0; k < 30 && strlen(rows) < 1500; k++)
    snprintf(rows + strlen(rows), sizeof rows - strlen(rows), "gemm,%d,512,512,fp32,V100,%d\n", 512 + 64 * k,
             40 + 4 * k);
  return calibrate("kernels", rows, "volta", error);
}

static int fit_collectives(pm_error *error)
{
  return calibrate("collectives", "system,gpus,nodes,collective,message_bytes,time_us,nccl_version,source\n"
                                  "dgx1-v100,8,1,all_reduce,1048576,100,2.8,mine\n"
                                  "dgx1-v100,8,1,all_reduce,8,30,2.8,mine\n", NULL, error);
}

static int fit_energy(pm_error *error)
{
  return calibrate("energy", powers, NULL, error);
}

static int squares(void *context, const double *values, double *residuals, pm_error *error)
{
  (void)context, (void)error;
  for (int i = 0; i < 4; i++) residuals[i] = values[0] * i - values[1] - i;
  return PM_OK;
}

static int fit(pm_error *error)
{
  pm_fit_parameter parameters[] = {pm_fit_parameter_make("a", 2, 0.1, 10), pm_fit_parameter_make("b", 1, 0.01, 10)};
  pm_fit_options options = pm_fit_options_make();
  pm_fit_result result;
  int status = pm_fit(parameters, 2, squares, NULL, 4, &options, &result, error);
  return status == PM_OK ? took_number(parameters[0].value) : status;
}

const work lab_works[] = {
  {"a shipped table", shipped_plain, false, false, 200},
  {"a packed shipped table", shipped_packed, false, false, 200},
  {"least squares", fit, false, false, 200},
  {"training", training, false, false, 100},
  {"training, row by row", training_rows, false, false, 100},
  {"inference", inference, false, false, 100},
  {"kernels", kernels, false, false, 100},
  {"collectives", collectives, false, false, 100},
  {"storage", statements, false, false, 100},
  {"energy", energy, false, false, 100},
  {"energy, row by row", energy_rows, false, false, 100},
  {"energy of a log", power_log, false, false, 100},
  {"constants of kernels", fit_kernels, false, false, 10},
  {"constants of frameworks", fit_training, false, false, 10},
  {"constants of inference", fit_inference, false, false, 10},
  {"constants of collectives", fit_collectives, false, false, 10},
  {"constants of energy", fit_energy, false, false, 10},
  {NULL, NULL, false, false, 0},
};
