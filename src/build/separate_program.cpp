#include "build/separate_program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <vector>

namespace graft::building {
namespace {

std::string integer_name(const ElementType& type, bool is_signed) {
  const std::string_view name = type.size == 1   ? "char"
                                : type.size == 2 ? "short"
                                : type.size == 4 ? "int"
                                                 : "long long";
  return fmt::format("{} {}", is_signed ? "signed" : "unsigned", name);
}

// The type itself where its kind decides how it is passed; nothing for what is passed as bytes.
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
    case ElementKind::Class:
    case ElementKind::Bfloat:
    case ElementKind::Complex:
    case ElementKind::Opaque:
      break;
  }
  return {};
}

// Declares each type once it is met, and spells the parameters.
class StandIns {
 public:
  std::string spell(const Parameter& parameter) {
    switch (parameter.role) {
      case Role::Index:
        return "graft::Index";
      case Role::None:
      case Role::Baked:
        return "void";
      case Role::State:
        return fmt::format("const {}&", bytes(parameter.type));
      case Role::Input:
      case Role::Output:
        break;
    }
    const std::string scalar = scalar_name(parameter.type);
    return scalar.empty() ? bytes(parameter.type) : scalar;
  }

  const std::string& definitions() const { return definitions_; }

 private:
  std::string bytes(const ElementType& type) {
    std::string name = fmt::format("graft_type_{}", count_++);
    fmt::format_to(std::back_inserter(definitions_), "struct alignas({}) {} {{ unsigned char bytes[{}]; }};\n",
                   type.alignment, name, type.size);
    return name;
  }

  int count_ = 0;
  std::string definitions_;
};

}  // namespace

std::string entry_program_text(const SourceProgram& program, const Signature& signature) {
  reflect::ProgramParts parts = program.parts;
  parts.is_without_kernel = true;
  std::vector<std::string> parameters;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < signature.parameters().size(); ++i) {
    if (signature.parameters()[i].role == Role::Baked) {
      names.push_back(
          fmt::format("reinterpret_cast<graft_types<graft_function>::parameter<{}>>(graft_baked.bytes)", i));
      continue;
    }
    parameters.push_back(fmt::format("graft_types<graft_function>::parameter<{0}> a{0}", i));
    names.push_back(fmt::format("a{}", i));
  }
  return "#define GRAFT_ANSWER static __device__\n" + reflect::program_text(parts) +
         fmt::format(
             "template <class F> struct graft_types;\n"
             "template <class R, class... P> struct graft_types<R(P...)> {{\n"
             "  using result = R;\n"
             "  template <int I> using parameter = typename graft_adapter::TypeAt<I, P...>::type;\n"
             "}};\n"
             "extern \"C\" __device__ graft_types<graft_function>::result {}({}) {{\n"
             "  return graft_call::call({});\n}}\n",
             kEntry, fmt::join(parameters, ", "), fmt::join(names, ", "));
}

SourceProgram stand_in_program(const SourceProgram& program, const Signature& signature) {
  StandIns types;
  const std::string result = types.spell(signature.result());
  std::vector<std::string> parameters;
  for (const Parameter& parameter : signature.parameters())
    if (parameter.role != Role::Baked)
      parameters.push_back(types.spell(parameter) + (parameter.role == Role::Output ? "&" : ""));
  SourceProgram made;
  made.parts.callback_text = fmt::format("{}extern \"C\" __device__ {} {}({});\n", types.definitions(), result, kEntry,
                                         fmt::join(parameters, ", "));
  made.parts.callback_name = "graft_stand_in";
  made.parts.entry = kEntry;
  made.parts.kernel_name = reflect::kernel_name(program.parts);
  made.parts.max_registers = program.parts.max_registers;
  made.scan = reflect::scan(made.parts.callback_text);
  made.title = program.title;
  made.is_extern_c = true;
  return made;
}

}  // namespace graft::building
