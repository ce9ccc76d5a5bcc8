// The functions that the tests of compiled callbacks link. They have several signatures, with C and with C++ linkage.
// One of these functions calls an undefined function.
struct Scale {
  float a;
  float b;
};
struct Rgb {
  unsigned char r, g, b;
};

extern "C" __device__ float gain(float x) {
  return 3.0f * x;
}
extern "C" __device__ float axpy(float x, float y, const Scale& s) {
  return s.a * x + y + s.b;
}
extern "C" __device__ unsigned char gray(Rgb p, unsigned short weight, float& exact) {
  exact = (p.r + p.g + p.b) / 3.0f;
  return static_cast<unsigned char>((p.r + p.g + p.b) * weight / 256);
}

__device__ float shift(float x) {
  return x + 1.0f;
}
__device__ double shift(double x) {
  return x + 1.0;
}
namespace math {
__device__ float square(float x) {
  return x * x;
}
}  // namespace math

__device__ float absent(float x);
extern "C" __device__ float calls_absent(float x) {
  return absent(x);
}
