// A shared library opened at run time, and closed never: the tools keep threads and tables of their own.
#pragma once

#include <filesystem>
#include <string>

namespace graft::toolchain {

class SharedLibrary {
 public:
  SharedLibrary() = default;

  // Opens a soname (searched by the loader) or a path. Not open afterwards when that failed; failure() says why.
  static SharedLibrary open(const std::filesystem::path& name);

  bool is_open() const noexcept { return handle_ != nullptr; }
  const std::string& failure() const noexcept { return failure_; }

  // The file that the loader found.
  std::filesystem::path path() const;

  // Null when the library has no such symbol.
  void* find(const char* symbol) const noexcept;
  template <class Function>
  bool load(Function*& function, const char* symbol) const noexcept {
    function = reinterpret_cast<Function*>(find(symbol));
    return function != nullptr;
  }

 private:
  void* handle_ = nullptr;
  std::string failure_;
};

}  // namespace graft::toolchain
