/* Does not compile if a struct of graft.h has another layout than version 1 of the interface. If it has, raise
 * GRAFT_ABI_VERSION, and change the numbers here and in examples/ctypes/saxpy.py. Compiled as C and as C++. */
#include <graft/graft.h>

#define PLACE(type, member, offset) typedef char place_of_##type##_##member[offsetof(type, member) == (offset) ? 1 : -1]
#define SIZE(type, size) typedef char size_of_##type[sizeof(type) == (size) ? 1 : -1]
#define NUMBER(name, number) typedef char number_of_##name[(name) == (number) ? 1 : -1]

NUMBER(GRAFT_ABI_VERSION, 1);

SIZE(graft_array, 64);
PLACE(graft_array, pointer, 0);
PLACE(graft_array, count, 8);
PLACE(graft_array, type, 16);
PLACE(graft_array, first_bit, 24);
PLACE(graft_array, zeros, 32);
PLACE(graft_array, keeps_rest, 40);
PLACE(graft_array, rank, 44);
PLACE(graft_array, shape, 48);
PLACE(graft_array, strides, 56);

SIZE(graft_launch, 72);
PLACE(graft_launch, state, 0);
PLACE(graft_launch, state_type, 8);
PLACE(graft_launch, count, 16);
PLACE(graft_launch, load_info, 24);
PLACE(graft_launch, store_info, 32);

SIZE(graft_fft_plan, 120);
PLACE(graft_fft_plan, length, 0);
PLACE(graft_fft_plan, is_double, 8);
PLACE(graft_fft_plan, directions, 12);
PLACE(graft_fft_plan, scaling, 16);
PLACE(graft_fft_plan, has_strides, 20);
PLACE(graft_fft_plan, batch, 24);
PLACE(graft_fft_plan, has_long_arrays, 32);
PLACE(graft_fft_plan, is_real, 36);
PLACE(graft_fft_plan, shape, 40);
PLACE(graft_fft_plan, storage_in, 64);
PLACE(graft_fft_plan, storage_out, 68);
PLACE(graft_fft_plan, inverse_load, 72);
PLACE(graft_fft_plan, inverse_store, 80);
PLACE(graft_fft_plan, has_inverse_callbacks, 88);

SIZE(graft_fft_launch, 128);
PLACE(graft_fft_launch, batch, 8);
PLACE(graft_fft_launch, in_stride, 16);
PLACE(graft_fft_launch, out_stride, 32);
PLACE(graft_fft_launch, workspace, 48);
PLACE(graft_fft_launch, state, 64);
PLACE(graft_fft_launch, store_info, 88);

SIZE(graft_reduce_callbacks, 64);
PLACE(graft_reduce_callbacks, combine, 8);
PLACE(graft_reduce_callbacks, finish, 16);
PLACE(graft_reduce_callbacks, initial, 24);
PLACE(graft_reduce_callbacks, initial_type, 32);

SIZE(graft_reduce_shard, 48);
PLACE(graft_reduce_shard, begin, 8);
PLACE(graft_reduce_shard, count, 16);
PLACE(graft_reduce_shard, first_chunk, 24);
PLACE(graft_reduce_shard, chunks, 32);
PLACE(graft_reduce_shard, all_chunks, 40);

SIZE(graft_slot, 16);
SIZE(graft_constant, 16);
SIZE(graft_kernel_launch_config, 88);
PLACE(graft_kernel_launch_config, block, 12);
PLACE(graft_kernel_launch_config, cluster, 24);
PLACE(graft_kernel_launch_config, shared_bytes, 36);
PLACE(graft_kernel_launch_config, is_cooperative, 40);
PLACE(graft_kernel_launch_config, stream, 48);

SIZE(graft_diagnostic, 32);

NUMBER(GRAFT_F32, UINT64_C(0x0004000400000004));
NUMBER(GRAFT_OPTION_REQUIRED_ROUTE, 11);
NUMBER(GRAFT_ROUTE_HOST, 4);
