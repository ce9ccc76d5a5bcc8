// The host route's compiler, called as a build system would call it.
#include "toolchain/host_compiler.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>

#include "base/environment.hpp"
#include "base/files.hpp"
#include "toolchain/process.hpp"

namespace graft::toolchain {
namespace fs = std::filesystem;
namespace {

struct Candidate {
  std::string origin;
  std::vector<std::string> command;
};

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> all;
  for (std::string word; stream >> word;) all.push_back(word);
  return all;
}

// In the order of the search; one that was named for graft stands alone.
std::vector<Candidate> candidates(const fs::path& explicit_path) {
  if (!explicit_path.empty()) return {{"the path given", {explicit_path.string()}}};
  if (auto command = words(base::environment("GRAFT_CXX")); !command.empty()) return {{"GRAFT_CXX", command}};
  std::vector<Candidate> all;
  if (auto command = words(base::environment("CXX")); !command.empty()) all.push_back({"CXX", command});
  for (const char* name : {"c++", "g++", "clang++"}) all.push_back({"PATH", {name}});
  return all;
}

// The file that PATH means by a name; a name with a slash is a path already.
fs::path resolve(const std::string& program) {
  if (program.find('/') != program.npos) return program;
  std::istringstream path(base::environment("PATH"));
  std::error_code ignored;
  for (std::string folder; std::getline(path, folder, ':');)
    if (fs::path file = fs::path(folder) / program;
        fs::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0)
      return file;
  return program;
}

bool stays_inside(const fs::path& name) {
  if (name.empty() || name.is_absolute()) return false;
  for (const fs::path& part : name)
    if (part == "..") return false;
  return true;
}

// False when it could not be written, or does not stay inside the folder.
bool write_header(const fs::path& folder, const std::string& name, const std::string& text) {
  std::error_code ignored;
  if (!stays_inside(name)) return false;
  fs::create_directories((folder / name).parent_path(), ignored);
  return base::write_file(folder / name, base::as_bytes(text));
}

// Messages name the files as the caller knows them, without the folder that is gone by then.
std::string without_folder(std::string log, const fs::path& folder) {
  const std::string prefix = folder.string() + '/';
  for (std::size_t at = log.find(prefix); at != log.npos; at = log.find(prefix, at)) log.erase(at, prefix.size());
  return log;
}

HostCompilation compile_in(const fs::path& folder, std::vector<std::string> command, const HostProgram& program) {
  for (const auto& [name, text] : program.headers)
    if (!write_header(folder, name, text)) return {false, fmt::format("cannot write the header '{}'", name), {}};
  const fs::path source = folder / "program.cpp";
  const fs::path object = folder / "program.so";
  if (!base::write_file(source, base::as_bytes(program.source)))
    return {false, fmt::format("cannot write {}", source.string()), {}};

  // The prefix map keeps the folder's name out of the object, so that equal programs give equal bytes.
  for (std::string flag : {std::string("-shared"), std::string("-fPIC"), "-I" + folder.string(),
                           fmt::format("-ffile-prefix-map={}/=", folder.string())})
    command.push_back(std::move(flag));
  command.insert(command.end(), program.options.begin(), program.options.end());
  for (std::string argument :
       {std::string("-x"), std::string("c++"), source.string(), std::string("-o"), object.string()})
    command.push_back(std::move(argument));

  // The compiler's own temporary files go with the folder too, should it be killed.
  ProcessResult run = run_process(command, {"TMPDIR=" + folder.string(), "LC_ALL=C"});
  HostCompilation result{false, without_folder(std::move(run.output), folder), {}};
  if (!run.ok) return result;
  const base::FileContent bytes = base::read_file(object);
  if (!bytes || bytes->empty()) return result;
  const auto view = base::as_bytes(*bytes);
  result.object.assign(view.begin(), view.end());
  result.ok = true;
  return result;
}

// Of a failed process: how it ended.
std::string last_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace

std::shared_ptr<const HostCompiler> HostCompiler::find(const fs::path& explicit_path, std::string& why) {
  why = "no C++ compiler:";
  for (const Candidate& candidate : candidates(explicit_path)) {
    std::vector<std::string> command = candidate.command;
    command[0] = resolve(command[0]).string();
    std::vector<std::string> question = command;
    question.emplace_back("--version");
    const ProcessResult answer = run_process(question);
    if (!answer.ok) {
      why += fmt::format(" {} ({});", last_line(answer.output), candidate.origin);
      continue;
    }
    auto compiler = std::make_shared<HostCompiler>();
    compiler->path_ = command[0];
    compiler->command_ = std::move(command);
    compiler->version_ = answer.output.substr(0, answer.output.find('\n'));
    why.clear();
    return compiler;
  }
  why.pop_back();
  return nullptr;
}

HostCompilation HostCompiler::compile(const HostProgram& program) const {
  try {
    const base::TemporaryFolder folder;
    return compile_in(folder.path(), command_, program);
  } catch (const fs::filesystem_error& error) {
    return {false, error.what(), {}};
  }
}

}  // namespace graft::toolchain
