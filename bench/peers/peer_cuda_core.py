"""The peer cuda.core, used as in NVIDIA's JIT-LTO sample. A kernel with one element per thread and the user's device
function are compiled separately to LTO-IR and linked by nvJitLink. The sample uses 128 threads per block."""

import nvidia

NAME = "cuda.core JIT-LTO"
HOLDER = "plain"
NEEDS = ["cuda.core", "cuda.bindings"]

KERNEL = """
extern __device__ {element} {callback}({element} v);
extern "C" __global__ void apply(const {element}* in, {element}* out, unsigned long long count) {{
  const unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) out[i] = {callback}(in[i]);
}}
"""


def start():
    from cuda.core import Device

    Device().set_current()


def linked(case, target):
    from cuda.core import Linker, LinkerOptions

    text = case.include + KERNEL.format(element=case.element, callback=case.callback)
    parts = nvidia.ltoir(text, target), nvidia.ltoir(case.source, target)
    return Linker(*parts, options=LinkerOptions(arch=target, link_time_optimization=True)).link("cubin")


def make(case, threads=128):
    import numpy
    from cuda.core import LEGACY_DEFAULT_STREAM, LaunchConfig, launch

    kernel = linked(case, nvidia.architecture()).get_kernel("apply")
    configurations = {}

    def run(x, y):
        configuration = configurations.get(x.size)
        if configuration is None:
            configuration = configurations[x.size] = LaunchConfig(grid=-(-x.size // threads), block=threads)
        launch(LEGACY_DEFAULT_STREAM, configuration, kernel, x.pointer, y.pointer, numpy.uint64(x.size))

    return run
