// Prints reductions for order.py, which says what they are.
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "graft/graft.hpp"

namespace {

// Prints the reductions of elements of a type of this size. Their values do not matter.
void print(std::size_t size, const std::string& type) {
  graft::Options options;
  options.routes.required = graft::Route::Host;
  const graft::Reduce reduce =
      graft::Reduce::create({.map = "struct Wide { double a, b; };\n__device__ unsigned map(" + type +
                                    ", graft::Index i) { return i * 2654435761u + 12345u; }",
                             .combine = "__device__ unsigned f(unsigned a, unsigned b) { return a * 31u + b; }"},
                            options);
  const graft::ElementType element = reduce.signature().inputs()[0];
  for (const std::size_t count : {1, 2, 31, 32, 33, 1000, 8191, 8192, 8193, 40000, 300001, 600000}) {
    const std::vector<double> memory(count * size / sizeof(double) + 1);
    std::uint32_t result = 0;
    reduce.execute(graft::host, {graft::ArrayRef(memory.data(), count, element)},
                   {graft::ArrayRef(&result, 1, graft::element_type<std::uint32_t>())});
    std::printf("%zu %zu %u\n", size, count, result);
  }
}

}  // namespace

int main() {
  print(1, "unsigned char");
  print(2, "short");
  print(4, "float");
  print(8, "double");
  print(16, "Wide");
}
