// bench_floor links the callback with this empty kernel, in the place where graft links a building block.
extern "C" __global__ void empty_kernel() {}
