// A request's image, from the engine that has or makes it.
#include "graft/image.hpp"

#include <utility>

#include "api/engine_impl.hpp"
#include "api/taken_options.hpp"
#include "core/fail.hpp"
#include "graft/engine.hpp"

namespace graft {

Image::Image(std::shared_ptr<const Data> data) : data_(std::move(data)) {
  if (data_ == nullptr) refuse("a null pointer is no image", "Make one with graft::build, or take Transform::image().");
}

Image build(Engine& engine, const Callback& callback, Architecture architecture, const Options& options) {
  const TakenOptions taken(callback, options);
  return Image(engine.impl()->find_or_build({callback, architecture, taken.get()}));
}

Image build(const Callback& callback, Architecture architecture, const Options& options) {
  return build(Engine::shared(), callback, architecture, options);
}

}  // namespace graft
