// The kernels of a job, wherever they come from: callbacks, from which the engine builds them for the device at hand,
// or packs and images, in which they were made before. A JobKernels says which job they are for, and which kernels an
// architecture takes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/image_data.hpp"
#include "families/job.hpp"
#include "format/tuning_file.hpp"

namespace graft::engine {

class JobKernels {
 public:
  explicit JobKernels(families::Job job);

  // The job is that of the kernels, which may come from files that are damaged or forged: these functions check that
  // the kernels are those of one job, of this family, and that none is missing. `capacity` is Job::capacity, which no
  // file contains. Throw Error(InvalidArgument) or Error(ImageRefused). The engine checks each pack and each image as
  // it does for transforms.
  static JobKernels of_pack(std::string_view family, std::span<const std::byte> pack, std::uint64_t capacity);
  static JobKernels of_images(std::string_view family, const std::vector<Image>& images, std::uint64_t capacity);

  const families::Job& job() const noexcept { return job_; }

  // The methods of a schedule that calls can use. `methods` are the names of those that they will use; if it is empty,
  // they are all that there are. A pack for an older architecture serves newer ones, so the schedule may be that of an
  // older architecture.
  struct Planned {
    families::Schedule schedule;
    // The images of the schedule's kernels. Empty if the engine builds the kernels.
    std::vector<std::shared_ptr<const Image::Data>> images;
  };
  // Returns the kernels for an architecture or, without one, for the host. `tuning`: what was measured on the GPU for
  // which the kernels are made, or null; kernels that were made before stay as they are. Throws Error(ImageRefused) if
  // kernels that were made before do not serve the architecture.
  Planned kernels_for(std::optional<Architecture> architecture, const std::vector<std::string>& methods,
                      const format::TuningFile* tuning = nullptr) const;
  Planned kernels_for(std::optional<Architecture> architecture) const {
    return kernels_for(architecture, job_.methods);
  }

  bool is_on_host(const Options& options) const;
  // Returns the callbacks of the job, or the packs that hold its kernels. None for finished kernels.
  std::vector<Callback> callbacks() const;

 private:
  // A kernel that was made before: a pack that holds it, or its image.
  struct Made {
    KernelSpec kernel;
    std::optional<Architecture> architecture;  // for which it was made; none: the host
    std::optional<Callback> pack = {};
    std::shared_ptr<const Image::Data> image = {};
  };

  static JobKernels of_made(std::string_view family, std::vector<Made> made, std::uint64_t capacity);
  void find_methods();
  // The job as its kernels for an architecture were asked for: they may have been made with a tuning file, which others
  // were not.
  families::Job job_for(std::optional<Architecture> architecture) const;
  const Made* find(const Step& step, std::optional<Architecture> architecture) const;

  families::Job job_;
  std::vector<Made> made_;
};

}  // namespace graft::engine
