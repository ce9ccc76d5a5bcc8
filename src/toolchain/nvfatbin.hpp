// libnvfatbin, NVIDIA's library that puts device code for several architectures into one fatbin.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "core/version.hpp"
#include "graft/architecture.hpp"

namespace graft::toolchain {

struct FatbinPart {
  enum Kind : std::uint8_t { LtoIr, Ptx };
  Kind kind = LtoIr;
  Architecture architecture;
  base::Bytes code;
};

struct FatbinResult {
  std::string failure;  // the call that failed and why; empty on success
  base::Bytes code;
};

// Thread-safe, because each call of make() has a handle of its own.
class NvFatbin {
 public:
  // `library` is a path or a soname. Returns null and sets `why` if the library cannot be opened or lacks a function.
  static std::shared_ptr<const NvFatbin> open(const std::filesystem::path& library, std::string& why);

  Version version() const noexcept { return version_; }
  const std::filesystem::path& path() const noexcept { return path_; }

  // `name` is the name of the source. libnvfatbin stores the name in the fatbin.
  FatbinResult make(const std::vector<FatbinPart>& parts, const std::string& name) const;

 private:
  struct Functions;
  std::shared_ptr<const Functions> functions_;
  Version version_;
  std::filesystem::path path_;
};

}  // namespace graft::toolchain
