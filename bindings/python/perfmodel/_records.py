"""Records of the library, one dataclass per type.

Written by generate_records.py from the library's field table. Units are SI. A number that nobody
gave is NaN, a count 0, a text "".
"""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

from ._base import Record


@dataclass(frozen=True, eq=False)
class Gpu(Record):
    """A GPU, from its datasheet."""

    id: str = ""
    """short stable name"""
    name: str = ""
    """full name"""
    architecture: str = ""
    """architecture: kepler, maxwell, pascal, volta, turing, ..."""
    sms: int = 0
    """streaming multiprocessors"""
    fp32_lanes: int = 0
    """FP32 cores per SM"""
    fp64_lanes: int = 0
    """FP64 cores per SM"""
    tensor_cores: int = 0
    """tensor cores per SM"""
    tensor_core_flop: float = nan
    """FLOP of one tensor core per clock, dense FP16 [FLOP]"""
    clock: float = nan
    """boost clock that the peaks are stated at [Hz]"""
    peak_fp64: float = nan
    """peak FP64 rate [FLOP/s]"""
    peak_fp32: float = nan
    """peak FP32 rate of the FP32 cores [FLOP/s]"""
    peak_fp16: float = nan
    """peak FP16 rate without tensor cores [FLOP/s]"""
    peak_tf32_tensor: float = nan
    """peak dense TF32 rate of the tensor cores [FLOP/s]"""
    peak_fp16_tensor: float = nan
    """peak dense FP16 rate of the tensor cores, FP32 accumulate [FLOP/s]"""
    peak_bf16_tensor: float = nan
    """peak dense BF16 rate of the tensor cores [FLOP/s]"""
    peak_fp8_tensor: float = nan
    """peak dense FP8 rate of the tensor cores [FLOP/s]"""
    peak_int8: float = nan
    """peak dense INT8 rate, 2 per multiply-accumulate [FLOP/s]"""
    memory: float = nan
    """device memory as sold [B]"""
    memory_bandwidth: float = nan
    """peak device memory bandwidth [B/s]"""
    memory_type: str = ""
    """HBM2, GDDR6, ..."""
    l2_cache: float = nan
    """L2 cache [B]"""
    shared_memory: float = nan
    """largest shared memory per SM [B]"""
    register_file: float = nan
    """register file per SM [B]"""
    power: float = nan
    """thermal design power of the board [W]"""
    nvlink: str = ""
    """id of its NVLink link type; empty without NVLink"""
    nvlinks: int = 0
    """number of NVLinks"""
    pcie: str = ""
    """id of its host link type"""


@dataclass(frozen=True, eq=False)
class Link(Record):
    """A link type, from its specification."""

    id: str = ""
    """short stable name"""
    name: str = ""
    """full name"""
    kind: str = "nvlink"
    """nvlink, pcie, smp, infiniband or ethernet: nvlink, pcie, smp, infiniband, ethernet"""
    bandwidth: float = nan
    """line rate of one link, per direction, after line coding [B/s]"""
    flow_bandwidth: float = nan
    """what one flow can use of it; unlimited if the whole [B/s]"""


@dataclass(frozen=True, eq=False)
class LinkCalibration(Record):
    """What collectives get of a link type."""

    id: str = ""
    """id of the link type"""
    efficiency: float = nan
    """payload over line rate in large collectives"""
    hop_latency: float = nan
    """latency of one ring step over this link [s]"""
    base_latency: float = nan
    """fixed latency of a collective whose ring runs over this link [s]"""


@dataclass(frozen=True, eq=False)
class KernelCalibration(Record):
    """What kernels get of an architecture."""

    id: str = ""
    """id of the architecture, or of the chip (its GPUs are aliases)"""
    name: str = ""
    """full name"""
    simt_basis: str = "none"
    """what the constants of the FP32 cores rest on: none, fitted, rule"""
    simt_efficiency: float = nan
    """issue efficiency of the FP32 cores"""
    simt_latency_threads: float = nan
    """threads per SM that hide the latency"""
    simt_split_threads: float = nan
    """threads per SM up to which the contraction is split"""
    simt_energy: float = nan
    """energy of the board per FP32 FLOP [J/FLOP]"""
    tensor_basis: str = "none"
    """what the constants of the tensor cores rest on: none, fitted, rule"""
    tensor_efficiency: float = nan
    """issue efficiency of the tensor cores"""
    tensor_latency_threads: float = nan
    """threads per SM that hide the latency"""
    tensor_split_threads: float = nan
    """threads per SM up to which the contraction is split"""
    tensor_energy: float = nan
    """energy of the board per tensor-core FLOP [J/FLOP]"""
    hbm_efficiency: float = nan
    """payload over peak bandwidth of stacked memory (HBM)"""
    gddr_efficiency: float = nan
    """payload over peak bandwidth of other memory"""
    large_batched_tiles: bool = False
    """batched FP32 products have kernels of the largest tile only"""
    threads: int = 0
    """resident threads per SM at most"""
    launch: float = nan
    """start of a kernel in a full stream [s]"""


