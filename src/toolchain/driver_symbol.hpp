// GRAFT_DRIVER_SYMBOL(cuCtxPushCurrent) is "cuCtxPushCurrent_v2", the symbol of a function of the driver as text:
// cuda.h defines the names of many functions as macros for a version. The second macro is needed so that these macros
// are expanded before the name becomes a text.
#pragma once

#include <cuda.h>

#define GRAFT_DRIVER_SYMBOL(name) GRAFT_DRIVER_SYMBOL_TEXT(name)
#define GRAFT_DRIVER_SYMBOL_TEXT(name) #name
