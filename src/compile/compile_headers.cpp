// Makes the lists of headers that compilers get. Each header has a name for #include and a text; the texts of graft's
// headers are embedded files (base/embedded.hpp). Class List puts the user's headers first, and omits a header of
// graft's if the user has a header of the same name.
#include "compile/compile_headers.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/byte_order_mark.hpp"
#include "base/embedded.hpp"
#include "base/format.hpp"
#include "compile/stand_in_headers.hpp"
#include "core/include_words.hpp"
#include "core/memory_headers.hpp"
#include "families/registry.hpp"
#include "reflect/callback/ready_made.hpp"
#include "reflect/text/quoted_names.hpp"

namespace graft::compile {
namespace {

// Whether the program may include the headers for half and bfloat16. If not, the list omits these headers, because
// every header in the list costs the compiler time.
bool may_need_half(const codegen::SourceProgram& program, const Options& options) {
  const reflect::SourceScan& scan = program.scan;
  return scan.mentions_half || scan.mentions_bfloat16 || scan.includes_half_header || scan.includes_bfloat16_header ||
         !options.headers.empty() || !options.include_paths.empty();
}

// Whether the program may include a file of ready-made callbacks: one of its texts does, or a header of the user's may.
// A ready-made file may include the headers for half.
bool may_include_ready_made(const codegen::SourceProgram& program, const Options& options) {
  const auto is_ready_made = [](std::string_view spelling) {
    return spelling.substr(1).starts_with(reflect::kReadyMadeFolder);
  };
  return std::ranges::any_of(program.scan.includes, is_ready_made) || !options.headers.empty() ||
         !options.include_paths.empty();
}

// Standard headers that NVRTC lacks, such as <cmath>, are embedded as "std/cmath"; so are those that stand for CUDA's.
constexpr std::string_view kStandardFolder = "std/";

bool is_standard(std::string_view name) {
  return !base::embedded_file(base::format("{}{}", kStandardFolder, name)).empty();
}

// Returns the name of a standard header, or an empty name for another file.
std::string_view standard_name(const base::EmbeddedFile& file) {
  if (!file.name.starts_with(kStandardFolder)) return {};
  const std::string_view name = file.name.substr(kStandardFolder.size());
  return is_stand_in(name) ? std::string_view() : name;
}

// Besides the standard headers, the headers that do not count as "others" (includes_others) if a callback includes
// them, because graft provides them.
constexpr std::string_view kOthersOfGraft[] = {"graft/device.h", "cuda_fp16.h", "cuda_bf16.h"};

// Writes the full names of other headers in memory into a header's text (core/memory_headers.hpp). Leaves a text alone
// in which no name changes.
void name_neighbours(toolchain::NvrtcProgram::Include& header, const std::vector<Header>& all) {
  if (all.size() < 2 || !can_include(header.text)) return;
  bool has_changed = false;
  const reflect::Text written(header.text);
  std::string text =
      reflect::replace_names(written.source(), reflect::find_quoted_names(written), [&](const auto& quoted) {
        const Header* beside = header_beside(all, header.name, quoted.name);
        has_changed |= beside != nullptr;
        return beside == nullptr ? std::string() : beside->name;
      });
  if (!has_changed) return;
  header.owner = std::make_shared<const std::string>(std::move(text));
  header.text = *header.owner;
}

class List {
 public:
  explicit List(const Options& options) {
    for (const Header& header : options.headers)
      headers_.push_back({header.name, base::without_byte_order_mark(header.text)});
  }

  void name_all_neighbours(const Options& options) {
    for (toolchain::NvrtcProgram::Include& header : headers_) name_neighbours(header, options.headers);
  }

  void add(std::string_view name, std::string_view file) {
    const auto same = [&](const auto& other) { return other.name == name; };
    if (std::none_of(headers_.begin(), headers_.end(), same)) headers_.push_back({name, base::embedded_file(file)});
  }
  void add(const std::vector<std::string_view>& names) {
    for (const std::string_view name : names) add(name, name);
  }

  void add_ready_made() {
    for (const base::EmbeddedFile& file : reflect::ready_made_files()) add(file.name, file.name);
  }

  // Adds those of graft's headers for CUDA's that take no user's place.
  void add_stand_ins(const codegen::SourceProgram& program, const Options& options, HeaderReader reader,
                     const plan::HeaderScan* scan) {
    for (const std::string_view name : stand_ins_for(program, options, reader, scan))
      add(name, base::format("{}{}", kStandardFolder, name));
  }

