// Defines graft::precompile and Callback::precompile, which compile a callback ahead of time with the tools of an
// engine.
#include "graft/precompile.hpp"

#include "engine/engine_impl.hpp"
#include "format/compressed_pack.hpp"
#include "graft/callback.hpp"
#include "graft/engine.hpp"

namespace graft {

std::vector<std::byte> precompile(Engine& engine, const Callback& callback,
                                  const std::vector<Architecture>& architectures, PrecompileFormat format,
                                  const Options& options) {
  return format::compressed_pack(Engine::Impl::of(engine)->precompile({callback}, architectures, format, options));
}

std::vector<std::byte> Callback::precompile(const std::vector<Architecture>& architectures, PrecompileFormat format,
                                            const Options& options) const {
  return graft::precompile(Engine::shared(), *this, architectures, format, options);
}

}  // namespace graft
