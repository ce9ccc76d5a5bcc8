// A Kernel is a kernel of the application's own, with callbacks linked into it. The kernel's author declares device
// functions and calls them, and does not define them: these functions are the kernel's slots. A callback for each slot
// comes at run time. graft checks that callback and slot fit, links them with link-time optimisation, and reports
// whether each callback was inlined.
//
//     // knn.cu, by the kernel's author
//     struct Metric { float delta; };
//     __device__ float metric(float a, float b, const Metric& state);                            <- a slot
//     extern "C" __global__ void knn(const float* queries, int n, const __grid_constant__ Metric state) { ... }
//
//     // the application
//     graft::Kernel knn = graft::Kernel::create(
//         graft::KernelCode::file("knn.cu"),
//         {{"metric", "__device__ float l1(float a, float b) { return fabsf(a - b); }"}});
//     knn.launch({.grid = {blocks}, .block = {256}, .stream = stream}, queries, n, state);
//
// graft adds nothing to the kernel: no parameter, no shared memory, no launch bound. A callback's state is whatever the
// kernel passes to its slot.
//
// A callback fits a slot if it takes the slot's parameters and has a result of the slot's type. Three things may
// differ:
//
//     slot                                   callback
//     const S& of a class, const void*       const T& for any T: the callback's own state. The caller of the kernel
//                                            puts a T where the kernel takes the state from.
//     the last is const S& or const void*    may have no last parameter: a callback without state
//     X&, X*                                 const X&, const X*
//
// A class is passed by value only if both sides name it alike and it has one size and alignment: CUDA's own, such as
// float3, or one that the callback defines as the kernel does.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <graft/architecture.hpp>
#include <graft/callback.hpp>
#include <graft/engine.hpp>
#include <graft/export.hpp>
#include <graft/image.hpp>
#include <graft/options.hpp>
#include <graft/pending.hpp>
#include <graft/report.hpp>
#include <graft/transform.hpp>

struct CUkern_st;
struct CUfunc_st;
struct CUstream_st;

namespace graft {

// A callback for a slot: the slot's name ("lib::metric"; "metric" is enough if only one slot is called so), and the
// callback.
struct SlotCallback {
  std::string slot;
  Callback callback;
  bool operator==(const SlotCallback&) const = default;
};

// Whether a callback is inlined wherever the kernel calls its slot.
enum class Inlining : std::uint8_t {
  Automatic,  // as the compiler decides, unless so much code would be inlined that the link would take many seconds:
              // then the callback is one function, which the kernel calls, and the report says so
  Always,     // callbacks that are __noinline__ or recursive stay calls
  Never,      // one function, which the kernel calls
};

// ---- what the author ships ----

// The code of one or several kernels, with their slots. An immutable value, like Callback: copies share their content,
// and nothing is compiled before describe, build or Kernel::create.
class GRAFT_API KernelCode {
 public:
  // CUDA C++ source. All kernels of the text that are not templates are made, and the instances that with_entry names.
  KernelCode(const char* source);
  KernelCode(std::string source);
  static KernelCode source(std::string text, std::string name = "kernel.cu");

  // LTO-IR, as `nvcc -dlto -dc` and NVRTC's -dlto make it, or a fatbin that has it (`nvcc -fatbin -rdc=true
  // -gencode arch=compute_90,code=lto_90`). A fatbin without LTO-IR is
  // refused.
  // LTO-IR does not contain the floating-point options of its compile (nvcc's -fmad, -ftz, -prec-div, -prec-sqrt and
  // -use_fast_math), and a link uses its own: declare those of the compile by with_floating_point. Pass only code that
  // you trust, because damaged LTO-IR can crash NVIDIA's linker.
  static KernelCode ltoir(std::span<const std::byte> bytes, std::string name = "kernel.ltoir");
  static KernelCode fatbin(std::span<const std::byte> bytes, std::string name = "kernel.fatbin");

