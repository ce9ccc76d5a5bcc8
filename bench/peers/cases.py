"""The callbacks, each in the syntax of every peer, and a reference for each in double precision."""

from dataclasses import dataclass

GELU_TEXT = "0.5f * v * (1.0f + erff(0.70710678f * v))"


@dataclass(frozen=True)
class Case:
    callback: str  # the function's name in CUDA C++
    dtype: str  # NumPy's name of the element type
    body: str  # the expression in CUDA C++ that computes a float from `float v`
    # The expression in C++ that jiterator compiles. It computes a T from `T v` and contains no ">", because jiterator's
    # parser takes every ">" for the end of the template.
    template: str

    @property
    def name(self):
        return f"{self.callback} {'f32' if self.dtype == 'float32' else 'f16'}"

    @property
    def item_bytes(self):
        return 4 if self.dtype == "float32" else 2

    @property
    def element(self):
        """The element's type in CUDA C++."""
        return "float" if self.dtype == "float32" else "__half"

    @property
    def include(self):
        return "" if self.dtype == "float32" else "#include <cuda_fp16.h>\n"

    @property
    def source(self):
        """The callback as a device function of one element, for graft and NVIDIA's linker."""
        if self.dtype == "float32":
            return f"__device__ float {self.callback}(float v) {{ return {self.body}; }}\n"
        return (
            f"{self.include}__device__ __half {self.callback}(__half h) "
            f"{{ const float v = __half2float(h); return __float2half({self.body}); }}\n"
        )

    def reference(self, x, erf=None):
        """Computes the reference in double precision.

        `x` is a NumPy or torch array of doubles, and `erf` is the erf function of the same library.
        """
        if self.callback == "relu":
            return x * (x > 0.0)
        if self.callback == "mul":
            return x * FACTOR
        if self.callback == "gain":
            return 2.5 * x + 1.0
        return 0.5 * x * (1.0 + erf(x * 0.5**0.5))

    def tolerance(self, x, expected):
        """Returns the permitted error: rounding to the element's type, plus the callback's single-precision errors."""
        rounding = 2.0**-23 if self.dtype == "float32" else 2.0**-10
        tiny = 0.0 if self.dtype == "float32" else 2.0**-24
        inside = {"gelu": 4e-7 * abs(x), "gain": 2.0**-22}.get(self.callback, 0.0)
        return rounding * abs(expected) + inside + tiny


FACTOR = 0.4000000059604645  # exactly 0.4f, the factor that every peer uses

RELU = Case("relu", "float32", "v > 0.0f ? v : 0.0f", "T(0) < v ? v : T(0)")
MUL = Case("mul", "float32", "0.4f * v", "T(0.4) * v")
GELU = Case("gelu", "float32", GELU_TEXT, "T(0.5) * v * (T(1) + erf(T(0.70710678) * v))")
GELU_HALF = Case("gelu", "float16", GELU_TEXT, "T(0.5) * v * (T(1) + erf(T(0.70710678) * v))")
GAIN = Case("gain", "float32", "2.5f * v + 1.0f", "T(2.5) * v + T(1)")

THROUGHPUT = [RELU, MUL, GELU, GELU_HALF]
