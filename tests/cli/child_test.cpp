// Tests which kernels the program takes from a child process.
#include "cli/child/child.hpp"

#include <gtest/gtest.h>

#include "contract.h"
#include "support/cubins.hpp"
#include "support/reports.hpp"

namespace graft::cli {
namespace {

Image::Data good() {
  return {test::cubin(3), test::full_report()};
}

TEST(Child, AKernelForTheHostNeedsNoMachineCodeOfAGpu) {
  EXPECT_TRUE(is_possible_kernel(good()));
  Image::Data image = good();
  image.report.kernel.route = Route::Host;
  image.bytes = {std::byte{1}};
  EXPECT_TRUE(is_possible_kernel(image));
}

TEST(Child, AnImpossibleKernelIsRefused) {
  using Change = void (*)(Image::Data&);
  const Change changes[] = {
      [](Image::Data& data) { data.bytes = {std::byte{1}}; },
      [](Image::Data& data) { data.report.kernel.tuning.set("vector_width", 3); },
      [](Image::Data& data) { data.report.kernel.tuning.set("block_threads", 0); },
      [](Image::Data& data) { data.report.kernel.signature = Signature(); },
      [](Image::Data& data) {
        data.report.kernel.signature =
            Signature({Role::Output, {ElementKind::Float, 4, 4}, "float"},
                      std::vector<Parameter>(GRAFT_MAX_INPUTS + 1, {Role::Input, {ElementKind::Float, 4, 4}, "float"}));
      },
  };
  for (const Change change : changes) {
    Image::Data image = good();
    change(image);
    EXPECT_FALSE(is_possible_kernel(image)) << &change - changes;
  }
}

}  // namespace
}  // namespace graft::cli
