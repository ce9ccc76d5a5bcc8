// The callback types of cuFFT's <cufftXt.h>: pointers to functions that load or store complex numbers (C, Z) or real
// ones (R, D), of single precision (C, R) or double (Z, D). Files for cuFFT have such a pointer to each callback, from
// which the host gets the callback's address. graft finds callbacks by their names.
#ifndef GRAFT_STD_CUFFT_XT
#define GRAFT_STD_CUFFT_XT
#include "cufft.h"

// For cufftXtSetCallback: the data, the offset of the element, the caller's info, and shared memory. A store callback
// has the element in third place.
typedef cufftComplex (*cufftCallbackLoadC)(void*, size_t, void*, void*);
typedef cufftDoubleComplex (*cufftCallbackLoadZ)(void*, size_t, void*, void*);
typedef cufftReal (*cufftCallbackLoadR)(void*, size_t, void*, void*);
typedef cufftDoubleReal (*cufftCallbackLoadD)(void*, size_t, void*, void*);
typedef void (*cufftCallbackStoreC)(void*, size_t, cufftComplex, void*, void*);
typedef void (*cufftCallbackStoreZ)(void*, size_t, cufftDoubleComplex, void*, void*);
typedef void (*cufftCallbackStoreR)(void*, size_t, cufftReal, void*, void*);
typedef void (*cufftCallbackStoreD)(void*, size_t, cufftDoubleReal, void*, void*);

// For cufftXtSetJITCallback.
typedef cufftComplex (*cufftJITCallbackLoadC)(void*, unsigned long long, void*, void*);
typedef cufftDoubleComplex (*cufftJITCallbackLoadZ)(void*, unsigned long long, void*, void*);
typedef cufftReal (*cufftJITCallbackLoadR)(void*, unsigned long long, void*, void*);
typedef cufftDoubleReal (*cufftJITCallbackLoadD)(void*, unsigned long long, void*, void*);
typedef void (*cufftJITCallbackStoreC)(void*, unsigned long long, cufftComplex, void*, void*);
typedef void (*cufftJITCallbackStoreZ)(void*, unsigned long long, cufftDoubleComplex, void*, void*);
typedef void (*cufftJITCallbackStoreR)(void*, unsigned long long, cufftReal, void*, void*);
typedef void (*cufftJITCallbackStoreD)(void*, unsigned long long, cufftDoubleReal, void*, void*);
#endif
