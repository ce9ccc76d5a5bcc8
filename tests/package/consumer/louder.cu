// This source has several functions, so the callback needs an entry. It also needs a macro that CMake defines.
__device__ float offset(float x) {
  return x + OFFSET;
}

template <int Factor>
__device__ float louder(float x) {
  return offset(Factor * x);
}
