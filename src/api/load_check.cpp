#include "api/load_check.hpp"

#include "base/format.hpp"
#include "core/fail.hpp"
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
  if (is_on_host ? format::is_shared_object(image.bytes()) : format::is_whole_cubin(image.bytes())) return;
  fail(ErrorCode::ImageRefused,
       base::format("{} is not a kernel that graft made: its {} bytes are not a {}", kernel.name, image.bytes().size(),
                    is_on_host ? "shared object" : "cubin"),
       "Give an image as graft::build returned it.");
}

}  // namespace graft
