"""The peer PyTorch jiterator. It accepts no output array, so each call allocates its output from torch's pool."""

NAME = "PyTorch jiterator"
HOLDER = "torch"
NEEDS = ["torch"]


def start():
    import torch

    torch.cuda.init()
    torch.zeros(1, device="cuda")


def make(case):
    import torch

    text = f"template <typename T> T {case.callback}(T v) {{ return {case.template}; }}"
    compiled = torch.cuda.jiterator._create_jit_fn(text)
    return lambda x, y: compiled(x)
