// The steps with which own kernels are built, before the link: their code as LTO-IR, with its shape, and the function
// of each slot (slot_fill.cpp). slot_route.cpp links them to an image, slot_whole.cpp compiles both as one program, and
// slot_packs.cpp puts them into packs.
#pragma once

#include <cstddef>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compile/device_compile.hpp"
#include "compile/open_tools.hpp"
#include "core/image_data.hpp"
#include "families/own_kernels.hpp"
#include "format/pack.hpp"
#include "graft/kernel.hpp"
#include "link/callback_binary.hpp"
#include "own_kernels/code_cache.hpp"
#include "own_kernels/headers_apart.hpp"
#include "own_kernels/packed.hpp"
#include "own_kernels/slot_program.hpp"
#include "routes/stopwatch.hpp"
#include "toolchain/nvjitlink.hpp"

namespace graft::routes {

class SlotBuild {
 public:
  // Opens the tools, for a request whose callback is a composition of the kind Slots. The arguments must outlive it.
  // All functions throw Error.
  SlotBuild(const Step& step, Architecture architecture, const Options& options, const compile::Toolbox& toolbox,
            const plan::HeaderScan* scan);

  // How the kernel is made: linked from LTO-IR, or from PTX and LTO-IR (ptx), or compiled as one program.
  Route route() const noexcept { return image_.report.kernel.route; }

  // Compiles and reads the code of the kernels, or takes what a pack or another build has of it.
  const own_kernels::CodeShape& read(own_kernels::CodeCache* cache);
  const std::string& compiler_log() const noexcept { return read_->log; }  // of the code
  // The inputs of the linker that are the code. Views.
  const std::vector<toolchain::LinkInput>& code_inputs() const noexcept { return code_inputs_; }

  struct Filled {
    const own_kernels::Slot* slot;
    const Callback* callback;
    Inlining inlining;
    bool is_default;
    std::size_t number;  // of the callback in the image
  };
  // Finds the slot of each callback: those of the request, and then the defaults of slots that are empty.
  std::vector<Filled> match(const own_kernels::CodeShape& shape) const;
  // Returns the symbols of the optional slots that stay empty. Throws Error(SlotEmpty) if another slot is not filled.
  std::vector<std::string> empty_slots(const own_kernels::CodeShape& shape, const std::vector<Filled>& filled) const;
  // By the route ptx: makes functions of them, which are never called, because a link of PTX keeps each call.
  void define_empty(const std::vector<std::string>& symbols);

  // The function of a slot.
  struct Part {
    base::Bytes code = {};                            // LTO-IR; by the route program, PTX for checks only
    own_kernels::SlotFunction function = {};          // not for a pack
    std::vector<toolchain::LinkInput> binaries = {};  // of a compiled callback, and link inputs
    std::string log = {};
    std::string title = {};  // of the callback
    std::string how = {};    // why it is called and not inlined, if graft or the author decided so
    own_kernels::CallbackType::Layout state = {};
    bool has_headers_apart = false;  // own_kernels/headers_apart.hpp
  };
  // Checks that the callback fits and compiles the function. Thread-safe for different callbacks.
  Part fill(const Filled& filled, own_kernels::SlotBody body = own_kernels::SlotBody::Call);
  // The callbacks that are filled from now on have the headers that the kernel has.
  void share_headers() {
    keeps_headers_apart_ = false;
    begun_.clear();
  }
  // Begins to read the types of the request's callbacks, while read() compiles and reads the code. fill() waits for it.
  void begin_to_read_types();

  // The values of the code's constants: whether optional slots are filled, those of the request and then the author's.
  // Throws Error(SlotEmpty) if one has none.
  std::vector<own_kernels::Value> values(const own_kernels::CodeShape& shape, const std::vector<Filled>& filled) const;
  // Compiles definitions of constants to LTO-IR.
  base::Bytes compile(const std::vector<own_kernels::Value>& values) const;
  // By the route program: compiles the code, the functions of the slots and the constants as one program.
  toolchain::LinkResult compile_whole(const std::vector<Part>& parts, const std::vector<own_kernels::Value>& values);
  // Returns the definition that the pack of the code has, or nothing.
  std::optional<toolchain::LinkInput> packed(const own_kernels::Value& value) const;

