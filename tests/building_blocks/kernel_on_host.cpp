#include "kernel_on_host.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "base/embedded.hpp"

namespace graft::test {
namespace {

namespace fs = std::filesystem;

// What the text needs in front of it. Shared memory is static, because one block runs after the other, and its
// addresses have 32 bits, as on a GPU.
constexpr const char* kFront = R"(#include "graft/host.h"
#include "graft/host_bits.h"
struct graft_number { unsigned int x; };
extern "C" {
graft_number threadIdx, blockIdx, blockDim;
void (*graft_barrier)();
bool graft_was_aligned = true;
}
static unsigned long long graft_shared_part;
#define __shared__ alignas(16) static
static void __syncthreads() { graft_barrier(); }
static void* __cvta_global_to_generic(unsigned long long address) { return reinterpret_cast<void*>(address); }
static unsigned long long __cvta_generic_to_shared(const void* pointer) {
  graft_shared_part = reinterpret_cast<unsigned long long>(pointer) >> 32 << 32;
  return reinterpret_cast<unsigned long long>(pointer);
}
static char* graft_place_of(unsigned long long address, bool is_shared, unsigned int bytes) {
  if (is_shared) address |= graft_shared_part;
  if (address % bytes != 0) graft_was_aligned = false;
  return reinterpret_cast<char*>(address);
}
template <class T>
static void graft_load(T& to, const char* from, unsigned int bytes) {
  to = T();
  memcpy(&to, from, bytes);
}
template <class T>
static void graft_store(char* to, const T& from, unsigned int bytes) {
  memcpy(to, &from, bytes);
}
)";

// Splits at a character that is in no parentheses and no quotes.
std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  int depth = 0;
  bool is_quoted = false;
  for (const char c : text) {
    if (c == '"') is_quoted = !is_quoted;
    if (!is_quoted) depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == at && depth == 0 && !is_quoted) parts.emplace_back();
    else parts.back() += c;
  }
  return parts;
}

// Returns the expressions of operands: `"=&f"(a), "l"(b + 4)`.
std::vector<std::string> expressions(const std::string& operands) {
  std::vector<std::string> found;
  for (const std::string& operand : split(operands, ',')) {
    const std::size_t begin = operand.find('('), end = operand.rfind(')');
    if (begin != std::string::npos) found.push_back(operand.substr(begin, end + 1 - begin));
  }
  return found;
}

unsigned bytes_of(const std::string& type) {
  return static_cast<unsigned>(std::stoul(type.substr(1))) / 8;
}

std::string instruction(const std::string& line) {
  static const std::regex move_memory(
      R"((ld|st)\.(global|shared)(?:\.v(\d))?\.(\w+) (?:\{([^}]*)\}|%(\d+)), \[%(\d+)\+(\d+)\])"),
      store_memory(R"(st\.(global|shared)(?:\.v(\d))?\.(\w+) \[%(\d+)\+(\d+)\], (?:\{([^}]*)\}|%(\d+)))"),
      move(R"(mov\.\w+ %(\d+), %(\d+))"), compare(R"(setp\.(eq|ne)\.\w+ (\w+), %(\d+), (\d+))"),
      predicated(R"(@(!?)(\w+) (.*))");
  std::smatch found;
  if (std::regex_match(line, found, predicated))
    return fmt::format("if ({}{}) {{ {} }}", found.str(1), found.str(2), instruction(found.str(3)));
  if (std::regex_match(line, found, compare))
    return fmt::format("const bool {} = graft_o{} {} {};", found.str(2), found.str(3),
                       found.str(1) == "eq" ? "==" : "!=", found.str(4));
  if (std::regex_match(line, found, move)) return fmt::format("graft_o{} = graft_o{};", found.str(1), found.str(2));
  if (line.starts_with(".reg") || line.starts_with("griddepcontrol")) return "";
  const bool is_load = std::regex_match(line, found, move_memory);
  if (!is_load && !std::regex_match(line, found, store_memory))
    throw std::runtime_error("an instruction of another kind: " + line);
  const std::string space = is_load ? found.str(2) : found.str(1), type = is_load ? found.str(4) : found.str(3);
  const std::string address = is_load ? found.str(7) : found.str(4), offset = is_load ? found.str(8) : found.str(5);
  std::string list = is_load ? found.str(5) : found.str(6);
  if (list.empty()) list = "%" + (is_load ? found.str(6) : found.str(7));
  std::string text;
  const std::vector<std::string> registers = split(list, ',');
  const unsigned bytes = bytes_of(type);
  for (std::size_t i = 0; i < registers.size(); ++i) {
    const std::string name = registers[i].substr(registers[i].find('%') + 1);
    const std::string place = fmt::format("graft_place_of(graft_o{} + {}, {}, {}) + {}", address, offset,
                                          space == "shared", bytes * registers.size(), i * bytes);
    text += is_load ? fmt::format("graft_load(graft_o{}, {}, {}); ", name, place, bytes)
                    : fmt::format("graft_store({}, graft_o{}, {}); ", place, name, bytes);
  }
  return text;
}

