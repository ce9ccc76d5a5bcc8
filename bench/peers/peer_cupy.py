"""The peer CuPy: its ElementwiseKernel."""

NAME = "CuPy ElementwiseKernel"
HOLDER = "cupy"
NEEDS = ["cupy"]


def start():
    import cupy

    cupy.cuda.Device(0).use()
    cupy.cuda.runtime.free(0)


def make(case):
    import cupy

    return cupy.ElementwiseKernel(
        f"{case.dtype} x", f"{case.dtype} y", f"const float v = x; y = {case.body};", f"{case.callback}_kernel"
    )
