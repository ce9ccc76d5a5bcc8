// cuda_bf16.h on the host route: the toolkit's header, and the functions that it defines only for device compilers.
#pragma once
#include "cuda_fp16.h"

#include "toolkit/cuda_bf16.h"

#include "graft/host_half_functions.h"
GRAFT_HALF_FUNCTIONS(__nv_bfloat16, __nv_bfloat162, __double2bfloat16, __bfloat162)