// Translates `asm volatile("...;" : outputs : inputs : "memory");`.
std::string statement(const std::string& line) {
  const std::size_t begin = line.find('"') + 1, end = line.find('"', begin);
  std::string code = line.substr(begin, end - begin);
  if (code.starts_with("{ ")) code = code.substr(2, code.rfind('}') - 2);
  const std::vector<std::string> sections = split(line.substr(end + 1, line.rfind(')') - end - 1), ':');
  std::string text = "{ ";
  int number = 0;
  for (const std::string& output : expressions(sections.at(1)))
    text += fmt::format("auto& graft_o{} = {}; ", number++, output);
  for (const std::string& input : expressions(sections.at(2)))
    text += fmt::format("const auto graft_o{} = {}; ", number++, input);
  std::istringstream lines(code);
  for (std::string one; std::getline(lines, one, ';');) {
    one.erase(0, one.find_first_not_of(' '));
    if (!one.empty()) text += instruction(one);
  }
  return text + " }";
}

// Writes the headers of half and bfloat16 as the host route has them (compile/compile_headers.cpp), because a machine
// without a toolkit has none.
void write_half_headers(const fs::path& folder) {
  const auto write = [&](const std::string& name, std::string_view embedded) {
    fs::create_directories((folder / name).parent_path());
    std::ofstream(folder / name) << base::embedded_file(embedded);
  };
  for (const std::string type : {"fp16", "bf16"}) {
    write("cuda_" + type + ".h", "graft/host_" + type + ".h");
    for (const char* const end : {".h", ".hpp"}) write("toolkit/cuda_" + type + end, "cuda_" + type + end);
  }
  for (const char* const name : {"vector_types.h", "vector_functions.h", "vector_functions.hpp", "nv/target",
                                 "nv/detail/__preprocessor", "nv/detail/__target_macros"})
    write(name, name);
}

struct AtBarrier {};

}  // namespace

std::string without_assembly(const std::string& text) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find("asm volatile(");
    if (begin == std::string::npos) result += line;
    else result += line.substr(0, begin) + statement(line.substr(begin));
    result += '\n';
  }
  return result;
}

KernelOnHost::KernelOnHost(const std::string& text, const std::string& name) {
  static int number = 0;
  const fs::path folder = fs::temp_directory_path() / fmt::format("graft_kernel_{}_{}", getpid(), number++);
  const fs::path root = GRAFT_SOURCE_DIR, headers = folder / "graft";
  fs::create_directories(headers);
  fs::create_symlink(root / "include/graft/device.h", headers / "device.h");
  for (const fs::directory_entry& entry : fs::directory_iterator(root / "building_blocks"))
    fs::create_symlink(entry.path(), headers / entry.path().filename());
  write_half_headers(folder);
  std::ofstream(folder / "kernel.cpp") << kFront << without_assembly(text)
                                       << "extern \"C\" void graft_run(const void* parameter) {\n  ::" << name
                                       << "(*static_cast<const graft_views*>(parameter));\n}\n";
  const char* const compiler = std::getenv("GRAFT_CXX");
  const std::string command =
      fmt::format("{} -std=c++17 -O1 -fPIC -shared -w -fno-strict-aliasing -ffp-contract=off -I{} -I{} {} -o {} 2>{}",
                  compiler != nullptr ? compiler : "c++", folder.string(), headers.string(),
                  (folder / "kernel.cpp").string(), (folder / "kernel.so").string(), (folder / "log").string());
  if (std::system(command.c_str()) != 0) {
    std::ostringstream log;
    log << std::ifstream(folder / "log").rdbuf();
    throw std::runtime_error(command + "\n" + log.str());
  }
  library_ = dlopen((folder / "kernel.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) throw std::runtime_error(dlerror());
  fs::remove_all(folder);
}

KernelOnHost::~KernelOnHost() {
  dlclose(library_);
}

template <class T>
T& KernelOnHost::symbol(const char* name) const {
  return *static_cast<T*>(dlsym(library_, name));
}

void KernelOnHost::run(const families::Launch& launch) {
  const auto run = reinterpret_cast<void (*)(const void*)>(dlsym(library_, "graft_run"));
  symbol<unsigned>("blockDim") = launch.grid.threads;
  using Barrier = void (*)();
  const auto run_all = [&](Barrier barrier) {
    bool has_barrier = false;
    symbol<Barrier>("graft_barrier") = barrier;
    for (unsigned thread = 0; thread < launch.grid.threads; ++thread) {
      symbol<unsigned>("threadIdx") = thread;
      try {
        run(launch.parameter);
      } catch (AtBarrier) {
        has_barrier = true;
      }
    }
    return has_barrier;
  };
  for (unsigned block = 0; block < launch.grid.blocks; ++block) {
    symbol<unsigned>("blockIdx") = block;
    if (run_all([] { throw AtBarrier(); })) run_all([] {});
  }
}

bool KernelOnHost::was_aligned() const {
  return symbol<bool>("graft_was_aligned");
}

}  // namespace graft::test
