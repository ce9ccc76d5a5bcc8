#include "own_kernels/fit.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/format.hpp"
#include "core/fail.hpp"
#include "graft/error.hpp"
#include "reflect/callback/scan.hpp"
#include "reflect/text/text.hpp"

namespace graft::own_kernels {
namespace {

using format::PtxParameter;

bool is_reference_to_const(std::string_view type) {
  return type.starts_with("const ") && type.ends_with('&') && !type.ends_with("&&");
}

bool is_pointer(std::string_view type) {
  return type.ends_with('*') || type.ends_with('&');
}

bool is_floating(std::string_view type) {
  return type == "float" || type == "double";
}

bool is_integer(std::string_view type) {
  for (const std::string_view name : {"bool", "char", "short", "int", "long", "char8_t", "char16_t", "char32_t"})
    if (type == name || type.ends_with(std::string(" ").append(name))) return !is_pointer(type);
  return false;
}

bool takes_state(std::string_view type) {
  return type == "const void*" || is_reference_to_const(type) || (type.starts_with("const ") && type.ends_with('*'));
}

// `long` and `long long` are the same type on all systems that CUDA runs on, but for the name.
std::string with_one_long(std::string type) {
  constexpr std::string_view kLong = "long long";
  for (std::size_t at = type.find(kLong); at != std::string::npos; at = type.find(kLong, at))
    type.replace(at, 9, "long");
  return type;
}

bool fits(const std::string& slot, const std::string& own) {
  if (with_one_long(slot) == with_one_long(own)) return true;
  if (is_pointer(slot) && "const " + slot == own) return true;
  return passes_state(slot) && takes_state(own);
}

bool is_class(std::string_view type) {
  return type != "void" && !is_pointer(type) && !is_floating(type) && !is_integer(type);
}

// The bytes by which PTX passes a value: smaller integers as 4 bytes.
std::uint64_t passed_bytes(std::string_view type, std::uint64_t bytes) {
  return bytes > 0 && bytes < 4 && !is_class(type) ? 4 : bytes;
}

class Check {
 public:
  Check(const Slot& slot, const CallbackType& type, const std::string& title, const std::string& code)
      : slot_(slot), type_(type), title_(title), code_(code) {}

  void all() const {
    parameter_count();
    for (std::size_t i = 0; i < type_.parameters.size(); ++i) parameter(i);
    result();
    state();
  }

 private:
  [[noreturn]] void misfit(const std::string& why, ErrorCode code = ErrorCode::SignatureMismatch) const {
    const std::string name = title_.substr(0, title_.find(' '));
    fail(code, base::format("{} does not fit the slot {} of {}: {}", title_, slot_.name, code_, why),
         "Give the callback the slot's parameters and result. A state may be any `const T&` where the slot passes a "
         "`const S&` of a class, or `const void*`. Pass classes with a copy constructor, such as __half2, by "
         "reference.",
         base::format("  the slot:      {}\n  the callback:  {}", slot_.declaration_with_result(), type_.text(name)));
  }

  void parameter_count() const {
    const std::size_t own = type_.parameters.size(), passed = slot_.parameters.size();
    if (own == passed) return;
    if (slot_.types && slot_.types->size() + 1 == passed)
      misfit(base::format("its result `{}` is a class with a copy constructor of its own, which a slot cannot return",
                          type_.result),
             ErrorCode::UnsupportedParameter);
    const bool leaves_state_out = own + 1 == passed && slot_.types && passes_state(slot_.types->back());
    if (!leaves_state_out) misfit(base::format("it takes {} parameters, and the slot passes {}", own, passed));
  }

  void parameter(std::size_t i) const {
    const std::string& own = type_.parameters[i];
    if (slot_.types && !fits((*slot_.types)[i], own))
      misfit(base::format("parameter {} is `{}`, and the slot passes `{}`", i + 1, own, (*slot_.types)[i]));
    const CallbackType::Layout& layout = type_.layouts[i + 1];
    const PtxParameter& passed = slot_.parameters[i];
    if (passed_bytes(own, layout.size) == passed.size && (!is_class(own) || layout.alignment <= passed.alignment))
      return;
    const bool is_hidden = is_class(own) && slot_.types && (*slot_.types)[i] == own && passed.size == 8 &&
                           passed.alignment == 8 && layout.size <= 8;
    misfit(is_hidden ? base::format("parameter {} is `{}` by value, which has a copy constructor of its own, so that "
                                    "the slot passes a pointer",
                                    i + 1, own)
                     : base::format("parameter {} is `{}` of {} bytes aligned to {}, and the slot passes {} bytes "
                                    "aligned to {}",
                                    i + 1, own, layout.size, layout.alignment, passed.size, passed.alignment),
           is_class(own) ? ErrorCode::UnsupportedParameter : ErrorCode::SignatureMismatch);
  }

  // A slot refers to its state as a class of the kernel's, which has no more room than that.
  void state() const {
    if (slot_.state_bytes == 0 || !slot_.types || type_.parameters.size() != slot_.types->size()) return;
    if (type_.state.size <= slot_.state_bytes && type_.state.alignment <= slot_.state_alignment) return;
    misfit(base::format("its state `{}` has {} bytes aligned to {}, and the slot's `{}` has {} bytes aligned to {}",
                        type_.parameters.back(), type_.state.size, type_.state.alignment, slot_.types->back(),
                        slot_.state_bytes, slot_.state_alignment));
  }