  // Returns the finished kernel that the pack of the code has for exactly this request, or null.
  const format::PackPart* finished() const;
  const format::Pack& pack() const { return pack_.value(); }
  const format::PackedKernel& packed_kernel() const { return pack_->jobs.front().kernels.front(); }

  const Callback& code() const noexcept { return code_; }
  const families::AskedKernels& asked() const noexcept { return asked_; }
  const compile::OpenTools& tools() const noexcept { return tools_; }
  Image::Data& image() noexcept { return image_; }
  Stopwatch& watch() noexcept { return watch_; }

  [[noreturn]] void fail_link(const toolchain::LinkResult& result, const std::string& message) const;

 private:
  // A callback's type and size, and the lowered name of the probe for its symbol if it is compiled.
  struct Typed {
    codegen::SourceProgram program;
    own_kernels::CallbackType type;
    std::size_t instructions = 0;  // in PTX
    std::string symbol_probe = {};
    std::shared_ptr<const own_kernels::HeadersApart> apart = {};  // with which it was compiled, or null
  };
  Typed read_types(const Callback& callback, std::size_t number) const;
  Typed read_types(const Callback& callback, std::size_t number,
                   std::shared_ptr<const own_kernels::HeadersApart> apart) const;
  Typed types_for(const Filled& filled);
  Typed compiled_types_for(const Filled& filled);
  compile::OpenTools tools_for(const Callback& callback, const own_kernels::HeadersApart* apart) const;

  void open();
  void choose_route();
  bool is_compiled_before() const;
  compile::OpenTools with_compiler(const std::string& for_what) const;
  Step code_alone() const;
  std::string key() const;
  void check_material() const;
  std::vector<std::string> entry_expressions() const;
  compile::DeviceCompiler::Named compile_source() const;
  base::Bytes linked_to_ptx(const std::vector<toolchain::LinkInput>& inputs) const;
  own_kernels::ReadCode find_or_make_code(own_kernels::CodeCache* cache);
  own_kernels::ReadCode make_code();
  using Facts = std::map<std::string, std::string>;  // by a slot's name: what own_kernels::read_slot_facts reads
  std::vector<std::string> probe_facts(std::vector<std::string> probes) const;
  Facts guess_facts() const;
  void read_facts(own_kernels::CodeShape& shape);
  void read_packed();
  Part take_packed(const Filled& filled) const;
  std::vector<toolchain::LinkInput> inputs_with(const base::Bytes& code) const;

  const std::vector<std::optional<Callback>>& parts_;
  const Callback& code_;
  const families::AskedKernels asked_;
  const Architecture architecture_;
  const Options& options_;
  const compile::Toolbox& toolbox_;
  Image::Data image_;
  Stopwatch watch_;
  compile::OpenTools tools_;
  std::optional<format::Pack> pack_;  // of the code
  link::CallbackBinary binary_;       // of the code
  own_kernels::CodeCache::Pointer read_;
  std::vector<toolchain::LinkInput> code_inputs_;
  std::string with_empty_slots_;  // the code by the route ptx, if it has any
  bool keeps_headers_apart_ = true;
  std::vector<std::shared_future<Typed>> begun_;  // by the callback's number; not valid if it was not begun
  std::future<Facts> guessed_facts_;              // not valid if they were not begun, or have been read
};

// ---- slot_packs.cpp ----

// Makes the pack of a kernel's code, or of a callback for its slot, as the step's request says. The architectures must
// be sorted.
base::Bytes precompile_slots(const Step& step, const std::vector<Architecture>& architectures, PrecompileFormat format,
                             const Options& options, const compile::Toolbox& toolbox);

}  // namespace graft::routes
