// The types of cuFFT's <cufft.h> that callbacks use, for NVRTC and for host compilers. cuFFT's own header declares host
// functions, which NVRTC refuses.
#ifndef GRAFT_STD_CUFFT
#define GRAFT_STD_CUFFT
#include "cuComplex.h"

typedef float cufftReal;
typedef double cufftDoubleReal;
typedef cuComplex cufftComplex;
typedef int cufftHandle;
typedef cuDoubleComplex cufftDoubleComplex;
#endif
