"""Live PyTorch modules: a copy on the meta device runs once, and every operator is taken over as it is called.

Calls are seen at two levels: functions of torch as the module's code calls them (a linear layer, an attention, an
LSTM), and below them, for functions without a counterpart, the ATen operators that they are made of. No weights are
touched.
"""

from __future__ import annotations

import copy
import inspect
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

from .._errors import ArgumentError, FileError, FormatError, ShapeError
from .._files import reading
from .._network import Network
from ._graph import Constant, Graph, Operand, Scope, Shape, Source, Unmapped, Value, Weight, elements
from ._operators import folded, reshape
from ._tensors import is_tensor, tensors_in
from .._report import Report
from .pytorch_operators import CONSTANT, HANDLERS, IGNORED

if TYPE_CHECKING:
    import torch

    Inputs = Union[Sequence[int], torch.Tensor, Sequence[Any], Mapping[str, Any]]


def from_torch(
    module: torch.nn.Module | torch.export.ExportedProgram | str | os.PathLike[str],
    inputs: Inputs | None = None,
    *,
    training: bool = False,
    allow_unknown: bool = False,
    id: str = "",
    name: str = "",
) -> Network:
    """The network of a live `torch.nn.Module`, or of a program of `torch.export` (the object, or its `.pt2` file).

    Weights of a module are neither read nor copied; those of a file are read by PyTorch.

    Args:
        module: what runs once on the meta device.
        inputs: the shape of one sample, without the batch; or example tensors (they may be on the meta device), with
            the batch first: one, several in a tuple, or a dict by name. Only their shapes and types matter. A program
            has its own, with the batch that it was exported with, which counts as one sample.
        training: run as in training, for example with auxiliary heads. Batch norms need no second sample. Otherwise
            the module runs as in evaluation, with its dropout layers counted all the same.
        allow_unknown: leave unknown operators out instead of raising NotModelledError; `network.report` then tells how
            much is covered.

    Returns: a network, its `report` attribute telling what became of the operators.
    """
    module, inputs, kind = _module_of(module, inputs)
    report = Report(f"torch {kind}")
    graph = Graph(Network(id or kind, name or id or kind), report, allow_unknown)
    tracer = Tracer(graph)
    tracer.run(module, inputs, training)
    return graph.finish()


def _program_of(path: Path) -> Any:
    """A saved program. PyTorch prints warnings of a file that is none; it is a zip archive."""
    with open(reading(path), "rb") as file:
        if file.read(2) != b"PK":
            raise FormatError("not a zip archive")
        file.seek(0)
        return _torch().export.load(file)


def _module_of(module: Any, inputs: Any) -> tuple[Any, Any, str]:
    """What is to run, on which inputs, and what it is called: of a program the module that it unrolls to."""
    torch = _torch()
    kind = type(module).__name__
    if isinstance(module, (str, os.PathLike)):
        path = Path(os.fspath(module))
        kind = path.stem
        try:
            module = _program_of(path)
        except OSError as error:
            raise FileError(f"{path}: {error.strerror or error}") from error
        except Exception as error:  # whatever a file that is none makes of PyTorch
            raise FormatError(f"{path}: not a program of torch.export: {_reason(error)}") from error
    if isinstance(module, torch.export.ExportedProgram):
        arguments, named = module.example_inputs or ((), {})
        if inputs is None and named:
            raise ArgumentError("the program has inputs by name; give them all as a dict")
        return _unrolled(module), list(arguments) if inputs is None else inputs, kind
    if inputs is None:
        raise TypeError("from_torch() needs the inputs of a module: the shape of one sample, or example tensors")
    return module, inputs, kind


def _unrolled(program: Any) -> Any:
    """The module of a program, without checks of its inputs; it refuses train() and eval(), which have no effect."""
    module = program.module(check_guards=False)
    for part in module.modules():
        part.train = part.eval = lambda *_: module
    return module


def _torch() -> Any:
    try:
        import torch
    except ImportError:
        raise ImportError("from_torch() needs PyTorch: pip install torch") from None
    return torch


@contextmanager
def _autocast_on_meta(torch: Any) -> Iterator[None]:
    """PyTorch has no autocast on the meta device, which modules ask for to leave it; it changes neither shapes nor
    counts."""
    own = torch.autocast

    def autocast(device_type: str, *arguments: Any, **named: Any) -> Any:
        return nullcontext() if device_type == "meta" else own(device_type, *arguments, **named)

    torch.autocast = autocast
    try:
        yield
    finally:
        torch.autocast = own


