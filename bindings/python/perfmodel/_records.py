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
    """streaming multiprocessors; compute units of AMD"""
    fp32_lanes: int = 0
    """FP32 cores per SM"""
    fp64_lanes: int = 0
    """FP64 cores per SM"""
    tensor_cores: int = 0
    """tensor cores per SM; matrix cores of AMD"""
    tensor_core_flop: float = nan
    """FLOP of one tensor core per clock, dense FP16, FP32 accumulate [FLOP]"""
    clock: float = nan
    """boost clock that the peaks are stated at [Hz]"""
    tensor_clock: float = nan
    """clock that the tensor peaks are stated at, if it is another [Hz]"""
    peak_fp64: float = nan
    """peak FP64 rate of the FP64 cores [FLOP/s]"""
    peak_fp32: float = nan
    """peak FP32 rate of the FP32 cores [FLOP/s]"""
    peak_fp16: float = nan
    """peak FP16 rate without tensor cores [FLOP/s]"""
    peak_fp64_tensor: float = nan
    """peak FP64 rate of the tensor cores [FLOP/s]"""
    peak_fp32_tensor: float = nan
    """peak rate of tensor cores that compute in full FP32 [FLOP/s]"""
    peak_tf32_tensor: float = nan
    """peak dense TF32 rate of the tensor cores [FLOP/s]"""
    peak_fp16_tensor: float = nan
    """peak dense FP16 rate of the tensor cores, FP32 accumulate [FLOP/s]"""
    peak_bf16_tensor: float = nan
    """peak dense BF16 rate of the tensor cores [FLOP/s]"""
    peak_fp8_tensor: float = nan
    """peak dense FP8 rate of the tensor cores, FP32 accumulate [FLOP/s]"""
    peak_int8: float = nan
    """peak dense INT8 rate, 2 per multiply-accumulate [FLOP/s]"""
    memory: float = nan
    """device memory as sold [B]"""
    memory_bandwidth: float = nan
    """peak device memory bandwidth [B/s]"""
    memory_type: str = ""
    """HBM2, GDDR6, ..."""
    memory_bus: int = 0
    """width of the memory bus in bits"""
    memory_rate: float = nan
    """data rate of one bit of the memory bus [B/s]"""
    inline_ecc: bool = False
    """whether check bits travel with the data, which costs bandwidth; none beside HBM"""
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
    """nvlink, pcie, xgmi, smp, infiniband or ethernet: nvlink, pcie, xgmi, smp, infiniband, ethernet"""
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
    copy_efficiency: float = nan
    """payload of one large copy over line rate; unknown: as efficiency"""
    copy_latency: float = nan
    """time of the smallest copy from GPU to GPU over this link [s]"""
    fabric_latency: float = nan
    """what this network adds to every hop between nodes [s]"""
    tree_share: float = nan
    """payload of a tree between two nodes over that of a ring; unknown: 1"""


@dataclass(frozen=True, eq=False)
class KernelCalibration(Record):
    """What kernels get of an architecture."""

    id: str = ""
    """id of the architecture, or of the chip (its GPUs are aliases)"""
    name: str = ""
    """full name"""
    like: str = ""
    """by rule: id of the architecture whose constants it takes where it states none"""
    energy_factor: float = nan
    """energies of that architecture count so much; unknown: 1"""
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
    tn_growth: float = nan
    """exponent of the addresses beyond tn_reach: how time grows; unknown: not"""
    tn_unaligned_growth: float = nan
    """the same of an unaligned operand over twice the L2; unknown: not"""
    hbm_efficiency: float = nan
    """payload over peak bandwidth of stacked memory (HBM)"""
    gddr_efficiency: float = nan
    """payload over peak bandwidth of other memory"""
    gddr_ecc_efficiency: float = nan
    """the same with check bits in it (inline_ecc); unknown: as without"""
    large_batched_tiles: bool = False
    """batched FP32 products have kernels of the largest tile only"""
    no_weight_winograd: bool = False
    """the library of its rows had no Winograd gradient of weights"""
    odd_channels_padded: bool = False
    """tensor cores take channels that are no multiple of 8, padded"""
    threads: int = 0
    """resident threads per SM at most"""
    launch: float = nan
    """start of a kernel in a full stream [s]"""
    wave: float = nan
    """share of a wave over the SMs that an unfinished one costs"""
    prologue: float = nan
    """steps of the contraction to fill and drain a tile"""
    prologue_most: float = nan
    """the same on tensor cores, at most"""
    split_least: float = nan
    """steps of the contraction worth a part of its own"""
    split_time: float = nan
    """adding up the parts of a split contraction [s]"""
    alignment: float = nan
    """factor of FP32 products that are not aligned to 16 bytes"""
    tn_alignment: float = nan
    """the same of products whose operands are both stored along the contraction"""
    tn_reach: float = nan
    """addresses in use at a time that such products reach without delay [B]"""
    l2_bytes: float = nan
    """L2 traffic per clock and SM, for 512 FP16 multiply-adds per clock [B]"""
    l2_share: float = nan
    """share of the L2 that rows have: half where its two parts hold copies"""
    reread_start: float = nan
    """rows in flight over the L2 at which norms begin to read rows again"""
    reread_width: float = nan
    """the same from there until all are"""
    softmax_reread: float = nan
    """rows in flight over the caches at which softmax reads all rows again"""
    softmax_l1: float = nan
    """caches of the SMs over their shared memory"""
    conv_rate: float = nan
    """rate of the kernels of convolutions over that of products"""
    conv_simt_efficiency: float = nan
    """efficiency of implicit over plain products"""
    conv_simt_prologue: float = nan
    """steps of the contraction to fill and drain a tile of convolutions"""
    conv_simt_latency_threads: float = nan
    """threads per SM that hide the latency of convolutions"""
    conv_simt_split_threads: float = nan
    """threads per SM up to which a convolution is split"""
    conv_simt_column: float = nan
    """factor of the gradient of data by columns that are added up"""
    conv_simt_input: float = nan
    """reads of the tensors in the gradient of weights"""
    conv_simt_windows: float = nan
    """share of the unfolded windows that it moves"""
    conv_simt_result: float = nan
    """accesses of the gradient of weights over the least"""
    conv_tensor_efficiency: float = nan
    """efficiency of implicit over plain products"""
    conv_tensor_latency_threads: float = nan
    """threads per SM that hide the latency of convolutions"""
    conv_tensor_split_threads: float = nan
    """threads per SM up to which a convolution is split"""
    conv_tensor_strided: float = nan
    """factor of the gradient of data with a stride"""
    conv_tensor_column: float = nan
    """factor of the gradient of data by columns that are added up"""
    conv_tensor_input: float = nan
    """reads of the tensors in the gradient of weights"""
    conv_tensor_windows: float = nan
    """share of the unfolded windows that it moves"""
    conv_tensor_result: float = nan
    """accesses of the gradient of weights over the least"""
    conv_tensor_odd: float = nan
    """rate of channels by no 8 over the peak of the FP32 cores"""
    conv_tensor_odd_weight: float = nan
    """factor of their gradient of weights"""
    winograd_traffic: float = nan
    """accesses of Winograd's transforms of tensors over the least"""
    winograd_weights: float = nan
    """the same of weights"""
    winograd_fused: float = nan
    """efficiency of Winograd in one kernel"""
    winograd_fused_prologue: float = nan
    """channels that fill and drain a block of it"""
    winograd_fused_traffic: float = nan
    """reads and writes of tensors by it over the least"""
    winograd_fused_weights: float = nan
    """the same of weights"""
    transform_time: float = nan
    """a kernel of transforms [s]"""
    fft_traffic: float = nan
    """accesses of Fourier transforms over the least"""
    direct_efficiency: float = nan
    """efficiency of direct convolutions"""
    flash_forward: float = nan
    """efficiency of fused attention over plain products"""
    flash_backward: float = nan
    """the same, backward"""
    rnn_l2: float = nan
    """rate of the L2 over that of the memory"""
    rnn_product: float = nan
    """time of a step's products over that of plain ones"""
    rnn_pointwise: float = nan
    """accesses of a step's gates over the least"""
    rnn_input: float = nan
    """time of the products with the inputs over that of plain ones"""
    rnn_backward: float = nan
    """time of a step back over one forward"""
    rnn_step_time: float = nan
    """kernels of a step, to start [s]"""
    rnn_time: float = nan
    """the whole layer, to start [s]"""
    rnn_weight: float = nan
    """time of the gradient of weights over that of a plain product"""
    rnn_weight_time: float = nan
    """the gradient of weights, to start [s]"""
    rnn_persistent_time: float = nan
    """a step of a persistent layer, until all SMs have met [s]"""
    copy_efficiency: float = nan
    """payload of a large copy from or to the host over the line rate"""
    copy_pageable: float = nan
    """rate of memory that is not pinned over that of pinned"""
    copy_time: float = nan
    """the smallest copy from or to the host [s]"""


