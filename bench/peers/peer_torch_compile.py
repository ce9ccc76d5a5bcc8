"""The peer torch.compile: the same operation, written with torch's functions. Each call allocates its output."""

NAME = "torch.compile"
HOLDER = "torch"
NEEDS = ["torch"]


def start():
    import torch
    import torch._dynamo  # noqa: F401
    import torch._inductor.compile_fx  # noqa: F401

    torch.zeros(1, device="cuda")


def function_of(case):
    import torch

    return {
        "relu": lambda x: torch.relu(x),
        "mul": lambda x: x * 0.4,
        "gain": lambda x: 2.5 * x + 1.0,
        "gelu": lambda x: torch.nn.functional.gelu(x),
    }[case.callback]


def make(case, mode=None):
    import torch

    compiled = torch.compile(function_of(case), mode=mode, dynamic=False)
    return lambda x, y: compiled(x)
