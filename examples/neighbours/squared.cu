__device__ float squared(float a, float b) {
  return (a - b) * (a - b);
}