@dataclass(frozen=True, eq=False)
class Kernel(Record):
    """One kernel."""

    operation: str = "gemm"
    """what is computed: gemm, conv-forward, conv-backward-data, conv-backward-weight, elementwise, layer-norm,
    softmax, rnn-forward, rnn-backward-data, rnn-backward-weight, batch-norm, pooling, reduction,
    embedding, attention, attention-backward, attention-unfused, sgd, momentum, adam, lamb, copy"""
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
    tn: bool = False
    """gemm: both operands are stored along the contraction (BLAS: TN), as of a linear layer forward"""
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
    persistent: bool = False
    """rnn: the weights of all steps stay in registers, if they fit"""
    link_bandwidth: float = nan
    """copy: line rate of the link to the host [B/s]"""
    pageable: bool = False
    """copy: of memory that is not pinned"""


@dataclass(frozen=True, eq=False)
class KernelTime(Record):
    """Time of one kernel."""

    time: float = nan
    """time of the kernel, without its start [s]"""
    algorithm: str = "none"
    """the fastest way to compute it: none, roofline, stream, gemm, gemm-split-k, implicit-gemm, column-gemm,
    winograd-4x4, winograd-2x2, fft, direct, flash, stepwise, persistent, copy, mixed"""
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
    memory_bandwidth: float = nan
    """memory ceiling; copy: that of the link [B/s]"""
    l2_bandwidth: float = nan
    """L2 ceiling; unknown by the plain roofline [B/s]"""
    power_rate: float = nan
    """rate that the power of the board can hold; unknown by the plain roofline [FLOP/s]"""


@dataclass(frozen=True, eq=False)
class KernelHarness(Record):
    """What the host adds to measured kernels."""

    id: str = ""
    """short stable name"""
    name: str = ""
    """full name"""
    repository: str = ""
    """text in the name of the repository of its rows"""
    gpu: str = ""
    """id of the GPU that it ran on; none: every other"""
    gemm: float = nan
    """added to a matrix product [s]"""
    gemm_batched: float = nan
    """added to a batch of products [s]"""
    linear: float = nan
    """added to a product with a bias [s]"""
    conv: float = nan
    """added to a convolution [s]"""
    conv_growth: float = nan
    """more for every line of the source's file before it [s]"""
    recurrent: float = nan
    """added to a recurrent layer [s]"""
    elementwise: float = nan
    """added to an element-wise kernel [s]"""
    layer_norm: float = nan
    """added to a layer norm [s]"""
    softmax: float = nan
    """added to a softmax [s]"""
    elementwise_floor: float = nan
    """least time of an element-wise kernel [s]"""
    layer_norm_floor: float = nan
    """least time of a layer norm [s]"""
    softmax_floor: float = nan
    """least time of a softmax [s]"""


