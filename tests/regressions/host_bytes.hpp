// A callback of any signature run by the host route over arrays of bytes.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "build/builder.hpp"
#include "launch/arguments.hpp"
#include "launch/host_kernel.hpp"
#include "launch/shape.hpp"
#include "support/compile.hpp"

namespace graft::test {

using ByteArray = std::vector<std::byte>;

class HostBytes {
 public:
  explicit HostBytes(const Callback& callback, Options options = {})
      : image_([&] {
          options.routes.required = Route::Host;
          return building::build_image(callback, std::nullopt, options, toolbox());
        }()),
        shape_(launch::make_shape(image_.report)),
        kernel_(image_.bytes) {}

  const Signature& signature() const { return image_.report.signature; }

  // An array for each input in, an array for each output out. `state` has the state's bytes, or is not looked at.
  std::vector<ByteArray> run(std::vector<ByteArray> inputs, const ByteArray& state, std::size_t count) const {
    std::vector<ByteArray> outputs;
    for (const ElementType& type : signature().outputs()) outputs.emplace_back(type.size * count);
    const auto arrays = [&](std::vector<ByteArray>& bytes, const std::vector<ElementType>& types) {
      std::vector<Array> all;
      for (std::size_t i = 0; i < types.size(); ++i) all.push_back({bytes.at(i).data(), count, types[i]});
      return all;
    };
    const std::vector<Array> in = arrays(inputs, signature().inputs());
    const std::vector<Array> out = arrays(outputs, signature().outputs());
    alignas(64) std::array<std::byte, launch::kMaxParameterBytes> parameter{};
    const launch::Arguments arguments{in, out, signature().state() ? state.data() : nullptr, shape_.state};
    launch::pack(shape_, arguments, launch::check(shape_, arguments), parameter.data());
    kernel_.run(parameter.data(), 0, count);
    return outputs;
  }

 private:
  Image::Data image_;
  launch::LaunchShape shape_;
  launch::HostKernel kernel_;
};

}  // namespace graft::test
