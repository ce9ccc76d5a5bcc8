// A benchmark's command line and its record: what was measured, on which machine, from which commit, as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace graft::bench {

struct Arguments {
  std::string program;       // the path that this program was started by
  std::string command_line;  // as typed
  std::string commit;        // --commit ID
  std::string out;           // --out FILE, else $OUT/<name>.json, else empty: no file
  int samples = 0;           // --samples N
};

// Throws std::invalid_argument for an option that it does not know.
Arguments parse_arguments(int argc, char** argv, const std::string& name, int default_samples);

// Processor, cores, command line, commit and date; for what needs no GPU.
nlohmann::json host_environment(const Arguments& arguments);

// GPU, driver, CUDA runtime, command line, commit and date.
nlohmann::json environment(const Arguments& arguments);

// Writes `record` to arguments.out, if there is one, and says so.
void write_record(const Arguments& arguments, const nlohmann::json& record);

}  // namespace graft::bench
