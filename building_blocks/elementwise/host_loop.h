// The loop of the host route. This loop takes the place of the GPU's building blocks, and handles the elements [begin,
// end) of a launch. This file is included before the user's text, so that the user's macros cannot change it.
#pragma once

GRAFT_EXPORT void graft_host_run(const void* parameter, unsigned long long begin, unsigned long long end) {
  const graft_launch* launch = static_cast<const graft_launch*>(parameter);
  unsigned char* const* arrays = reinterpret_cast<unsigned char* const*>(launch + 1);
  graft_share inputs[GRAFT_MAX_INPUTS];
  graft_share outputs[GRAFT_MAX_OUTPUTS];
  for (unsigned long long i = begin; i < end; ++i) {
    for (int k = 0; k < graft_input_count(); ++k)
      __builtin_memcpy(inputs[k].words, arrays[k] + i * graft_input_size(k), graft_input_size(k));
    if (graft_apply(inputs, outputs, 0, i, launch) == 0) continue;
    for (int k = 0; k < graft_output_count(); ++k)
      __builtin_memcpy(arrays[graft_input_count() + k] + i * graft_output_size(k), outputs[k].words,
                       graft_output_size(k));
  }
}
