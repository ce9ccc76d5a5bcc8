// Tests that every buildable combination of a callback form (such as PTX), a route and a shape of callback (such as one
// with a state) computes the right results on a GPU. docs/tables/matrix.md lists which combinations exist;
// tests/scenarios/matrix checks that list.
#include <fmt/format.h>

#include "gpu/device.hpp"
#include "scenarios/matrix/cells.hpp"
#include "scenarios/matrix/numbers.hpp"

namespace graft::test {
namespace {

struct OnDevice {
  template <class T>
  using Array = DeviceArray<T>;
  template <class... A>
  static auto inputs(const A&... arrays) {
    return graft::inputs(arrays...);
  }
  template <class... A>
  static auto outputs(const A&... arrays) {
    return graft::outputs(arrays...);
  }
  template <class... More>
  static void execute(const Transform& transform, const Inputs& in, const Outputs& out, const More&... more) {
    transform.execute(nullptr, in, out, more...);
  }
};

class GpuMatrix : public Gpu {};

TEST_F(GpuMatrix, EveryCellComputes) {
  cudaDeviceProp device;
  check(cudaGetDeviceProperties(&device, 0));
  const Architecture architecture(device.major * 10 + device.minor);
  int computed = 0;
  for (const FormOfCallback& form : kForms)
    for (const Shape shape : kShapes)
      for (const Route route : kRoutes) {
        if (route == Route::Host) continue;
        SCOPED_TRACE(fmt::format("{}, {}, {}", form.name, name(shape), name(route)));
        try {
          const Transform transform = Transform::create(callback_of(form, shape, architecture), on_route(route));
          EXPECT_EQ(transform.report().kernel.route, route);
          Numbers<OnDevice>(transform).check(shape);
          ++computed;
        } catch (const Error& error) {
          const bool is_impossible =
              error.code() == ErrorCode::RouteUnavailable || error.code() == ErrorCode::InvalidArgument;
          EXPECT_TRUE(is_impossible) << error.what();
        }
      }
  RecordProperty("cells", computed);
  EXPECT_EQ(computed, kCellsOnGpus);
}

}  // namespace
}  // namespace graft::test
