#!/usr/bin/env python3
"""Measures transforms of arrays of any shape, and the same operations by CuPy, torch and torch.compile.

All have the same memory, views of torch tensors, and write to the same output; only torch.compile allocates its output.
Every result is compared with torch's in double precision before anything is timed. The contenders take turns in a
random order; one sample is one call between two events, queued behind a spinning kernel. GB/s counts the bytes that
must move: an input that repeats counts once.
"""

import os

os.environ.setdefault("GRAFT_CACHE", "memory")

import contenders
import gpu_time
import record

TYPES = {"float32": "f32", "float16": "f16", "float64": "f64", "uint8": "u8"}

TWICE = ("__device__ {0} twice({0} x) {{ return x + x; }}", "y = a + a", lambda a: a + a)
INVERT = ("__device__ {0} invert({0} x) {{ return ~x; }}", "y = ~a", lambda a: ~a)
UNPACK = ("__device__ float unpack(unsigned char x) {{ return x * (1.0f / 255); }}", "y = a * (1.0f / 255)",
          lambda a: a * (1.0 / 255))
ADD = ("__device__ {0} add({0} a, {0} b) {{ return a + b; }}", "y = a + b", lambda a, b: a + b)
MULTIPLY = ("__device__ {0} multiply({0} a, {0} b) {{ return a * b; }}", "y = a * b", lambda a, b: a * b)
NAMES = {"float32": "float", "float16": "__half", "float64": "double", "uint8": "unsigned char"}


def cases(torch):
    """Yields a name, an operation, the inputs and the output."""

    def of(*shape, dtype="float32"):
        if dtype == "uint8":
            return torch.randint(0, 256, shape, dtype=torch.uint8, device="cuda")
        return torch.rand(shape, dtype=torch.float32, device="cuda").to(getattr(torch, dtype))

    n = 8192
    yield "f32, pitched rows", TWICE, [of(n, n + 8)[:, :n]], of(n, n)
    yield "f32, a row repeats", ADD, [of(n, n), of(n)], of(n, n)
    yield "f32, a column repeats", ADD, [of(n, n), of(n, 1)], of(n, n)
    yield "f32, outer product", MULTIPLY, [of(2 * n, 1), of(n)], of(2 * n, n)
    heads = of(16, 4096, 32, 64, dtype="float16").permute(0, 2, 1, 3)
    yield "f16, heads (b, s, h, d) to (b, h, s, d)", TWICE, [heads], of(16, 32, 4096, 64, dtype="float16")
    yield "f32, [1:-1, 1:-1]", TWICE, [of(n, n)[1:-1, 1:-1]], of(n - 2, n - 2)
    yield "f16, odd pitch", TWICE, [of(2 * n, 16383, dtype="float16")[:, 1:16382]], of(2 * n, 16381, dtype="float16")
    yield "u8, odd pitch", INVERT, [of(2 * n, 16383, dtype="uint8")[:, 1:16382]], of(2 * n, 16381, dtype="uint8")
    yield "f32, every second column", TWICE, [of(n, 2 * n)[:, ::2]], of(n, n)
    for dtype, side in (("float32", n), ("float64", n), ("float16", 2 * n), ("uint8", 2 * n)):
        operation = INVERT if dtype == "uint8" else TWICE
        yield f"{TYPES[dtype]}, transposed", operation, [of(side, side, dtype=dtype).T], of(side, side, dtype=dtype)
    yield "f32, a + transposed b", ADD, [of(n, n), of(n, n).T], of(n, n)
    permuted = of(72, 128, 96, 80).permute(2, 3, 0, 1)
    yield "f32, permutation (2, 3, 0, 1)", TWICE, [permuted], of(96, 80, 72, 128)
    pixels = of(8192, 10240, 3, dtype="uint8").permute(2, 0, 1)
    yield "u8 to f32, pixels to planes", UNPACK, [pixels], of(3, 8192, 10240)
    yield "f32, rows of 3 with pitch 4", TWICE, [of(1 << 24, 4)[:, :3]], of(1 << 24, 3)
    yield "f32, rows of 5 with pitch 7", TWICE, [of(1 << 24, 7)[:, :5]], of(1 << 24, 5)


