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
    Linked linked = make_best([&](const Policy& wanted) { return read(compiler_.kernel(wanted, CodeKind::Cubin)); },
                              body(), "compile", policy, watch_);
    finish(signature, policy, std::move(linked));
  }

 private:
  // False where the compiler objects to what is not the user's, for whichever body, or the policy wants another
  // program.
  bool try_plain(const Signature& signature, TypesFrom types) {
    Policy policy = policy_for(signature);
    if (!fits_plain_program(signature, policy)) return false;
    bool is_fit = true;
    const auto make = [&](const Policy& wanted) {
      std::optional<Compiled> compiled;
      if (is_fit) compiled = compiler_.plain(signature, types, wanted, CodeKind::Cubin);
      is_fit = compiled.has_value();
      return is_fit ? read(std::move(*compiled)) : Linked();
    };
    Linked linked = make_best(make, body(), "compile", policy, watch_);
    if (is_fit) finish(signature, policy, std::move(linked));
    else note_second_compile();
    return is_fit;
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

  void finish(const Signature& signature, const Policy& policy, Linked linked) {
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
