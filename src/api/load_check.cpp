#include "api/load_check.hpp"

#include "base/format.hpp"
#include "core/fail.hpp"
#include "families/kernel_check.hpp"
#include "format/elf.hpp"
#include "graft/error.hpp"

namespace graft {

void check_load(const Image& image, const Options& options) {
  const KernelSpec& kernel = image.report().kernel;
  const bool is_on_host = kernel.route == Route::Host;
  if (options.closed && is_on_host)
    refuse("the host route is refused in the closed mode, and the image is a host image",
           "Load it without Options::closed, or build a kernel for a GPU.");
  if (options.shared_bytes != 0 && options.shared_bytes != kernel.shared_bytes)
    refuse(base::format("{} was built with shared_bytes={}, but this request asks for {}", kernel.name,
                        kernel.shared_bytes, options.shared_bytes),
           "Leave Options::shared_bytes unset: the image contains it.");
  if (options.architecture && !is_on_host && *options.architecture != kernel.architecture)
    refuse(base::format("{} was built for {}, but Options::architecture is {}", kernel.name, kernel.architecture.sm(),
                        options.architecture->sm()),
           "Leave Options::architecture unset: the image contains it.");
  std::string why;
  if (!is_on_host) why = families::objection_to_image(kernel, image.bytes());
  else if (!format::is_shared_object(image.bytes())) why = "its image is not a shared object";
  if (!why.empty())
    fail(ErrorCode::ImageRefused, base::format("{} is not a kernel that graft made: {}", kernel.name, why),
         "Give an image as graft::build returned it.");
}

}  // namespace graft
