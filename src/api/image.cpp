// Defines graft::build, which gets an image from an engine.
#include "core/image_data.hpp"

#include <utility>

#include "core/fail.hpp"
#include "engine/engine_impl.hpp"
#include "engine/taken_options.hpp"
#include "families/registry.hpp"
#include "graft/engine.hpp"

namespace graft {

Image build(Engine& engine, const Callback& callback, Architecture architecture, const Options& options) {
  const std::shared_ptr<Engine::Impl>& impl = Engine::Impl::of(engine);
  const engine::TakenOptions taken(callback, options, &impl->logger());
  const Step step{callback};
  const std::shared_ptr<const format::TuningFile> tuning =
      impl->tunings().named_for(architecture, families::of(step.family));
  return Image::Data::image(impl->find_or_build({step, architecture, taken.get(), tuning.get()}));
}

Image build(const Callback& callback, Architecture architecture, const Options& options) {
  return build(Engine::shared(), callback, architecture, options);
}

}  // namespace graft
