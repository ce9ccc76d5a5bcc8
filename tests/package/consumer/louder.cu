// Several functions, so the callback needs an entry, and a macro defined by CMake.
__device__ float offset(float x) {
  return x + OFFSET;
}

template <int Factor>
__device__ float louder(float x) {
  return offset(Factor * x);
}