@dataclass(frozen=True, eq=False)
class MeasuredKernel(Record):
    """A measured kernel."""

    id: str = ""
    """id of the measurement; without one, its line"""
    group: str = ""
    """GPU, operator, precision and source"""
    gpu: str = ""
    """id of the GPU"""
    time: float = nan
    """time measured [s]"""
    overhead: float = nan
    """what the host added [s]"""
    floor: float = nan
    """least time that the host allowed [s]"""


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
    pixels: float = nan
    """mean pixels of one sample, if samples are images"""


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
    training_flop: float = nan
    """arithmetic of the forward and the backward pass, whole batch [FLOP]"""
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
class Counts(Record):
    """Counts of a layer, of a kind of layer, or of a part of a network."""

    name: str = ""
    """name of the layer, or the beginning that the names of its layers share"""
    kind: str = ""
    """kind of the layer"""
    layers: int = 0
    """layers that are counted here"""
    input: str = ""
    """shape of its (first) input, per sample"""
    output: str = ""
    """shape of its output, per sample"""
    parameters: float = nan
    """trainable parameters"""
    parameters_share: float = nan
    """parameters / those of the network"""
    mac: float = nan
    """multiply-accumulates of the forward pass [MAC]"""
    mac_share: float = nan
    """mac / that of the network"""
    flop: float = nan
    """arithmetic of the forward pass, element-wise included [FLOP]"""
    training_flop: float = nan
    """arithmetic of the forward and the backward pass [FLOP]"""
    gamma: float = nan
    """mac_bnl / parameters: how often a parameter is used; unknown without parameters"""
    mac_bnl: float = nan
    """mac + bias + 4 per batch-norm element + 1 per ReLU element [MAC]"""
    bytes_in: float = nan
    """inputs read [B]"""
    bytes_out: float = nan
    """output written [B]"""
    bytes_parameters: float = nan
    """parameters [B]"""
    saved: float = nan
    """activations saved for the backward pass, each with the first layer that needs it [B]"""


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
    winograd-2x2, fft, direct, flash, stepwise, persistent, copy, mixed"""
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
    memory_bandwidth: float = nan
    """memory ceiling [B/s]"""
    l2_bandwidth: float = nan
    """L2 ceiling; unknown by the plain roofline [B/s]"""
    power_rate: float = nan
    """rate that the power of the board can hold; unknown by the plain roofline [FLOP/s]"""


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
class Protocol(Record):
    """A protocol of the collective library, from its source."""

    id: str = ""
    """ll, ll128 or simple"""
    name: str = ""
    """full name"""
    payload: float = nan
    """share of the link's payload that is data"""
    ring_base: float = nan
    """fixed latency of a ring [s]"""
    ring_nvlink: float = nan
    """one ring hop over NVLink or xGMI [s]"""
    ring_pcie: float = nan
    """one ring hop over PCIe or between CPUs [s]"""
    ring_network: float = nan
    """one ring hop between nodes [s]"""
    tree_base: float = nan
    """fixed latency of a tree [s]"""
    tree_nvlink: float = nan
    """one tree hop over NVLink or xGMI [s]"""
    tree_pcie: float = nan
    """one tree hop over PCIe or between CPUs [s]"""
    tree_network: float = nan
    """one tree hop between nodes [s]"""


@dataclass(frozen=True, eq=False)
class Tuning(Record):
    """What the collective library assumes of a GPU architecture."""

    id: str = ""
    """architecture of the GPU"""
    name: str = ""
    """full name"""
    ll_one_node: float = nan
    """most bus bandwidth of protocol LL in one node [B/s]"""
    ll_two_nodes: float = nan
    """the same on two nodes [B/s]"""
    ll_more_nodes: float = nan
    """the same on four nodes and more [B/s]"""
    ll128: bool = False
    """whether protocol LL128 works over its NVLinks"""
    in_switch: bool = False
    """whether NVLink switches reduce and multicast"""
    network_overhead: float = nan
    """least time of an inner hop of a collective between nodes [s]"""


@dataclass(frozen=True, eq=False)
class Fit(Record):
    """Constants of collectives fitted to measurements."""

    id: str = ""
    """architecture of the GPU"""
    name: str = ""
    """full name"""
    launch: float = nan
    """host time of a launch on each further GPU of one thread [s]"""
    knee: float = nan
    """how little latency and transfer overlap in an all-reduce in one node"""
    part_knee: float = nan
    """the same in reduce-scatter and all-gather"""
    chain_knee: float = nan
    """the same in broadcast and reduce"""
    network_knee: float = nan
    """the same between nodes"""
    network_base: float = nan
    """fixed latency of a collective between nodes, beyond the library's constant [s]"""
    network_hop: float = nan
    """what a hop between nodes takes beyond the library's constant, LL, LL128 [s]"""
    network_simple: float = nan
    """a hop between nodes with Simple, instead of the library's constant [s]"""
    in_switch_efficiency: float = nan
    """payload of in-switch reduction over that of a ring"""
    in_switch_latency: float = nan
    """latency of in-switch reduction for each GPU [s]"""
    in_switch_network: float = nan
    """what in-switch reduction takes more between nodes [s]"""
    pairs_latency: float = nan
    """fixed latency of an all-to-all [s]"""
    pairs_rank: float = nan
    """latency of an all-to-all for each rank [s]"""
    pairs_efficiency: float = nan
    """payload of an all-to-all over that of a ring"""
    pairs_launch: float = nan
    """host time of an all-to-all over that of a ring"""
    chain_rank: float = nan
    """latency of a broadcast or reduce for each rank [s]"""
    chain_fill: float = nan
    """what the first chunk of a broadcast or reduce takes for each further GPU, Simple [s]"""
    chunk: float = nan
    """what a chain of NCCL 2.0 to 2.3 passes on whole [B]"""
    old_chunk: float = nan
    """what a chain of NCCL 1 passes on whole [B]"""
    old_launch: float = nan
    """host time of a launch with NCCL 1 [s]"""
    old_most: float = nan
    """most that a GPU passes on with NCCL 1.6 to 2.3, over all rings [B/s]"""
    ll_share: float = nan
    """most bandwidth of LL over what the library assumes"""
    ll128_share: float = nan
    """bandwidth of LL128 over what the library assumes"""
    odd_share: float = nan
    """bandwidth of NCCL before 2.4 where parts are an odd number of floats"""


@dataclass(frozen=True, eq=False)
class Group(Record):
    """How a group of GPUs is driven."""

    nodes: int = 0
    """nodes in the group"""
    thread_gpus: int = 0
    """GPUs that one host thread drives: 1 with a process for each"""
    era: str = "current"
    """generation of the collective library: current, nccl-2.0, nccl-1"""
    servers: int = 0
    """parameter servers"""
    in_network: bool = False
    """whether the switches of the network reduce (SHARP)"""


@dataclass(frozen=True, eq=False)
class Call(Record):
    """One collective to evaluate."""

    collective: str = "all_reduce"
    """what is done: all_reduce, reduce_scatter, all_gather, broadcast, reduce, all_to_all, send_receive,
    gather, scatter"""
    bytes: float = nan
    """bytes of the whole buffer [B]"""
    algorithm: str = "auto"
    """how: auto, ring, tree, nvls, nvls-tree, pairs, collnet, halving-doubling, hierarchical, parameter-server,
    data-parallel"""
    protocol: str = "auto"
    """in which protocol: auto, ll, ll128, simple"""


