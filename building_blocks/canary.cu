// A kernel that shows whether nvJitLink still optimises (compile/optimiser_check.hpp). graft links it to PTX only to
// read the PTX, and never launches it.
//
// An optimised link reads the members of `numbers` directly from the kernel's parameter:
//
//     ld.param.u32 %r1, [graft_canary_param_0];
//
// After a link with -O0 anywhere in the process, nvJitLink takes the parameter's address first:
//
//     mov.b64      %rd1, graft_canary_param_0;
//     cvta.param.u64 %rd5, %rd1;
//     ld.u32       %r1, [%rd5];
struct graft_numbers {
  int first, second;
};

extern "C" __global__ void graft_canary(const __grid_constant__ graft_numbers numbers, int* sum) {
  *sum = numbers.first + numbers.second;
}
