#include "families/fft/roots.hpp"

#include <cstddef>

namespace graft::families::fft {
namespace {

using Wide = std::complex<long double>;

// The products of std::complex ask whether results are NaN.
Wide product(const Wide& a, const Wide& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// An FFT in long double: of every p-th point, where p is the least prime factor, and then of p points each.
class WideFft {
 public:
  explicit WideFft(std::size_t length) : roots_(length) {
    for (std::size_t i = 0; i < length; ++i)
      roots_[i] = root_of_unity(static_cast<std::int64_t>(i), static_cast<std::int64_t>(length));
  }

  void run(const Wide* in, std::size_t stride, Wide* out, std::size_t n) const {
    if (n == 1) {
      *out = *in;
      return;
    }
    std::size_t p = 2;
    while (n % p != 0) ++p;
    const std::size_t part = n / p, step = roots_.size() / n;
    for (std::size_t i = 0; i < p; ++i) run(in + i * stride, stride * p, out + i * part, part);
    std::vector<Wide> terms(p);
    for (std::size_t k = 0; k < part; ++k) {
      for (std::size_t i = 0; i < p; ++i) terms[i] = product(out[i * part + k], roots_[i * k * step]);
      for (std::size_t l = 0; l < p; ++l) {
        Wide sum = terms[0];
        for (std::size_t i = 1; i < p; ++i) sum += product(terms[i], roots_[i * l % p * (roots_.size() / p)]);
        out[l * part + k] = sum;
      }
    }
  }

 private:
  std::vector<Wide> roots_;
};

}  // namespace

std::vector<Wide> spectrum_of_chirp(std::int64_t points, std::int64_t length) {
  const auto m = static_cast<std::size_t>(length);
  std::vector<Wide> chirp(m), spectrum(m);
  for (std::int64_t p = 0; p < points; ++p) {
    const Wide value = std::conj(root_of_unity(p * p, 2 * points));
    chirp[static_cast<std::size_t>(p)] = value;
    if (p > 0) chirp[m - static_cast<std::size_t>(p)] = value;
  }
  WideFft(m).run(chirp.data(), 1, spectrum.data(), m);
  for (Wide& value : spectrum) value /= static_cast<long double>(length);
  return spectrum;
}

ChirpValues values_of(const Chirp& chirp) {
  ChirpValues values;
  if (chirp.roots >= 0)
    for (std::int64_t p = 0; p < chirp.points; ++p) values.points.push_back(root_of_unity(p * p, 2 * chirp.points));
  if (chirp.spectrum >= 0) values.spectrum = spectrum_of_chirp(chirp.points, chirp.length);
  return values;
}

}  // namespace graft::families::fft