@dataclass(frozen=True, eq=False)
class Kernel(Record):
    """One kernel."""

    operation: str = "gemm"
    """what is computed: gemm, conv-forward, conv-backward-data, conv-backward-weight, elementwise, layer-norm,
    softmax, rnn-forward, rnn-backward-data, rnn-backward-weight"""
    precision: str = "fp64"
    """storage and arithmetic precision: fp64, fp32, tf32, fp16, fp16-storage, bf16, fp8, int8"""
    count: float = nan
    """gemm: independent products; elementwise: tensors; rnn: gates"""
    m: float = nan
    """gemm: rows of the result; elementwise: numbers of a tensor; norms: rows; rnn: hidden"""
    n: float = nan
    """gemm: columns of the result; norms: numbers of a row; rnn: samples; conv: samples"""
    k: float = nan
    """gemm: contraction; rnn: steps"""
    channels: float = nan
    """conv: input channels"""
    out_channels: float = nan
    """conv: output channels"""
    groups: float = nan
    """conv: groups"""
    height: float = nan
    """conv: input height"""
    width: float = nan
    """conv: input width"""
    kernel_height: float = nan
    """conv: height of the window"""
    kernel_width: float = nan
    """conv: width of the window"""
    padding_height: float = nan
    """conv: padding above and below"""
    padding_width: float = nan
    """conv: padding left and right"""
    stride_height: float = nan
    """conv: stride"""
    stride_width: float = nan
    """conv: stride"""


@dataclass(frozen=True, eq=False)
class KernelTime(Record):
    """Time of one kernel."""

    time: float = nan
    """time of the kernel, without its start [s]"""
    algorithm: str = "none"
    """the fastest way to compute it: none, roofline, stream, gemm, gemm-split-k, implicit-gemm, column-gemm,
    winograd-4x4, winograd-2x2, fft, direct, flash, stepwise, mixed"""
    bound: str = "none"
    """what limits it: none, compute, memory, latency, power"""
    flop: float = nan
    """arithmetic [FLOP]"""
    bytes: float = nan
    """memory traffic at least [B]"""
    intensity: float = nan
    """arithmetic intensity [FLOP/B]"""
    peak: float = nan
    """arithmetic ceiling [FLOP/s]"""
    attainable: float = nan
    """rate that the roofline allows at this intensity [FLOP/s]"""
    achieved: float = nan
    """rate predicted [FLOP/s]"""
    roofline_time: float = nan
    """time by the plain roofline [s]"""


@dataclass(frozen=True, eq=False)
class Machine(Record):
    """A machine, from its datasheet."""

    id: str = ""
    """short stable name"""
    name: str = ""
    """full name"""
    gpu: str = ""
    """id of its GPU"""
    gpus: int = 0
    """number of GPUs"""
    topology: str = ""
    """how the GPUs are wired, in words"""
    staged: bool = False
    """whether GPUs reach each other only through host memory"""
    cpu: str = ""
    """CPU model"""
    cpu_sockets: int = 0
    """CPU sockets"""
    cpu_cores: int = 0
    """physical cores per socket"""
    cpu_clock: float = nan
    """base clock of the CPU [Hz]"""
    host_memory: float = nan
    """system memory [B]"""
    storage: float = nan
    """local data storage [B]"""
    storage_bandwidth: float = nan
    """streaming read bandwidth of the local data storage [B/s]"""
    power: float = nan
    """thermal design power of the machine [W]"""
    rack_units: float = nan
    """height in rack units"""


@dataclass(frozen=True, eq=False)
class Edge(Record):
    """One row of a link graph."""

    a: str = ""
    """one end"""
    b: str = ""
    """the other end"""
    link: str = ""
    """id of the link type"""
    count: int = 0
    """parallel links"""
    bandwidth: float = nan
    """line rate per direction, all parallel links together [B/s]"""
    payload: float = nan
    """what large collectives get of it, per direction [B/s]"""