  // PTX, as `nvcc -ptx -rdc=true` and NVRTC make it, or a cubin of `nvcc -cubin -rdc=true`. Nothing can be inlined into
  // them, so they are refused unless Options::routes.required is Route::Ptx, by which the kernel calls its callbacks. A
  // cubin does not show how its slots' parameters are aligned, and each of its slots must be filled. Pass only a cubin
  // that you trust, because a damaged one can crash NVIDIA's linker.
  static KernelCode ptx(std::string text, std::string name = "kernel.ptx");
  static KernelCode object(std::span<const std::byte> cubin, std::string name = "kernel.cubin");

  // A pack, as precompile makes it: compiled code, with the author's wishes. It needs no compiler for the kernel.
  // Throws Error(ImageRefused) for a pack that is damaged, truncated or of another kind.
  static KernelCode pack(std::span<const std::byte> bytes, std::string name = "kernel.graft");

  // A file of any of these forms, which graft tells by its content. Throws Error: FileUnreadable, ImageRefused,
  // InvalidArgument (another form).
  static KernelCode file(const std::filesystem::path& path);

  // Return a copy that makes one more kernel of a source: "knn", or an instance of a template, "lib::spmv<float, 8>".
  KernelCode with_entry(std::string entry) const;

  // Return a copy with an author's wish for a slot: a callback that fills it if the application gives none; or that it
  // may stay empty; or how its callbacks are inlined.
  //
  // An optional slot has a constant, which the kernel declares and asks, and which graft defines when it links: true if
  // the slot is filled. The compiler removes what depends on it, so an empty slot costs nothing.
  //
  //     __device__ bool filter(int id);
  //     extern __device__ const bool has_filter;                          .with_optional("filter", "has_filter")
  //     if (has_filter && !filter(id)) continue;
  KernelCode with_default(std::string slot, const Callback& callback) const;
  KernelCode with_optional(std::string slot, std::string constant) const;
  KernelCode with_inlining(std::string slot, Inlining inlining) const;

  // Return a copy with a value for a constant (KernelConstant below) that the application does not define. A pack has
  // the constant compiled for each of `values`, of which the first is the default; another value needs NVRTC.
  KernelCode with_constant(std::string constant, std::vector<std::int64_t> values) const;

  // Return a copy with a header that the code and the sources of its callbacks may include, such as one with a class
  // that a slot passes by value.
  KernelCode with_header(std::string name, std::string text) const;

  // Return a copy whose slot is called by all threads of a warp or block, so that its callbacks may use thread words
  // (Options::allow_thread_words): barriers, thread indices, shared memory.
  KernelCode with_thread_words(std::string slot) const;

  // As the functions of Callback.
  KernelCode with_folder(const std::filesystem::path& folder) const;
  KernelCode with_floating_point(const FloatingPoint& floating_point) const;
  KernelCode with_link_input(const Callback& binary) const;

  // Compile ahead of time, on a machine with a toolkit; no GPU is needed. Both results are packs.
  //
  // precompile() compiles the code, for KernelCode::pack. The pack has the code with its open slots, the callbacks that
  // fill slots by default, and what the functions above were given; of the options, those for floating point,
  // registers and lines. A machine that links it needs nvJitLink, and NVRTC only for callbacks that are source. With
  // PackWithCubins it also has finished kernels of the code with its defaults, which need the driver alone. Nothing may
  // then be open: each slot has a default or is optional, and each constant has a value.
  //
  // precompile_for() compiles a callback for a slot of the code, for Callback::pack. Filling the slot then takes no
  // compiler. The slot of another code that has the same name and types takes it too.
  //
  // Throw Error: what Kernel::create throws; InvalidArgument for other formats, for no architecture, for a code that is
  // a pack already, and in the closed mode.
  std::vector<std::byte> precompile(const std::vector<Architecture>& architectures,
                                    PrecompileFormat format = PrecompileFormat::Pack,
                                    const Options& options = {}) const;
  std::vector<std::byte> precompile(Engine& engine, const std::vector<Architecture>& architectures,
                                    PrecompileFormat format = PrecompileFormat::Pack,
                                    const Options& options = {}) const;
  std::vector<std::byte> precompile_for(const SlotCallback& callback, const std::vector<Architecture>& architectures,
                                        const Options& options = {}) const;
  std::vector<std::byte> precompile_for(Engine& engine, const SlotCallback& callback,
                                        const std::vector<Architecture>& architectures,
                                        const Options& options = {}) const;