@dataclass(frozen=True, eq=False)
class Collective(Record):
    """Time and bandwidth of one collective."""

    status: str = "ok"
    """ok, or why there is no value: ok, no_memory, bad_argument, bad_value, bad_unit, not_found, bad_file,
    bad_syntax, bad_shape, too_many_gpus, no_precision, no_route, not_modelled, unreachable, internal"""
    time: float = nan
    """from start to end [s]"""
    algorithm_bandwidth: float = nan
    """bytes / time [B/s]"""
    bus_bandwidth: float = nan
    """what the links would show: algorithm bandwidth by its factor [B/s]"""
    algorithm: str = "auto"
    """the one taken: auto, ring, tree, nvls, nvls-tree, pairs, collnet, halving-doubling, hierarchical,
    parameter-server, data-parallel"""
    protocol: str = "auto"
    """the one taken: auto, ll, ll128, simple"""
    latency: float = nan
    """latency part of the time [s]"""
    transfer: float = nan
    """transfer part of the time [s]"""
    limit: str = ""
    """id of the link type that limits the transfer; "launch" if the host does"""


@dataclass(frozen=True, eq=False)
class Load(Record):
    """What a collective moves over one link."""

    a: str = ""
    """one end"""
    b: str = ""
    """the other end"""
    link: str = ""
    """id of the link type"""
    count: int = 0
    """parallel links"""
    forward: float = nan
    """bytes from a to b [B]"""
    backward: float = nan
    """bytes from b to a [B]"""
    busy: float = nan
    """share of the time that the busier direction is in use at its payload rate"""


@dataclass(frozen=True, eq=False)
class Pair(Record):
    """Copies from one GPU to another."""

    sender: int = 0
    """GPU that sends"""
    receiver: int = 0
    """GPU that receives"""
    path: str = ""
    """NV2, NVS, PIX, PXB, PHB, SYS as nvidia-smi names it"""
    bandwidth: float = nan
    """one way, with peer access [B/s]"""
    both_ways: float = nan
    """both directions at once, summed, with peer access [B/s]"""
    latency: float = nan
    """of the smallest copy, with peer access [s]"""
    staged_bandwidth: float = nan
    """one way, through host memory [B/s]"""
    staged_both_ways: float = nan
    """both directions at once, summed, through host memory [B/s]"""
    staged_latency: float = nan
    """of the smallest copy, through host memory [s]"""


@dataclass(frozen=True, eq=False)
class FabricChoice(Record):
    """A network of many nodes to lay out."""

    nodes: int = 0
    """nodes to join"""
    switch_ports: int = 0
    """ports used of each switch"""
    oversubscription: float = nan
    """ports down over ports up of the first level"""
    coding: float = nan
    """line coding still to take off the links' rate"""
    node_latency: float = nan
    """node to node without switches [s]"""
    switch_latency: float = nan
    """of each switch on the way [s]"""


@dataclass(frozen=True, eq=False)
class Fabric(Record):
    """A fat tree: switches, cables, bisection."""

    nodes: int = 0
    """nodes joined"""
    ports: int = 0
    """network ports of each node"""
    levels: int = 0
    """levels of switches"""
    first_switches: int = 0
    """switches of the first level"""
    second_switches: int = 0
    """switches of the second level"""
    third_switches: int = 0
    """switches of the third level"""
    cables: int = 0
    """cables, those to the nodes included"""
    nodes_per_switch: int = 0
    """nodes under a switch of the first level"""
    most_nodes: int = 0
    """nodes that this number of levels can join"""
    node_bandwidth: float = nan
    """of one node, per direction [B/s]"""
    bisection: float = nan
    """between two halves of the nodes, per direction [B/s]"""
    bisection_both_ways: float = nan
    """the same, both directions counted, as data sheets like to [B/s]"""
    latency: float = nan
    """between nodes as far apart as can be [s]"""


@dataclass(frozen=True, eq=False)
class Finding(Record):
    """Something implausible in a file."""

    line: int = 0
    """line of the value"""
    entry: str = ""
    """id of the entry"""
    field: str = ""
    """field"""
    value: str = ""
    """as it is written"""
    finding: str = ""
    """what is implausible"""
    suggestion: str = ""
    """what it probably should be"""


@dataclass(frozen=True, eq=False)
class FittedConstant(Record):
    """A fitted constant of kernels."""

    architecture: str = ""
    """id of the kernel calibration; default: of every architecture"""
    stage: str = ""
    """stage of the calibration"""
    constant: str = ""
    """name of the constant"""
    unit: str = ""
    """unit of its values"""
    value: float = nan
    """value found"""
    uncertainty: float = nan
    """standard error, as a share of the value"""
    state: str = "fixed"
    """whether the measurements determine it: fixed, fitted, not identifiable, at lower bound, at upper bound"""
    start: float = nan
    """value that the search started from"""
    lower: float = nan
    """least value"""
    upper: float = nan
    """largest value"""
    correlated: str = ""
    """the constant that it can be exchanged with most"""
    correlation: float = nan
    """correlation of the errors of the two"""
    rows: int = 0
    """measurements that it was fitted on"""


@dataclass(frozen=True, eq=False)
class FitError(Record):
    """Errors of a calibration of kernels."""

    stage: str = ""
    """stage of the calibration"""
    gpu: str = ""
    """id of the GPU"""
    use: str = "fitted"
    """what the rows are to the fit: fitted, kept-out-shape, kept-out-gpu, older-library"""
    rows: int = 0
    """measurements"""
    mape: float = nan
    """mean of the absolute errors [%]"""
    median: float = nan
    """median of the absolute errors [%]"""
    p90: float = nan
    """90th percentile of the absolute errors [%]"""
    bias: float = nan
    """mean of the signed errors; above 0: predicted too slow [%]"""


