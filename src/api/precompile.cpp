// graft::precompile and Callback::precompile: a callback compiled ahead of time with the tools of an engine.
#include "graft/precompile.hpp"

#include "api/engine_impl.hpp"
#include "graft/callback.hpp"
#include "graft/engine.hpp"

namespace graft {

std::string_view name(PrecompileFormat format) noexcept {
  switch (format) {
    case PrecompileFormat::Pack:
      return "pack";
    case PrecompileFormat::PackWithCubins:
      return "pack with cubins";
    case PrecompileFormat::LtoIr:
      return "LTO-IR";
    case PrecompileFormat::Fatbin:
      return "fatbin";
    case PrecompileFormat::Ptx:
      return "PTX";
    case PrecompileFormat::Cubin:
      break;
  }
  return "cubin";
}

std::vector<std::byte> precompile(Engine& engine, const Callback& callback,
                                  const std::vector<Architecture>& architectures, PrecompileFormat format,
                                  const Options& options) {
  return Engine::Impl::of(engine)->precompile(callback, architectures, format, options);
}

std::vector<std::byte> Callback::precompile(const std::vector<Architecture>& architectures, PrecompileFormat format,
                                            const Options& options) const {
  return graft::precompile(Engine::shared(), *this, architectures, format, options);
}

}  // namespace graft
