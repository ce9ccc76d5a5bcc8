#include "engine/absolute_paths.hpp"

#include <system_error>

#include "base/format.hpp"
#include "core/fail.hpp"

namespace graft::engine {
namespace {

namespace fs = std::filesystem;

void make_absolute(fs::path& path, const char* option) {
  if (path.empty() || path.is_absolute()) return;
  std::error_code error;
  fs::path absolute = fs::absolute(path, error);
  if (error)
    fail(ErrorCode::SystemFailed,
         base::format("{} is the relative path \"{}\", but the working folder cannot be read: {}", option,
                      path.string(), error.message()),
         "Give an absolute path.");
  path = std::move(absolute);
}

}  // namespace

EngineOptions with_absolute_paths(EngineOptions options) {
  make_absolute(options.cuda_path, "EngineOptions::cuda_path");
  if (options.host_compiler.has_parent_path()) make_absolute(options.host_compiler, "EngineOptions::host_compiler");
  make_absolute(options.program, "EngineOptions::program");
  make_absolute(options.cache.folder, "CacheOptions::folder");
  if (options.cache.layers)
    for (fs::path& layer : *options.cache.layers) make_absolute(layer, "CacheOptions::layers");
  return options;
}

}  // namespace graft::engine