class Tracer:
    """What is known of every tensor while the module runs."""

    def __init__(self, graph: Graph):
        self.graph = graph
        self._known: dict[int, tuple[int, Any]] = {}
        self._written: dict[int, tuple[int, Value]] = {}
        self._kept: list[Any] = []
        self._time = 0
        self._recording = False
        self._stack: list[tuple[str, bool]] = []

    # ---- The run.

    def run(self, module: Any, inputs: Any, training: bool) -> None:
        torch = _torch()
        twin = _twin(module, training)
        for name, parameter in twin.named_parameters():
            self._know(parameter, Weight(tuple(parameter.shape), frozenset([Source(name, parameter.numel())])))
        arguments, named = _examples(twin, inputs)
        self._add_inputs(twin, arguments, named)
        self._watch(twin)
        fast = torch.backends.mha.get_fastpath_enabled()
        torch.backends.mha.set_fastpath_enabled(False)
        try:
            with torch.no_grad(), _autocast_on_meta(torch), self._modes():
                self._recording = True
                twin(*arguments, **named)
        except (RuntimeError, NotImplementedError) as error:
            raise ShapeError(
                f"{type(module).__name__} does not run on the meta device with inputs of {_shapes(arguments, named)}, "
                f"the batch among them: {_reason(error)}{_advice(inputs, error)}"
            ) from error
        finally:
            torch.backends.mha.set_fastpath_enabled(fast)
        self._note_unused(twin)

    def _add_inputs(self, module: Any, arguments: Sequence[Any], named: Mapping[str, Any]) -> None:
        names = _parameters(module.forward)
        given = list(zip(names + ["input"] * len(arguments), arguments)) + list(named.items())
        for name, value in given:
            for tensor in tensors_in(value):
                self._know(tensor, self.graph.input(name, tuple(tensor.shape)))

    def _watch(self, module: Any) -> None:
        """The stack of modules that are running."""
        for name, part in module.named_modules():
            leaf = next(part.children(), None) is None

            def enter(_module: Any, _inputs: Any, name: str = name, leaf: bool = leaf) -> None:
                self._stack.append((name, leaf))

            def leave(_module: Any, _inputs: Any, _outputs: Any) -> None:
                self._stack.pop()

            part.register_forward_pre_hook(enter)
            part.register_forward_hook(leave, always_call=True)

    @contextmanager
    def _modes(self) -> Iterator[None]:
        from torch.overrides import TorchFunctionMode
        from torch.utils._python_dispatch import TorchDispatchMode

        tracer = self

        class Functions(TorchFunctionMode):  # type: ignore[misc,no-untyped-call,unused-ignore]
            def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
                return tracer.call(func, args, kwargs or {})

        class Operators(TorchDispatchMode):  # type: ignore[misc,no-untyped-call,unused-ignore]
            def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
                result = func(*args, **(kwargs or {}))
                if tracer._recording:
                    tracer.record(_operator_name(func), args, kwargs or {}, result)
                return result

        with ExitStack() as stack:
            stack.enter_context(Operators())  # type: ignore[no-untyped-call,unused-ignore]
            stack.enter_context(_torch().device("meta"))
            stack.enter_context(Functions())
            yield

    def _note_unused(self, module: Any) -> None:
        unused = [
            (name, parameter.numel())
            for name, parameter in module.named_parameters()
            if not self.graph.is_taken(Source(name, parameter.numel()))
        ]
        if unused:
            names = ", ".join(name for name, _ in unused[:4]) + (", ..." if len(unused) > 4 else "")
            count = sum(number for _, number in unused)
            self.graph.report.notes.append(f"{count:,} parameters are not used in this run: {names}")

    # ---- Calls.

    def call(self, func: Any, args: Any, kwargs: Any) -> Any:
        """A function of torch: taken over whole if it has a counterpart, else by the operators inside it."""
        name = getattr(func, "__name__", str(func))
        if hasattr(func, "overloadpacket") or hasattr(func, "overloads"):
            return func(*args, **kwargs)  # an operator by itself: seen below
        known = canonical(name) in HANDLERS
        if known and not _fits(canonical(name), args, kwargs):
            known = False
        before, self._recording = self._recording, not known
        try:
            result = func(*args, **kwargs)
        finally:
            self._recording = before
        if known:
            self.record(name, args, kwargs, result)
        else:
            self._check_known(name, args, kwargs, result)
        return result

    def _check_known(self, name: str, args: Any, kwargs: Any, result: Any) -> None:
        """What came out without an operator that we saw: the same elements in another guise, or something unknown."""
        for tensor in tensors_in(result):
            if id(tensor) in self._known or canonical(name) in CONSTANT:
                continue
            given = [self.operand(t) for t in tensors_in((args, kwargs))]
            values = [operand for operand in given if not isinstance(operand, Constant)]
            if not values:
                continue
            same = next((v for v in values if elements(v.shape) == tensor.numel()), None)
            shape = tuple(tensor.shape)
            self._know(tensor, self.graph.unknown(name, values, shape) if same is None else reshape(same, shape))

    def record(self, name: str, args: Any, kwargs: Any, result: Any) -> None:
        """One operator: its result becomes known."""
        name = canonical(name)
        outputs = list(tensors_in(result))
        if not outputs or name in IGNORED:
            return
        given = [self.operand(tensor) for tensor in tensors_in((args, kwargs))]
        if name in CONSTANT or all(isinstance(operand, Constant) for operand in given):
            for tensor in outputs:
                self._know(tensor, Constant(tuple(tensor.shape)))
            return
        if all(tensor.numel() == 0 for tensor in outputs):
            for tensor in outputs:  # empty parts, which are cut out of wholes for generality
                self._know(tensor, Constant(tuple(tensor.shape)))
            return
        self.graph.scope = self._scope()
        made = self._translate(name, given, args, kwargs, result, outputs)
        for tensor, operand in zip(outputs, made):
            self._bind(tensor, operand, args)

    def _translate(
        self, name: str, given: list[Operand], args: Any, kwargs: Any, result: Any, outputs: list[Any]
    ) -> list[Any]:
        """An operand, or a way to make one when it is needed, for each output."""
        handler = HANDLERS.get(name)
        if handler is None and not any(isinstance(operand, Value) for operand in given):
            return [folded(given, tuple(tensor.shape)) for tensor in outputs]
        made: list[Any] = []

        def do() -> None:
            assert handler is not None
            answer = handler(self, result, *args, **_alias_names(kwargs))
            made.extend(answer if isinstance(answer, list) else [answer])

        try:
            if handler is None:
                raise Unmapped(name)
            self.graph.run(name, do)
        except Unmapped as error:
            return [self.graph.unknown(name, given, tuple(tensor.shape), str(error)) for tensor in outputs]
        first = made[0]
        return made + [self._later(first, tuple(tensor.shape)) for tensor in outputs[len(made) :]]

    def _later(self, operand: Operand, shape: Shape) -> Any:
        if isinstance(operand, Value):
            return lambda: self.graph.copy(operand, shape)
        return folded([operand], shape)

    def _scope(self) -> Scope:
        return Scope(*self._stack[-1]) if self._stack else Scope()

    # ---- Tensors.

    def operand(self, tensor: Any) -> Any:
        """What is known of a tensor; numbers are constants, None stays None."""
        if tensor is None:
            return None
        if not is_tensor(tensor):
            return Constant(())
        time, operand = self._known.get(id(tensor), (-1, None))
        if callable(operand):
            operand = operand()
            self._known[id(tensor)] = (time, operand)
        shape = tuple(tensor.shape)
        if self._written:
            written, value = self._written.get(_storage(tensor), (-1, None))
            if value is not None and written > time:
                same = elements(value.shape) == elements(shape)
                operand = reshape(value, shape) if same else self.graph.copy(value, shape)
                self._know(tensor, operand)
                if not same:
                    self.graph.near("a tensor that is written in parts is taken as a copy of the last part")
        if operand is None:
            return Constant(shape)
        return operand

    def _know(self, tensor: Any, operand: Any) -> None:
        self._time += 1
        self._known[id(tensor)] = (self._time, operand)
        self._kept.append(tensor)

    def _bind(self, tensor: Any, operand: Any, args: Any) -> None:
        """Makes a result known; one that was an argument was written over, and so were all views of its storage."""
        over = any(tensor is argument for argument in tensors_in(args))
        if over and isinstance(operand, Value):
            self._written[_storage(tensor)] = (self._time + 1, operand)
        self._know(tensor, operand)


