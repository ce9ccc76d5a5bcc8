// Stands for CUDA's <cuComplex.h>, which <cufft.h> includes, for NVRTC and for host compilers. CUDA's own header is not
// part of NVRTC, and includes CUDA's vector types, of which the host route has its own. Names with an f at the end are
// of single precision.
#ifndef GRAFT_STD_CU_COMPLEX
#define GRAFT_STD_CU_COMPLEX
typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

// The functions of one precision. A quotient is computed with scaled numbers and an absolute value by hypot, so that
// squares do not overflow.
#define GRAFT_COMPLEX_FUNCTIONS(graft_Real, graft_Complex, graft_make, graft_real, graft_imag, graft_conj, graft_add, \
                                graft_sub, graft_mul, graft_div, graft_abs, graft_fma)                                \
  static inline __host__ __device__ graft_Complex graft_make(graft_Real graft_x, graft_Real graft_y) {                \
    graft_Complex graft_z;                                                                                            \
    graft_z.x = graft_x;                                                                                              \
    graft_z.y = graft_y;                                                                                              \
    return graft_z;                                                                                                   \
  }                                                                                                                   \
  static inline __host__ __device__ graft_Real graft_real(graft_Complex graft_z) {                                    \
    return graft_z.x;                                                                                                 \
  }                                                                                                                   \
  static inline __host__ __device__ graft_Real graft_imag(graft_Complex graft_z) {                                    \
    return graft_z.y;                                                                                                 \
  }                                                                                                                   \
  static inline __host__ __device__ graft_Complex graft_conj(graft_Complex graft_z) {                                 \
    return graft_make(graft_z.x, -graft_z.y);                                                                         \
  }                                                                                                                   \
  static inline __host__ __device__ graft_Complex graft_add(graft_Complex graft_a, graft_Complex graft_b) {           \
    return graft_make(graft_a.x + graft_b.x, graft_a.y + graft_b.y);                                                  \
  }                                                                                                                   \
  static inline __host__ __device__ graft_Complex graft_sub(graft_Complex graft_a, graft_Complex graft_b) {           \
    return graft_make(graft_a.x - graft_b.x, graft_a.y - graft_b.y);                                                  \
  }                                                                                                                   \
  static inline __host__ __device__ graft_Complex graft_mul(graft_Complex graft_a, graft_Complex graft_b) {           \
    return graft_make(graft_a.x * graft_b.x - graft_a.y * graft_b.y, graft_a.x * graft_b.y + graft_a.y * graft_b.x);  \
  }                                                                                                                   \
  static inline __host__ __device__ graft_Complex graft_div(graft_Complex graft_a, graft_Complex graft_b) {           \
    const graft_Real graft_scale =                                                                                    \
        1 / ((graft_b.x < 0 ? -graft_b.x : graft_b.x) + (graft_b.y < 0 ? -graft_b.y : graft_b.y));                    \
    const graft_Complex graft_p = graft_make(graft_a.x * graft_scale, graft_a.y * graft_scale),                       \
                        graft_q = graft_make(graft_b.x * graft_scale, graft_b.y * graft_scale);                       \
    const graft_Real graft_square = 1 / (graft_q.x * graft_q.x + graft_q.y * graft_q.y);                              \
    return graft_make((graft_p.x * graft_q.x + graft_p.y * graft_q.y) * graft_square,                                 \
                      (graft_p.y * graft_q.x - graft_p.x * graft_q.y) * graft_square);                                \
  }                                                                                                                   \
  static inline __host__ __device__ graft_Real graft_abs(graft_Complex graft_z) {                                     \
    return ::hypot(graft_z.x, graft_z.y);                                                                             \
  }                                                                                                                   \
  static inline __host__ __device__ graft_Complex graft_fma(graft_Complex graft_a, graft_Complex graft_b,             \
                                                            graft_Complex graft_c) {                                  \
    return graft_add(graft_mul(graft_a, graft_b), graft_c);                                                           \
  }
GRAFT_COMPLEX_FUNCTIONS(float, cuFloatComplex, make_cuFloatComplex, cuCrealf, cuCimagf, cuConjf, cuCaddf, cuCsubf,
                        cuCmulf, cuCdivf, cuCabsf, cuCfmaf)
GRAFT_COMPLEX_FUNCTIONS(double, cuDoubleComplex, make_cuDoubleComplex, cuCreal, cuCimag, cuConj, cuCadd, cuCsub, cuCmul,
                        cuCdiv, cuCabs, cuCfma)
#undef GRAFT_COMPLEX_FUNCTIONS

static inline __host__ __device__ cuComplex make_cuComplex(float graft_x, float graft_y) {
  return make_cuFloatComplex(graft_x, graft_y);
}
static inline __host__ __device__ cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex graft_z) {
  return make_cuDoubleComplex(graft_z.x, graft_z.y);
}
static inline __host__ __device__ cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex graft_z) {
  return make_cuFloatComplex(static_cast<float>(graft_z.x), static_cast<float>(graft_z.y));
}
#endif
