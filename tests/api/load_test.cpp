// Tests the checks of Transform::load that need no CUDA driver: load options that contradict the image, and images that
// graft cannot have written.
#include <gtest/gtest.h>

#include <span>
#include <string>

#include "core/image_data.hpp"
#include "families/elementwise/shapes/shape_class.hpp"
#include "graft/graft.hpp"
#include "routes/builder.hpp"
#include "support/compile.hpp"
#include "support/cubins.hpp"
#include "support/errors.hpp"
#include "support/reports.hpp"

namespace graft {
namespace {

using test::error_of;

Image image_of(base::Bytes bytes, Route route) {
  auto data = std::make_shared<Image::Data>();
  data->bytes = std::move(bytes);
  data->report = test::full_report();
  data->report.kernel.route = route;
  return Image::Data::image(std::move(data));
}

void expect_refused(const Image& image, const Options& options, ErrorCode code, const std::string& words) {
  Engine engine;
  const Error error = error_of([&] { Transform::load(engine, image, options); });
  EXPECT_EQ(error.code(), code) << error.what();
  EXPECT_NE(error.message().find(words), std::string::npos) << error.what();
}

TEST(TransformLoad, OptionsThatAreNotTheImagesAreRefusedWithBothNamed) {
  const Image image = image_of(test::cubin(3), Route::Lto);
  Options options;
  options.shared_bytes = 128;
  expect_refused(image, options, ErrorCode::InvalidArgument,
                 "built with shared_bytes=1024, but this request asks for 128");
  options = {};
  options.architecture = Architecture(75);
  expect_refused(image, options, ErrorCode::InvalidArgument, "built for sm_90a, but Options::architecture is sm_75");
}

TEST(TransformLoad, BytesThatAreNoKernelReachNoDriver) {
  const base::Bytes whole = test::cubin(64);
  const base::Bytes bad[] = {{}, {std::byte{1}}, base::Bytes(4096), {whole.begin(), whole.begin() + 63}};
  for (const base::Bytes& bytes : bad) {
    expect_refused(image_of(bytes, Route::Lto), {}, ErrorCode::ImageRefused, "its image is not a complete cubin");
    expect_refused(image_of(bytes, Route::Host), {}, ErrorCode::ImageRefused, "its image is not a shared object");
  }
  expect_refused(image_of(whole, Route::Host), {}, ErrorCode::ImageRefused, "its image is not a shared object");
}

TEST(TransformLoad, ACubinOfAnotherKernelReachesNoDriver) {
  KernelSpec other = test::full_report().kernel;
  other.architecture = Architecture(80);
  expect_refused(image_of(test::cubin(0, other), Route::Lto), {}, ErrorCode::ImageRefused, "its image is for sm_80");
  other = test::full_report().kernel;
  other.name = "graft_transform_other";
  expect_refused(image_of(test::cubin(0, other), Route::Lto), {}, ErrorCode::ImageRefused,
                 "its image does not contain graft_transform_scale");
}

TEST(TransformLoad, AHostImageIsNoCubin) {
  Engine engine;
  Options options;
  options.routes.required = Route::Host;
  const Image made = build(engine, "__device__ float f(float x) { return 2 * x; }", Architecture(90), options);
  expect_refused(image_of(base::Bytes(made.bytes().begin(), made.bytes().end()), Route::Program), {},
                 ErrorCode::ImageRefused, "its image is not a complete cubin");
  EXPECT_NO_THROW(Transform::load(engine, made));
}

// It would be launched as the flat kernel, without the extents that it reads.
TEST(TransformLoad, AKernelForViewsAloneIsNoTransform) {
  const Callback twice = "__device__ float twice(float x) { return 2 * x; }";
  const auto image_for = [&](const elementwise::KernelShapes& made_for) {
    const Step step(twice, kElementwise, elementwise::request_of(made_for));
    return Image::Data::image(
        std::make_shared<Image::Data>(routes::build_image(step, Architecture(90), {}, test::toolbox())));
  };
  expect_refused(image_for(elementwise::ShapeClass::Strided), {}, ErrorCode::ImageRefused, "kernel");
  expect_refused(image_for({elementwise::ShapeClass::Transposed, 1}), {}, ErrorCode::ImageRefused, "kernel");
}

}  // namespace
}  // namespace graft
