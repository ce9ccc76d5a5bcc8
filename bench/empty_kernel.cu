// The floor links this kernel in place of a building block.
extern "C" __global__ void empty_kernel() {}
