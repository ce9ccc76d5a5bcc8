// The types of cuFFT's <cufft.h> that callbacks use, for NVRTC and for host compilers. cuFFT's own header declares host
// functions, which NVRTC refuses, and includes CUDA's vector types, of which the host route has its own.
#ifndef GRAFT_STD_CUFFT
#define GRAFT_STD_CUFFT
typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

typedef float cufftReal;
typedef double cufftDoubleReal;
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;
#endif