  const std::string& name() const noexcept { return code_.name(); }
  const std::vector<std::string>& entries() const noexcept { return entries_; }
  bool operator==(const KernelCode& other) const noexcept = default;

  // What the functions above were given.
  const Callback& code() const noexcept { return code_; }
  const std::vector<SlotCallback>& defaults() const noexcept { return defaults_; }
  struct Optional {
    std::string slot, constant;
    bool operator==(const Optional&) const = default;
  };
  const std::vector<Optional>& optionals() const noexcept { return optionals_; }
  struct Wish {
    std::string slot;
    Inlining inlining = Inlining::Automatic;
    bool operator==(const Wish&) const = default;
  };
  const std::vector<Wish>& wishes() const noexcept { return wishes_; }
  struct Constant {
    std::string name;
    std::vector<std::int64_t> values;
    bool operator==(const Constant&) const = default;
  };
  const std::vector<Constant>& constants() const noexcept { return constants_; }
  const std::vector<Header>& headers() const noexcept { return headers_; }
  const std::vector<std::string>& thread_words() const noexcept { return thread_words_; }

 private:
  explicit KernelCode(const Callback& code) : code_(code) {}
  KernelCode with_code(const Callback& code) const;
  Callback code_;
  std::vector<std::string> entries_;
  std::vector<SlotCallback> defaults_;
  std::vector<Optional> optionals_;
  std::vector<Wish> wishes_;
  std::vector<Constant> constants_;
  std::vector<Header> headers_;
  std::vector<std::string> thread_words_;
};

// ---- what graft finds in it ----

struct KernelEntry {
  std::string name = {};                       // "lib::spmv<float, 8>"
  std::string symbol = {};                     // its name in the image
  std::vector<std::uint64_t> parameters = {};  // the size of each, in bytes
  std::vector<std::string> types = {};         // "const float*"; empty for an extern "C" kernel, whose symbol has none
  bool operator==(const KernelEntry&) const = default;
};

struct KernelSlot {
  std::string name = {};         // "metric", "lib::multiply<float>"
  std::string declaration = {};  // "metric(float, float, const Metric&)"; of an extern "C" function only the name
  std::string symbol = {};       // "_Z6metricffRK6Metric"
  bool operator==(const KernelSlot&) const = default;
};

struct KernelShape {
  std::vector<KernelEntry> entries = {};
  std::vector<KernelSlot> slots = {};
  std::vector<std::string> constants = {};  // the names of those that the link must define
  bool operator==(const KernelShape&) const = default;
};

// Reads a kernel's entries and slots, without callbacks and without a GPU. Compiles source, and links LTO-IR without
// its slots. Throws what Kernel::create throws for the code.
GRAFT_API KernelShape describe(const KernelCode& code, Architecture architecture, const Options& options = {});
GRAFT_API KernelShape describe(Engine& engine, const KernelCode& code, Architecture architecture,
                               const Options& options = {});

// ---- what the application does ----

// A constant of the kernel that is defined when it is linked: `extern __device__ const int tile;`. Loops over it unroll
// as over a template's argument. Each value makes a kernel of its own. The type is bool or an integer.
struct KernelConstant {
  std::string name;  // "lib::tile"
  std::int64_t value;
};

// What an application puts into a kernel: {{"metric", callback}, ...}, and values for its constants.
struct KernelCallbacks {
  KernelCallbacks() = default;
  KernelCallbacks(std::initializer_list<SlotCallback> filled) : slots(filled) {}
  KernelCallbacks(std::vector<SlotCallback> filled, std::vector<KernelConstant> defined = {})
      : slots(std::move(filled)), constants(std::move(defined)) {}

