struct Huber {
  float delta;
};
__device__ float huber(float a, float b, const Huber& s) {
  const float e = fabsf(a - b);
  return e <= s.delta ? 0.5f * e * e : s.delta * (e - 0.5f * s.delta);
}