def canonical(name: str) -> str:
    """ "__iadd__", "add_" and "add" are one."""
    bare = name.strip("_")
    return bare[1:] if name.startswith("__i") and bare[1:] in HANDLERS else bare


def _operator_name(func: Any) -> str:
    """ "linear" of torch's own, "library.linear" of another's."""
    library, _, name = str(func._schema.name).partition("::")
    return name if library in ("aten", "prims") else f"{library}.{name}"


def _fits(name: str, args: Any, kwargs: Any) -> bool:
    """Whether a function that stands for several operators is called in the way that its handler knows."""
    if name != "multi_head_attention_forward":
        return True
    given = list(args) + [None] * 10
    return all(x is None for x in given[7:9]) and not given[9] and kwargs.get("static_k") is None


def _alias_names(kwargs: Mapping[str, Any]) -> dict[str, Any]:
    names = {"axis": "dim", "keepdims": "keepdim"}
    return {names.get(name, name): value for name, value in kwargs.items()}


def _storage(tensor: Any) -> int:
    return int(tensor.untyped_storage()._cdata)


def _parameters(forward: Any) -> list[str]:
    try:
        return list(inspect.signature(forward).parameters)
    except ValueError:
        return []


def _shapes(arguments: Any, named: Any) -> str:
    return ", ".join("x".join(str(size) for size in tensor.shape) for tensor in tensors_in([arguments, dict(named)]))


