// A shared library opened at run time, and closed never: the tools keep threads and tables of their own.
#pragma once

#include <filesystem>
#include <string>

namespace graft::toolchain {

class SharedLibrary {
 public:
  SharedLibrary() = default;

  // Opens a path, or a soname: the one that is loaded already, else from the folders that the loader searches. Not open
  // afterwards when that failed; failure() says why. A file that is cut off is not opened (library_file.hpp), and for a
  // soname nothing in a relative folder is: that would be the working folder's.
  static SharedLibrary open(const std::filesystem::path& name);

  // As the loader finds a soname, unless its path has a relative folder. For the driver: it is opened in each process,
  // so that 20 us for a look into ldconfig's cache count, and of several drivers the loader's own order chooses.
  static SharedLibrary open_by_loader(const std::string& soname);

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
  bool load(const std::filesystem::path& name, int flags = 0);
  bool load_file(const std::filesystem::path& file);
  void search(const std::string& soname);

  void* handle_ = nullptr;
  std::string failure_;
};

}  // namespace graft::toolchain
