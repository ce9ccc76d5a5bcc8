#include "cli/fft/fft_subject.hpp"

#include <functional>
#include <utility>

#include "cli/arrays/array_run.hpp"

namespace graft::cli {
namespace {

class FftSubject final : public Subject {
 public:
  FftSubject(const std::vector<Image>& images, int device, std::uint64_t batch, base::Bytes state,
             const FftItems& items)
      : Subject(images.front().signature(), items.in, items.out),
        first_(images.front()),
        direction_(items.direction),
        engine_(engine_without_cache()),
        fft_(Fft::load(engine_, images, batch, loading_options(images.front(), device))),
        state_(std::move(state)) {}

  bool makes_sums() const noexcept override { return true; }
  std::string word() const override { return "FFTs"; }

  std::function<void()> call(CUstream_st* stream, const std::vector<std::byte*>& pointers,
                             std::uint64_t items) const override {
    const bool is_on_host = first_.report().kernel.route == Route::Host;
    FftLaunch launch;
    launch.batch = items;
    launch.state = state_ref_of(first_, state_);
    return [this, is_on_host, stream, launch, in = refs(pointers, items, false), out = refs(pointers, items, true)] {
      if (is_on_host) fft_.execute(host, in, out, direction_, launch);
      else fft_.execute(stream, in, out, direction_, launch);
    };
  }

 private:
  Image first_;
  Direction direction_;
  Engine engine_;
  Fft fft_;
  base::Bytes state_;
};

}  // namespace

std::unique_ptr<const Subject> fft_subject(const std::vector<Image>& images, int device, std::uint64_t most_batch,
                                           base::Bytes state, const FftItems& items) {
  return std::make_unique<FftSubject>(images, device, most_batch, std::move(state), items);
}

}  // namespace graft::cli