@dataclass(frozen=True, eq=False)
class FitParameter(Record):
    """A constant to fit."""

    name: str = ""
    """name of the constant"""
    start: float = nan
    """value that the search starts from"""
    lower: float = nan
    """least value; above 0: the search is in the logarithm"""
    upper: float = nan
    """largest value; equal to the least: not fitted"""
    value: float = nan
    """value found"""
    uncertainty: float = nan
    """standard error, as a share of the value"""
    state: str = "fixed"
    """whether the measurements determine it: fixed, fitted, not identifiable, at lower bound, at upper bound"""
    correlated: str = ""
    """the constant that it can be exchanged with most"""
    correlation: float = nan
    """correlation of the errors of the two"""


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
    """how communication overlaps with the backward pass: none, backward, framework"""
    kernel_model: str = "calibrated"
    """how kernels are timed: calibrated, roofline"""
    epoch_samples: float = nan
    """samples of one epoch, for epoch_time; unknown if not wanted"""
    framework_index: int = 0
    """which framework of the plan, from 0; -1: none, kernels and collectives only"""
    parallel: str = "framework"
    """how the GPUs share the work: framework, all-reduce, data-parallel, parameter-server, async,
    model-channels, model-layers, hybrid"""
    optimizer: str = "momentum"
    """what a step does with the gradients: momentum, sgd, adam, lamb, adam-unfused, adamw-operations,
    lamb-operations, none"""
    accumulation: int = 0
    """batches whose gradients are added up before each update"""
    input_rate: float = nan
    """samples per second that the input path brings to each node; unknown: as many as wanted [1/s]"""
    input_in_turn: bool = False
    """whether input is prepared between the steps, nothing prefetched"""


@dataclass(frozen=True, eq=False)
class Prediction(Record):
    """What is predicted."""

    status: str = "ok"
    """ok, or why there is no prediction; the numbers are then unknown: ok, no_memory, bad_argument, bad_value,
    bad_unit, not_found, bad_file, bad_syntax, bad_shape, too_many_gpus, no_precision, no_route,
    not_modelled, unreachable, internal"""
    throughput: float = nan
    """samples per second over all GPUs [1/s]"""
    throughput_p10: float = nan
    """one measured rate in ten would be below this; unknown without a framework [1/s]"""
    throughput_p90: float = nan
    """one in ten above this [1/s]"""
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
    """optimiser kernels, or the share of them that a server leaves to the GPU [s]"""
    compute_time: float = nan
    """sum of the four [s]"""
    host_wait_time: float = nan
    """what the host adds: kernels launched late, fixed time of a step, feeding [s]"""
    communication_time: float = nan
    """collectives of a step, were they alone [s]"""
    exposed_communication_time: float = nan
    """the part of it that lengthens the step [s]"""
    waiting_time: float = nan
    """for the slowest GPU and the coordinator [s]"""
    input_wait_time: float = nan
    """for input [s]"""
    host_time: float = nan
    """time in which the host launches the kernels of a step, beside the GPU [s]"""
    layout_time: float = nan
    """conversions of layouts, which are in the forward and backward times [s]"""
    compute_share: float = nan
    """share of the step in kernels limited by the arithmetic rate"""
    memory_share: float = nan
    """share of the step in kernels limited by memory bandwidth"""
    communication_share: float = nan
    """share of the step in exposed communication"""
    host_share: float = nan
    """share of the step that waits for the host"""
    waiting_share: float = nan
    """share of the step that waits for other GPUs"""
    input_share: float = nan
    """share of the step that waits for input"""
    bottleneck: str = "none"
    """the largest of these shares: none, compute, memory, communication, host, waiting, input"""
    gpu_busy: float = nan
    """share of the step in which a GPU computes"""
    scaling_efficiency: float = nan
    """weak scaling: throughput over that of as many GPUs alone at this batch"""
    strong_scaling_efficiency: float = nan
    """throughput over that of as many GPUs each running the global batch"""
    staleness: float = nan
    """updates by others since the weights of a step were read; 0 if synchronous"""
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
    """what kernels and collectives rest on: none, roofline, roofline+ring, roofline+line-rate, kernels,
    kernels+ring, kernels+line-rate, kernel-rule, kernel-rule+ring, kernel-rule+line-rate"""
    evidence: str = "none"
    """what the constants of the framework rest on: none, uncalibrated, documents, fitted"""
    in_range: bool = False
    """whether batch, GPUs and architecture are among those that constants were fitted on"""


@dataclass(frozen=True, eq=False)
class Framework(Record):
    """What a framework adds to kernels and collectives."""

    id: str = ""
    """short stable name"""
    name: str = ""
    """full name"""
    versions: str = ""
    """releases that it stands for"""
    era: str = ""
    """id of the library era that it runs in unless another is named"""
    evidence: str = "none"
    """what its constants rest on: none, uncalibrated, documents, fitted"""
    kernel_time: float = nan
    """host time to launch one kernel [s]"""
    step_time: float = nan
    """host time of a step besides, for each accumulated batch [s]"""
    straggler: float = nan
    """spread of the step times of one GPU, over their mean"""
    update_kernels: float = nan
    """optimiser kernels for each parameter tensor; 1 if not given"""
    simt_factor: float = nan
    """instead of the era's factor on FP32 cores"""
    tensor_factor: float = nan
    """instead of the era's factor on tensor cores"""
    own_factor: float = nan
    """time of its own kernels (norms of rows, dropout, softmax) over that of the kernel model"""
    layout_fp16: bool = False
    """whether tensor-core convolutions transpose their tensors to another layout and back"""
    layout_tf32: bool = False
    """whether those in TF32 do"""
    layout_fp32: bool = False
    """whether convolutions on other cores do"""
    fused: bool = False
    """whether normalisation, activation and addition are one pass"""
    composed: bool = False
    """whether norms, dropout, softmax and the like are run operation by operation"""
    parallel: str = "framework"
    """how its GPUs share the work: framework, all-reduce, data-parallel, parameter-server, async,
    model-channels, model-layers, hybrid"""
    overlap: str = "none"
    """whether gradients are summed during the backward pass: none, backward, framework"""
    collectives: str = "current"
    """generation of its collective library: current, nccl-2.0, nccl-1"""
    bucket: float = nan
    """gradients that are summed together [B]"""
    gradient: float = nan
    """bytes of a gradient as it travels; as it is stored if not given [B]"""
    coordinator_time: float = nan
    """host time that each further rank on other nodes costs a step [s]"""
    feed_bandwidth: float = nan
    """bandwidth of feeding a step with inputs, before it starts; prefetched if unlimited [B/s]"""
    variable_time: float = nan
    """host time for each variable and GPU with a parameter server [s]"""
    server_accesses: float = nan
    """accesses of the server's update to each parameter"""
    server_memory: float = nan
    """memory bandwidth that the server's update gets [B/s]"""
    server_copy: float = nan
    """bandwidth of weights and gradients between server and GPUs [B/s]"""
    server_socket: float = nan
    """bandwidth between the sockets, for GPUs beyond the first four [B/s]"""
    loader: str = ""
    """id of the loader that it reads with"""
    batch_least: float = nan
    """smallest batch of the rows that its constants were fitted on"""
    batch_most: float = nan
    """largest batch of these rows"""
    gpus_most: float = nan
    """most GPUs of these rows"""


