"""graft itself, called by ctypes through bench_graft_shim.so."""

import shim

NAME = "graft"
HOLDER = "plain"
NEEDS = ["cuda.bindings"]


def start():
    shim.library()


def make(case):
    library = shim.library()
    transform = library.graft_shim_create(case.source.encode())
    if not transform:
        raise RuntimeError(library.graft_shim_error().decode())
    execute = getattr(library, f"graft_shim_execute_{case.dtype}")

    def launch(x, y):
        if not execute(transform, None, x.pointer, y.pointer, x.size):
            raise RuntimeError(library.graft_shim_error().decode())

    return launch
