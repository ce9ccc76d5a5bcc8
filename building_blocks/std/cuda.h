// Stands for CUDA's <cuda.h>, for NVRTC and for host compilers. CUDA's own header declares the functions of the driver,
// which are host functions: NVRTC refuses them, and callbacks cannot call them.
#ifndef GRAFT_STD_CUDA
#define GRAFT_STD_CUDA
#ifdef __CUDACC_VER_MAJOR__
#define CUDA_VERSION (__CUDACC_VER_MAJOR__ * 1000 + __CUDACC_VER_MINOR__ * 10)
#endif
typedef unsigned long long CUdeviceptr;
#endif
