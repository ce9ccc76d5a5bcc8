// HostCompiler::find() collects candidates from GRAFT_CXX, CXX and PATH, and runs each candidate with --version until
// one succeeds. compile() writes the program into a temporary folder, runs the compiler in that folder, and reads the
// shared object.
#include "toolchain/host_compiler.hpp"

#include <cerrno>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/environment.hpp"
#include "base/files.hpp"
#include "base/format.hpp"
#include "base/read_file.hpp"
#include "toolchain/command_words.hpp"
#include "toolchain/program_path.hpp"
#include "toolchain/timed_process.hpp"

namespace graft::toolchain {
namespace fs = std::filesystem;
namespace {

struct Candidate {
  std::string origin;
  std::vector<std::string> command;
  std::string why_ignored = {};  // why find() skips this candidate; empty if find() tries it
};

bool has_slash(std::string_view program) {
  return program.find('/') != std::string_view::npos;
}

// Returns the candidate that the environment variable names, or nothing if the variable is not set or contains only
// blanks.
std::optional<Candidate> from_variable(const char* variable) {
  const std::string value = base::environment(variable);
  if (value.starts_with('/') && is_program(value)) return Candidate{variable, {value}};
  std::optional<std::vector<std::string>> words = command_words(value);
  if (!words) return Candidate{variable, {}, base::format("{}: unclosed quote or trailing backslash", value)};
  if (words->empty()) return std::nullopt;
  if (has_slash(words->front()) && !words->front().starts_with('/'))
    return Candidate{variable,
                     {},
                     base::format("{} is a relative path, which graft ignores; give an absolute path", words->front())};
  return Candidate{variable, std::move(*words)};
}

// Returns all candidates in the order of the search. If `explicit_path` or GRAFT_CXX is set, the path or command in it
// is the only candidate.
std::vector<Candidate> candidates(const fs::path& explicit_path) {
  if (!explicit_path.empty()) return {{"the path given", {explicit_path.string()}}};
  if (std::optional<Candidate> named = from_variable("GRAFT_CXX")) return {*named};
  std::vector<Candidate> all;
  if (std::optional<Candidate> usual = from_variable("CXX")) all.push_back(*usual);
  for (const char* name : {"c++", "g++", "clang++"}) all.push_back({"PATH", {name}});
  return all;
}

// Returns the path of `program`. Looks in PATH for a name without a slash. Returns `program` unchanged if it contains a
// slash or if PATH has no such program; in the latter case, running it fails with a message that names the program.
fs::path resolve(const std::string& program) {
  if (has_slash(program)) return program;
  fs::path found = find_program(program, base::environment("PATH"));
  return found.empty() ? fs::path(program) : found;
}

// Returns the environment variables to change for the compiler. If PATH has relative entries, returns "PATH=..."
// without the relative entries, because the compiler looks in PATH for its assembler and linker, and a relative entry
// means the working folder. Otherwise returns nothing.
std::vector<std::string> safe_variables() {
  const std::string path = base::environment("PATH");
  if (left_out_of(path).empty()) return {};
  return {"PATH=" + safe_path(path)};
}

// Returns the text with which the message "no C++ compiler: ..." ends: the entries of PATH that the search ignored.
// Empty if the search ignored no entry.
std::string what_path_left_out() {
  const std::vector<std::string> entries = left_out_of(base::environment("PATH"));
  return entries.empty()
             ? ""
             : base::format("; graft ignores the relative entries \"{}\" of PATH", base::join(entries, "\", \""));
}

bool stays_inside(const fs::path& name) {
  if (name.empty() || name.is_absolute()) return false;
  for (const fs::path& part : name)
    if (part == "..") return false;
  return true;
}

HostCompilation refused_by_system(std::string what) {
  std::string log = what;
  return {.ok = false, .log = std::move(log), .system_failure = std::move(what)};
}

HostCompilation cannot_write(const fs::path& file, int error) {
  return refused_by_system(base::format("cannot write {}: {}", file.string(), std::generic_category().message(error)));
}

// Writes the source and the headers into files. Returns nothing on success, else the failed compilation to report.
std::optional<HostCompilation> write_program(const fs::path& folder, const fs::path& source,
                                             const HostProgram& program) {
  for (const auto& [name, text] : program.headers) {
    const fs::path file = folder / name;
    if (!stays_inside(name))
      return HostCompilation{
          false, base::format("cannot write the header '{}': its name must be a relative path without ..", name)};
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    if (error) return cannot_write(file, error.value());
    if (!base::write_file(file, base::as_bytes(text))) return cannot_write(file, errno);
  }
  if (!base::write_file(source, base::as_bytes(program.source))) return cannot_write(source, errno);
  return std::nullopt;
}

// Removes the temporary folder's path from the compiler's messages, so that the messages name files as the caller does.
// When the user reads the messages, the folder no longer exists.
std::string without_folder(std::string log, const fs::path& folder) {
  const std::string prefix = folder.string() + '/';
  for (std::size_t at = log.find(prefix); at != log.npos; at = log.find(prefix, at)) log.erase(at, prefix.size());
  return log;
}

std::vector<std::string> with_arguments(std::vector<std::string> command, const fs::path& folder,
                                        const fs::path& source, const fs::path& object,
                                        const std::vector<std::string>& options) {
  // -ffile-prefix-map keeps the folder's random name out of the object, so that equal programs give equal bytes.
  for (std::string flag : {std::string("-shared"), std::string("-fPIC"), "-I" + folder.string(),
                           base::format("-ffile-prefix-map={}/=", folder.string())})
    command.push_back(std::move(flag));
  command.insert(command.end(), options.begin(), options.end());
  for (std::string argument :
       {std::string("-x"), std::string("c++"), source.string(), std::string("-o"), object.string()})
    command.push_back(std::move(argument));
  return command;
}

HostCompilation compile_in(const fs::path& folder, const std::vector<std::string>& command, const HostProgram& program,
                           std::chrono::milliseconds time) {
  const fs::path source = folder / "program.cpp";
  const fs::path object = folder / "program.so";
  if (std::optional<HostCompilation> trouble = write_program(folder, source, program)) return std::move(*trouble);

  // Set TMPDIR, so that the compiler's own temporary files are removed with the folder even if the compiler is killed.
  std::vector<std::string> variables = safe_variables();
  variables.insert(variables.end(), {"TMPDIR=" + folder.string(), "LC_ALL=C"});
  ProcessResult run =
      run_process(with_arguments(command, folder, source, object, program.options), variables, {.time = time});
  if (run.start_error != 0 && run.start_error != ENOENT && run.start_error != EACCES)
    return refused_by_system("the compiler cannot be started: " + run.output);
  HostCompilation result{.ok = false, .log = without_folder(std::move(run.output), folder)};
  result.timed_out = run.timed_out;
  if (!run.ok) return result;
  const base::FileContent bytes = base::read_file(object);
  if (!bytes || bytes->empty()) {
    result.log += base::format("{} returned 0 but wrote no object file\n", command[0]);
    return result;
  }
  const auto view = base::as_bytes(*bytes);
  result.object.assign(view.begin(), view.end());
  result.ok = true;
  return result;
}

}  // namespace

std::shared_ptr<const HostCompiler> HostCompiler::find(const fs::path& explicit_path, std::string& why,
                                                       HostCompilerTimes times) {
  why = "no C++ compiler:";
  for (const Candidate& candidate : candidates(explicit_path)) {
    if (!candidate.why_ignored.empty()) {
      why += base::format(" {} ({});", candidate.why_ignored, candidate.origin);
      continue;
    }
    std::vector<std::string> command = candidate.command;
    command[0] = resolve(command[0]).string();
    std::vector<std::string> question = command;
    question.emplace_back("--version");
    const ProcessResult answer = run_process(question, safe_variables(), {.time = times.version});
    if (!answer.ok) {
      why += base::format(" {} ({});", answer.last_line(), candidate.origin);
      continue;
    }
    auto compiler = std::make_shared<HostCompiler>();
    compiler->path_ = command[0];
    compiler->command_ = std::move(command);
    compiler->version_ = answer.output.substr(0, answer.output.find('\n'));
    compiler->times_ = times;
    why.clear();
    return compiler;
  }
  why.pop_back();
  why += what_path_left_out();
  return nullptr;
}

HostCompilation HostCompiler::compile(const HostProgram& program) const {
  try {
    const base::TemporaryFolder folder;
    return compile_in(folder.path(), command_, program, times_.compile);
  } catch (const fs::filesystem_error& error) {
    return refused_by_system(
        base::format("cannot make a temporary folder in {}: {}", error.path1().string(), error.code().message()));
  }
}

}  // namespace graft::toolchain
