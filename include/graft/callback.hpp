// A Callback holds the user's device function as source or as a callback binary, with its name and signature.
//
// A Callback is an immutable value. Copies share their content, and any thread may use any copy. The functions of a
// Callback read and copy their arguments and compile nothing, except precompile. Transform::create and graft::build
// compile a callback.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <graft/export.hpp>
#include <graft/precompile.hpp>
#include <graft/signature.hpp>

namespace graft {

// The kind of a callback's bytes.
enum class Form : std::uint8_t {
  Source,       // CUDA C++
  LtoIr,        // LTO-IR, as `nvcc -dlto` and NVRTC's `-dlto` make it
  Fatbin,       // LTO-IR, PTX and machine code in one container, for one architecture or many
  Ptx,          // PTX text, compiled with -rdc=true so that other modules can call its functions
  Object,       // a relocatable cubin (`nvcc -cubin -rdc=true`), an object of `nvcc -dc`, or an archive of either
  Composition,  // several callbacks in one kernel: graft::chain, graft::Stages
  Pack,         // a .graft file, as Callback::precompile makes it: signature and code for several architectures
  Nvvm,         // NVVM IR, as text or bitcode
};

// Returns the name as messages and reports show it: "source", "LTO-IR", "fatbin", "PTX", "object", "composition",
// "pack", "NVVM IR".
GRAFT_API std::string_view name(Form form) noexcept;

// Whether NVVM IR is linked with libdevice, CUDA's library of mathematical functions (__nv_expf, ...).
enum class Libdevice : std::uint8_t { Without, With };

struct Stages;
class KernelCode;

class GRAFT_API Callback {
 public:
  // CUDA C++ source. These constructors are implicit, so that Transform::create accepts a string literal. The text
  // either defines __device__ functions, or is one lambda expression: `[](float x) { return 2 * x; }`.
  Callback(const char* source);
  Callback(std::string source);
  Callback(std::string_view source);

  // A composition of load, op and store callbacks: Transform::create(graft::Stages{.load = ..., .op = ...}).
  Callback(const Stages& stages);

  // Copies share their content. Callback has no move operations. A move therefore copies, and a moved-from callback is
  // unchanged.
  Callback(const Callback&) = default;
  Callback& operator=(const Callback&) = default;

  // Source with a file name for compiler messages and line info. Here and below, a null `const char*` throws
  // Error(InvalidArgument).
  static Callback source(std::string text, std::string name = "callback.cu");
  static Callback source(const char* text, std::string name = "callback.cu");

  // One of graft's ready-made callbacks (callbacks/README.md), whose texts are in the library: "gray_bt601", or an
  // instance of a template, "hann<float>". The name may begin with the namespace, graft::callbacks. Needs no file and
  // no option, and may be used in the closed mode, which trusts these texts. Throws Error(NoSuchEntry) for an unknown
  // name; the remedy lists names that are near.
  static Callback ready_made(std::string_view name);
  static Callback ready_made(const char* name);

  // Callback binaries. A binary does not contain its functions' C++ types, so declare the signature and name the
  // function, either in the signature or with with_entry:
  //
  //     Callback::ltoir(bytes).with_signature("extern \"C\" float f(float, float)")
  //     Callback::ptx(text).with_signature(Signature::of<float(float)>()).with_entry("f")
  //
  // The declaration is compiled unchanged, so it must define the structs that it uses: "struct S { float a; }; float
  // f(S)". Without extern "C", graft looks for the function's mangled name, which contains its parameter types; an
  // entry that begins with _Z is taken as a mangled name. Compilers disagree on whether a 64-bit integer is `long` or
  // `long long`, so graft tries the declared type first, then the other one. With extern "C" the linker cannot detect a
  // wrong signature; graft compares the number and sizes of the parameters with the function in the PTX or cubin.
  //
  // These functions copy the bytes. Pass only LTO-IR, cubins and objects that you trust, because damaged ones can crash
  // NVIDIA's linker.
  static Callback ltoir(std::span<const std::byte> bytes, std::string name = "callback.ltoir");
  static Callback fatbin(std::span<const std::byte> bytes, std::string name = "callback.fatbin");
  static Callback ptx(std::string text, std::string name = "callback.ptx");
  static Callback ptx(const char* text, std::string name = "callback.ptx");
  static Callback object(std::span<const std::byte> bytes, std::string name = "callback.o");