  HeaderList take() { return std::move(headers_); }

 private:
  HeaderList headers_;
};

}  // namespace

HeaderList device_headers(const codegen::SourceProgram& program, const Options& options, const plan::HeaderScan* scan) {
  List list(options);
  list.name_all_neighbours(options);  // host compilers look beside the including header themselves
  list.add({"graft/device.h", "graft/contract.h", "graft/cells.h", "graft/adapter.h", "graft/behind.h",
            "graft/compose.h", "graft/kernel.h"});
  if (!program.parts.math_calls.empty()) list.add({"graft/math_calls.h"});
  list.add(families::of(program.family).headers());
  for (const base::EmbeddedFile& file : base::embedded_files())
    if (const std::string_view name = standard_name(file); !name.empty()) list.add(name, file.name);
  list.add_stand_ins(program, options, HeaderReader::Nvrtc, scan);
  const bool has_ready_made = may_include_ready_made(program, options);
  if (has_ready_made) list.add_ready_made();
  if (has_ready_made || may_need_half(program, options))
    list.add({"cuda_fp16.h", "cuda_fp16.hpp", "cuda_bf16.h", "cuda_bf16.hpp"});
  return list.take();
}

bool includes_others(const codegen::SourceProgram& program, const Options& options, const plan::HeaderScan* scan) {
  return std::ranges::any_of(program.scan.includes, [&](std::string_view spelling) {
    const std::string_view name = spelling.substr(1, spelling.size() - 2);  // "<cmath>" gives "cmath"
    const bool is_own = is_standard(name) || std::ranges::find(kOthersOfGraft, name) != std::end(kOthersOfGraft) ||
                        (name.starts_with(reflect::kReadyMadeFolder) && !base::embedded_file(name).empty());
    if (is_stand_in(name)) {
      const std::vector<std::string_view> own = stand_ins_for(program, options, HeaderReader::Nvrtc, scan);
      if (std::ranges::find(own, name) == own.end()) return true;
    }
    return !is_own || std::ranges::find(options.headers, name, &Header::name) != options.headers.end();
  });
}

HeaderList host_headers(const codegen::SourceProgram& program, const Options& options) {
  List list(options);
  list.add({"graft/host.h", "graft/host_bits.h", "graft/host_special.h", "graft/device.h", "graft/contract.h",
            "graft/cells.h", "graft/adapter.h", "graft/behind.h", "graft/compose.h", "graft/kernel.h"});
  list.add("graft/math_calls.h", "graft/host_math_calls.h");
  for (const std::string_view name :
       {"cuda_runtime.h", "cuda_runtime_api.h", "device_launch_parameters.h", "device_functions.h", "math_functions.h"})
    list.add(name, "graft/host_cuda_runtime.h");
  list.add("bit", "host_std/bit");
  list.add("numbers", "host_std/numbers");
  list.add("span", "host_std/span");
  list.add("type_traits", "host_std/type_traits");
  list.add("graft/std/bit", "std/bit");
  list.add("graft/std/numbers", "std/numbers");
  list.add("graft/std/span", "std/span");
  list.add(families::of(program.family).headers());
  list.add_stand_ins(program, options, HeaderReader::HostCompiler, nullptr);
  const bool has_ready_made = may_include_ready_made(program, options);
  if (has_ready_made) list.add_ready_made();
  if (has_ready_made || may_need_half(program, options)) {
    // cuda_fp16.h and cuda_bf16.h are graft's headers, which include the toolkit's headers from the folder toolkit.
    list.add("cuda_fp16.h", "graft/host_fp16.h");
    list.add("cuda_bf16.h", "graft/host_bf16.h");
    list.add("toolkit/cuda_fp16.h", "cuda_fp16.h");
    list.add("toolkit/cuda_fp16.hpp", "cuda_fp16.hpp");
    list.add("toolkit/cuda_bf16.h", "cuda_bf16.h");
    list.add("toolkit/cuda_bf16.hpp", "cuda_bf16.hpp");
    list.add({"graft/host_half_functions.h", "vector_types.h", "vector_functions.h", "vector_functions.hpp",
              "nv/target", "nv/detail/__preprocessor", "nv/detail/__target_macros"});
  }
  return list.take();
}

}  // namespace graft::compile
