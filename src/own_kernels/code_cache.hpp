// The code of own kernels that an engine has compiled and read: a second callback for the same kernel needs neither.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "base/bytes.hpp"
#include "base/single_flight.hpp"
#include "core/step.hpp"
#include "graft/architecture.hpp"
#include "graft/error.hpp"
#include "graft/options.hpp"
#include "own_kernels/code_shape.hpp"
#include "plan/header_scan.hpp"

namespace graft::own_kernels {

struct ReadCode {
  base::Bytes code = {};  // LTO-IR, or PTX for the route ptx; empty if the linker takes the author's bytes, or none
  CodeShape shape = {};
  std::string source = {};  // the text that was compiled
  std::string log = {};     // of the compiler
};

// What decides how code is compiled and read.
struct CodeRequest {
  const Step& step;  // the code without callbacks
  Architecture architecture;
  const Options& options;
  std::string tools;                // the versions of the compiler and the linker
  const plan::HeaderScan* headers;  // with which it is compiled, or null
};

// Keeps codes for other processes.
class CodeStore {
 public:
  virtual ~CodeStore() = default;
  virtual std::optional<ReadCode> find_code(const CodeRequest& request) = 0;
  virtual void keep_code(const CodeRequest& request, const ReadCode& code) = 0;
};

// Thread-safe. Keeps at most kMostKept codes that no build uses.
class CodeCache {
 public:
  using Pointer = std::shared_ptr<const ReadCode>;

  explicit CodeCache(CodeStore& store) : store_(store) {}
  CodeStore& store() const noexcept { return store_; }

  // Returns the code of this key, which is made once. Throws what `make` throws.
  template <class Make>
  Pointer find_or_make(const std::string& key, Make make) {
    const auto [code, found] = codes_.find_or_make(key, [&] { return std::make_shared<const ReadCode>(make()); });
    if (found == base::Found::Made) forget_unused(kMostKept);
    return code;
  }

  // Forgets the codes that no build uses, but for `kept` of them.
  void forget_unused(std::size_t kept = 0) {
    codes_.remove_if([&](const Pointer& code) {
      if (code.use_count() != 1) return false;
      if (kept == 0) return true;
      --kept;
      return false;
    });
  }

 private:
  static constexpr std::size_t kMostKept = 32;
  CodeStore& store_;
  base::SingleFlight<std::string, Pointer, Error> codes_;
};

}  // namespace graft::own_kernels