  // NVVM IR, which libNVVM compiles to LTO-IR. It needs a signature and the function's name, as callback binaries do.
  // In the IR, a reference parameter is a pointer, and a struct by value has its struct type, without the byval
  // attribute.
  static Callback nvvm(std::span<const std::byte> bitcode, Libdevice libdevice = Libdevice::Without,
                       std::string name = "callback.bc");
  static Callback nvvm(std::string_view text, Libdevice libdevice = Libdevice::Without,
                       std::string name = "callback.ll");
  static Callback nvvm(const char* text, Libdevice libdevice = Libdevice::Without, std::string name = "callback.ll");

  // A pack made by precompile. A pack contains the callback's signature and the options that were passed to precompile.
  // If create sets an option to something other than its default, the value must equal the value in the pack. The bytes
  // are copied. Throws Error(ImageRefused) for a pack that is damaged, truncated, or of a newer format.
  //
  // If the pack holds several callbacks (graft/pack.hpp), with_entry or Options::entry chooses one of them. create then
  // throws Error(AmbiguousEntry) if none is chosen and Error(NoSuchEntry) if there is none of this name; both list the
  // callbacks of the pack.
  static Callback pack(std::span<const std::byte> bytes, std::string name = "callback.graft");

  // Reads a file of any form. graft finds the form from the content and ignores the file's name; text that is neither
  // PTX nor NVVM IR is taken as CUDA C++. A callback binary also needs a signature, as described above. NVVM IR is
  // linked without libdevice. Reads regular files and pipes of up to 1 GiB. The folder of a source is set
  // (with_folder). Throws Error: FileUnreadable, ImageRefused.
  static Callback file(const std::filesystem::path& path);
  static Callback file(const char* path);

  // Returns a copy of a source in which `#include "x.h"` finds the file in this folder, as if the source were a file of
  // the folder. Options::headers take precedence; the working folder and Options::include_paths are searched
  // afterwards. A name that a macro forms is not searched in the folder. A relative folder is resolved against the
  // working folder now. An empty path removes the folder. The folder itself is not part of the kernel's identity on
  // disk, only the content of the headers.
  Callback with_folder(const std::filesystem::path& folder) const;

  // Return a copy of the callback with an entry function (see Options::entry) or with a declared signature, for
  // instance "float(float, float)". For source, the signature selects one function of an overload set, and create
  // throws SignatureMismatch if the source contradicts it.
  Callback with_entry(std::string entry) const;
  Callback with_entry(const char* entry) const;
  Callback with_signature(std::string signature) const;
  Callback with_signature(const char* signature) const;
  Callback with_signature(const Signature& signature) const;

  // Returns a copy that declares the floating-point options with which the callback must be compiled, or, for a binary,
  // was compiled. These options apply to the whole kernel. create throws Error(InvalidArgument) if another part of a
  // composition declares different options, or if Options::floating_point is neither the default nor equal to the
  // declared options.
  Callback with_floating_point(const FloatingPoint& floating_point) const;

  // Returns a copy that is linked with one more compiled binary: functions that the callback declares and calls, and
  // that were compiled elsewhere. The text declares them: "extern \"C\" __device__ float curve(float);".
  //
  //     Callback::file("shade.cu").with_link_input(Callback::file("curves.a"))
  //
  // `binary` is made by ltoir, fatbin, ptx, object or file; its entry and signature are not used. Link inputs of all
  // parts of a composition are linked together, each once; the source of a part declares functions of link inputs
  // extern "C", because graft puts each source into a namespace of its own.
  //
  //     route          what is linked
  //     lto            every form; the functions of LTO-IR are inlined, others are called (Report::remaining_calls)
  //     ptx, indirect  PTX and machine code
  //     program, host  nothing: these routes cannot build a callback with link inputs
  //
  // A pack takes link inputs that are LTO-IR; with other forms it can only hold finished kernels. create throws
  // Error(LinkFailed) if a called function is defined nowhere or, as far as graft can see, twice. As everywhere in C++,
  // no linker checks the result's type, or the types of an extern "C" function; graft compares their sizes where PTX
  // shows them. with_link_input throws Error(InvalidArgument) for other forms of `binary`, or if this callback is a
  // pack. Pass only binaries that you trust, because damaged ones can crash NVIDIA's linker.
  Callback with_link_input(const Callback& binary) const;

  // Compiles the callback ahead of time, with the tools of Engine::shared(): see precompile.hpp.
  std::vector<std::byte> precompile(const std::vector<Architecture>& architectures,
                                    PrecompileFormat format = PrecompileFormat::Pack,
                                    const Options& options = {}) const;

