// What goes into a pack.
//
//     of a source      LTO-IR of callback and adapter for each architecture; for the oldest one PTX of the whole
//     kernel,
//                      and the pair of callback and kernel that meet in a linker
//     of LTO-IR        the adapter's LTO-IR for each architecture, and the callback's own beside it
//     of compositions  the same as of a source, without the pair, or of LTO-IR where there is some among the parts
//     of PTX           the pair alone: the callback's own PTX, and the kernel's
//     of other forms   finished kernels alone
//
// and on request a finished kernel for each architecture.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "build/device_compile.hpp"
#include "build/open_tools.hpp"
#include "families/registry.hpp"
#include "format/pack.hpp"
#include "graft/callback.hpp"
#include "graft/image.hpp"
#include "reflect/source_program.hpp"

namespace graft::building {

// For one pack. Refers to all that it is made of.
class PackBuilder {
 public:
  // The architectures are sorted. Throws Error, as `build` does.
  PackBuilder(const Callback& callback, const std::vector<Architecture>& architectures, const Options& options,
              const Toolbox& toolbox);

  base::Bytes build(bool with_cubins);

 private:
  DeviceCompiler compiler(const reflect::SourceProgram& program, Architecture architecture) const;
  families::Decided decide(Architecture architecture, Route route) const;
  // PTX of the kernel, in which `caller` calls the callback; or of the lighter one, which `kernel` then is, where the
  // other needs local memory: nobody tries both where the pack is used.
  base::Bytes best_ptx(const reflect::SourceProgram& caller, KernelSpec& kernel, CodeKind kind) const;
  void add(format::PackImageKind kind, Architecture architecture, base::Bytes bytes,
           const format::PackKernel& kernel = {});
  Signature learn_signature(bool has_ltoir);
  void add_ltoir();
  void add_whole_program();
  void add_source_pair();
  void add_ptx_pair();
  void add_cubins();
  void describe();

  const Callback& callback_;
  const std::vector<Architecture>& architectures_;
  const Options& options_;
  const Toolbox& toolbox_;
  OpenTools tools_;
  reflect::SourceProgram program_;
  format::Pack pack_;
  std::optional<Compiled> oldest_ltoir_;  // of the first architecture, where it was made to learn the signature
  std::deque<base::Bytes> bytes_;         // that the pack's images view
};

}  // namespace graft::building
