"""The contenders: graft and its peers. Each contender is a module that contains:

    NAME, HOLDER (arrays.py), NEEDS (packages)
    start()         imports the module's packages and makes the CUDA context; this call is never timed
    make(case)      compiles the callback and returns a function launch(x, y), which queues one call on the legacy
                    default stream; launch returns the result unless it writes the result to y
"""

import importlib
import importlib.util
import traceback
from dataclasses import dataclass, field

MODULES = {
    "graft": "peer_graft",
    "cuda.core JIT-LTO": "peer_cuda_core",
    "cuda.compute": "peer_cuda_compute",
    "CuPy ElementwiseKernel": "peer_cupy",
    "PyTorch jiterator": "peer_jiterator",
    "torch.compile": "peer_torch_compile",
    "Triton": "peer_triton",
}


@dataclass
class Contender:
    name: str
    peer: str  # a key of MODULES
    settings: dict = field(default_factory=dict)  # further arguments of make
    held: str = ""  # another holder than that of the module

    @property
    def module(self):
        return importlib.import_module(MODULES[self.peer])

    def start(self):
        self.module.start()

    def make(self, case):
        return self.module.make(case, **self.settings)

    @property
    def holder(self):
        return self.held or self.module.HOLDER

    @property
    def needs(self):
        return [*self.module.NEEDS, *(name for name in ("torch", "cupy") if name == self.held)]


def plain():
    """Returns each peer once, with its default settings."""
    return [Contender(name, name) for name in MODULES]


def tuned():
    """Returns each peer with its default settings and, if the peer has faster settings, also with the fastest."""
    return plain() + [
        Contender("cuda.core JIT-LTO, 256 threads", "cuda.core JIT-LTO", {"threads": 256}),
        Contender("torch.compile, max-autotune", "torch.compile", {"mode": "max-autotune-no-cudagraphs"}),
        Contender("Triton, autotuned", "Triton", {"tune": True}),
    ]


def chosen(contenders, words):
    wanted = [word.strip().lower() for word in words.split(",") if word.strip()]
    return [c for c in contenders if not wanted or any(word in c.name.lower() for word in wanted)]


def is_installed(package):
    try:
        return importlib.util.find_spec(package) is not None
    except ModuleNotFoundError:
        return False


def describe(contenders):
    """Prints for a dry run which contenders are ready and which packages are missing."""
    for contender in contenders:
        missing = [package for package in contender.needs if not is_installed(package)]
        print(f"  {contender.name:<32}{'missing: ' + ', '.join(missing) if missing else 'ready'}")


def words_of(error):
    """Prints the whole traceback and returns two lines of the error for the record."""
    print("".join(traceback.format_exception(error)), flush=True)
    return " / ".join(line for line in f"{type(error).__name__}: {error}".splitlines()[:2] if line)[:400]


def attempt(failures, name, what, work):
    """Returns work(). If work() fails, records the failure and returns None, so that the run goes on."""
    try:
        return work()
    except Exception as error:
        failures.append({"contender": name, "during": what, "error": words_of(error)})
        return None
