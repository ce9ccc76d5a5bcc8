"""graft: formulas and callbacks as fast CUDA kernels, for arrays of NumPy, CuPy, PyTorch and JAX.

    import graft_cuda as graft

    y = graft.evaluate("a * max(x, 0) + b", x=x, a=2, b=1)

Functions in lower case take formulas, which may come from strangers; classes take callbacks, which are CUDA C++ and
run with the rights of this process. docs/python.md is the guide.
"""

from ._callback import Callback, chain, formula, stages
from ._core import Signature
from ._core import version as __version__
from ._engine import Engine, default_engine, toolkit_folder
from ._error import Diagnostic, GraftError
from ._expression import Expression, Formula, Reduction, evaluate, reduction, transform
from ._fft import Fft, precompile_fft
from ._kernel import Kernel, KernelAttributes, KernelCode, KernelEntry, KernelShape, KernelSlot, build_kernel
from ._numba import numba_callback
from ._reduce import Reduce, precompile_reduce
from ._report import Report
from ._transform import GenericTransform, Image, Transform, build, precompile

__all__ = [
    "Callback",
    "Diagnostic",
    "Engine",
    "Expression",
    "Fft",
    "Formula",
    "GenericTransform",
    "GraftError",
    "Image",
    "Kernel",
    "KernelAttributes",
    "KernelCode",
    "KernelEntry",
    "KernelShape",
    "KernelSlot",
    "Reduce",
    "Reduction",
    "Report",
    "Signature",
    "Transform",
    "__version__",
    "build",
    "build_kernel",
    "chain",
    "default_engine",
    "evaluate",
    "formula",
    "numba_callback",
    "precompile",
    "precompile_fft",
    "precompile_reduce",
    "reduction",
    "stages",
    "toolkit_folder",
    "transform",
]