  std::vector<SlotCallback> slots;
  std::vector<KernelConstant> constants;
};

// Builds the kernels for an architecture without a GPU. One image has all entries of the code. Throws Error, as
// Kernel::create does.
GRAFT_API Image build(const KernelCode& code, const KernelCallbacks& callbacks, Architecture architecture,
                      const Options& options = {});
GRAFT_API Image build(Engine& engine, const KernelCode& code, const KernelCallbacks& callbacks,
                      Architecture architecture, const Options& options = {});

struct Dim3 {
  unsigned x = 1, y = 1, z = 1;
};

struct KernelLaunch {
  Dim3 grid = {};                  // thread blocks
  Dim3 block = {};                 // threads of each
  std::uint32_t shared_bytes = 0;  // dynamic shared memory of each thread block, up to the device's opt-in limit
  CUstream_st* stream = nullptr;   // as that of Transform::execute
  std::optional<Dim3> cluster = {};
  bool cooperative = false;
};

// What a launch compares of an argument's type with the kernel's symbol: whether a number or what a pointer points to
// is an integer or a floating-point number, and its size. Integers of one size are alike, and a pointer to bytes is
// like every pointer. All other types are Unknown.
struct ArgumentType {
  enum Number : std::uint8_t { Unknown, Integer, Float };
  Number number = Unknown;
  bool is_pointer = false;
  std::uint8_t size = 0;  // of the number
  bool operator==(const ArgumentType&) const = default;

  template <class T>
  static constexpr ArgumentType of() noexcept {
    using Value = std::remove_cv_t<T>;
    using Pointee = std::remove_cv_t<std::remove_pointer_t<Value>>;
    const Number number = std::is_floating_point_v<Pointee> ? Float : std::is_integral_v<Pointee> ? Integer : Unknown;
    if constexpr (std::is_floating_point_v<Pointee> || std::is_integral_v<Pointee>)
      return {number, std::is_pointer_v<Value>, sizeof(Pointee)};
    else return {Unknown, std::is_pointer_v<Value>, 0};
  }
};

// One argument of a launch. It points to the value, so it is for use as a function's argument only.
struct KernelArgument {
  const void* bytes = nullptr;
  std::size_t size = 0;
  std::size_t alignment = 1;
  ArgumentType type = {};

  KernelArgument() = default;
  template <class T>
  KernelArgument(const T& value) noexcept
      : bytes(std::addressof(value)), size(sizeof(T)), alignment(alignof(T)), type(ArgumentType::of<T>()) {
    static_assert(std::is_trivially_copyable_v<T>, "graft: a kernel's argument must be trivially copyable");
  }
  KernelArgument(const void* value, std::size_t value_bytes) noexcept : bytes(value), size(value_bytes) {}
};

// What a kernel has on the current context's device. Registers and local memory depend on the callbacks.
struct KernelAttributes {
  int max_block_threads = 0;  // of a thread block, by launch bounds and registers
  int registers = 0;          // of a thread
  std::size_t static_shared_bytes = 0;
  std::size_t most_dynamic_shared_bytes = 0;  // KernelLaunch::shared_bytes can be as large
  std::size_t local_bytes = 0;                // local memory of a thread
};

// A handle, cheap to copy and safe to use from many threads.
class GRAFT_API Kernel {
 public:
  // clang-format off
  Kernel() = delete;  // graft: a Kernel has its code from the start; use std::optional<graft::Kernel>
  // clang-format on
  Kernel(const Kernel&) = default;
  Kernel& operator=(const Kernel&) = default;