def _reason(error: Exception) -> str:
    lines = [line.strip() for line in str(error).strip().splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__


def _advice(inputs: Any, error: Exception) -> str:
    """What would help, where the inputs are a shape."""
    if is_tensor(inputs) or not isinstance(inputs, (tuple, list)) or not all(isinstance(size, int) for size in inputs):
        return ""
    if "indices" in str(error) or "Long" in str(error):
        sizes = ", ".join(str(size) for size in (1, *inputs))
        return f"; token numbers are whole: give torch.zeros({sizes}, dtype=torch.long) instead of a shape"
    advice = "; a shape is that of one sample, without the batch, channels first"
    if len(inputs) > 3:
        return f"{advice}: {tuple(inputs[1:])}"
    if len(inputs) == 3 and inputs[-1] < min(inputs[:2]):
        return f"{advice}: {(inputs[-1], *inputs[:-1])}"
    return f"{advice}, such as (3, 224, 224)"


# ---- The copy without weights.


def _twin(module: Any, training: bool) -> Any:
    """A copy of the module whose tensors are on the meta device."""
    torch = _torch()
    memo: dict[int, Any] = {}
    if not isinstance(module, torch.nn.Module):
        raise TypeError(f"from_torch() takes a torch.nn.Module, not {type(module).__name__}")
    if any(isinstance(part, torch.jit.ScriptModule) for part in module.modules()):
        raise ArgumentError(f"{type(module).__name__} is scripted; give the original module")
    for tensor in [*module.parameters(), *module.buffers(), *_kept(module)]:
        empty = torch.empty_like(tensor, device="meta", requires_grad=False)
        if isinstance(tensor, torch.nn.Parameter):
            empty = torch.nn.Parameter(empty, requires_grad=tensor.requires_grad)
        memo[id(tensor)] = empty
    try:
        twin = copy.deepcopy(module, memo)
    except (TypeError, RuntimeError) as error:
        raise ArgumentError(f"{type(module).__name__} cannot be copied: {error}") from error
    twin.train(training)
    for part in twin.modules():
        if isinstance(part, torch.nn.modules.batchnorm._NormBase):
            part.training = False
        elif isinstance(part, torch.nn.modules.dropout._DropoutNd):
            part.training = True
    return twin


def _kept(module: Any) -> Iterator[Any]:
    """Other tensors that its parts keep: results of former runs, which copy.deepcopy refuses."""
    for part in module.modules():
        own = {**part._parameters, **part._buffers}
        yield from (tensor for tensor in tensors_in(vars(part)) if all(tensor is not known for known in own.values()))


# ---- Inputs.


def _examples(module: Any, inputs: Any) -> tuple[list[Any], dict[str, Any]]:
    """Meta tensors with a batch of 1."""
    if isinstance(inputs, Mapping):
        named = {str(name): value for name, value in inputs.items()}
        made = _one_sample(list(named.values()), module)
        return [], dict(zip(named, made))
    single = is_tensor(inputs) or all(isinstance(size, int) for size in inputs)
    return _one_sample([inputs] if single else list(inputs), module), {}


def _one_sample(inputs: list[Any], module: Any) -> list[Any]:
    torch = _torch()
    batches = {int(tensor.shape[0]) for tensor in tensors_in(inputs) if tensor.ndim > 0}
    if len(batches) > 1:
        sizes = ", ".join(str(size) for size in sorted(batches))
        raise ArgumentError(f"the example inputs have different batches ({sizes}); give them a batch of 1 each")
    floating = next((p.dtype for p in module.parameters() if p.is_floating_point()), torch.float32)

    def convert(value: Any) -> Any:
        if is_tensor(value):
            shape = (1, *value.shape[1:]) if value.ndim > 0 else ()
            return torch.empty(shape, dtype=value.dtype, device="meta")
        if isinstance(value, (tuple, list)) and value and all(isinstance(size, int) for size in value):
            return torch.empty((1, *value), dtype=floating, device="meta")
        if isinstance(value, (tuple, list)):
            return type(value)(convert(item) for item in value)
        return value

    return [convert(value) for value in inputs]