@dataclass(frozen=True, eq=False)
class Dataset(Record):
    """A training set."""

    id: str = ""
    """short stable name"""
    name: str = ""
    """full name"""
    samples: float = nan
    """training samples"""
    validation_samples: float = nan
    """validation samples"""
    classes: float = nan
    """classes"""
    size: float = nan
    """stored size [B]"""
    sample_size: float = nan
    """mean stored size of one training sample [B]"""


@dataclass(frozen=True, eq=False)
class Measurement(Record):
    """A published training rate."""

    id: str = ""
    """short stable name"""
    network: str = ""
    """network id"""
    system: str = ""
    """system id"""
    gpus: int = 0
    """GPUs used per node"""
    nodes: int = 0
    """nodes used"""
    batch: float = nan
    """samples per GPU and step"""
    precision: str = "fp64"
    """precision: fp64, fp32, tf32, fp16, fp16-storage, bf16, fp8, int8"""
    framework: str = ""
    """framework and version it was measured with"""
    throughput: float = nan
    """published samples per second over all GPUs [1/s]"""


@dataclass(frozen=True, eq=False)
class Source(Record):
    """Where values come from."""

    id: str = ""
    """key that other entries cite"""
    name: str = ""
    """title"""
    author: str = ""
    """author or publisher"""
    year: int = 0
    """year"""
    where: str = ""
    """document number, report or address"""


@dataclass(frozen=True, eq=False)
class NetworkTotals(Record):
    """Totals of a network, per sample."""

    id: str = ""
    """short stable name"""
    name: str = ""
    """full name"""
    input: str = ""
    """shape of one input sample"""
    output: str = ""
    """shape of one output sample"""
    layers: int = 0
    """layers, inputs not counted"""
    parameter_layers: int = 0
    """layers that have parameters and are conv2d or linear"""
    parameter_tensors: int = 0
    """separate parameter tensors (weights, biases, scales)"""
    parameters: float = nan
    """trainable parameters"""
    mac: float = nan
    """multiply-accumulates of one forward pass per sample [MAC]"""
    flop: float = nan
    """arithmetic of one forward pass per sample, element-wise included [FLOP]"""
    training_flop: float = nan
    """arithmetic of forward and backward per sample [FLOP]"""
    mac_bnl: float = nan
    """mac + bias + 4 per batch-norm element + 1 per ReLU element [MAC]"""


@dataclass(frozen=True, eq=False)
class Layer(Record):
    """Counts of one layer."""

    index: int = 0
    """position in the network, from 0"""
    name: str = ""
    """name of the layer"""
    kind: str = ""
    """kind of the layer"""
    input: str = ""
    """shape of its (first) input, per sample"""
    output: str = ""
    """shape of its output, per sample"""
    parameters: float = nan
    """trainable parameters"""
    mac: float = nan
    """multiply-accumulates of the forward pass, whole batch [MAC]"""
    flop: float = nan
    """arithmetic of the forward pass, whole batch [FLOP]"""
    mac_bnl: float = nan
    """mac + bias + 4 per batch-norm element + 1 per ReLU element [MAC]"""
    bytes_in: float = nan
    """inputs read, whole batch [B]"""
    bytes_out: float = nan
    """output written, whole batch [B]"""
    bytes_parameters: float = nan
    """parameters [B]"""
    gamma: float = nan
    """mac_bnl / parameters; unknown without parameters"""


@dataclass(frozen=True, eq=False)
class LayerTime(Record):
    """Times of one layer on one GPU."""

    index: int = 0
    """position in the network, from 0"""
    name: str = ""
    """name of the layer"""
    kind: str = ""
    """kind of the layer"""
    forward_time: float = nan
    """forward kernel [s]"""
    backward_data_time: float = nan
    """backward kernel for the gradient of its input [s]"""
    backward_weight_time: float = nan
    """backward kernel for the gradients of its parameters [s]"""
    update_time: float = nan
    """optimiser kernel [s]"""
    time: float = nan
    """sum of the four [s]"""
    algorithm: str = "none"
    """the forward kernel: none, roofline, stream, gemm, gemm-split-k, implicit-gemm, column-gemm, winograd-4x4,
    winograd-2x2, fft, direct, flash, stepwise, mixed"""
    bound: str = "none"
    """what limits the forward kernel: none, compute, memory, latency, power"""
    flop: float = nan
    """arithmetic of the forward kernel [FLOP]"""
    bytes: float = nan
    """memory traffic of the forward kernel [B]"""
    intensity: float = nan
    """arithmetic intensity of the forward kernel [FLOP/B]"""
    peak: float = nan
    """arithmetic ceiling of the forward kernel [FLOP/s]"""
    attainable: float = nan
    """rate that the roofline allows at this intensity [FLOP/s]"""
    achieved: float = nan
    """rate predicted [FLOP/s]"""


