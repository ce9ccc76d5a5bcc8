"""The peer cuda.compute (wheel cuda-cccl): unary_transform, with the callback as LTO-IR in a RawOp."""

import nvidia

NAME = "cuda.compute"
HOLDER = "plain"
NEEDS = ["cuda.compute", "cuda.core", "cuda.bindings"]

OPERATION = """
extern "C" __device__ void operation(const void* in, void* out) {{
  *static_cast<{element}*>(out) = {callback}(*static_cast<const {element}*>(in));
}}
"""


def start():
    import cuda.compute  # noqa: F401
    from cuda.core import Device

    Device().set_current()


def make(case):
    from cuda.compute import make_unary_transform
    from cuda.compute.op import RawOp

    text = case.source + OPERATION.format(element=case.element, callback=case.callback)
    operation = RawOp(ltoir=bytes(nvidia.ltoir(text, nvidia.architecture()).code), name="operation")
    made = {}

    def launch(x, y):
        transform = made.get(x.dtype)
        if transform is None:  # the arrays are needed to make the transform
            transform = made[x.dtype] = make_unary_transform(d_in=x, d_out=y, op=operation)
        transform(d_in=x, d_out=y, op=operation, num_items=x.size)

    return launch
