// `graft doctor`: prints the diagnosis of this machine (doctor.hpp) as text or JSON.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/commands/doctor.hpp"
#include "cli/output/output.hpp"
#include "cli/output/progress.hpp"
#include "cli/output/terminal.hpp"

namespace graft::cli {
namespace {

void report(bool as_json) {
  Diagnosis diagnosis;
  {
    const Progress progress("trying the routes");
    diagnosis = diagnose();
  }
  if (as_json) {
    nlohmann::json object = nlohmann::json::object();
    for (Section& section : diagnosis.sections) object[section.name] = std::move(section.value);
    object["makes_gpu_kernels"] = diagnosis.makes_gpu_kernels;
    print_json(object);
  } else {
    std::string text;
    for (const Section& section : diagnosis.sections) text += section.text;
    print(text, coloured_diagnosis);
  }
  if (!diagnosis.makes_gpu_kernels) throw CLI::RuntimeError(kWorkFailed);
}

}  // namespace

void add_doctor(CLI::App& program) {
  auto as_json = std::make_shared<bool>(false);
  CLI::App* const command = program.add_subcommand(
      "doctor", "Show the driver, GPUs, CUDA toolkit, host compiler and cache found here, and which routes work");
  command->add_flag("--json", *as_json, "Print the diagnosis as JSON");
  command->footer(
      "Exit codes: 0 kernels for a GPU can be built here; 1 they cannot, and the output says why; 2 wrong usage.");
  command->callback([as_json] { report(*as_json); });
}

}  // namespace graft::cli
