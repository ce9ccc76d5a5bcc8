#include "c_launch.h"

#include <graft/graft.h>
#include <stdio.h>

#include "c_errors.h"

static int run(const graft_kernel* kernel, float a, const float* x, const float* y, float* out) {
  int count = 64;
  const void* arguments[5];
  const size_t sizes[5] = {sizeof a, sizeof x, sizeof y, sizeof out, sizeof count};
  graft_kernel_launch_config how = {{2, 0, 0}, {32, 0, 0}, {0, 0, 0}, 0, 0, 0, NULL, {0}};
  graft_error* error;
  int32_t blocks = 0;
  void* handle = NULL;
  arguments[0] = &a;
  arguments[1] = &x;
  arguments[2] = &y;
  arguments[3] = &out;
  arguments[4] = &count;
  if (failed(graft_kernel_launch(kernel, &how, arguments, sizes, 5))) return 1;
  error = graft_kernel_launch(kernel, &how, arguments, sizes, 4);
  if (graft_error_code(error) != GRAFT_COUNT_MISMATCH) {
    snprintf(text, sizeof text, "a launch with four arguments was accepted");
    graft_error_destroy(error);
    return 1;
  }
  graft_error_destroy(error);
  if (failed(graft_kernel_blocks_per_multiprocessor(kernel, 128, 0, &blocks))) return 1;
  if (failed(graft_kernel_handle(kernel, &handle))) return 1;
  if (blocks < 1 || !handle) {
    snprintf(text, sizeof text, "%d blocks, handle %p", (int)blocks, handle);
    return 1;
  }
  return 0;
}

const char* launch_from_c(const char* kernel, const char* callback, float a, const float* x, const float* y,
                          float* out) {
  graft_kernel_code* code = NULL;
  graft_callback* combine = NULL;
  graft_kernel* made = NULL;
  graft_slot slot;
  int is_bad = failed(graft_kernel_code_from_source(kernel, NULL, &code)) ||
               failed(graft_callback_from_source(callback, NULL, &combine));
  slot.name = "combine";
  slot.callback = combine;
  is_bad = is_bad || failed(graft_kernel_create(NULL, code, &slot, 1, NULL, 0, NULL, &made)) || run(made, a, x, y, out);
  graft_kernel_destroy(made);
  graft_callback_destroy(combine);
  graft_kernel_code_destroy(code);
  return is_bad ? text : NULL;
}
