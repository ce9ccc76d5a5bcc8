// Several functions, and a macro from outside.
__device__ float offset(float x) {
  return x + OFFSET;
}

template <int Factor>
__device__ float louder(float x) {
  return offset(Factor * x);
}