@dataclass(frozen=True, eq=False)
class LayerKind(Record):
    """A kind of layer."""

    kind: str = ""
    """name of the kind"""
    least_inputs: int = 0
    """inputs that it needs"""
    most_inputs: float = nan
    """inputs that it can have"""
    doc: str = ""
    """what it does"""


@dataclass(frozen=True, eq=False)
class LayerAttribute(Record):
    """An attribute of a kind of layer."""

    kind: str = ""
    """kind of layer that has it"""
    name: str = ""
    """name of the attribute"""
    value: str = ""
    """what it may be"""
    otherwise: str = ""
    """what it is if it is left out; nothing: it must be given"""
    doc: str = ""
    """what it means"""


@dataclass(frozen=True, eq=False)
class Ring(Record):
    """The ring that a group of GPUs uses."""

    gpus: int = 0
    """GPUs per node in the group"""
    nodes: int = 0
    """nodes in the group"""
    bandwidth: float = nan
    """bus bandwidth of the ring, per direction [B/s]"""
    rings: float = nan
    """directed rings packed into the GPU links; 0 if they do not connect the group"""
    hop_latency: float = nan
    """latency of one step inside the node [s]"""
    network_latency: float = nan
    """latency of one step between nodes [s]"""
    base_latency: float = nan
    """fixed latency [s]"""
    limit: str = ""
    """id of the link type that limits it"""
    calibrated: bool = False
    """whether every link on the way has calibrated constants"""


@dataclass(frozen=True, eq=False)
class Run(Record):
    """What to predict."""

    network_index: int = 0
    """which network of the plan, from 0"""
    system_index: int = 0
    """which system of the plan, from 0"""
    gpus: int = 0
    """GPUs used in each node"""
    nodes: int = 0
    """nodes used"""
    batch: float = nan
    """samples per GPU and step"""
    precision: str = "fp64"
    """storage and arithmetic precision: fp64, fp32, tf32, fp16, fp16-storage, bf16, fp8, int8"""
    overlap: str = "none"
    """how communication overlaps with the backward pass: none, backward"""
    kernel_model: str = "calibrated"
    """how kernels are timed: calibrated, roofline"""
    epoch_samples: float = nan
    """samples of one epoch, for epoch_time; unknown if not wanted"""


@dataclass(frozen=True, eq=False)
class Prediction(Record):
    """What is predicted."""

    status: str = "ok"
    """ok, or why there is no prediction; the numbers are then unknown: ok, no_memory, bad_argument, bad_value,
    bad_unit, not_found, bad_file, bad_syntax, bad_shape, too_many_gpus, no_precision, no_route,
    not_modelled, internal"""
    throughput: float = nan
    """samples per second over all GPUs [1/s]"""
    step_time: float = nan
    """time of one training step [s]"""
    epoch_time: float = nan
    """time of one epoch, whole steps; unknown if epoch_samples is [s]"""
    forward_time: float = nan
    """forward kernels [s]"""
    backward_data_time: float = nan
    """backward kernels for the gradients of activations [s]"""
    backward_weight_time: float = nan
    """backward kernels for the gradients of parameters [s]"""
    update_time: float = nan
    """optimiser kernels [s]"""
    compute_time: float = nan
    """sum of the four [s]"""
    communication_time: float = nan
    """all-reduce of the gradients [s]"""
    exposed_communication_time: float = nan
    """the part of it that lengthens the step [s]"""
    compute_share: float = nan
    """share of the step in kernels limited by the arithmetic rate"""
    memory_share: float = nan
    """share of the step in kernels limited by memory bandwidth"""
    communication_share: float = nan
    """share of the step in exposed communication"""
    bottleneck: str = "none"
    """the largest of the three shares: none, compute, memory, communication"""
    scaling_efficiency: float = nan
    """weak scaling: throughput over that of as many GPUs alone at this batch"""
    strong_scaling_efficiency: float = nan
    """throughput over that of as many GPUs each running the global batch"""
    flop: float = nan
    """arithmetic of one step over all GPUs [FLOP]"""
    flop_rate: float = nan
    """arithmetic rate of one GPU over the step [FLOP/s]"""
    utilization: float = nan
    """flop_rate over the GPU's matrix peak at this precision"""
    gradient_size: float = nan
    """gradients that each GPU contributes to a step [B]"""
    bus_bandwidth: float = nan
    """bus bandwidth of the ring; unknown for one GPU [B/s]"""
    basis: str = "none"
    """what the numbers rest on: none, roofline, roofline+ring, roofline+line-rate, kernels, kernels+ring,
    kernels+line-rate, kernel-rule, kernel-rule+ring, kernel-rule+line-rate"""


