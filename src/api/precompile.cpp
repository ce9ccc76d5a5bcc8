// Defines graft::precompile, graft::precompile_several and Callback::precompile, which compile callbacks ahead of time
// with the tools of an engine.
#include "graft/precompile.hpp"

#include "engine/engine_impl.hpp"
#include "engine/entries_ahead.hpp"
#include "format/compressed_pack.hpp"
#include "graft/callback.hpp"
#include "graft/engine.hpp"
#include "graft/pack.hpp"

namespace graft {

std::vector<std::byte> precompile(Engine& engine, const Callback& callback,
                                  const std::vector<Architecture>& architectures, PrecompileFormat format,
                                  const Options& options) {
  return format::compressed_pack(Engine::Impl::of(engine)->precompile({callback}, architectures, format, options));
}

std::vector<std::byte> precompile_several(Engine& engine, const std::vector<PackEntry>& entries,
                                          const std::vector<Architecture>& architectures, PrecompileFormat format,
                                          const Options& options) {
  return engine::precompile_several(Engine::Impl::of(engine), entries, architectures, format, options);
}

std::vector<std::byte> precompile_several(const std::vector<PackEntry>& entries,
                                          const std::vector<Architecture>& architectures, PrecompileFormat format,
                                          const Options& options) {
  return precompile_several(Engine::shared(), entries, architectures, format, options);
}

std::vector<std::byte> Callback::precompile(const std::vector<Architecture>& architectures, PrecompileFormat format,
                                            const Options& options) const {
  return graft::precompile(Engine::shared(), *this, architectures, format, options);
}

}  // namespace graft
