// A callback: the user's device function, with what is needed to find it. A value; cheap to copy.
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
#include <graft/tuning.hpp>

namespace graft {

// What a callback's bytes are.
enum class Form : std::uint8_t {
  Source,       // CUDA C++
  LtoIr,        // LTO-IR, as `nvcc -dlto` and NVRTC's `-dlto` make it
  Fatbin,       // LTO-IR, PTX and machine code in one container, for one architecture or many
  Ptx,          // PTX text, compiled with -rdc=true, so that its functions can be called from outside
  Object,       // a relocatable cubin (`nvcc -cubin -rdc=true`), an object of `nvcc -dc`, or an archive of either
  Composition,  // several callbacks made into one: graft::chain, graft::Stages
  Pack,         // what Callback::precompile made: signature, and images for many architectures
  Nvvm,         // NVVM IR, as text or bitcode
};

// "source", "LTO-IR", "fatbin", "PTX", "object", "composition", "pack", "NVVM IR".
GRAFT_API std::string_view name(Form form) noexcept;

// Whether CUDA's device library (__nv_expf, ...) is linked to NVVM IR.
enum class Libdevice : std::uint8_t { Without, With };

struct Stages;

class GRAFT_API Callback {
 public:
  // CUDA C++ source. Implicit, so that Transform::create takes a string literal. The text either defines __device__
  // functions, or is a lambda expression: `[](float x) { return 2 * x; }`.
  Callback(const char* source);
  Callback(std::string source);
  Callback(std::string_view source);

  // A load callback, an op and a store callback in one: Transform::create(graft::Stages{.load = ..., .op = ...}).
  Callback(const Stages& stages);

  // Copies share their content. No move operations: a move is a copy, so that a callback that was moved from stays
  // what it was and can be used on.
  Callback(const Callback&) = default;
  Callback& operator=(const Callback&) = default;

  // The same with a name, which compiler messages and line info show. Here and below, a null pointer to text is
  // Error(InvalidArgument).
  static Callback source(std::string text, std::string name = "callback.cu");
  static Callback source(const char* text, std::string name = "callback.cu");

  // Compiled callbacks. A binary does not say what its functions look like, so each needs a signature, and the name of
  // the function, which stands in the signature or is the entry:
  //
  //     Callback::ltoir(bytes).with_signature("extern \"C\" float f(float, float)")
  //     Callback::ptx(text).with_signature(Signature::of<float(float)>()).with_entry("f")
  //
  // The text is compiled as it stands, so it defines the structs that it uses: "struct S { float a; }; float f(S)". A
  // function without extern "C" is looked for by its mangled name, in which its parameter types stand; an entry that
  // begins with _Z is such a name. There a 64-bit integer is `long` or `long long`, by compiler: either is found, the
  // declared one first. Under extern "C" nothing tells the linker when the signature is wrong: graft compares what PTX
  // and cubins show.
  //
  // Bytes are copied. LTO-IR, cubins and objects are trusted input: damaged ones can crash NVIDIA's linker.
  static Callback ltoir(std::span<const std::byte> bytes, std::string name = "callback.ltoir");
  static Callback fatbin(std::span<const std::byte> bytes, std::string name = "callback.fatbin");
  static Callback ptx(std::string text, std::string name = "callback.ptx");
  static Callback ptx(const char* text, std::string name = "callback.ptx");
  static Callback object(std::span<const std::byte> bytes, std::string name = "callback.o");

  // NVVM IR, which libNVVM compiles to LTO-IR. Needs a signature and the function's name like the compiled ones.
  // References are pointers there, and structs by value are values of their struct type, without byval.
  static Callback nvvm(std::span<const std::byte> bitcode, Libdevice libdevice = Libdevice::Without,
                       std::string name = "callback.bc");
  static Callback nvvm(std::string_view text, Libdevice libdevice = Libdevice::Without,
                       std::string name = "callback.ll");
  static Callback nvvm(const char* text, Libdevice libdevice = Libdevice::Without, std::string name = "callback.ll");

  // A callback compiled ahead of time, with its signature. Options that were given to precompile are the pack's: what
  // create is given besides the defaults must agree. Bytes are copied. Throws Error(ImageRefused) for a pack that is
  // damaged, cut off, or of a newer format.
  static Callback pack(std::span<const std::byte> bytes, std::string name = "callback.graft");

  // A file of any form, told by its content: its name plays no part. Text that is nothing else is CUDA C++. Compiled
  // forms need a signature, as above; NVVM IR is linked without the device library. Regular files and pipes of up to
  // 1 GiB are read. Throws Error: FileUnreadable, ImageRefused.
  static Callback file(const std::filesystem::path& path);
  static Callback file(const char* path);

