// Class Collector visits the units of device code in the file (device_code.hpp), and lists their kinds and functions.
// The Collector reads all code that is not compressed, so a file with a damaged unit is refused.
#include "format/binary_contents.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <utility>

#include "base/format.hpp"

namespace graft::format {
namespace {

// Returns the symbol of the kernel that a host stub (nvcc's host function that launches the kernel) launches; empty if
// `symbol` is not a host stub. For example, "_Z25__device_stub__Z6kernelPfPf" is the mangled name of a function whose
// name has the 25 letters "__device_stub__Z6kernelPf", so the kernel is "_Z6kernelPf".
std::string_view kernel_of_stub(std::string_view symbol) {
  constexpr std::string_view kStub = "__device_stub_";
  if (!symbol.starts_with("_Z")) return {};
  symbol.remove_prefix(2);
  std::size_t length = 0;
  const auto [end, failure] = std::from_chars(symbol.data(), symbol.data() + symbol.size(), length);
  if (failure != std::errc{}) return {};
  symbol.remove_prefix(static_cast<std::size_t>(end - symbol.data()));
  if (!symbol.starts_with(kStub)) return {};
  return symbol.substr(0, length).substr(std::min(kStub.size(), length));
}

class Collector : public CodeVisitor {
 public:
  Outcome<BinaryContents> collect(std::span<const std::byte> bytes) {
    const Outcome<FileKind> kind = file_kind(bytes);
    if (!kind) return kind.error();
    contents_.kind = *kind;
    contents_.functions_are_known = true;
    if (std::optional<CodeError> flaw = visit_code(*kind, bytes, CodeScope::Everything, *this)) {
      if (!flaw->member.empty()) flaw->error.message = base::format("{}: {}", flaw->member, flaw->error.message);
      return std::move(flaw->error);
    }
    contents_.functions.assign(functions_.begin(), functions_.end());
    return std::move(contents_);
  }

  std::optional<FormatError> visit(CodeUnit& unit) override {
    if (std::optional<FormatError> damage = read_code(unit)) return damage;
    if (unit.ptx) add_functions(*unit.ptx);
    else if (unit.cubin) add_functions(*unit.cubin);
    else contents_.functions_are_known = false;
    contents_.code.push_back(unit.code);
    return std::nullopt;
  }

  std::optional<FormatError> visit_object(const ElfFile& object) override {
    if (!object.is_relocatable)
      return FormatError{Flaw::Unfit, "this is a linked program or library, not an object file", 0};
    add_functions(object);
    return std::nullopt;
  }

  void skip(FileKind) override { contents_.functions_are_known = false; }

 private:
  void add_functions(const Ptx& ptx) {
    for (const PtxFunction& function : ptx.functions)
      if (function.is_callable()) functions_.emplace(function.name);
  }

  void add_functions(const ElfFile& file) {
    // For each kernel, a host object defines a function with the kernel's name and a stub. Omit both, because device
    // code can call neither the kernel nor its stub.
    std::set<std::string_view> kernels;
    for (const ElfFunction& function : file.functions) kernels.insert(kernel_of_stub(function.name));
    for (const ElfFunction& function : file.functions)
      if (!function.is_kernel && !kernels.contains(function.name) && kernel_of_stub(function.name).empty())
        functions_.emplace(function.name);
  }

  BinaryContents contents_;
  std::set<std::string_view> functions_;
};

}  // namespace

Outcome<BinaryContents> read_binary_contents(std::span<const std::byte> bytes) {
  return Collector().collect(bytes);
}

}  // namespace graft::format