  Form form() const noexcept;
  const std::string& text() const noexcept;  // the source or PTX text; for any other form, its bytes as a string
  std::span<const std::byte> bytes() const noexcept;
  const std::string& name() const noexcept;
  const std::string& entry() const noexcept;
  const std::string& signature() const noexcept;
  const std::string& folder() const noexcept;  // absolute; empty unless set by with_folder or file
  // The signature that was declared as a graft::Signature, which contains sizes and alignments. Empty if no signature
  // was declared, or if it was declared as text.
  const std::optional<Signature>& typed_signature() const noexcept;
  Libdevice libdevice() const noexcept;  // used only for NVVM IR
  // The binaries that with_link_input added to this callback, and to the chains whose parts graft::chain took over;
  // without those of the parts.
  const std::vector<Callback>& link_inputs() const noexcept;
  const std::optional<FloatingPoint>& floating_point() const noexcept;

  // Compares form, text, name, folder, entry, signature (text and types), floating-point options, parts, libdevice and
  // link inputs.
  bool operator==(const Callback& other) const noexcept;

  // A hash of text, name, entry, signature and parts. Computed once, when the callback is made, so that finding a
  // kernel in memory is cheap.
  std::uint64_t hash() const noexcept { return hash_; }

  // Whether the text, entry or signature may contain an #include; the callback's meaning can then depend on the working
  // folder. Computed once, when the callback is made. True when graft's scan of the text cannot tell.
  bool can_include() const noexcept { return can_include_; }

  // The callbacks that this composition consists of (its parts). Null if this callback is not a composition.
  struct Composition;
  const Composition* composition() const noexcept;

 private:
  struct Data;
  static Callback made_of(Form form, std::string bytes, std::string name);
  explicit Callback(std::shared_ptr<const Data> data);
  friend GRAFT_API Callback chain(const std::vector<Callback>& parts);
  friend class KernelCode;
  friend Callback with_slots(const Callback& code, const std::vector<Callback>& callbacks);
  std::shared_ptr<const Data> data_;
  std::uint64_t hash_;
  bool can_include_;
};

// The stages of one kernel: a load callback, an op (an ordinary elementwise callback) and a store callback. Load and
// store callbacks have the signatures of cuFFT's callbacks:
//
//     T f(void* data, unsigned long long offset, void* caller_info, void* shared)                       load
//     void f(void* data, unsigned long long offset, T element, void* caller_info, void* shared)         store
//
// The load callback returns the op's first input. `data` is the pointer of the first input array, `offset` the index of
// the element, `caller_info` the pointer that was passed to execute (graft::CallerInfo), and `shared` the dynamic
// shared memory of Options::shared_bytes, or null. The store callback receives the op's first output, with the pointer
// of the first output array. Load and store callbacks access global memory themselves, one element per call; graft
// itself loads and stores the elements of all other arrays. Without an op, the loaded element is passed to the store
// callback. The same callbacks work unchanged with cuFFT; `offset` may be a size_t, as in those of cufftXtSetCallback.
struct Stages {
  std::optional<Callback> load = {};
  std::optional<Callback> op = {};
  std::optional<Callback> store = {};
};

// Makes one callback of several callbacks, which are called its parts. chain(a, b, c) computes c(b(a(x...))) for each
// element and keeps intermediate values in registers. The outputs of a part become the first inputs of the next part
// and must have the same types (or be structs of equal size and alignment). The remaining inputs of a part become
// further inputs of the chain, in order: for `float a(float x)` and `float b(float y, float z)`, chain(a, b) has the
// inputs x and z. Parts may take the index. If one part has a state, execute takes that state. If several parts have a
// state, execute takes one struct whose members are these states, in the order of the parts.
//
// Each source is put into a namespace of its own, so parts may define equal names. Therefore all #include lines must
// come first in a source, and `::name` does not find the source's own functions. Macros end with the source that
// defines them, with one exception: on the GPU, a macro of your own header that a source defines again is lost to the
// sources after it, because NVRTC cannot save macros. A part that occurs several times in a chain is compiled once.
//
// `parts` holds 1 to 8 callbacks, none of them with load or store callbacks. A part that is itself a chain is replaced
// by its own parts; it must not have a signature of its own (with_signature). Throws Error(InvalidArgument).
GRAFT_API Callback chain(const std::vector<Callback>& parts);
template <class... More>
Callback chain(const Callback& first, const Callback& second, const More&... more) {
  return chain(std::vector<Callback>{first, second, more...});
}

struct Callback::Composition {
  enum Kind : std::uint8_t { Chain, Staged, Slots };
  Kind kind = Chain;
  // For Chain: in order. For Staged: load, op and store, each may be empty. For Slots (graft::Kernel): the code of the
  // kernels, and then the callbacks.
  std::vector<std::optional<Callback>> parts;
  bool operator==(const Composition&) const = default;
};

}  // namespace graft
