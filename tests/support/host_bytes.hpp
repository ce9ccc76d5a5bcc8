// Runs a callback of any signature with the host route over arrays of bytes.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "graft/graft.hpp"

namespace graft::test {

using ByteArray = std::vector<std::byte>;

class HostBytes {
 public:
  explicit HostBytes(const Callback& callback, Options options = {})
      : transform_(Transform::create(engine(), callback, on_host(std::move(options)))) {}

  const Signature& signature() const { return transform_.signature(); }

  // Takes one array per input and returns one array per output. `state` contains the bytes of the callback's state and
  // is ignored if the callback has no state.
  std::vector<ByteArray> run(std::vector<ByteArray> inputs, const ByteArray& state, std::size_t count) const {
    std::vector<ByteArray> outputs;
    for (const ElementType& type : signature().outputs()) outputs.emplace_back(type.size * count);
    const auto refs = [&](std::vector<ByteArray>& bytes, const std::vector<ElementType>& types) {
      std::vector<ArrayRef> all;
      for (std::size_t i = 0; i < types.size(); ++i) all.emplace_back(bytes.at(i).data(), count, types[i]);
      return all;
    };
    transform_.execute(host, refs(inputs, signature().inputs()), refs(outputs, signature().outputs()),
                       signature().state() ? StateRef(state.data(), *signature().state()) : StateRef());
    return outputs;
  }

 private:
  static Engine& engine() {
    static Engine engine([] {
      EngineOptions options;
      options.cache.policy = CachePolicy::Off;
      return options;
    }());
    return engine;
  }
  static Options on_host(Options options) {
    options.routes.required = Route::Host;
    return options;
  }

  Transform transform_;
};

}  // namespace graft::test
