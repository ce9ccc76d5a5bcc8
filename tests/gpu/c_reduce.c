#include "c_reduce.h"

#include <graft/graft.h>
#include <stdint.h>

#include "c_errors.h"

static graft_array floats(const float* pointer, size_t count) {
  graft_array array = {NULL, 0, GRAFT_F32, 0, NULL, 0, 0, NULL, NULL};
  array.pointer = (void*)(uintptr_t)pointer;
  array.count = count;
  return array;
}

static int run(graft_reduce* sum, void* stream, const float* x, size_t count, unsigned parts, size_t rows,
               float* partials, const long long* offsets, float* out) {
  const int64_t matrix[2] = {(int64_t)rows, 100}, column[2] = {(int64_t)rows, 1};
  graft_array in = floats(x, count), to = floats(out, 1), bounds = floats(NULL, 3);
  graft_reduce_shard shard;
  unsigned part;
  if (failed(graft_reduce_prepare_current(sum)) || failed(graft_reduce_prepare_stream(sum, stream)) ||
      failed(graft_reduce_prepare_segments(sum)) ||
      failed(graft_reduce_execute(sum, stream, &in, 1, NULL, &to, 1, NULL)))
    return 1;
  for (part = 0; part < parts; ++part) {
    if (failed(graft_reduce_cut(sum, count, part, parts, &shard))) return 1;
    in = floats(x + shard.begin, shard.count);
    if (failed(graft_reduce_partials(sum, stream, &in, 1, &shard, partials + shard.first_chunk, NULL))) return 1;
  }
  to = floats(out + 1, 1);
  if (failed(graft_reduce_finish(sum, stream, partials, count, &to, 1, NULL))) return 1;
  in = floats(x, 0);
  in.rank = 2;
  in.shape = matrix;
  to = floats(out + 2, 0);
  to.rank = 2;
  to.shape = column;
  if (failed(graft_reduce_prepare_shapes(sum, &in, 1, &to, 1)) ||
      failed(graft_reduce_execute(sum, stream, &in, 1, NULL, &to, 1, NULL)))
    return 1;
  in = floats(x, count);
  to = floats(out + 2 + rows, 2);
  bounds.pointer = (void*)(uintptr_t)offsets;
  bounds.type = GRAFT_I64;
  return failed(graft_reduce_execute(sum, stream, &in, 1, &bounds, &to, 1, NULL));
}

const char* reduce_from_c(const char* architecture, void* stream, const float* x, size_t count, unsigned parts,
                          size_t rows, float* partials, const long long* offsets, float* out) {
  graft_reduce_callbacks callbacks = {NULL, NULL, NULL, NULL, 0, {0, 0, 0}};
  graft_callback* combine = NULL;
  graft_options* options = NULL;
  graft_bytes* pack = NULL;
  graft_reduce* sum = NULL;
  int is_bad =
      failed(graft_callback_from_source("__device__ float add(float a, float b) { return a + b; }", NULL, &combine)) ||
      failed(graft_options_create(&options)) || failed(graft_options_set(options, GRAFT_OPTION_ANY_SHAPE, 1));
  callbacks.combine = combine;
  is_bad = is_bad ||
           failed(graft_reduce_precompile(NULL, &callbacks, &architecture, 1, GRAFT_FORMAT_PACK, options, &pack)) ||
           failed(graft_reduce_load(NULL, graft_bytes_data(pack), graft_bytes_size(pack), NULL, &sum)) ||
           run(sum, stream, x, count, parts, rows, partials, offsets, out);
  graft_reduce_destroy(sum);
  graft_bytes_destroy(pack);
  graft_options_destroy(options);
  graft_callback_destroy(combine);
  return is_bad ? text : NULL;
}