@dataclass(frozen=True, eq=False)
class MemoryProfile(Record):
    """How a framework handles memory."""

    id: str = ""
    """short stable name"""
    name: str = ""
    """full name, with the versions it stands for"""
    context: float = nan
    """CUDA context with the kernels of the libraries [B]"""
    allocator: float = nan
    """memory that the allocator holds over what is asked for"""
    allocator_mixed: float = nan
    """the same for networks with attention in mixed precision"""
    in_place: bool = False
    """whether ReLU and its like overwrite their input"""
    relu_keeps_input: bool = False
    """whether ReLU and its like keep their input too"""
    index: float = nan
    """where a maximum came from, per output of a max pool; none: the output is kept instead [B]"""
    average_keeps_input: bool = False
    """whether average pools keep their input"""
    mask: float = nan
    """kept-or-dropped of one element of a dropout [B]"""
    gelu_tensors: float = nan
    """further tensors of its size that a GELU keeps, being made of several operations"""
    layer_norm_tensors: float = nan
    """further tensors of its size that a layer norm keeps"""
    batch_norm_tensors: float = nan
    """further tensors of its size that a batch norm keeps"""
    score_tensors: float = nan
    """further tensors as large as the scores that an attention keeps"""
    static_plan: bool = False
    """whether memory is laid out ahead, with two of the largest gradients besides"""
    mixed_norms_fp32: bool = False
    """whether norms and softmax run in FP32 in mixed precision (autocast)"""
    mixed_weight: float = nan
    """bytes of a weight in mixed precision [B]"""
    mixed_gradient: float = nan
    """bytes of a weight's gradient in mixed precision [B]"""
    mixed_master: float = nan
    """bytes of a weight's master copy in mixed precision [B]"""
    mixed_copy: float = nan
    """bytes of a weight's cached cast in mixed precision [B]"""
    workspace: float = nan
    """least workspace of convolutions and matrix products [B]"""
    bucket: float = nan
    """copies of a gradient for communication, per parameter, with several ranks [B]"""
    fusion_buffer: float = nan
    """fixed buffer for communication, with several ranks [B]"""


@dataclass(frozen=True, eq=False)
class Optimizer(Record):
    """What an optimiser keeps per parameter."""

    id: str = ""
    """short stable name"""
    name: str = ""
    """full name"""
    state: float = nan
    """state per parameter; none if not given [B]"""
    embedding_state: float = nan
    """state per parameter of an embedding, if it is another [B]"""
    scratch: float = nan
    """temporaries per parameter while it updates; none if not given [B]"""


@dataclass(frozen=True, eq=False)
class UsableMemory(Record):
    """What programs can have of a GPU's memory."""

    id: str = ""
    """id of the GPU"""
    memory: float = nan
    """total memory that the driver reports [B]"""


@dataclass(frozen=True, eq=False)
class MemoryRun(Record):
    """Whose memory is wanted."""

    batch: float = nan
    """samples per GPU and step"""
    precision: str = "fp64"
    """precision; 2 bytes are mixed precision as the profile does it: fp64, fp32, tf32, fp16, fp16-storage,
    bf16, fp8, int8"""
    ranks: int = 0
    """data-parallel GPUs"""
    zero_stage: int = 0
    """shared out over the ranks: 1 optimiser, 2 and gradients, 3 and weights; 0 nothing"""
    recompute: str = "none"
    """what is computed again in the backward pass: none, selective, full"""
    inference: bool = False
    """forward pass only, nothing kept"""
    usable: float = nan
    """memory that the GPU has for this; unknown if no verdict is wanted [B]"""


