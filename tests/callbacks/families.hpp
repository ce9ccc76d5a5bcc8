// Includes the files of callbacks that define state and pixel types of their own, so that tests use these types.
// NVIDIA's header must be included first because on a host compiler it defines __device__ as nothing.
#pragma once

#include <cuda_fp16.h>

#include <cmath>

#include "callbacks/activations.cuh"
#include "callbacks/arithmetic.cuh"
#include "callbacks/color.cuh"
#include "callbacks/complex.cuh"
#include "callbacks/conversion.cuh"
#include "callbacks/dct.cuh"
#include "callbacks/distances.cuh"
#include "callbacks/fft.cuh"
#include "callbacks/finance.cuh"
#include "callbacks/image.cuh"
#include "callbacks/models.cuh"
#include "callbacks/packing.cuh"
#include "callbacks/potentials.cuh"
#include "callbacks/random.cuh"
#include "callbacks/special.cuh"
#include "callbacks/windows.cuh"
