#include "fft_subject.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <stdexcept>

#include "families/fft/program.hpp"
#include "families/fft/roots.hpp"
#include "fft_passes.hpp"
#include "graft/graft.hpp"
#include "statistics.hpp"

namespace graft::bench {
namespace {

namespace fft = families::fft;
using fft::Precision;

constexpr int kWarmupRounds = 2;

// Calls visit(float()) or visit(double()).
template <class Visit>
auto with_real(Precision precision, const Visit& visit) {
  return precision == Precision::Single ? visit(float{}) : visit(double{});
}

template <class T>
DeviceBytes upload(const std::vector<T>& values) {
  DeviceBytes memory = allocate(values.size() * sizeof(T) + 16);  // a table may be empty
  check(cudaMemcpy(memory.get(), values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return memory;
}

// As many FFTs as fit into the arrays. Half a spectrum has one point more than the length.
std::int64_t batch_of(std::int64_t length, Precision precision, const Memory& memory, Work work) {
  const std::int64_t batch =
      static_cast<std::int64_t>(memory.bytes) / fft::complex_bytes(precision) / (length + is_real(work));
  if (batch < 1) throw std::invalid_argument(fmt::format("--mib: no FFT of {} points fits", length));
  return batch;
}

struct DestroyLibrary {
  void operator()(cudaLibrary_t library) const noexcept { cudaLibraryUnload(library); }
};

// A kernel on the device, and the table of roots that it reads.
struct LoadedKernel {
  LoadedKernel(const base::Bytes& cubin, const fft::Kernel& of_plan, Precision precision) : kernel(of_plan) {
    cudaLibrary_t loaded = nullptr;
    check(cudaLibraryLoadData(&loaded, cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    library.reset(loaded);
    check(cudaLibraryGetKernel(&function, loaded, "fft"));
    check(
        cudaKernelSetAttributeForDevice(function, cudaFuncAttributeMaxDynamicSharedMemorySize, kernel.shared_bytes, 0));
    roots = with_real(precision, [&](auto real) { return upload(fft::roots_of<decltype(real)>(kernel)); });
  }

  // Kernels without a filter do not read the state.
  void launch(fft::ParameterHead head, const void* in, const void* filter, cudaStream_t stream) const {
    head.roots = roots.get();
    struct {
      fft::ParameterHead head;
      const void* in;
      const void* state;
    } parameter = {head, in, filter};
    void* parameters[] = {&parameter};
    check(cudaLaunchKernel(reinterpret_cast<const void*>(function),
                           dim3(static_cast<unsigned>(launch_blocks(kernel, static_cast<std::int64_t>(head.batch)))),
                           dim3(static_cast<unsigned>(kernel.block_threads())), parameters,
                           static_cast<std::size_t>(kernel.shared_bytes), stream));
  }

  fft::Kernel kernel;
  std::unique_ptr<CUlib_st, DestroyLibrary> library;
  cudaKernel_t function = nullptr;
  DeviceBytes roots;
};

}  // namespace

double Contender::median() const {
  return summarize(milliseconds).median;
}

void measure(std::vector<Contender>& contenders, cudaStream_t stream, int rounds) {
  const Event begin = make_event(), end = make_event();
  std::mt19937 random(std::random_device{}());
  std::vector<Contender*> order;
  for (Contender& contender : contenders) order.push_back(&contender);
  for (int round = -kWarmupRounds; round < rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (Contender* contender : order) {
      check(cudaEventRecord(begin.get(), stream));
      contender->launch();
      check(cudaEventRecord(end.get(), stream));
      check(cudaEventSynchronize(end.get()));
      float milliseconds = 0;
      check(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()));
      if (round >= 0) contender->milliseconds.push_back(static_cast<double>(milliseconds));
    }
  }
}

Subject::Subject(std::int64_t length, Precision precision, int architecture, const Memory& memory, cudaStream_t stream,
                 Work work)
    : length_(length),
      precision_(precision),
      architecture_(architecture),
      batch_(batch_of(length, precision, memory, work)),
      memory_(memory),
      stream_(stream),
      work_(work),
      cubins_(architecture) {
  with_real(precision, [this](auto real) {
    using Real = decltype(real);
    // A window of ones and a scaling by one, so that all contenders have one result. The kernels cannot know that.
    window_ = upload(std::vector<Real>(static_cast<std::size_t>(2 * length_), 1));
    scale_ = upload(std::vector<Real>(1, 1));
    fill<Real>();
  });
  if (is_real(work_)) {
    prepare_real();
  } else {
    cufft_.emplace(length, precision, batch_, stream);
    cufft_->execute(memory.in.get(), memory.expected.get());
    if (work_ == Work::Filter) prepare_filter();
  }
  check(cudaStreamSynchronize(stream));
}

// The inverse gets the spectra of real numbers.
void Subject::prepare_real() {
  const bool is_single = precision_ == Precision::Single;
  const std::vector<int> shape = {static_cast<int>(2 * length_)};
  cufft_.emplace(shape, is_single ? CUFFT_R2C : CUFFT_D2Z, batch_, stream_);
  inverse_.emplace(shape, is_single ? CUFFT_C2R : CUFFT_Z2D, batch_, stream_);
  const bool is_forward = work_ == Work::RealForward;
  cufft_->execute(memory_.in.get(), is_forward ? memory_.expected.get() : memory_.workspace.get());
  if (!is_forward) inverse_->execute(memory_.workspace.get(), memory_.expected.get());
  if (work_ == Work::RealInverse) {
    cufft_->execute(memory_.in.get(), memory_.workspace.get());
    check(cudaMemcpyAsync(memory_.in.get(), memory_.workspace.get(), memory_.bytes, cudaMemcpyDeviceToDevice, stream_));
  }
  if (work_ == Work::RealFilter)
    filter_ = with_real(precision_, [this](auto real) {
      std::vector<decltype(real)> ones;
      for (std::int64_t k = 0; k <= length_; ++k) {
        ones.push_back(1);
        ones.push_back(0);
      }
      return upload(ones);
    });
}

std::int64_t Subject::in_count() const {
  return !is_real(work_) ? length_ : work_ == Work::RealInverse ? length_ + 1 : 2 * length_;
}
std::int64_t Subject::out_count() const {
  return !is_real(work_) ? length_ : work_ == Work::RealForward ? length_ + 1 : 2 * length_;
}

void Subject::prepare_filter() {
  filter_ = with_real(precision_, [this](auto real) {
    using Real = decltype(real);
    std::mt19937 random(7);
    std::uniform_real_distribution<double> angles(0, 6.28);
    std::vector<Real> values;
    for (std::int64_t k = 0; k < length_; ++k) {
      const double angle = angles(random);
      values.push_back(static_cast<Real>(std::cos(angle) / static_cast<double>(length_)));
      values.push_back(static_cast<Real>(std::sin(angle) / static_cast<double>(length_)));
    }
    return upload(values);
  });
  filtering_ =
      std::make_shared<CufftPlan>(length_, precision_, batch_, stream_, CufftCallback{},
                                  CufftCallback{"user_filter_store",
                                                Callback(filter_store_text(precision_, length_))
                                                    .precompile({Architecture(architecture_)}, PrecompileFormat::LtoIr),
                                                filter_.get()});
  launch_filter(stream_, precision_ == Precision::Double, memory_.expected.get(), filter_.get(),
                static_cast<std::uint32_t>(length_), static_cast<std::uint64_t>(batch_ * length_));
  cufft_->execute(memory_.expected.get(), memory_.expected.get(), CUFFT_INVERSE);
}

namespace {

std::optional<fft::Half> half_of(Work work) {
  if (!is_real(work)) return std::nullopt;
  return work == Work::RealForward   ? fft::Half::Stored
         : work == Work::RealInverse ? fft::Half::Loaded
                                     : fft::Half::Between;
}

}  // namespace

std::optional<fft::Plan> Subject::plan(const fft::Choices& choices) const {
  if (const std::optional<fft::Half> half = half_of(work_))
    return make_plan_of_half(length_, precision_, architecture_, *half, choices);
  if (work_ == Work::Filter) return make_plan_with_inverse(length_, precision_, architecture_, choices);
  try {
    return make_plan(length_, precision_, architecture_, choices);
  } catch (const Error&) {  // no plan has these choices
    return std::nullopt;
  }
}

std::optional<fft::Plan> Subject::estimated_plan() const {
  if (const std::optional<fft::Half> half = half_of(work_))
    return estimated_plan_of_half(length_, precision_, architecture_, *half);
  return work_ == Work::Filter ? estimated_plan_with_inverse(length_, precision_, architecture_)
                               : fft::estimated_plan(length_, precision_, architecture_);
}

Contender Subject::cufft() const {
  if (work_ == Work::RealInverse) return {[this] { inverse_->execute(memory_.in.get(), memory_.out.get()); }};
  if (work_ == Work::RealFilter)
    return {[this] {
      cufft_->execute(memory_.in.get(), memory_.workspace.get());
      inverse_->execute(memory_.workspace.get(), memory_.out.get());
    }};
  if (work_ == Work::Filter)
    return {[this] {
      filtering_->execute(memory_.in.get(), memory_.workspace.get());
      cufft_->execute(memory_.workspace.get(), memory_.out.get(), CUFFT_INVERSE);
    }};
  return {[this] { cufft_->execute(memory_.in.get(), memory_.out.get()); }};
}

Contender Subject::cufft_with_callbacks() const {
  const CallbackTexts texts = callback_texts(precision_, length_);
  const auto compiled = [this](const std::string& text) {
    return Callback(text).precompile({Architecture(architecture_)}, PrecompileFormat::LtoIr);
  };
  const auto plan = std::make_shared<CufftPlan>(length_, precision_, batch_, stream_,
                                                CufftCallback{"user_load", compiled(texts.load), window_.get()},
                                                CufftCallback{"user_store", compiled(texts.store), scale_.get()});
  return verified({[this, plan] { plan->execute(memory_.in.get(), memory_.out.get()); }});
}

Contender Subject::cufft_between_kernels() const {
  return verified({[this] {
    const bool is_double = precision_ == Precision::Double;
    const auto count = static_cast<std::uint64_t>(batch_ * length_);
    launch_window(stream_, is_double, memory_.workspace.get(), memory_.in.get(), window_.get(),
                  static_cast<std::uint32_t>(length_), count);
    cufft_->execute(memory_.workspace.get(), memory_.out.get());
    launch_scale(stream_, is_double, memory_.out.get(), scale_.get(), count);
  }});
}

void Subject::compile(const std::vector<fft::Plan>& plans, Calls calls) {
  std::set<std::string> texts;
  for (const fft::Plan& plan : plans)
    for (std::size_t number = 0; number < plan.kernels.size(); ++number) texts.insert(kernel_text(plan, number, calls));
  cubins_.compile(texts);
}

Contender Subject::graft(const fft::Plan& plan, Calls calls) {
  const auto kernels = std::make_shared<std::vector<LoadedKernel>>();
  for (std::size_t number = 0; number < plan.kernels.size(); ++number)
    kernels->emplace_back(cubins_.of(kernel_text(plan, number, calls)), plan.kernels[number], precision_);
  fft::ParameterHead head;
  head.batch = static_cast<std::uint64_t>(batch_);
  head.in_distance = static_cast<std::uint64_t>(in_count());
  head.out_distance = static_cast<std::uint64_t>(out_count());
  head.workspace = memory_.workspace.get();
  head.load_info = window_.get();
  head.store_info = scale_.get();
  head.out = memory_.out.get();
  Contender contender = {[this, kernels, head] {
    for (const LoadedKernel& kernel : *kernels) kernel.launch(head, memory_.in.get(), filter_.get(), stream_);
  }};
  return verified(std::move(contender));
}

Contender Subject::verified(Contender contender) const {
  check(cudaMemsetAsync(memory_.out.get(), 0xff, memory_.bytes, stream_));
  contender.launch();
  check(cudaStreamSynchronize(stream_));
  with_real(precision_, [this](auto real) { compare<decltype(real)>(); });
  return contender;
}

// Numbers that repeat, at a period that is no multiple of any length.
template <class Real>
void Subject::fill() const {
  std::mt19937 random(5);
  std::uniform_real_distribution<Real> numbers(-1, 1);
  std::vector<Real> values(999983);
  for (Real& value : values) value = numbers(random);
  for (std::size_t at = 0; at < memory_.bytes; at += values.size() * sizeof(Real))
    check(cudaMemcpy(static_cast<std::byte*>(memory_.in.get()) + at, values.data(),
                     std::min(values.size() * sizeof(Real), memory_.bytes - at), cudaMemcpyHostToDevice));
}

// Compares the first and the last megabyte.
template <class Real>
void Subject::compare() const {
  const bool has_numbers = work_ == Work::RealInverse || work_ == Work::RealFilter;
  const std::size_t all = static_cast<std::size_t>(batch_ * out_count()) * (has_numbers ? 1 : 2);
  const std::size_t some = std::min<std::size_t>(all, 262144);
  for (const std::size_t begin : {std::size_t{0}, all - some}) {
    std::vector<Real> found(some), expected(some);
    const auto copy = [&](std::vector<Real>& to, const DeviceBytes& from) {
      check(cudaMemcpy(to.data(), static_cast<const Real*>(from.get()) + begin, some * sizeof(Real),
                       cudaMemcpyDeviceToHost));
    };
    copy(found, memory_.out);
    copy(expected, memory_.expected);
    double difference = 0, whole = 0;
    for (std::size_t i = 0; i < some; ++i) {
      const double d = static_cast<double>(found[i]) - static_cast<double>(expected[i]);
      difference += d * d;
      whole += static_cast<double>(expected[i]) * static_cast<double>(expected[i]);
    }
    const double error = std::sqrt(difference / whole) / static_cast<double>(std::numeric_limits<Real>::epsilon() / 2);
    if (!(error < 12)) throw std::runtime_error(fmt::format("the result differs from cuFFT's by {} eps", error));
  }
}

}  // namespace graft::bench
