// The names of what a log is told (graft/log.hpp).
#include "graft/log.hpp"

namespace graft {

std::string_view name(LogKind kind) noexcept {
  switch (kind) {
    case LogKind::MemoryHit:
      return "MemoryHit";
    case LogKind::DiskHit:
      return "DiskHit";
    case LogKind::Waited:
      return "Waited";
    case LogKind::ToolsChosen:
      return "ToolsChosen";
    case LogKind::Built:
      return "Built";
    case LogKind::BuildFailed:
      return "BuildFailed";
    case LogKind::Loaded:
      return "Loaded";
    case LogKind::CacheProblem:
      return "CacheProblem";
    case LogKind::ImagesDropped:
      return "ImagesDropped";
  }
  return "Unknown";
}

std::string_view name(LogSeverity severity) noexcept {
  switch (severity) {
    case LogSeverity::Debug:
      return "debug";
    case LogSeverity::Info:
      return "info";
    case LogSeverity::Warning:
      break;
  }
  return "warning";
}

}  // namespace graft
