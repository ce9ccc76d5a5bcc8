#include "cli/arrays/array_run.hpp"

#include <algorithm>

#include "cli/arrays/device_arrays.hpp"
#include "cli/arrays/packed_bits.hpp"
#include "graft/transform.hpp"

namespace graft::cli {

Engine engine_without_cache() {
  EngineOptions options;
  options.cache.policy = CachePolicy::Off;
  return Engine(std::move(options));
}

StateRef state_ref_of(const Image& image, const base::Bytes& bytes) {
  if (bytes.empty()) return {};
  ElementType type = image.signature().state().value_or(ElementType{});
  type.size = static_cast<std::uint32_t>(bytes.size());
  return {bytes.data(), type};
}

void run_on_host(const Image& image, const ArrayRun& given) {
  const PackedBits bits(image.signature(), given);
  const ArrayRun& run = bits.packed();
  Engine engine = engine_without_cache();
  const Transform transform = Transform::load(engine, image);
  std::vector<ArrayRef> inputs;
  for (std::size_t i = 0; i < run.inputs.size(); ++i)
    inputs.emplace_back(run.inputs[i], run.count, image.signature().inputs()[i]);
  std::vector<ArrayRef> outputs;
  for (std::size_t i = 0; i < run.outputs.size(); ++i)
    outputs.emplace_back(run.outputs[i], run.count, image.signature().outputs()[i]);
  transform.execute(host, inputs, outputs, state_ref_of(image, run.state));
  bits.unpack();
}

void run_on_device(const Image& image, int device, const ArrayRun& given) {
  const PackedBits bits(image.signature(), given);
  const ArrayRun& run = bits.packed();
  Engine engine = engine_without_cache();
  Options options;
  options.devices = {device};
  const Transform transform = Transform::load(engine, image, options);
  DeviceArrays memory(device);
  const Signature& signature = image.signature();
  std::vector<ArrayRef> inputs, outputs;
  for (std::size_t i = 0; i < run.inputs.size(); ++i) {
    const ElementType& type = signature.inputs()[i];
    inputs.emplace_back(memory.add(bytes_in_memory(type, run.count), run.inputs[i]), run.count, type);
  }
  // In-out arrays are read, and elements that a selective callback leaves alone keep the values that the output has on
  // the host.
  for (std::size_t i = 0; i < run.outputs.size(); ++i) {
    const ElementType& type = signature.outputs()[i];
    const bool is_read = signature.is_selective() || std::ranges::count(signature.in_outs(), i) != 0;
    outputs.emplace_back(memory.add(bytes_in_memory(type, run.count), is_read ? run.outputs[i] : nullptr), run.count,
                         type);
  }
  transform.execute(nullptr, inputs, outputs, state_ref_of(image, run.state));
  memory.wait();
  for (std::size_t i = 0; i < run.outputs.size(); ++i) memory.fetch(run.inputs.size() + i, run.outputs[i]);
  bits.unpack();
}

}  // namespace graft::cli