@dataclass(frozen=True, eq=False)
class MemoryUse(Record):
    """Memory of one GPU, part by part."""

    status: str = "ok"
    """ok, or why there is no answer; the numbers are then unknown: ok, no_memory, bad_argument, bad_value,
    bad_unit, not_found, bad_file, bad_syntax, bad_shape, too_many_gpus, no_precision, no_route,
    not_modelled, internal"""
    verdict: str = "unknown"
    """whether it fits: unknown, fits, marginal, does-not-fit"""
    total: float = nan
    """memory of one GPU at the peak of a step [B]"""
    usable: float = nan
    """memory that the GPU has for it [B]"""
    missing: float = nan
    """how much the total is above the usable memory; 0 if it is not [B]"""
    largest_batch: float = nan
    """largest batch whose total is not above the usable memory; 0 if none is"""
    safe_batch: float = nan
    """largest batch whose verdict is that it fits; 0 if none is"""
    context: float = nan
    """CUDA context and kernels [B]"""
    weights: float = nan
    """weights and their casts [B]"""
    gradients: float = nan
    """gradients of the weights [B]"""
    optimizer: float = nan
    """state of the optimiser, its temporaries, master weights [B]"""
    activations: float = nan
    """activations that are saved for the backward pass, or alive in inference [B]"""
    live_gradients: float = nan
    """what the backward pass has alive at its peak beyond the saved activations [B]"""
    allocator: float = nan
    """what the allocator holds beyond the two [B]"""
    input: float = nan
    """the next batch, already on the GPU [B]"""
    workspace: float = nan
    """least workspace of convolutions and matrix products [B]"""
    communication: float = nan
    """buffers for the gradients' sum [B]"""
    sample: float = nan
    """what one more sample takes [B]"""


@dataclass(frozen=True, eq=False)
class LayerMemory(Record):
    """Memory of one layer in training."""

    index: int = 0
    """position in the network, from 0"""
    name: str = ""
    """name of the layer"""
    kind: str = ""
    """kind of the layer"""
    output: str = ""
    """shape of its output, per sample"""
    weights: float = nan
    """its weights [B]"""
    written: float = nan
    """new memory that its output takes; 0 if it is its input's [B]"""
    saved: float = nan
    """tensors that its backward pass is the first to need [B]"""
    further: float = nan
    """the part of it that no other layer sees: masks, indices, statistics, scores [B]"""
    alive: float = nan
    """saved activations and gradients alive while its backward pass runs [B]"""


@dataclass(frozen=True, eq=False)
class MemoryAdvice(Record):
    """A change that takes less memory."""

    change: str = ""
    """what is done differently"""
    total: float = nan
    """memory of one GPU then [B]"""
    saving: float = nan
    """how much less that is [B]"""
    verdict: str = "unknown"
    """whether it fits then: unknown, fits, marginal, does-not-fit"""
    largest_batch: float = nan
    """largest batch then"""


@dataclass(frozen=True, eq=False)
class TransformerHabit(Record):
    """What one layer of a transformer keeps."""

    id: str = ""
    """short stable name"""
    name: str = ""
    """framework, precision and version"""
    whole: float = nan
    """per token and hidden unit, on every GPU of a tensor-parallel group; none if not given [B]"""
    split: float = nan
    """per token and hidden unit, divided among them [B]"""
    scores: float = nan
    """per pair of tokens and head [B]"""
    boundary: float = nan
    """per token and hidden unit between layers: all that full recomputation keeps [B]"""


@dataclass(frozen=True, eq=False)
class Transformer(Record):
    """Sizes of a transformer."""

    layers: int = 0
    """layers of the whole model"""
    hidden: float = nan
    """hidden size h"""
    heads: int = 0
    """heads a of the attention"""
    tokens: float = nan
    """sequence length s"""
    batch: float = nan
    """sequences b of a micro-batch"""
    tensor_parallel: int = 0
    """GPUs of a tensor-parallel group"""
    sequence_parallel: bool = False
    """whether the tokens are split among them where features are not"""
    pipeline_stages: int = 0
    """pipeline stages"""
    interleaved: int = 0
    """chunks of layers per stage; 1: not interleaved"""
    recompute: str = "none"
    """what is computed again in the backward pass: none, selective, full"""
