// Passes arrays and a state whose types are known only at run time.
#include <cstring>
#include <string>

#include "chapter.hpp"
#include "support/cuda.hpp"

namespace guide {

using examples::DeviceBuffer;

void array_refs(cudaStream_t stream) {
  // [array_refs]
  struct Column {  // a column of a table that a file reader has loaded
    std::string type;
    const void* values;  // in device memory
  };
  const char* callback = R"(
      struct Scale { float factor, offset; };
      __device__ float calibrate(short sample, float gain, const Scale& s) {
        return s.factor * gain * sample + s.offset;
      }
  )";
  // [/array_refs]
  if (only_built(stream, callback)) return;
  const std::size_t rows = 3;
  const DeviceBuffer<short> samples(std::vector<short>{1, 2, 3});
  const DeviceBuffer<float> gains(std::vector<float>{10, 20, 30}), out(rows);
  const std::vector<Column> columns = {{"i16", samples.data()}, {"f32", gains.data()}};
  float* const result = out.data();
  const float scale[] = {2.0f, 0.5f};
  std::vector<std::byte> parameters(sizeof scale);
  std::memcpy(parameters.data(), scale, sizeof scale);
  // [array_refs]
  const graft::Transform calibrate = graft::Transform::create(callback);
  std::vector<graft::ArrayRef> in;
  for (const Column& column : columns)
    in.emplace_back(column.values, rows, graft::ElementType::named(column.type));  // "i16" and "f32"
  const graft::StateRef state(parameters.data(), graft::ElementType::structure(parameters.size(), 4));
  calibrate.execute(stream, in, {{result, rows, graft::ElementType::named("f32")}}, state);
  // [/array_refs]
  expect(on_host(out) == std::vector<float>{20.5f, 80.5f, 180.5f});
}

}  // namespace guide
