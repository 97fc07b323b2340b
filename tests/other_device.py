"""A device of our own for torch, "elsewhere": memory that nothing but torch's operations can reach, as an accelerator's is.

Made with torch's backend for others (PrivateUse1), in Python: a tensor there wraps one of the host, and an operation unwraps,
computes on the host and wraps. So values are the host's to the bit, and what an accelerator refuses is refused: `numpy()` of
its tensors, and operations that mix them with tensors of the host (single numbers excepted, as on an accelerator).

A copy to the host that is not waited for (non_blocking) arrives only when the host waits for the device, by `synchronize`.
The device is there for tests that ask for it (`present`), else as absent as an accelerator that is not plugged in.
"""

from contextlib import contextmanager

import torch
from torch.utils import backend_registration
from torch.utils._pytree import tree_flatten, tree_map

NAME = "elsewhere"
MOVES = {torch.ops.aten.copy_.default, torch.ops.aten._to_copy.default}  # between devices
PRODUCTS = {torch.ops.aten.addmm.default, torch.ops.aten.linear.default}  # what a linear layer becomes

_plugged_in = False
_under_way = []  # copies to the host that have not arrived: (where to, a tensor of the values)
products = []  # the precisions that products were computed in


class Elsewhere(torch.Tensor):
    """A tensor whose `host` holds its values."""

    __torch_function__ = torch._C._disabled_torch_function_impl

    @staticmethod
    def __new__(cls, host):
        size, strides, offset = host.size(), host.stride(), host.storage_offset()
        where = {"dtype": host.dtype, "device": torch.device(NAME, 0), "requires_grad": host.requires_grad}
        return torch.Tensor._make_wrapper_subclass(cls, size, strides, offset, **where)

    def __init__(self, host):
        self.host = host

    def __repr__(self, *, tensor_contents=None):
        return f"elsewhere({self.host!r})"

    @classmethod
    def __torch_dispatch__(cls, operation, types, args=(), kwargs=None):
        return compute(operation, args, kwargs or {})


def compute(operation, args, kwargs):
    """An operation on tensors of which some are elsewhere, or one that is asked to make a tensor there."""
    tensors = [each for each in tree_flatten((args, kwargs))[0] if isinstance(each, torch.Tensor)]
    here = [each for each in tensors if not isinstance(each, Elsewhere)]
    there = len(here) < len(tensors)
    if operation not in MOVES and there and any(each.dim() for each in here):
        raise RuntimeError(f"expected all tensors on one device: {operation} has some on cpu, some {NAME}")
    if there and operation in PRODUCTS:
        products.append(tensors[-1].dtype)
    device = kwargs.get("device")
    if device is not None:
        there = torch.device(device).type == NAME
        kwargs = {**kwargs, "device": torch.device("cpu")}
    if operation is torch.ops.aten.copy_.default and not isinstance(args[0], Elsewhere):
        there = False
        if args[2:] == (True,):
            _under_way.append((args[0], args[1].host.clone()))
            return args[0]
    given = {id(each.host): each for each in tensors if isinstance(each, Elsewhere)}
    found = operation(*tree_map(unwrap, args), **tree_map(unwrap, kwargs))

    def wrap(each):
        if not isinstance(each, torch.Tensor) or not there:
            return each
        return given[id(each)] if id(each) in given else Elsewhere(each)  # what works in place returns what it was given

    # in inference mode, a view of what was made outside is of outside too
    outside = getattr(operation, "is_view", False) and not args[0].is_inference()
    with torch.inference_mode(torch.is_inference_mode_enabled() and not outside):
        return tree_map(wrap, found)


def unwrap(each):
    return each.host if isinstance(each, Elsewhere) else each


class Hooks(torch._C._acc.PrivateUse1Hooks):
    def is_available(self):
        return _plugged_in

    def has_primary_context(self, index):
        return _plugged_in

    def is_built(self):
        return True


class Module(backend_registration._DummyBackendModule):
    """What torch.elsewhere is."""

    def is_available(self):
        return _plugged_in

    def device_count(self):
        return int(_plugged_in)

    def get_amp_supported_dtype(self):
        return [torch.bfloat16, torch.float16]

    def synchronize(self):
        for to, values in _under_way:
            to.copy_(values)
        _under_way.clear()


def _linear_in_lower_precision(x, weight, bias=None):
    """What autocast makes of a linear layer; torch has this rule for cuda, and each backend its own."""
    dtype = torch.get_autocast_dtype(NAME)
    with torch.autocast(NAME, enabled=False):
        return torch.nn.functional.linear(x.to(dtype), weight.to(dtype), None if bias is None else bias.to(dtype))


def _register():
    backend_registration._setup_privateuseone_for_python_backend(NAME, Module(), Hooks())
    everything, aten = torch.library.Library("_", "IMPL"), torch.library.Library("aten", "IMPL")
    everything.fallback(lambda operation, *args, **kwargs: compute(operation, args, kwargs), "PrivateUse1")
    everything.fallback(torch.library.fallthrough_kernel, "AutocastPrivateUse1")
    aten.impl("linear", _linear_in_lower_precision, "AutocastPrivateUse1")
    return everything, aten


_libraries = _register()  # what they hold ends with them


@contextmanager
def present():
    """The device is there."""
    global _plugged_in
    _plugged_in, plain = True, torch.tensor
    torch.__future__.set_swap_module_params_on_conversion(True)  # a moved parameter stays the object that optimizers know
    # torch.tensor makes its copy below what Python can follow
    torch.tensor = lambda *values, device=None, **how: plain(*values, **how).to(device or "cpu")
    products.clear()
    try:
        yield torch.device(NAME)
    finally:
        _plugged_in, torch.tensor = False, plain
        torch.__future__.set_swap_module_params_on_conversion(False)
