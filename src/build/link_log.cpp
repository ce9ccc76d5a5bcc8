#include "build/link_log.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <memory>

namespace graft::building {
namespace {

constexpr std::string_view kProperties = "Function properties for ";

// The number that stands in front of `what`: 18 in "Used 18 registers".
std::size_t number_before(std::string_view line, std::string_view what) {
  const std::size_t at = line.find(what);
  if (at == std::string_view::npos) return 0;
  std::size_t begin = at;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  std::size_t value = 0;
  std::from_chars(line.data() + begin, line.data() + at, value);
  return value;
}

// CUDA's own slow paths, which a callback reaches through sinf, pow, division and the like.
bool is_cuda_helper(std::string_view name) {
  for (const std::string_view prefix : {"__internal_", "__cuda_", "__nv_", "$__internal_", "__cudart_"})
    if (name.starts_with(prefix)) return true;
  return name == "vprintf" || name == "__assertfail" || name == "malloc" || name == "free";
}

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 && text ? std::string(text.get()) : name;
}

void add_once(std::vector<std::string>& list, std::string name) {
  if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(std::move(name));
}

}  // namespace

LinkFindings parse_link_log(std::string_view log, std::string_view kernel) {
  LinkFindings found;
  bool in_kernel = false;
  while (!log.empty()) {
    const std::size_t end = log.find('\n');
    const std::string_view line = log.substr(0, end);
    log.remove_prefix(end == std::string_view::npos ? log.size() : end + 1);
    if (const std::size_t at = line.find(kProperties); at != std::string_view::npos) {
      const std::string name(line.substr(at + kProperties.size()));
      in_kernel = name == kernel;
      if (!in_kernel) add_once(is_cuda_helper(name) ? found.cuda_helpers : found.remaining_calls, demangled(name));
    }
    if (!in_kernel) continue;
    Report::Resources& r = found.resources;
    if (line.find("bytes stack frame") != std::string_view::npos) {
      r.stack_bytes = number_before(line, " bytes stack frame");
      r.spill_store_bytes = number_before(line, " bytes spill stores");
      r.spill_load_bytes = number_before(line, " bytes spill loads");
      r.local_bytes = r.stack_bytes;
    }
    if (line.find("Used ") != std::string_view::npos) {
      r.registers = static_cast<int>(number_before(line, " registers"));
      r.constant_bytes = number_before(line, " bytes cmem[0]");
      r.local_bytes = std::max(r.local_bytes, number_before(line, " bytes cumulative stack size"));
    }
  }
  return found;
}

}  // namespace graft::building
