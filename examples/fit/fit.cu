// Fits many curves y(x) at the same time, one per thread, by the method of Levenberg and Marquardt. The model has three
// parameters, and derivatives are differences.

struct Parameters {
  float a, b, c;
};

__device__ float model(float x, const Parameters& p);

__device__ float cost(const float* x, const float* y, int count, const Parameters& p) {
  float sum = 0;
  for (int i = 0; i < count; ++i) {
    const float rest = y[i] - model(x[i], p);
    sum += rest * rest;
  }
  return sum;
}

// Solves the symmetric equations m d = r by Cramer's rule.
__device__ bool solve(const float (&m)[6], const float (&r)[3], Parameters& d) {
  const float c00 = m[3] * m[5] - m[4] * m[4], c01 = m[2] * m[4] - m[1] * m[5], c02 = m[1] * m[4] - m[2] * m[3];
  const float determinant = m[0] * c00 + m[1] * c01 + m[2] * c02;
  if (!(fabsf(determinant) > 1e-30f)) return false;
  const float c11 = m[0] * m[5] - m[2] * m[2], c12 = m[1] * m[2] - m[0] * m[4], c22 = m[0] * m[3] - m[1] * m[1];
  d.a = (c00 * r[0] + c01 * r[1] + c02 * r[2]) / determinant;
  d.b = (c01 * r[0] + c11 * r[1] + c12 * r[2]) / determinant;
  d.c = (c02 * r[0] + c12 * r[1] + c22 * r[2]) / determinant;
  return true;
}

extern "C" __global__ void fit(const float* x, const float* all_y, int count, int curves, Parameters* all, int steps) {
  const int curve = blockIdx.x * blockDim.x + threadIdx.x;
  if (curve >= curves) return;
  const float* const y = all_y + curve * count;
  Parameters p = all[curve];
  float damping = 1e-3f, best = cost(x, y, count, p);
  for (int step = 0; step < steps; ++step) {
    float m[6] = {}, r[3] = {};
    const float ha = 1e-3f * (fabsf(p.a) + 1e-2f), hb = 1e-3f * (fabsf(p.b) + 1e-2f), hc = 1e-3f * (fabsf(p.c) + 1e-2f);
    for (int i = 0; i < count; ++i) {
      const float value = model(x[i], p), rest = y[i] - value;
      const float g[3] = {(model(x[i], Parameters{p.a + ha, p.b, p.c}) - value) / ha,
                          (model(x[i], Parameters{p.a, p.b + hb, p.c}) - value) / hb,
                          (model(x[i], Parameters{p.a, p.b, p.c + hc}) - value) / hc};
      m[0] += g[0] * g[0], m[1] += g[0] * g[1], m[2] += g[0] * g[2];
      m[3] += g[1] * g[1], m[4] += g[1] * g[2], m[5] += g[2] * g[2];
      for (int k = 0; k < 3; ++k) r[k] += g[k] * rest;
    }
    m[0] *= 1 + damping, m[3] *= 1 + damping, m[5] *= 1 + damping;
    Parameters d;
    if (!solve(m, r, d)) break;
    const Parameters next = {p.a + d.a, p.b + d.b, p.c + d.c};
    const float reached = cost(x, y, count, next);
    if (reached < best) {
      p = next;
      best = reached;
      damping *= 0.3f;
    } else {
      damping *= 5;
    }
  }
  all[curve] = p;
}
