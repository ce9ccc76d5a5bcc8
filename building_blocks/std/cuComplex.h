// Stands for CUDA's <cuComplex.h>, which <cufft.h> includes, for NVRTC and for host compilers. CUDA's own header is not
// part of NVRTC, and includes CUDA's vector types, of which the host route has its own. Names with an f at the end are of
// single precision.
#ifndef GRAFT_STD_CU_COMPLEX
#define GRAFT_STD_CU_COMPLEX
typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

// The functions of one precision. A quotient and an absolute value are computed with numbers that are scaled by the
// larger part, so that squares do not overflow.
#define GRAFT_COMPLEX_FUNCTIONS(Real, Complex, make, real, imag, conj, add, sub, mul, div, abs, fma) \
  static inline __host__ __device__ Complex make(Real x, Real y) {                                   \
    Complex z;                                                                                       \
    z.x = x;                                                                                         \
    z.y = y;                                                                                         \
    return z;                                                                                        \
  }                                                                                                  \
  static inline __host__ __device__ Real real(Complex z) {                                           \
    return z.x;                                                                                      \
  }                                                                                                  \
  static inline __host__ __device__ Real imag(Complex z) {                                           \
    return z.y;                                                                                      \
  }                                                                                                  \
  static inline __host__ __device__ Complex conj(Complex z) {                                        \
    return make(z.x, -z.y);                                                                          \
  }                                                                                                  \
  static inline __host__ __device__ Complex add(Complex a, Complex b) {                              \
    return make(a.x + b.x, a.y + b.y);                                                               \
  }                                                                                                  \
  static inline __host__ __device__ Complex sub(Complex a, Complex b) {                              \
    return make(a.x - b.x, a.y - b.y);                                                               \
  }                                                                                                  \
  static inline __host__ __device__ Complex mul(Complex a, Complex b) {                              \
    return make(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                                       \
  }                                                                                                  \
  static inline __host__ __device__ Complex div(Complex a, Complex b) {                              \
    const Real scale = 1 / ((b.x < 0 ? -b.x : b.x) + (b.y < 0 ? -b.y : b.y));                        \
    const Complex p = make(a.x * scale, a.y * scale), q = make(b.x * scale, b.y * scale);            \
    const Real square = 1 / (q.x * q.x + q.y * q.y);                                                 \
    return make((p.x * q.x + p.y * q.y) * square, (p.y * q.x - p.x * q.y) * square);                 \
  }                                                                                                  \
  static inline __host__ __device__ Real abs(Complex z) {                                            \
    return ::hypot(z.x, z.y);                                                                        \
  }                                                                                                  \
  static inline __host__ __device__ Complex fma(Complex a, Complex b, Complex c) {                   \
    return add(mul(a, b), c);                                                                        \
  }
GRAFT_COMPLEX_FUNCTIONS(float, cuFloatComplex, make_cuFloatComplex, cuCrealf, cuCimagf, cuConjf, cuCaddf, cuCsubf,
                        cuCmulf, cuCdivf, cuCabsf, cuCfmaf)
GRAFT_COMPLEX_FUNCTIONS(double, cuDoubleComplex, make_cuDoubleComplex, cuCreal, cuCimag, cuConj, cuCadd, cuCsub, cuCmul,
                        cuCdiv, cuCabs, cuCfma)
#undef GRAFT_COMPLEX_FUNCTIONS

static inline __host__ __device__ cuComplex make_cuComplex(float x, float y) {
  return make_cuFloatComplex(x, y);
}
static inline __host__ __device__ cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) {
  return make_cuDoubleComplex(z.x, z.y);
}
static inline __host__ __device__ cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) {
  return make_cuFloatComplex(static_cast<float>(z.x), static_cast<float>(z.y));
}
#endif
