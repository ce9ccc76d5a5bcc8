"""The peer Triton. Each Triton program handles one run of elements, with a mask at the end of the array."""

try:
    import triton
    import triton.language as tl
except ImportError:  # a dry run reports the missing package, and start() fails
    triton = None

NAME = "Triton"
HOLDER = "torch"
NEEDS = ["triton", "torch"]
BLOCK, WARPS = 1024, 4

if triton:

    @triton.jit
    def relu(v):
        return tl.maximum(v, 0.0)

    @triton.jit
    def mul(v):
        return v * 0.4

    @triton.jit
    def gain(v):
        return 2.5 * v + 1.0

    @triton.jit
    def gelu(v):
        return 0.5 * v * (1.0 + tl.erf(0.70710678 * v))

    @triton.jit
    def elementwise(x, y, count, APPLY: tl.constexpr, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        v = tl.load(x + i, mask=i < count).to(tl.float32)
        tl.store(y + i, APPLY(v), mask=i < count)

    # Triton's own tuner picks the fastest of these configurations for each element count.
    tuned = triton.autotune(
        configs=[
            triton.Config({"BLOCK": block}, num_warps=warps)
            for block, warps in [(512, 4), (1024, 4), (1024, 8), (2048, 4), (2048, 8), (4096, 8), (8192, 8)]
        ],
        key=["count"],
    )(elementwise)


def start():
    import torch

    if triton is None:
        raise ImportError("no module triton")
    torch.zeros(1, device="cuda")
    triton.runtime.driver.active.get_current_device()  # builds Triton's driver helper, once per installation


def make(case, tune=False):
    apply = globals()[case.callback]
    if tune:

        def launch(x, y):
            count = x.numel()
            tuned[lambda choice: (triton.cdiv(count, choice["BLOCK"]),)](x, y, count, APPLY=apply)
    else:

        def launch(x, y):
            count = x.numel()
            elementwise[(triton.cdiv(count, BLOCK),)](x, y, count, APPLY=apply, BLOCK=BLOCK, num_warps=WARPS)

    return launch