@dataclass(frozen=True, eq=False)
class LibraryEra(Record):
    """A generation of the GPU libraries."""

    id: str = ""
    """short stable name"""
    name: str = ""
    """releases and time that it stands for"""
    simt_factor: float = nan
    """time of matrix kernels on FP32 cores over that of the kernel model"""
    tensor_factor: float = nan
    """time of matrix kernels on tensor cores over that of the kernel model"""
    no_winograd: bool = False
    """its convolutions have no Winograd transforms"""
    no_weight_winograd: bool = False
    """gradients of weights have none"""
    odd_channels_padded: bool = False
    """tensor cores take channels that are no multiple of 8, padded"""


@dataclass(frozen=True, eq=False)
class Band(Record):
    """Spread of measured over predicted rates."""

    id: str = ""
    """what is predicted"""
    name: str = ""
    """full name"""
    fitted: float = nan
    """with a framework that is fitted"""
    documents: float = nan
    """with a framework that is fitted to the source documents"""
    uncalibrated: float = nan
    """with any other framework"""
    kernel_rule: float = nan
    """more, where kernel constants are by rule"""
    roofline: float = nan
    """more, where kernels run at the plain roofline"""
    line_rate: float = nan
    """more, where links run at line rate"""
    batch: float = nan
    """more, for each factor e that the batch is outside the calibrated range"""
    gpus: float = nan
    """more, for each factor e of GPUs beyond the calibrated range"""


@dataclass(frozen=True, eq=False)
class InferenceProfile(Record):
    """How a framework or an engine runs a forward pass."""

    id: str = ""
    """short stable name"""
    name: str = ""
    """full name, with the versions it stands for"""
    framework: str = ""
    """id of the framework whose constants stand where none are given"""
    origin: str = "none"
    """what its constants rest on: none, fitted, rule"""
    fusion: str = "none"
    """which layers are run together: none, passes, graph"""
    launch: float = nan
    """host time of starting one kernel [s]"""
    step_time: float = nan
    """host time of a call besides [s]"""
    simt_factor: float = nan
    """time of products on the FP32 cores over that of the kernel model"""
    tensor_factor: float = nan
    """time of products on the tensor cores over that of the kernel model"""
    convert_simt: bool = False
    """whether convolutions on the FP32 cores convert the layout of both ends"""
    convert_tensor: bool = False
    """whether convolutions on the tensor cores convert the layout of both ends"""


@dataclass(frozen=True, eq=False)
class InferenceRun(Record):
    """What inference to predict."""

    network_index: int = 0
    """which network of the plan, from 0"""
    system_index: int = 0
    """which system of the plan, from 0"""
    profile_index: int = 0
    """which profile of the plan, from 0"""
    gpus: int = 0
    """GPUs used in each node, each with the whole network"""
    nodes: int = 0
    """nodes used"""
    batch: float = nan
    """samples of one call"""
    precision: str = "fp64"
    """storage and arithmetic precision: fp64, fp32, tf32, fp16, fp16-storage, bf16, fp8, int8"""
    kernel_model: str = "calibrated"
    """how kernels are timed: calibrated, roofline"""
    usable: float = nan
    """memory that a GPU has for this; unknown if no verdict is wanted [B]"""


@dataclass(frozen=True, eq=False)
class Inference(Record):
    """What is predicted of inference."""

    status: str = "ok"
    """ok, or why there is no prediction; the numbers are then unknown: ok, no_memory, bad_argument, bad_value,
    bad_unit, not_found, bad_file, bad_syntax, bad_shape, too_many_gpus, no_precision, no_route,
    not_modelled, unreachable, internal"""
    throughput: float = nan
    """samples per second over all GPUs [1/s]"""
    latency: float = nan
    """time of one call [s]"""
    gpu_time: float = nan
    """kernels on the GPU [s]"""
    product_time: float = nan
    """the part of it in convolutions and products [s]"""
    pass_time: float = nan
    """the part of it in passes over memory [s]"""
    conversion_time: float = nan
    """the part of it in conversions of layout [s]"""
    host_time: float = nan
    """starting the kernels, beside the GPU [s]"""
    step_time: float = nan
    """what a call takes besides [s]"""
    kernels: float = nan
    """kernels of one call"""
    limit: str = "none"
    """what takes the largest share: none, compute, memory, host"""
    flop: float = nan
    """arithmetic of one call [FLOP]"""
    flop_rate: float = nan
    """arithmetic rate of one GPU over the call [FLOP/s]"""
    utilization: float = nan
    """flop_rate over the GPU's matrix peak at this precision"""
    memory: float = nan
    """memory of one GPU; unknown without a memory profile [B]"""
    verdict: str = "unknown"
    """whether it fits: unknown, fits, marginal, does-not-fit"""
    largest_batch: float = nan
    """largest batch that fits; unknown if the usable memory is"""
    basis: str = "none"
    """what the numbers rest on: none, roofline, roofline+ring, roofline+line-rate, kernels, kernels+ring,
    kernels+line-rate, kernel-rule, kernel-rule+ring, kernel-rule+line-rate"""


@dataclass(frozen=True, eq=False)
class SizeGoal(Record):
    """What a system is to reach, and what is to be least."""

    rate: float = nan
    """samples per second that are wanted; unknown: epochs within a time are [1/s]"""
    epochs: float = nan
    """epochs to train"""
    within: float = nan
    """time for them [s]"""
    samples: float = nan
    """samples of an epoch; unknown: times stay unknown"""
    global_batch: float = nan
    """samples of an update over all GPUs; unknown: every choice keeps its batch per GPU"""
    minimize: str = "nodes"
    """what is to be least: nodes, cost, power, rack-units"""
    nodes_most: int = 0
    """most nodes that are tried"""
    pue: float = nan
    """power usage effectiveness of the site: all power over that of the machines"""
    sample_size: float = nan
    """stored size of a sample; unknown: what storage must give stays so [B]"""
    switch_ports: int = 0
    """ports used of each switch between the nodes"""
    oversubscription: float = nan
    """ports down over ports up of their first level"""