  void result() const {
    const std::uint64_t own = passed_bytes(type_.result, type_.layouts.front().size),
                        wanted = slot_.result ? slot_.result->size : 0;
    if (own != wanted && type_.layouts.front().size == wanted)
      misfit(base::format("its result is `{}`, and the slot's is a class of {} bytes", type_.result, wanted));
    if (own != wanted)
      misfit(base::format("its result is `{}` of {} bytes, and the slot's has {} bytes", type_.result,
                          type_.layouts.front().size, wanted));
    if (!slot_.result) return;
    if (!slot_.result_type.empty() && with_one_long(slot_.result_type) != with_one_long(type_.result))
      misfit(base::format("its result is `{}`, and the slot's is `{}`", type_.result, slot_.result_type));
    if (slot_.result->number == PtxParameter::Float && is_integer(type_.result))
      misfit(base::format("its result is `{}`, and the kernel uses it as a floating-point number", type_.result));
    if (slot_.result->number == PtxParameter::Integer && is_floating(type_.result))
      misfit(base::format("its result is `{}`, and the kernel uses it as an integer", type_.result));
  }

  const Slot& slot_;
  const CallbackType& type_;
  const std::string& title_;
  const std::string& code_;
};

}  // namespace

bool passes_state(std::string_view type) {
  if (type == "const void*") return true;
  // A reference to a number is a number.
  if (!is_reference_to_const(type)) return false;
  const std::string_view of = type.substr(6, type.size() - 7);
  return !is_floating(of) && !is_integer(of) && !is_pointer(of);
}

void check_fit(const Slot& slot, const CallbackType& type, const std::string& title, const std::string& code) {
  Check(slot, type, title, code).all();
}

namespace {

// Whether the text defines a class or an enumeration of this name.
bool defines_type(const reflect::Text& text, std::string_view name) {
  constexpr std::size_t kMostAttributes = 12;  // `struct __align__(16) Ray final {`
  const std::vector<reflect::Token>& tokens = text.code().tokens;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].is("struct") && !tokens[i].is("class") && !tokens[i].is("union") && !tokens[i].is("enum")) continue;
    for (std::size_t j = i + 1; j + 1 < std::min(i + kMostAttributes, tokens.size()); ++j) {
      if (tokens[j].is(";") || tokens[j].is("{")) break;
      if (!tokens[j].is(name)) continue;
      if (tokens[j + 1].is("{") || tokens[j + 1].is(":") || tokens[j + 1].is("final")) return true;
    }
  }
  return false;
}

// Whether NVRTC's messages say that the type is unknown: "lib::Ray", whose namespace is "lib" and whose name is "Ray".
bool is_unknown_in(std::string_view log, std::string_view scope, std::string_view name) {
  const auto says = [&](const std::string& words) { return log.find(words) != log.npos; };
  return says(base::format("identifier \"{}\" is undefined", name)) ||
         says(base::format("\"{}\" is not a template", name)) ||
         says(base::format("the global scope has no \"{}\"", name)) ||
         (!scope.empty() && (says(base::format("{}\" has no member \"{}\"", scope, name)) ||
                             says("name followed by \"::\" must be a class or namespace")));
}

}  // namespace

void check_types_are_known(const Slot& slot, const Error& error, const Callback& callback, const std::string& code,
                           const std::vector<Header>& headers) {
  // In the entry that graft writes for a template, an unknown name is an entry that does not exist.
  const bool is_unknown = error.code() == ErrorCode::CompileFailed || error.code() == ErrorCode::NoSuchEntry;
  if (!is_unknown || !slot.types) return;
  for (std::size_t i = 0; i < slot.types->size(); ++i) {
    const std::string& type = (*slot.types)[i];
    if (!is_class(type)) continue;
    std::string_view scope = std::string_view(type).substr(0, type.find('<'));  // "lib::Ray"
    const std::string_view name = reflect::unqualified(scope);
    scope.remove_suffix(std::min(name.size() + 2, scope.size()));
    if (!is_unknown_in(error.log(), reflect::unqualified(scope), name)) continue;
    const auto defines = [&](const std::string& text) { return defines_type(reflect::Text(text), name); };
    const auto header = std::ranges::find_if(headers, [&](const Header& one) { return defines(one.text); });
    const bool has_header = header != headers.end();
    if (defines(callback.text()) || (has_header && callback.text().find(header->name) != std::string::npos)) continue;
    fail(ErrorCode::UnsupportedParameter,
         base::format("the slot {} of {} passes `{}` ({} bytes) by value, and {} does not define this type", slot.name,
                      code, type, slot.parameters.at(i).size, callback.name()),
         has_header
             ? base::format("Write #include \"{}\" in the callback: the header defines the type.", header->name)
             : "Give the header that defines the type by KernelCode::with_header, and include it in the callback; or "
               "declare the slot with a reference to const in place of the value.",
         error.log(), error.versions());
  }
}

void check_same(const Slot& slot, const Slot& made_for, const std::string& title, const std::string& name,
                const std::string& code) {
  const auto is_same = [](const PtxParameter& a, const PtxParameter& b) {
    const bool may_be_one_kind =
        a.number == b.number || a.number == PtxParameter::Unknown || b.number == PtxParameter::Unknown;
    return a.size == b.size && a.alignment == b.alignment && may_be_one_kind;
  };
  const bool have_results = slot.result.has_value() == made_for.result.has_value();
  if (slot.symbol == made_for.symbol && std::ranges::equal(slot.parameters, made_for.parameters, is_same) &&
      have_results && (!slot.result || is_same(*slot.result, *made_for.result)))
    return;
  fail(ErrorCode::SignatureMismatch,
       base::format("{} in {} does not fit the slot {} of {}: it was compiled for another slot", title, name, slot.name,
                    code),
       "Compile the callback for this slot: KernelCode::precompile_for, or `graft precompile --for`.",
       base::format("  the slot:      {}\n  compiled for:  {}", slot.declaration_with_result(),
                    made_for.declaration_with_result()));
}

}  // namespace graft::own_kernels
