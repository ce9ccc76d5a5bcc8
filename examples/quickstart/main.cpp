// The quickstart: three callbacks made into kernels at run time, measured, and checked against a reference in double
// precision. One file an exhibit: poly_relu.cpp, black_scholes.cpp, gray.cpp.
//
//     quickstart [folder]      the pictures colour.ppm and gray.pgm go to the folder, else to the current one
//
// Without a GPU it builds the same kernels for sm_90, and runs the callbacks on the CPU through the `host` route. Exits
// with 1 when a result is further from its reference than its tolerance, or when anything else fails.
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
        "No GPU can be used here. Every kernel is built for sm_90 all the same, then the callback runs on the CPU\n"
        "(route `host`), over fewer elements.\n");
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