  // Copies that name the entry (see Options::entry), or declare the signature: "float(float, float)". For a source it
  // picks one function of an overload set, and create fails when the source says otherwise.
  Callback with_entry(std::string entry) const;
  Callback with_entry(const char* entry) const;
  Callback with_signature(std::string signature) const;
  Callback with_signature(const char* signature) const;
  Callback with_signature(const Signature& signature) const;

  // A copy that says which floating-point options the callback is to be compiled with, or was. They become the
  // kernel's; parts of a composition that declare others, or Options::floating_point that is neither the default nor
  // equal, are Error(InvalidArgument) at create.
  Callback with_floating_point(const FloatingPoint& floating_point) const;

  // A copy that is for kernels of another family than elementwise transforms, and for these numbers of it: the create
  // of a family makes it, and gives it to Transform::create. Of a pack, its own family holds. Error(InvalidArgument) at
  // create for a family that graft does not have.
  Callback for_family(std::string family, Tuning asked) const;

  // Compiled ahead of time, with the tools of Engine::shared(): see precompile.hpp.
  std::vector<std::byte> precompile(const std::vector<Architecture>& architectures,
                                    PrecompileFormat format = PrecompileFormat::Pack,
                                    const Options& options = {}) const;

  Form form() const noexcept;
  const std::string& text() const noexcept;  // the source or PTX; of other forms the bytes
  std::span<const std::byte> bytes() const noexcept;
  const std::string& name() const noexcept;
  const std::string& entry() const noexcept;
  const std::string& signature() const noexcept;
  // Declared by types rather than by text, with their layouts.
  const std::optional<Signature>& typed_signature() const noexcept;
  Libdevice libdevice() const noexcept;  // of NVVM IR
  const std::optional<FloatingPoint>& floating_point() const noexcept;

  const std::string& family() const noexcept;  // "elementwise"
  const Tuning& asked() const noexcept;

  // Same form, text, name, entry, signature (by text and by types), floating-point options, parts, device library and
  // family.
  bool operator==(const Callback& other) const noexcept;

  // Of text, name, entry, signature and parts, computed when the callback was made, so that asking for a kernel made
  // before is cheap.
  std::uint64_t hash() const noexcept { return hash_; }

  // Whether its text, entry or signature could #include something, so that its meaning may depend on the working
  // folder; computed when the callback was made. Errs on the side of yes.
  bool can_include() const noexcept { return can_include_; }

  // What a composition is made of. Null for any other form.
  struct Composition;
  const Composition* composition() const noexcept;

 private:
  struct Data;
  static Callback made_of(Form form, std::string bytes, std::string name);
  explicit Callback(std::shared_ptr<const Data> data);
  friend GRAFT_API Callback chain(const std::vector<Callback>& parts);
  std::shared_ptr<const Data> data_;
  std::uint64_t hash_;
  bool can_include_;
};

// Callbacks with the signatures of cuFFT's load and store callbacks around an op, all in one kernel:
//
//     T f(void* data, unsigned long long offset, void* caller_info, void* shared)                       load
//     void f(void* data, unsigned long long offset, T element, void* caller_info, void* shared)         store
//
// The load callback makes the op's first input: `data` is the first input array's pointer, `offset` the element's
// index, `caller_info` what execute was given (graft::CallerInfo), `shared` the dynamic shared memory that Options asks
// for, or null. The store callback takes the op's first output. Both move their own data, one element per call; other
// arrays move as ever. Without an op, elements go from load to store as they are. The same callbacks, unchanged, serve
// cuFFT.
struct Stages {
  std::optional<Callback> load = {};
  std::optional<Callback> op = {};
  std::optional<Callback> store = {};
};

// One callback out of several: chain(a, b, c) computes c(b(a(x...))) for each element, with nothing in between in
// memory. A part's outputs are the first inputs of the next, of the same type (or structs of the same size and
// alignment); what a part takes besides becomes an input of the chain, in order. Parts may take the index. The states
// of several parts are given as one struct with them as members, in order; one state as it is.
//
// Each source is kept in a namespace of its own, so equal names do not meet; its #include lines must stand in front of
// everything else, and `::name` does not find its own functions. A part is compiled once, however often it stands in
// the chain. Parts: 1 to 8, no compositions with load and store callbacks. Throws Error(InvalidArgument).
GRAFT_API Callback chain(const std::vector<Callback>& parts);
template <class... More>
Callback chain(const Callback& first, const Callback& second, const More&... more) {
  return chain(std::vector<Callback>{first, second, more...});
}

struct Callback::Composition {
  enum Kind : std::uint8_t { Chain, Staged };
  Kind kind = Chain;
  std::vector<std::optional<Callback>> parts;  // of Staged: load, op, store
  bool operator==(const Composition&) const = default;
};

}  // namespace graft
