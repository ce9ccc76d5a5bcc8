// The program's exit codes. Scripts rely on these values: do not change them.
#pragma once

namespace graft::cli {

inline constexpr int kGood = 0;
inline constexpr int kWorkFailed = 1;  // standard error says why
inline constexpr int kWrongUsage = 2;

inline constexpr const char* kExitCodesHelp =
    "Exit codes: 0 success; 1 the work failed, standard error says why; 2 wrong usage.";

}  // namespace graft::cli
