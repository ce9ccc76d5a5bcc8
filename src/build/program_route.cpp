#include "build/program_route.hpp"

#include <optional>
#include <string>
#include <utility>

#include "build/best_body.hpp"
#include "build/device_compile.hpp"
#include "build/kernel_report.hpp"
#include "build/plain_program.hpp"
#include "core/image_data.hpp"

namespace graft::building {
namespace {

using kernel::Policy;

// One kernel for one policy after another.
class ProgramRoute {
 public:
  ProgramRoute(const CallbackRequest& request, const OpenTools& tools, Image::Data& image)
      : request_(request),
        program_(request.program),
        compiler_(request.program, request.architecture, request.options, tools),
        image_(image),
        watch_(image.report),
        name_(reflect::kernel_name(request.program.parts)) {}

  void build() {
    const std::optional<Signature> shown = plain_signature(program_, request_.options);
    if (shown && try_plain(*shown, TypesFrom::Text)) return;
    const Signature signature = compiler_.signature();
    watch_.step("read signature");
    if (can_be_plain(program_) && try_plain(signature, TypesFrom::Compiler)) return;
    Policy policy = policy_for(signature);
    policy.single_below = 0;
    finish(signature, policy, [&](const Policy& wanted) { return read(compiler_.kernel(wanted, CodeKind::Cubin)); });
  }

 private:
  // False where the compiler contradicts the text, or the policy wants another program.
  bool try_plain(const Signature& signature, TypesFrom types) {
    const Policy policy = policy_for(signature);
    if (!fits_plain_program(signature, policy)) return false;
    const Policy first = first_body(policy, body());
    std::optional<Compiled> compiled = compiler_.plain(signature, types, first, CodeKind::Cubin);
    if (!compiled) {
      watch_.step("compile");
      note_second_compile();
      return false;
    }
    finish(signature, policy, [&](const Policy& wanted) {
      if (compiled) return read(*std::exchange(compiled, std::nullopt));
      return read(compiler_.plain(signature, types, wanted, CodeKind::Cubin).value());
    });
    return true;
  }

  void note_second_compile() {
    if (!was_noted_) image_.report.notes.emplace_back(kCompiledTwice);
    was_noted_ = true;
  }

  Policy policy_for(const Signature& signature) const {
    return kernel::choose_policy(signature, request_.architecture, request_.options.policy,
                                 program_.scan.mentions_long_math);
  }

  BodyRequest body() const { return {program_.scan.has_unroll_pragma, request_.options.policy.body.has_value()}; }

  Linked read(Compiled compiled) {
    image_.report.compiler_log = std::move(compiled.log);
    image_.report.source = std::move(compiled.source);
    return read_linked(std::move(compiled.code), std::move(compiled.ptxas_log), name_);
  }

  template <class Make>
  void finish(const Signature& signature, Policy policy, Make make) {
    Linked linked = make_best(make, body(), "compile", policy, watch_);
    fill_image(image_, {program_, signature, request_.architecture, policy, request_.options}, std::move(linked));
  }

  const CallbackRequest& request_;
  const SourceProgram& program_;
  DeviceCompiler compiler_;
  Image::Data& image_;
  Stopwatch watch_;
  std::string name_;
  bool was_noted_ = false;
};

}  // namespace

void build_program(const CallbackRequest& request, const OpenTools& tools, Image::Data& image) {
  image.report.versions = {tools.nvrtc_version()};
  ProgramRoute(request, tools, image).build();
}

}  // namespace graft::building
