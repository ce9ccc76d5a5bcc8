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

#include <graft/export.hpp>
#include <graft/signature.hpp>

namespace graft {

// What a callback's bytes are.
enum class Form : std::uint8_t {
  Source,  // CUDA C++
  LtoIr,   // LTO-IR, as `nvcc -dlto` and NVRTC's `-dlto` make it
  Fatbin,  // LTO-IR, PTX and machine code in one container, for one architecture or many
  Ptx,     // PTX text, compiled with -rdc=true, so that its functions can be called from outside
  Object,  // a relocatable cubin (`nvcc -cubin -rdc=true`), an object of `nvcc -dc`, or an archive of either
};

// "source", "LTO-IR", "fatbin", "PTX", "object".
GRAFT_API std::string_view name(Form form) noexcept;

class GRAFT_API Callback {
 public:
  // CUDA C++ source. Implicit, so that Transform::create takes a string literal. The text either defines __device__
  // functions, or is a lambda expression: `[](float x) { return 2 * x; }`.
  Callback(const char* source);
  Callback(std::string source);
  Callback(std::string_view source);

  // The same with a name, which compiler messages and line info show.
  static Callback source(std::string text, std::string name = "callback.cu");

  // Compiled callbacks. A binary does not say what its functions look like, so each needs a signature, and the name of
  // the function, which stands in the signature or is the entry:
  //
  //     Callback::ltoir(bytes).with_signature("struct S { float a; }; extern \"C\" __device__ float f(float, const
  //     S&)") Callback::ptx(text).with_signature(Signature::of<float(float)>()).with_entry("f")
  //
  // The text is compiled as it stands, so it defines the structs that it uses. A function without extern "C" is looked
  // for by its mangled name, in which its parameter types stand; an entry that begins with _Z is such a name. Under
  // extern "C" nothing tells the linker when the signature is wrong: graft compares what PTX shows.
  //
  // Bytes are copied. LTO-IR, cubins and objects are trusted input: damaged ones can crash NVIDIA's linker.
  static Callback ltoir(std::span<const std::byte> bytes, std::string name = "callback.ltoir");
  static Callback fatbin(std::span<const std::byte> bytes, std::string name = "callback.fatbin");
  static Callback ptx(std::string text, std::string name = "callback.ptx");
  static Callback object(std::span<const std::byte> bytes, std::string name = "callback.o");

  // A source file. Throws Error(FileUnreadable).
  static Callback file(const std::filesystem::path& path);

  // Copies that name the entry (see Options::entry), or declare the signature: "float(float, float)". For a source it
  // picks one function of an overload set, and create fails when the source says otherwise.
  Callback with_entry(std::string entry) const;
  Callback with_signature(std::string signature) const;
  Callback with_signature(const Signature& signature) const;

  Form form() const noexcept;
  const std::string& text() const noexcept;  // the source or PTX; of other forms the bytes
  std::span<const std::byte> bytes() const noexcept;
  const std::string& name() const noexcept;
  const std::string& entry() const noexcept;
  const std::string& signature() const noexcept;
  // Declared by types rather than by text, with their layouts.
  const std::optional<Signature>& typed_signature() const noexcept;

  // Same text, name, entry and signature.
  bool operator==(const Callback& other) const noexcept;

  // Of all of them, computed when the callback was made, so that asking for a kernel made before is cheap.
  std::uint64_t hash() const noexcept { return hash_; }

 private:
  struct Data;
  static Callback made_of(Form form, std::string bytes, std::string name);
  explicit Callback(std::shared_ptr<const Data> data);
  std::shared_ptr<const Data> data_;
  std::uint64_t hash_;
};

}  // namespace graft
