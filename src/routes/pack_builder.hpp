// Makes the pack of one kernel. The form of the callback decides what the pack contains:
//
//     source         LTO-IR of callback and adapter for each architecture; for the oldest architecture PTX of the whole
//                    kernel, and the PTX pair: the callback and its kernel as two PTX modules, which a linker joins
//     LTO-IR         the adapter's LTO-IR for each architecture, and the callback's own LTO-IR
//     composition    the same as for a source, but without the PTX pair; if one of its callbacks is LTO-IR, the same as
//                    for LTO-IR
//     PTX            the PTX pair only: the callback's own PTX, and PTX of the kernel
//     with link inputs (Callback::with_link_input): the LTO-IR of the callback, the adapter and the link inputs, if all
//                    of them are LTO-IR or source
//     other forms    finished kernels only
//
// On request, a finished kernel (a cubin) for each architecture is added.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "codegen/source_program.hpp"
#include "compile/device_compile.hpp"
#include "compile/open_tools.hpp"
#include "core/step.hpp"
#include "families/registry.hpp"
#include "format/pack.hpp"
#include "graft/image.hpp"

namespace graft::routes {

// Makes one pack. Holds references to the constructor's arguments, which must outlive the PackBuilder.
class PackBuilder {
 public:
  // The architectures must be sorted. The constructor and build() throw Error.
  PackBuilder(const Step& step, const std::vector<Architecture>& architectures, const Options& options,
              const compile::Toolbox& toolbox);

  base::Bytes build(bool with_cubins);

 private:
  compile::DeviceCompiler compiler(const codegen::SourceProgram& program, Architecture architecture) const;
  families::Decided decide(Architecture architecture, Route route) const;
  // Returns PTX of `kernel`, compiled from the program `caller`, which calls the callback. If the kernel needs local
  // memory that its lighter variant does not need, returns PTX of the lighter variant and sets `kernel` to the
  // description of this variant. The choice is made here, because the pack contains only one of the two.
  base::Bytes best_ptx(const codegen::SourceProgram& caller, KernelSpec& kernel, compile::CodeKind kind) const;
  void add(format::PackPartKind kind, Architecture architecture, base::Bytes bytes,
           std::optional<format::PartFacts> facts = {});
  Signature learn_signature(bool has_ltoir);
  void add_ltoir();
  void add_whole_program();
  void add_source_pair();
  void add_ptx_pair();
  void add_cubins();
  // Sets all members of kernel_ that its parts share, except the signature.
  void fill_shared_facts();

  const Step& step_;
  const Callback& callback_;
  const std::vector<Architecture>& architectures_;
  const Options& options_;
  const compile::Toolbox& toolbox_;
  compile::OpenTools tools_;
  codegen::SourceProgram program_;
  format::PackedKernel kernel_;
  // LTO-IR for the oldest architecture, if the compile that confirmed the signature made LTO-IR too.
  std::optional<compile::Compiled> oldest_ltoir_;
  std::deque<base::Bytes> bytes_;  // the parts of kernel_ are views of these bytes
};

// Throws Error(LinkFailed) if a kernel must not be put into a pack, because the linker did not optimise it.
void check_storable(const Image::Data& image, const std::string& title);

// Adds the tools that made a part to those of the kernel, each once.
void add_tools(const Report& report, format::PackedKernel& kernel);

// Returns what a pack says of a finished kernel.
format::PartFacts facts_of(const Report& report);

}  // namespace graft::routes