@dataclass(frozen=True, eq=False)
class SizeChoice(Record):
    """So many nodes of a system, and what they take."""

    status: str = "ok"
    """ok; unreachable: no count is enough, and the numbers are of the fastest; or what is wrong: ok, no_memory,
    bad_argument, bad_value, bad_unit, not_found, bad_file, bad_syntax, bad_shape, too_many_gpus,
    no_precision, no_route, not_modelled, unreachable, internal"""
    rank: int = 0
    """place among the choices, from 1; 0 if it does not reach the target"""
    choice: int = 0
    """which choice, from 0"""
    system: str = ""
    """id of the system"""
    framework: str = ""
    """id of the framework; empty: none, kernels and collectives only"""
    nodes: int = 0
    """least nodes that reach the target"""
    gpus: int = 0
    """GPUs in all"""
    batch: float = nan
    """samples per GPU and step"""
    precision: str = "fp64"
    """storage and arithmetic precision: fp64, fp32, tf32, fp16, fp16-storage, bf16, fp8, int8"""
    throughput: float = nan
    """samples per second over all GPUs [1/s]"""
    time: float = nan
    """for all epochs, whole steps [s]"""
    reached: float = nan
    """speed over that of the target: 1 or more reaches it"""
    nodes_least: int = 0
    """nodes enough in one case of ten, by the band of the framework; 0 unknown"""
    nodes_safe: int = 0
    """nodes enough in nine cases of ten; 0 unknown, or beyond those tried"""
    efficiency: float = nan
    """weak scaling: throughput over that of as many GPUs alone"""
    limit: str = "none"
    """what limits the step: none, compute, memory, communication, host, waiting, input"""
    rack_units: float = nan
    """rack space of the nodes"""
    power: float = nan
    """design power of the nodes times the PUE [W]"""
    gpu_power: float = nan
    """the part of it that is the GPUs' design power [W]"""
    energy: float = nan
    """that power over the time for all epochs [J]"""
    price: float = nan
    """price of one node, as it was given"""
    cost: float = nan
    """price of the nodes; switches, cables and storage are not in it"""
    storage_rate: float = nan
    """what storage must give at this rate, nothing cached [B/s]"""
    storage_nodes: float = nan
    """nodes that the given storage feeds at their rate"""
    input_limit: str = "unknown"
    """the slowest stage of the input path: unknown, storage, reads, uplink, gateway, client, decode, copy, gpu"""
    switches: float = nan
    """switches of a fat tree between the nodes"""
    cables: float = nan
    """its cables"""
    memory: float = nan
    """memory of one GPU; unknown if nobody asked [B]"""
    verdict: str = "unknown"
    """whether the batch fits it: unknown, fits, marginal, does-not-fit"""
    pareto: bool = False
    """whether no other choice is both faster and less"""
    basis: str = "none"
    """what the numbers rest on: none, roofline, roofline+ring, roofline+line-rate, kernels, kernels+ring,
    kernels+line-rate, kernel-rule, kernel-rule+ring, kernel-rule+line-rate"""
    evidence: str = "none"
    """what the constants of the framework rest on: none, uncalibrated, documents, fitted"""


@dataclass(frozen=True, eq=False)
class Sensitivity(Record):
    """One number of the hardware raised."""

    resource: str = "clock"
    """what is raised: clock, memory-bandwidth, l2-cache, power, nvlink, pcie, cpu-links, network, latency,
    host, storage"""
    rate: bool = False
    """whether it is a rate: more is never slower"""
    by: float = nan
    """by how much, as a share"""
    step_time: float = nan
    """time of a step then [s]"""
    change: float = nan
    """by how much the time of a step changes: negative is faster"""
    elasticity: float = nan
    """change of the logarithm of the time over that of the number"""
    throughput: float = nan
    """samples per second then [1/s]"""
    limit: str = "none"
    """what limits the step then: none, compute, memory, communication, host, waiting, input"""


@dataclass(frozen=True, eq=False)
class Upgrade(Record):
    """One thing replaced by another."""

    status: str = "ok"
    """ok, or why there is no prediction: ok, no_memory, bad_argument, bad_value, bad_unit, not_found, bad_file,
    bad_syntax, bad_shape, too_many_gpus, no_precision, no_route, not_modelled, unreachable, internal"""
    name: str = ""
    """what is changed"""
    step_time: float = nan
    """time of a step then [s]"""
    throughput: float = nan
    """samples per second then [1/s]"""
    gain: float = nan
    """by how much the throughput grows"""
    price: float = nan
    """what the change costs, as it was given"""
    gain_per_price: float = nan
    """further samples per second for each unit of price [1/s]"""
    limit: str = "none"
    """what limits the step then: none, compute, memory, communication, host, waiting, input"""


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
    not_modelled, unreachable, internal"""
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


@dataclass(frozen=True, eq=False)
class Reading(Record):
    """How rows of published tables are read."""

    id: str = ""
    """short stable name"""
    decides: str = "skip"
    """what it decides: skip, date, framework, era, network, system, gpus, precision, batch, items, optimizer,
    accumulation"""
    value: str = ""
    """what it decides for"""
    set: str = ""
    """condition on the set: training or inference"""
    model: str = ""
    """condition on the model"""
    framework: str = ""
    """condition on the framework"""
    version: str = ""
    """condition on the framework's version"""
    gpu: str = ""
    """condition on the GPU"""
    system: str = ""
    """condition on the system"""
    precision: str = ""
    """condition on the precision"""
    unit: str = ""
    """condition on the unit"""
    sequence: str = ""
    """condition on the sequence length"""
    batch: str = ""
    """condition on the batch per GPU"""
    serving: str = ""
    """condition on how inference is served"""
    origin: str = ""
    """condition on where the row is from: repository and path"""
    remark: str = ""
    """condition on the note"""
    since: str = ""
    """holds for software released in this month (2018-06) or later"""
    until: str = ""
    """holds for software released in this month or before"""


@dataclass(frozen=True, eq=False)
class Storage(Record):
    """Where samples are stored."""

    id: str = ""
    """short stable name"""
    name: str = ""
    """full name"""
    shared: bool = False
    """whether all nodes share it; if not, every node has its own"""
    bandwidth: float = nan
    """sequential read bandwidth of one unit (chassis, array, drive) [B/s]"""
    operations: float = nan
    """random read operations per second of one unit [1/s]"""
    units_most: int = 0
    """units that it grows to; one if not given"""
    read_size: float = nan
    """largest read that is one operation; a whole file if not given [B]"""
    uplink: float = nan
    """network bandwidth of one unit, all its ports together [B/s]"""
    gateway: float = nan
    """bandwidth of one link through the gateway between its network and the nodes' [B/s]"""
    gateway_links: int = 0
    """most links through that gateway; one if not given"""
    client_bandwidth: float = nan
    """most that one node reads, by its adapter or protocol [B/s]"""
    node_ports: int = 0
    """ports of the switch that are left for nodes"""


