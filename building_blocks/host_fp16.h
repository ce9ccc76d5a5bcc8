// cuda_fp16.h on the host route: the toolkit's header, and the functions that it defines only for device compilers.
#pragma once
#include "toolkit/cuda_fp16.h"

#include "graft/host_half_functions.h"
GRAFT_HALF_FUNCTIONS(__half, __half2, __double2half, __half2)
