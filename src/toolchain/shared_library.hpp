// A shared library that is opened at run time and never closed: NVIDIA's libraries have threads and global tables that
// would outlive a dlclose.
#pragma once

#include <filesystem>
#include <string>

namespace graft::toolchain {

class SharedLibrary {
 public:
  SharedLibrary() = default;

  // Opens the file at a path. A name without a folder is a soname: takes the library of that name that is already
  // loaded, else searches the loader's folders, without relative ones, which would mean the working folder. Refuses a
  // truncated file (library_file.hpp). On failure, is_open() is false and failure() says why.
  static SharedLibrary open(const std::filesystem::path& name);

  // For the driver. Leaves the search for the soname to the loader, whose own order decides between several drivers;
  // like open() if the loader's path has a relative folder. Every process that uses graft opens the driver, and this
  // saves the 20 us that open() takes to read ldconfig's cache.
  static SharedLibrary open_by_loader(const std::string& soname);

  bool is_open() const noexcept { return handle_ != nullptr; }
  const std::string& failure() const noexcept { return failure_; }

  // The path of the opened file, as the loader has it; empty when not open.
  std::filesystem::path path() const;

  // Null when the library has no such symbol.
  void* find(const char* symbol) const noexcept;
  template <class Function>
  bool load(Function*& function, const char* symbol) const noexcept {
    function = reinterpret_cast<Function*>(find(symbol));
    return function != nullptr;
  }

 private:
  bool load(const std::filesystem::path& name, int flags = 0);
  bool load_file(const std::filesystem::path& file);
  void search(const std::string& soname);

  void* handle_ = nullptr;
  std::string failure_;
};

}  // namespace graft::toolchain
