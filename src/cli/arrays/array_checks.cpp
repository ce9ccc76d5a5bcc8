#include "cli/arrays/array_checks.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "base/format.hpp"
#include "cli/commands/devices.hpp"
#include "cli/output/output_target.hpp"
#include "core/fail.hpp"
#include "graft/error.hpp"
#include "toolchain/host_compiler.hpp"

namespace graft::cli {
namespace {

[[noreturn]] void no_device(const std::string& why) {
  std::string why_no_compiler;
  const auto compiler = toolchain::HostCompiler::find({}, why_no_compiler);
  fail(ErrorCode::NoDevice, base::format("no GPU can be used: {}", why),
       compiler ? base::format("Give --route host, which works here: it runs the callback on the CPU, compiled by {}.",
                               compiler->path().string())
                : "Run on a machine with an NVIDIA GPU and driver. With a C++ compiler, --route host runs the callback "
                  "on the CPU.");
}

}  // namespace

Architecture device_architecture(int ordinal) {
  std::string why;
  const std::vector<Device> devices = find_devices(why);
  if (devices.empty()) no_device(why);
  if (ordinal < 0 || static_cast<std::size_t>(ordinal) >= devices.size())
    fail(ErrorCode::NoDevice,
         base::format("there is no device {}: the driver sees {} devices, numbered from 0", ordinal, devices.size()),
         "Run graft doctor for the list of devices, and check CUDA_VISIBLE_DEVICES.");
  return devices[static_cast<std::size_t>(ordinal)].architecture;
}

void check_number(const Image& image, const char* kind, std::size_t wanted, std::size_t given, const char* option) {
  if (wanted != given)
    fail(ErrorCode::CountMismatch,
         base::format("{} ({}) takes {} {} arrays, and was given {}", image.report().kernel.name,
                      image.signature().text(), wanted, kind, given),
         base::format("Give one {} FILE for each {} array, in the order of the parameters.", option, kind));
}

void check_type(const std::string& file, const Dtype& given, const ElementType& of_callback, std::size_t i,
                const char* command) {
  // In a file, a bit is a bool (packed_bits.hpp).
  const ElementType wanted = of_callback.kind == ElementKind::Bit ? element_type<bool>() : of_callback;
  const ElementType type{given.kind, static_cast<std::uint32_t>(std::min<std::size_t>(given.size, 1u << 30)), 1};
  const bool is_known = given.kind != ElementKind::Class && wanted.kind != ElementKind::Class;
  if (type.size == wanted.size && (!is_known || interchangeable(type, wanted))) return;
  fail(ErrorCode::TypeMismatch,
       base::format("{} holds {} ({} bytes each), and input {} of the callback is {} ({} bytes)", file, given.descr,
                    given.size, i, to_string(wanted), wanted.size),
       base::format("Convert the array (numpy.ndarray.astype), or view its bytes as another type (numpy.ndarray.view): "
                    "{} converts nothing.",
                    command));
}

void check_outputs(const std::vector<std::string>& outputs) {
  std::set<std::filesystem::path> files;
  for (const std::string& output : outputs) {
    try {
      const OutputTarget target = find_output_target(output);
      if (target.kind == OutputTarget::Kind::File && !files.insert(target.path()).second)
        throw CLI::ValidationError("--out names " + output + " for two outputs: give each a file of its own");
    } catch (const std::system_error&) {
    }
  }
}

}  // namespace graft::cli
