// For each query, the nearest of all points. The distance is a sum over coordinates, each of which a callback compares.

struct alignas(16) MetricState {
  char bytes[16];
};

__device__ float metric(float a, float b, const MetricState& state);
__device__ bool filter(int point);
extern __device__ const bool has_filter;
extern __device__ const int dimensions;

extern "C" __global__ void nearest(const float* queries, int query_count, const float* points, int point_count,
                                   int* found, const __grid_constant__ MetricState state) {
  const int query = blockIdx.x * blockDim.x + threadIdx.x;
  if (query >= query_count) return;
  float best = 3.0e38f;
  int place = -1;
  for (int point = 0; point < point_count; ++point) {
    if (has_filter && !filter(point)) continue;
    float distance = 0;
    for (int d = 0; d < dimensions; ++d)
      distance += metric(queries[query * dimensions + d], points[point * dimensions + d], state);
    if (distance < best) {
      best = distance;
      place = point;
    }
  }
  found[query] = place;
}
