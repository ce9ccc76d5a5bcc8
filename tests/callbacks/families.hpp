// The callbacks' own state and pixel types, from the callbacks' own files. NVIDIA's header comes first: on a host
// compiler it defines __device__ away.
#pragma once

#include <cuda_fp16.h>

#include <cmath>

#include "callbacks/activations.cuh"
#include "callbacks/arithmetic.cuh"
#include "callbacks/complex.cuh"
#include "callbacks/conversion.cuh"
#include "callbacks/finance.cuh"
#include "callbacks/image.cuh"
#include "callbacks/windows.cuh"
