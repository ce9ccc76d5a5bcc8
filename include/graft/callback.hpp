// A callback: the user's device function, with what is needed to find it. A value; cheap to copy.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include <graft/export.hpp>
#include <graft/signature.hpp>

namespace graft {

class GRAFT_API Callback {
 public:
  // CUDA C++ source. Implicit, so that Transform::create takes a string literal. The text either defines __device__
  // functions, or is a lambda expression: `[](float x) { return 2 * x; }`.
  Callback(const char* source);
  Callback(std::string source);
  Callback(std::string_view source);

  // The same with a name, which compiler messages and line info show.
  static Callback source(std::string text, std::string name = "callback.cu");

  // A source file. Throws Error(FileUnreadable).
  static Callback file(const std::filesystem::path& path);

  // Copies that name the entry (see Options::entry), or declare the signature: "float(float, float)". A declared
  // signature picks one function of an overload set, and create fails when the source says otherwise.
  Callback with_entry(std::string entry) const;
  Callback with_signature(std::string signature) const;
  Callback with_signature(const Signature& signature) const { return with_signature(signature.text()); }

  const std::string& text() const noexcept;
  const std::string& name() const noexcept;
  const std::string& entry() const noexcept;
  const std::string& signature() const noexcept;

  // Same text, name, entry and signature.
  bool operator==(const Callback& other) const noexcept;

  // Of all of them, computed when the callback was made, so that asking for a kernel made before is cheap.
  std::uint64_t hash() const noexcept { return hash_; }

 private:
  struct Data;
  explicit Callback(std::shared_ptr<const Data> data);
  std::shared_ptr<const Data> data_;
  std::uint64_t hash_;
};

}  // namespace graft