def dtype_of(tensor):
    return str(tensor.dtype).removeprefix("torch.")


def by_graft(operation, inputs, output):
    import graft_cuda

    transform = graft_cuda.Transform(operation[0].format(NAMES[dtype_of(output)]))
    transform.prepare_shapes(*inputs, out=output)
    return lambda: transform(*inputs, out=output)


def by_cupy(operation, inputs, output):
    import cupy

    views = [cupy.asarray(tensor) for tensor in inputs]
    to = cupy.asarray(output)
    parameters = ", ".join(f"{dtype_of(tensor)} {name}" for tensor, name in zip(inputs, "ab"))
    kernel = cupy.ElementwiseKernel(parameters, f"{dtype_of(output)} y", operation[1], "graft_peer")
    return lambda: kernel(*views, to)


def by_torch(operation, inputs, output):
    import torch

    if operation is UNPACK:
        return lambda: torch.mul(inputs[0], 1.0 / 255, out=output)
    if operation is INVERT:
        return lambda: torch.bitwise_not(inputs[0], out=output)
    function = torch.mul if operation is MULTIPLY else torch.add
    operands = inputs * 2 if operation is TWICE else inputs
    return lambda: function(*operands, out=output)


def by_torch_compile(operation, inputs, output):
    import torch

    torch._dynamo.reset()
    # In row-major order as the others' results: torch.compile would choose the order of the dimensions itself.
    compiled = torch.compile(lambda *x: operation[2](*x).contiguous(), dynamic=False)
    return lambda: compiled(*inputs)


MAKERS = {"graft": by_graft, "CuPy ElementwiseKernel": by_cupy, "torch": by_torch, "torch.compile": by_torch_compile}


def verify(torch, operation, inputs, output, launch):
    output.fill_(0)
    result = launch()
    torch.cuda.synchronize()
    result = result if torch.is_tensor(result) else output
    expected = operation[2](*(x if operation is INVERT else x.double() for x in inputs))
    if result.shape != output.shape or not torch.allclose(result.double(), expected.double(), rtol=1e-3, atol=1e-3):
        raise RuntimeError("the result is wrong")


def moved_bytes(inputs, output):
    return sum(tensor.numel() * tensor.element_size() for tensor in [*inputs, output])


def run_case(torch, name, operation, inputs, output, samples, failures):
    ready = {}
    for contender, make in MAKERS.items():

        def made():
            launch = make(operation, inputs, output)
            verify(torch, operation, inputs, output, launch)
            return launch

        launch = contenders.attempt(failures, contender, f"making {name}", made)
        if launch is not None:
            ready[contender] = launch
    times, _ = gpu_time.in_turns(ready, samples)
    moved = moved_bytes(inputs, output)
    cell = {"case": name, "bytes_moved": moved, "contenders": {}, "graft_over": {}}
    for contender, milliseconds in times.items():
        cell["contenders"][contender] = record.spread([moved / value / 1e6 for value in milliseconds], "gbs")
    speeds = {contender: entry["median_gbs"] for contender, entry in cell["contenders"].items()}
    if "graft" in speeds:
        cell["graft_over"] = {peer: speeds["graft"] / speed for peer, speed in speeds.items() if peer != "graft"}
    over = ", ".join(f"{peer} {ratio:.3f}" for peer, ratio in cell["graft_over"].items())
    print(f"{name:<42}{speeds.get('graft', 0):>7.0f} GB/s, times as fast as {over}", flush=True)
    return cell


def main():
    options = record.parser(__doc__, "shapes_python", 21)
    arguments = options.parse_args()
    if arguments.dry_run:
        print(f"contenders: {', '.join(MAKERS)}")
        return
    import torch

    result = record.environment(arguments, "shapes_python")
    result.update(cells=[], failures=[], samples=arguments.samples)
    for name, operation, inputs, output in cases(torch):
        cell = run_case(torch, name, operation, inputs, output, arguments.samples, result["failures"])
        result["cells"].append(cell)
        del inputs, output
        torch.cuda.empty_cache()
        record.write(arguments, result)
    record.print_failures(result)


if __name__ == "__main__":
    main()
