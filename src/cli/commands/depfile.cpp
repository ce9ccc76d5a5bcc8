#include "cli/commands/depfile.hpp"

#include <algorithm>
#include <optional>
#include <system_error>
#include <vector>

#include "engine/engine_impl.hpp"
#include "engine/taken_options.hpp"

namespace graft::cli {
namespace {

namespace fs = std::filesystem;

// As make and Ninja read names: with a backslash before a space and before #, and $ twice.
std::string escaped(const std::string& name) {
  std::string text;
  for (const char c : name) {
    if (c == ' ' || c == '#') text += '\\';
    if (c == '$') text += '$';
    text += c;
  }
  return text;
}

std::vector<std::string> headers_of(const Callback& callback, const Options& options) {
  // Headers do not depend on the architecture.
  const plan::DiskKey key =
      Engine::Impl::of(Engine::shared())
          ->cache()
          .key_of({{callback}, kOldestArchitecture, engine::TakenOptions(callback, options).get()});
  std::vector<std::string> paths;
  for (const plan::HeaderFound& header : key.headers.headers) {
    if (header.path.empty() || header.where == "toolkit") continue;
    // One file may be found with and without a dot in its path. Double dots may lead through links, and stay.
    std::string& path = paths.emplace_back(header.path);
    for (std::size_t at = 0; (at = path.find("/./")) != std::string::npos;) path.erase(at, 2);
  }
  return paths;
}

}  // namespace

std::string depfile(const fs::path& target, const BuildRequest& request) {
  std::vector<std::string> names;
  const auto add_file = [&](const std::string& name) {
    std::error_code ignored;
    if (!name.empty() && fs::is_regular_file(name, ignored)) names.push_back(name);
  };
  for (const std::string* file : {&request.callback, &request.fft_load, &request.fft_between, &request.fft_store})
    add_file(*file);
  for (const std::string& file : request.link_inputs) add_file(file);
  for (const auto& [place, callback] : request.job().callbacks)
    for (std::string& header : headers_of(callback, request.options())) names.push_back(std::move(header));
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::string rule = escaped(target.string()) + ":";
  for (const std::string& name : names) rule += " " + escaped(name);
  return rule + "\n";
}

}  // namespace graft::cli
