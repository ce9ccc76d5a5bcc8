// A benchmark's command line, and its JSON record of what was measured on which machine from which commit.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace graft::bench {

struct Arguments {
  std::string program;       // path of this program, argv[0]
  std::string command_line;  // the whole command line
  std::string commit;        // --commit ID
  // The record's file, from --out FILE, or else $OUT/<name>.json. If `out` is empty, no record is written.
  std::string out;
  int samples = 0;  // the number after --samples, or else the program's default
};

// Parses the command line. Throws std::invalid_argument for an unknown option.
Arguments parse_arguments(int argc, char** argv, const std::string& name, int default_samples);

// Returns processor, cores, command line, commit and date, for benchmarks without a GPU.
nlohmann::json host_environment(const Arguments& arguments);

// Returns GPU, driver, CUDA runtime, command line, commit and date.
nlohmann::json environment(const Arguments& arguments);

// Writes the record to arguments.out and prints the path. Does nothing if arguments.out is empty.
void write_record(const Arguments& arguments, const nlohmann::json& record);

}  // namespace graft::bench