@dataclass(frozen=True, eq=False)
class StorageAccess(Record):
    """What one read of a storage takes."""

    id: str = ""
    """id of the storage"""
    name: str = ""
    """full name"""
    latency: float = nan
    """from asking for data to its first byte [s]"""
    open_time: float = nan
    """opening a file [s]"""
    stream_bandwidth: float = nan
    """what one reader gets once data flows [B/s]"""
    open_operations: float = nan
    """operations for opening a file, besides those for reading it"""


@dataclass(frozen=True, eq=False)
class Decoder(Record):
    """How fast a CPU decodes."""

    id: str = ""
    """short stable name"""
    name: str = ""
    """CPU, or class of CPUs"""
    scale: float = nan
    """decoding time on one core over that of the reference"""
    pixel_time: float = nan
    """reference time per pixel [s]"""
    byte_time: float = nan
    """reference time per stored byte [s]"""
    one_core_clock: float = nan
    """clock with one busy core; all the same if not given [Hz]"""
    all_core_clock: float = nan
    """clock with all cores busy [Hz]"""
    threads_per_core: float = nan
    """hardware threads of a core; one if not given"""
    thread_yield: float = nan
    """what a further hardware thread of a busy core adds; none if not given"""


@dataclass(frozen=True, eq=False)
class Loader(Record):
    """How a framework reads and prepares samples."""

    id: str = ""
    """short stable name"""
    name: str = ""
    """full name"""
    library: float = nan
    """decoding time of its library over the fastest one"""
    augment_time: float = nan
    """time of augmentation per sample on a core of the reference; none if not given [s]"""
    handover: float = nan
    """bandwidth from workers to the process of one GPU; unlimited if not given [B/s]"""
    gpu_pixel_rate: float = nan
    """pixels that one GPU decodes per second; unknown: it cannot [1/s]"""
    pinned: bool = False
    """whether it copies to the GPU from pinned memory"""
    step_time: float = nan
    """what feeding a step takes besides, on the host; none if not given [s]"""
    update_passes: float = nan
    """passes over the parameters that an update takes, 4 bytes each; none if not given"""


@dataclass(frozen=True, eq=False)
class InputRun(Record):
    """What is asked of an input pipeline."""

    nodes: int = 0
    """nodes that read at once"""
    units: int = 0
    """units of the storage"""
    gateway_links: int = 0
    """links through the gateway; as many as it has if 0"""
    workers: int = 0
    """threads or processes that decode, per node; one per core if 0"""
    gpus: int = 0
    """GPUs per node that are fed; all of the machine if 0"""
    reads: int = 0
    """reads in flight per node; as many as workers if 0"""
    prefetch: int = 0
    """batches prefetched; without any, the stages work in turn"""
    format: str = "packed"
    """how samples are stored: packed, files"""
    decode: str = "cpu"
    """where they are decoded: cpu, gpu, none"""
    policy: str = "lru"
    """how the page cache replaces: lru, random, keep, sequential"""
    first_epoch: bool = False
    """whether nothing is cached yet"""
    cache: float = nan
    """memory of one node for cached pages [B]"""
    chunk: float = nan
    """what one read of packed samples takes [B]"""
    sample_out: float = nan
    """bytes of a decoded sample, as it is copied to the GPU; unknown: copies do not limit [B]"""
    copy_bandwidth: float = nan
    """host-to-device bandwidth of the bus of one uplink; unknown: copies do not limit [B/s]"""
    gpus_per_uplink: int = 0
    """GPUs that share an uplink to the host"""
    gpu_rate: float = nan
    """samples per second that the GPUs of one node would take; unknown if not asked [1/s]"""
    input_variation: float = nan
    """squared coefficient of variation of a batch's preparation time"""
    gpu_variation: float = nan
    """the same of a step's time"""


@dataclass(frozen=True, eq=False)
class InputRates(Record):
    """Rates of an input pipeline."""

    status: str = "ok"
    """ok, or why there is no answer; the numbers are then unknown: ok, no_memory, bad_argument, bad_value,
    bad_unit, not_found, bad_file, bad_syntax, bad_shape, too_many_gpus, no_precision, no_route,
    not_modelled, unreachable, internal"""
    limit: str = "unknown"
    """the slowest stage: unknown, storage, reads, uplink, gateway, client, decode, copy, gpu"""
    throughput: float = nan
    """samples per second of one node, GPUs included if their rate was given [1/s]"""
    total: float = nan
    """samples per second of all nodes [1/s]"""
    input: float = nan
    """what the path without the GPUs brings to a node [1/s]"""
    utilisation: float = nan
    """share of the time that the GPUs compute: throughput over their rate"""
    starvation: float = nan
    """share of the time that they wait for input"""
    storage: float = nan
    """storage, its share of one node [1/s]"""
    reads: float = nan
    """reads in flight [1/s]"""
    uplink: float = nan
    """the storage's network ports, the share of one node [1/s]"""
    gateway: float = nan
    """gateway, the share of one node [1/s]"""
    client: float = nan
    """adapter of the node [1/s]"""
    decode: float = nan
    """decoding, augmentation, handing over [1/s]"""
    copy: float = nan
    """host to device [1/s]"""
    cached: float = nan
    """share of the dataset that a node's cache holds"""
    hits: float = nan
    """share of reads that the cache answers"""
    hits_least: float = nan
    """the same with LRU, which the kernel's page cache is not below"""
    hits_most: float = nan
    """the same with random replacement, which it is not above"""
    storage_rate: float = nan
    """what the storage gives at this throughput, to all nodes [B/s]"""
    node_rate: float = nan
    """what one node needs of it to run at its GPUs' rate [B/s]"""
    nodes_storage: float = nan
    """nodes that the storage itself feeds at that rate"""
    nodes_uplink: float = nan
    """nodes that its network ports feed"""
    nodes_gateway: float = nan
    """nodes that the gateway feeds"""
    nodes_ports: float = nan
    """nodes that the switch has ports for"""
    nodes_most: float = nan
    """nodes that one storage system feeds: the least of these"""
