// A shared library that is opened at run time. graft never closes a library, because NVIDIA's libraries have threads
// and global tables that would still be in use after dlclose.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>

namespace graft::toolchain {

class SharedLibrary {
 public:
  SharedLibrary() = default;

  // Opens a copy of the library in this file, as a second library with variables of its own. What other parts of the
  // process do to the library has no effect on the copy. The copy is a file in memory, which no other process can
  // change. All calls for the same file share one copy. path() is empty. On failure, is_open() is false and failure()
  // says why.
  static SharedLibrary open_copy(const std::filesystem::path& file);

  // Opens a library by its path or, if `name` has no folder, by its soname. For a soname, uses the library that the
  // process has already loaded under this soname. If no such library is loaded, searches the loader's folders except
  // relative folders, which would mean the working folder. Refuses a truncated file (library_file.hpp). On failure,
  // is_open() is false and failure() says why.
  static SharedLibrary open(const std::filesystem::path& name);

  // Opens the driver. The loader itself searches for the soname, so if the machine has several drivers, the loader's
  // search order decides which one is opened. If the loader's path has a relative folder, calls open() instead, which
  // skips relative folders. The driver has this function of its own because every process that uses graft opens the
  // driver, and open_by_loader saves the 20 us in which open() reads ldconfig's cache.
  static SharedLibrary open_by_loader(const std::string& soname);

  bool is_open() const noexcept { return handle_ != nullptr; }
  const std::string& failure() const noexcept { return failure_; }

  // The path of the opened file, as the loader reports it. Empty if no library is open.
  std::filesystem::path path() const;

  // Returns the address of the symbol, or null if the library has no such symbol.
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

// Loads the functions of a library as the initial values of a struct's members, and remembers the first function that
// the library lacks:
//
//     struct Functions {
//       SymbolLoader load;  // the first member
//       decltype(&::nvvmIRVersion) ir_version = load("nvvmIRVersion");
//     };
class SymbolLoader {
 public:
  struct Symbol {
    void* address;

    template <class Function>
    operator Function*() const noexcept {  // implicit, for the initial values
      return reinterpret_cast<Function*>(address);
    }
  };

  explicit SymbolLoader(SharedLibrary library)
      : SymbolLoader([owned = std::move(library)](const char* name) { return owned.find(name); }) {}
  // `find` returns the address of a function, or null.
  explicit SymbolLoader(std::function<void*(const char* name)> find) : find_(std::move(find)) {}

  Symbol operator()(const char* name) {
    void* const address = find_(name);
    if (address == nullptr && missing_.empty()) missing_ = name;
    return {address};
  }
  const std::string& missing() const noexcept { return missing_; }

 private:
  std::function<void*(const char* name)> find_;
  std::string missing_;
};

}  // namespace graft::toolchain