  // Compiles, links and loads, and prepares the current context or, if there is none, the primary context of device 0,
  // or the primary contexts of options.devices. Equal requests share one image, in memory and through the cache on
  // disk. Thread-safe.
  //
  // The route is lto, by which callbacks are inlined. Without nvJitLink it is program if the code and its callbacks are
  // source: NVRTC compiles them as one text, which has no slots that are extern "C". Options::routes may require ptx,
  // by which the code is PTX and callbacks are called. There is no indirect route and no host route.
  //
  // Throws Error:
  //
  //   NoSuchEntry           the code has no such kernel, or none; it has no slot of this name
  //   SlotEmpty             a slot that is neither optional nor has a default got no callback: the kernel calls a
  //                         function that nothing defines; a constant got no value
  //   SignatureMismatch     callback and slot do not fit: both are shown
  //   UnsupportedParameter  a class is passed by value that the callback does not define alike
  //   InvalidArgument       a slot filled twice; a constant that the kernel does not declare; an option that own
  //                         kernels do not have
  //   CompileFailed, LinkFailed, ToolMissing, ToolTooOld, RouteUnavailable, ImageRefused, DriverFailed, NoDevice
  static Kernel create(const KernelCode& code, const KernelCallbacks& callbacks, const Options& options = {});
  static Kernel create(Engine& engine, const KernelCode& code, const KernelCallbacks& callbacks,
                       const Options& options = {});

  // Does what create does, on a worker thread of the engine, as Transform::create_async.
  static Pending<Kernel> create_async(const KernelCode& code, const KernelCallbacks& callbacks,
                                      const Options& options = {});
  static Pending<Kernel> create_async(Engine& engine, const KernelCode& code, const KernelCallbacks& callbacks,
                                      const Options& options = {});

  // Queues one launch and returns. Allocates nothing and never locks, compiles or synchronises, so it can be captured
  // into a graph. Before launching it checks the number of arguments and the size of each; that its alignment fits its
  // place among the kernel's parameters; and, unless the kernel is extern "C", that a number is no integer for a
  // floating-point number and that a pointer points to such numbers as the kernel's. Throws Error: CountMismatch,
  // TypeMismatch, InvalidArgument (an empty grid or block; a kernel of several entries of which entry() chose none),
  // NotPrepared, LaunchFailed (what the driver refuses, such as more threads than the kernel's launch bounds). When it
  // throws, nothing was launched.
  template <class... T>
  void launch(const KernelLaunch& how, const T&... arguments) const {
    const std::array<KernelArgument, sizeof...(T)> all{KernelArgument(arguments)...};
    launch_arguments(how, all);
  }
  void launch_arguments(const KernelLaunch& how, std::span<const KernelArgument> arguments) const;

  // Returns a handle whose launch means this entry, by its name or symbol. Throws Error(NoSuchEntry).
  Kernel entry(std::string_view name) const;

  // For launches of the caller's own: the function of the entry in the current context, and the handle that serves
  // every context, which is a cudaKernel_t for cudaLaunchKernelExC too. function() throws Error(NotPrepared).
  CUfunc_st* function() const;
  CUkern_st* handle() const;

  // Throws Error(NotPrepared).
  KernelAttributes attributes() const;

  // How many thread blocks of this size a multiprocessor of the current context's device runs at the same time.
  // Registers depend on the callbacks, so ask after create. Throws Error: NotPrepared, DriverFailed.
  int blocks_per_multiprocessor(const Dim3& block, std::size_t shared_bytes = 0) const;

  // Prepares a device's primary context, or the current context. Builds first if there is no image for its
  // architecture. Thread-safe.
  void prepare(int device) const;
  void prepare_current() const;

  // A __device__ or __constant__ variable of the kernel or of a callback, in the current context. The linker drops
  // variables that nothing reads. Throws Error: NoSuchSymbol, NotPrepared.
  DeviceSymbol symbol(std::string_view name) const;

  // The entries of the image that create made, its report, which says how each slot was filled, and the image.
  const std::vector<KernelEntry>& entries() const noexcept;
  const Report& report() const noexcept;
  const Image& image() const noexcept;

  class Impl;

 private:
  Kernel(std::shared_ptr<Impl> impl, std::optional<std::size_t> entry) : impl_(std::move(impl)), entry_(entry) {}
  std::size_t chosen() const;
  std::shared_ptr<Impl> impl_;
  std::optional<std::size_t> entry_;  // none: the only one
};

}  // namespace graft
