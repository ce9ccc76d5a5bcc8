// Makes kernels of three callbacks at run time, measures them, and compares their results with a reference in double
// precision. Each exhibit has its own file: poly_relu.cpp, black_scholes.cpp, gray.cpp.
//
//     quickstart [folder]      writes the pictures colour.ppm and gray.pgm to the folder (default: the current one)
//
// Without a GPU, the program builds the same kernels for sm_90 and runs the callbacks on the CPU, on the route `host`.
// It exits with 1 if an error exceeds its tolerance or anything else fails.
#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "exhibits.hpp"
#include "place.hpp"
#include "support/cuda.hpp"

namespace {

using namespace quickstart;

void introduce(const Place& place) {
  if (place.has_gpu) fmt::print("Running on {}.\n", examples::gpu_name());
  else
    fmt::print(
        "No GPU can be used here. Each kernel is built for sm_90, and then the callback runs on the CPU\n"
        "(route `host`) over fewer elements.\n");
}

bool run_all(const Place& place, const std::filesystem::path& folder) {
  bool good = poly_relu(place);
  good = black_scholes(place) && good;
  return gray(place, folder) && good;
}

}  // namespace

int main(int count, char** arguments) try {
  const Place place{examples::use_gpu()};
  introduce(place);
  const bool good = run_all(place, count > 1 ? arguments[1] : ".");
  fmt::print("\n{}\n", good ? "All results are within their tolerances." : "SOME RESULTS ARE OUT OF TOLERANCE.");
  return good ? 0 : 1;
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
