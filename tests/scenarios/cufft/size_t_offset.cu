// Callbacks of cuFFT's legacy type, compiled by nvcc: their symbols have `unsigned long`.
__device__ float2 halve(void* data, size_t offset, void* info, void* shared) {
  const float2 z = static_cast<float2*>(data)[offset];
  return make_float2(0.5f * z.x, 0.5f * z.y);
}
__device__ void power(void* data, size_t offset, float2 z, void* info, void* shared) {
  static_cast<float*>(data)[offset] = z.x * z.x + z.y * z.y;
}
__device__ long long doubled(long long x) {
  return 2 * x;
}
