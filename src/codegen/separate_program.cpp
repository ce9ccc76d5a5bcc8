// Class Boundary writes what the callback's program and the kernel's program both contain: names for the types of
// graft_entry's signature, and the declaration of graft_entry. The callback's program also defines graft_entry, which
// calls the callback. The kernel's program treats graft_entry as its callback.
#include "codegen/separate_program.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/format.hpp"

namespace graft::codegen {
namespace {

std::string integer_name(const ElementType& type, bool is_signed) {
  const std::string_view name = type.size == 1   ? "char"
                                : type.size == 2 ? "short"
                                : type.size == 4 ? "int"
                                : type.size == 8 ? "long long"
                                                 : "__int128";
  return base::format("{} {}", is_signed ? "signed" : "unsigned", name);
}

// Returns the name of a fundamental type, or an empty name for a type that is passed as bytes.
std::string scalar_name(const ElementType& type) {
  switch (type.kind) {
    case ElementKind::Bool:
      return "bool";
    case ElementKind::Signed:
      return integer_name(type, true);
    case ElementKind::Unsigned:
    case ElementKind::Enum:
      return integer_name(type, false);
    case ElementKind::Float:
      return type.size == 4 ? "float" : type.size == 8 ? "double" : "";
    case ElementKind::Bit:
      return "graft::Bit";
    case ElementKind::Class:
    case ElementKind::Bfloat:
    case ElementKind::Complex:
    case ElementKind::Opaque:
      break;
  }
  return {};
}

// Describes graft_entry, the function of the callback's program that the kernel's program calls. Holds a name for each
// type of its signature, and the text of its declaration.
class Boundary {
 public:
  explicit Boundary(const Signature& signature) {
    ProgramText text;
    result_ = named(text, signature.result(), "graft_result_type");
    for (const Parameter& parameter : signature.parameters()) {
      if (parameter.role == Role::Baked) continue;
      const std::string name = named(text, parameter, base::format("graft_type_{}", types_.size()));
      const std::string_view reference = parameter.role == Role::InOut                                     ? "&&"
                                         : parameter.role == Role::State || parameter.role == Role::Output ? "&"
                                                                                                           : "";
      types_.push_back(base::format("{}{}{}", parameter.role == Role::State ? "const " : "", name, reference));
    }
    text.line("extern \"C\" __device__ {} {}({});", result_, kEntry, base::join(types_, ", "));
    declaration_ = text.take();
  }

  // The text that defines the types and declares graft_entry. Write this text before the user's text, because the
  // user's macros could change it.
  const std::string& declaration() const { return declaration_; }

  const std::string& result() const { return result_; }
  const std::vector<std::string>& types() const { return types_; }

 private:
  static std::string named(ProgramText& text, const Parameter& parameter, std::string name) {
    std::string scalar = scalar_name(parameter.type);
    if (parameter.role == Role::None) scalar = "void";
    if (parameter.role == Role::Index) scalar = "graft::Index";
    if (parameter.role == Role::Position) scalar = base::format("graft::Position<{}>", parameter.type.size / 4);
    if (parameter.role == Role::Store) scalar = "graft::Store";
    if (parameter.role == Role::State) scalar.clear();
    if (scalar.empty()) define_stand_in(text, parameter.type, name);
    else text.line("typedef {} {};", scalar, name);
    return name;
  }

  // Defines a struct with the size and alignment of a type that the kernel's program does not know. It consists of the
  // largest words that the alignment allows: when a half was copied byte by byte, NVRTC 13.0 converted the number to an
  // 8-bit integer instead of taking the low byte of its bits.
  static void define_stand_in(ProgramText& text, const ElementType& type, const std::string& name) {
    const std::uint32_t word = std::min<std::uint32_t>(type.alignment, 8);
    const std::string_view words = word == 8   ? "unsigned long long"
                                   : word == 4 ? "unsigned int"
                                   : word == 2 ? "unsigned short"
                                               : "unsigned char";
    text.line("struct alignas({}) {} {{ {} words[{}]; }};", type.alignment, name, words, type.size / word);
  }

  std::string declaration_;
  std::string result_;
  std::vector<std::string> types_;  // one for each parameter: "graft_type_0", "const graft_type_1&"
};

// Returns the argument that graft_entry passes for the callback's parameter at `position`. `taken` is the index of the
// matching parameter of graft_entry. A baked state has no matching parameter, because the callback's program contains
// its bytes.
std::string argument(const Parameter& parameter, std::size_t position, std::size_t taken) {
  const std::string type = base::format("graft_parameter_of<graft_function, {}>", position);
  switch (parameter.role) {
    case Role::Baked:
      return base::format("reinterpret_cast<const {}&>(graft_baked)", type);
    case Role::State:
      return base::format("reinterpret_cast<const {}&>(graft_a{})", type, taken);
    case Role::Output:
      return base::format("reinterpret_cast<{}&>(graft_a{})", type, taken);
    case Role::InOut:
      return base::format("static_cast<{0}&&>(reinterpret_cast<{0}&>(graft_a{1}))", type, taken);
    case Role::Input:
    case Role::FurtherInput:
    case Role::Index:
    case Role::Position:
    case Role::Accumulator:
    case Role::Store:
    case Role::None:
      break;
  }
  return base::format("graft_value<{}>(graft_a{}).graft_own()", type, taken);
}

}  // namespace

std::string entry_program_text(const SourceProgram& program, const Signature& signature) {
  const Boundary boundary(signature);
  ProgramParts parts = program.parts;
  parts.is_without_kernel = true;
  parts.front += boundary.declaration();
  std::vector<std::string> parameters;
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < signature.parameters().size(); ++i) {
    const Parameter& parameter = signature.parameters()[i];
    arguments.push_back(argument(parameter, i, parameters.size()));
    if (parameter.role != Role::Baked)
      parameters.push_back(base::format("{} graft_a{}", boundary.types()[parameters.size()], parameters.size()));
  }
  const std::string call = base::format("graft_call::graft_run({})", base::join(arguments, ", "));
  ProgramText text;
  text.define("GRAFT_ANSWER", "static __device__");
  text.define("GRAFT_STAND_INS");
  text.raw(program_text(parts));
  text.line("extern \"C\" __device__ {} {}({}) {{", boundary.result(), kEntry, base::join(parameters, ", "));
  if (signature.result().role == Role::None) {
    text.line("  {};", call);
  } else if (signature.is_selective()) {
    text.line("  return {};", call);
  } else {
    text.line("  graft_value<graft_result_of<graft_function>> graft_r;");
    text.line("  graft_r.graft_take({});", call);
    text.line("  return graft_r.graft_as<{}>();", boundary.result());
  }
  text.line("}}");
  return text.take();
}

SourceProgram stand_in_program(const SourceProgram& program, const Signature& signature) {
  SourceProgram made;
  made.family = program.family;
  made.request = program.request;
  made.parts.callback_text = Boundary(signature).declaration();
  made.parts.callback_name = "graft_stand_in";
  made.parts.entry = kEntry;
  made.parts.kernel_name = kernel_name(program.parts);
  made.parts.max_registers = program.parts.max_registers;
  made.scan = reflect::scan(made.parts.callback_text);
  made.title = program.title;
  made.is_extern_c = true;
  return made;
}

}  // namespace graft::codegen
