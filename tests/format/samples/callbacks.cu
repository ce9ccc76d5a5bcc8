// The source of the sample files. It has functions with every kind of name and linkage.
namespace math {
template <class T>
struct Complex {
  T re, im;
};
struct Scale {
  double a;
  int b;
};
__device__ Complex<float> scale(Complex<float> c, const Scale& s, double& out, unsigned long long k) {
  out = s.a * static_cast<double>(k);
  return {c.re * static_cast<float>(s.b), c.im};
}
template <class T>
__device__ __noinline__ T twice(T x) {
  return x + x;
}
}  // namespace math

extern __device__ float undefined(float x);

static __device__ __noinline__ float local(float x) {
  return undefined(x) * 2.0f;
}

__device__ float relu(float x) {
  return x > 0.0f ? x : 0.0f;
}
extern "C" __device__ float c_relu(float x, short n, bool b) {
  return b ? relu(x) : static_cast<float>(n) + math::twice(x) + local(x);
}
__global__ void kernel(float* p) {
  *p = relu(*p);
}
