"""graft itself: the Python package graft_cuda, with a callback in CUDA C++. Its arrays may be of every holder."""

NAME = "graft"
HOLDER = "plain"
NEEDS = ["graft_cuda", "cuda.bindings"]


def start():
    import graft_cuda  # noqa: F401


def make(case, makes_output=False):
    import graft_cuda

    transform = graft_cuda.Transform(case.source)
    if makes_output:
        return lambda x, y: transform(x)

    def launch(x, y):
        transform(x, out=y)

    return launch
