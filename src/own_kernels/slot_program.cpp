#include "own_kernels/slot_program.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "base/demangle.hpp"
#include "base/format.hpp"
#include "codegen/compose.hpp"
#include "codegen/program_text.hpp"
#include "core/fail.hpp"
#include "format/mangled.hpp"
#include "graft/error.hpp"
#include "own_kernels/fit.hpp"
#include "reflect/signature/probe.hpp"

namespace graft::own_kernels {
namespace {

// Templates that take a function's type apart. A callback may be a function, or an object with a call operator.
constexpr const char* kTemplates = R"(
template <class T> struct graft_slot_function_of { typedef T type; };
template <class T> struct graft_slot_function_of<T&> : graft_slot_function_of<T> {};
template <class C, class R, class... P> struct graft_slot_function_of<R (C::*)(P...)> { typedef R type(P...); };
template <class C, class R, class... P> struct graft_slot_function_of<R (C::*)(P...) const> { typedef R type(P...); };
template <class C, class R, class... P>
struct graft_slot_function_of<R (C::*)(P...) noexcept> { typedef R type(P...); };
template <class C, class R, class... P>
struct graft_slot_function_of<R (C::*)(P...) const noexcept> { typedef R type(P...); };
template <class R, class... P> struct graft_slot_function_of<R(P...) noexcept> { typedef R type(P...); };
template <class F> struct graft_slot_parts;
template <class R, class... P> struct graft_slot_parts<R(P...)> { typedef R result; };
template <unsigned I, class F> struct graft_slot_at;
template <class R, class P, class... Q> struct graft_slot_at<0, R(P, Q...)> { typedef P type; };
template <unsigned I, class R, class P, class... Q>
struct graft_slot_at<I, R(P, Q...)> : graft_slot_at<I - 1, R(Q...)> {};
template <class T> struct graft_slot_layout {  // of a small enumeration as of a small integer
  enum : unsigned { size = __is_enum(T) && sizeof(T) < 4 ? 4 : sizeof(T), alignment = alignof(T) };
};
template <class T> struct graft_slot_layout<T&> { enum : unsigned { size = 8, alignment = 8 }; };
template <class T> struct graft_slot_layout<T&&> { enum : unsigned { size = 8, alignment = 8 }; };
template <> struct graft_slot_layout<void> { enum : unsigned { size = 0, alignment = 1 }; };
template <class T, class = void> struct graft_slot_sized { enum : unsigned { size = 0, alignment = 1 }; };
template <class T> struct graft_slot_sized<T, decltype(void(sizeof(T)))> {
  enum : unsigned { size = sizeof(T), alignment = alignof(T) };
};
template <class... P> struct graft_slot_state_of : graft_slot_sized<void> {};
template <class T> struct graft_slot_state_of<const T&> : graft_slot_sized<T> {};
template <class T> struct graft_slot_state_of<const T*> : graft_slot_sized<T> {};
template <class P, class Q, class... R> struct graft_slot_state_of<P, Q, R...> : graft_slot_state_of<Q, R...> {};
template <unsigned...> struct graft_slot_list {};
template <class F> struct graft_slot_layouts_of;
template <class R, class... P> struct graft_slot_layouts_of<R(P...)> {
  typedef graft_slot_list<graft_slot_layout<R>::size, graft_slot_layout<R>::alignment, graft_slot_layout<P>::size...,
                     graft_slot_layout<P>::alignment..., graft_slot_state_of<P...>::size,
                     graft_slot_state_of<P...>::alignment> type;
};
template <class F, class L> __device__ int graft_slot_probe;
template <class... P> struct graft_slot_taking {
  template <class R> static __device__ R (&function(R (*)(P...)))(P...);
};
template <auto* F> __device__ int graft_slot_name;
template <class T, bool = __is_class(T) || __is_union(T)> struct graft_slot_zero {
  static __device__ T get() { return T(); }
};
template <class T> struct graft_slot_zero<T, true> {  // runs no constructor
  struct bytes { alignas(T) unsigned char all[sizeof(T)]; };
  static __device__ T get() { return __builtin_bit_cast(T, bytes{}); }
};
struct graft_slot_state {
  const void* pointer;
  template <class T> __device__ operator const T&() const { return *static_cast<const T*>(pointer); }
};
)";

bool is_object(const codegen::ProgramParts& member) {
  return member.entry.empty() || member.entry_is_expression;
}

// Returns the expression that calls the callback. A macro has renamed a function that the text defines extern "C".
std::string call_of(const codegen::ProgramParts& member, std::size_t number) {
  if (std::ranges::find(member.extern_c, member.entry) != member.extern_c.end())
    return base::format("::{0}{1}::{0}{1}_{2}", codegen::kTextName, number, member.entry);
  if (is_object(member)) return base::format("::{}{}::graft_callback()", codegen::kTextName, number);
  return codegen::member_call(member, number);
}

bool needs_templates(const codegen::ProgramParts& member) {
  return !member.named_like_cuda.empty() || !member.declared.empty();
}

// Writes what comes before callbacks of which `parts` has the needs.
void write_front(codegen::ProgramText& text, const codegen::ProgramParts& parts, bool with_templates) {
  text.include("graft/device.h");
  if (with_templates)
    for (const char* header :
         {"graft/contract.h", "graft/cells.h", "graft/adapter.h", "graft/behind.h", "graft/compose.h"})
      text.include(header);
  codegen::write_preamble(text, parts);
  text.own_lines();
  text.raw(kTemplates);
}

void write_text(codegen::ProgramText& text, const codegen::SourceProgram& program, std::size_t number) {
  codegen::write_plain_members(text, program.parts, number);
  text.own_lines();
}

// Returns the expression that is the callback's function, or the call operator of the type graft_object.
std::string function_of(const codegen::ProgramParts& member, std::size_t number) {
  if (is_object(member)) return "&graft_object::operator()";
  return (member.pick_overload ? "*" : "") + call_of(member, number);
}

// Writes the callback's type as graft_type.
void write_type(codegen::ProgramText& text, const codegen::ProgramParts& member, std::size_t number) {
  if (is_object(member)) text.line("typedef decltype({}) graft_object;", call_of(member, number));
  text.line("typedef graft_slot_function_of<decltype({})>::type graft_type;", function_of(member, number));
  text.line("typedef graft_slot_layouts_of<graft_type>::type graft_layouts;");
}

// Writes the callback's text and its type.
void write_callback(codegen::ProgramText& text, const codegen::SourceProgram& program, std::size_t number) {
  const codegen::ProgramParts& member = program.parts.members.front();
  write_front(text, program.parts, needs_templates(member));
  write_text(text, program, number);
  write_type(text, member, number);
}

void write_function(codegen::ProgramText& text, const SlotFunction& function) {
  const auto& [program, number, type, slot, inlining, body] = function;
  std::vector<std::string> parameters, passed;
  for (std::size_t i = 0; i < slot->parameters.size(); ++i) {
    const bool is_taken = i < type.parameters.size();
    parameters.push_back(is_taken ? base::format("graft_slot_at<{0}, graft_type>::type p{0}", i) : "const void*");
    if (is_taken) passed.push_back(base::format("p{}", i));
  }
  text.line("extern \"C\" __device__ {}graft_slot_parts<graft_type>::result {}({}) {{",
            inlining == Inlining::Always  ? "__attribute__((always_inline)) "
            : inlining == Inlining::Never ? "__noinline__ "
                                          : "",
            slot->symbol, base::join(parameters, ", "));
  if (body == SlotBody::Empty) text.line("  return graft_slot_zero<graft_slot_parts<graft_type>::result>::get();");
  else text.line("  return {}({});", call_of(program.parts.members.front(), number), base::join(passed, ", "));
  text.line("}}");
}

// Reads a function's type from the lowered name of a probe for it.
std::optional<CallbackType> read_probe(const std::string& lowered_name) {
  const std::string name = base::demangled(lowered_name);
  constexpr std::string_view kHead = "graft_slot_probe<", kLayouts = ", graft_slot_list<";
  const std::size_t head = name.find(kHead), layouts = name.rfind(kLayouts);
  if (head == std::string::npos || layouts == std::string::npos || layouts < head) return std::nullopt;
  const std::vector<std::string> spelled =
      reflect::spellings(std::string_view(name).substr(head + kHead.size(), layouts - head - kHead.size()));
  CallbackType type{.result = format::canonical_type(base::without_own_scopes(spelled.front()))};
  for (std::size_t i = 1; i < spelled.size(); ++i)
    type.parameters.push_back(format::canonical_type(base::without_own_scopes(spelled[i])));
  const std::vector<unsigned> numbers = reflect::numbers(std::string_view(name).substr(layouts + kLayouts.size()));
  const std::size_t count = type.parameters.size();
  if (numbers.size() < 4 + 2 * count) return std::nullopt;
  type.layouts.push_back({numbers[0], numbers[1]});
  for (std::size_t i = 0; i < count; ++i) type.layouts.push_back({numbers[2 + i], numbers[2 + count + i]});
  type.state = {numbers[2 + 2 * count], numbers[3 + 2 * count]};
  return type;
}

}  // namespace

std::string CallbackType::text(const std::string& name) const {
  return base::format("{} {}({})", result, name, base::join(parameters, ", "));
}

codegen::SourceProgram prepare_callback(const Callback& callback, const Options& options) {
  codegen::SourceProgram program = codegen::prepare_program({chain({callback})}, options);
  program.title = program.members.front().title;  // the user made no chain
  return program;
}

std::string type_text(const codegen::SourceProgram& program, std::size_t number) {
  codegen::ProgramText text;
  write_callback(text, program, number);
  // The PTX then has the callback, also if nothing calls it.
  text.line("__device__ auto graft_callback_itself() {{ return {}; }}",
            function_of(program.parts.members.front(), number));
  return text.take();
}

std::string name_probe(const codegen::SourceProgram& program, std::size_t number) {
  return base::format("&graft_slot_name<&{}>", call_of(program.parts.members.front(), number));
}

// In the name of an instance, an argument that is the function _Z1mff is L_Z1mffE, and one that is the C function m is
// L_Z1mE.
bool has_name_of(const std::string& lowered_name, const Slot& slot) {
  const std::string name =
      slot.symbol.starts_with("_Z") ? slot.symbol : base::format("_Z{}{}", slot.symbol.size(), slot.symbol);
  return lowered_name.find(base::format("L{}E", name)) != std::string::npos;
}

CallbackType read_type(const std::string& lowered_name, const std::string& title) {
  std::optional<CallbackType> type = read_probe(lowered_name);
  if (!type)
    fail(ErrorCode::UnsupportedParameter, base::format("the type of {} cannot be read", title),
         "Give its parameters types with shorter names.");
  return std::move(*type);
}

std::string slot_text(const SlotFunction& function) {
  codegen::ProgramText text;
  write_callback(text, function.program, function.number);
  write_function(text, function);
  return text.take();
}

std::string whole_text(codegen::SourceProgram& code, const std::vector<SlotFunction>& functions,
                       const std::vector<Value>& values) {
  bool with_templates = false;
  codegen::ProgramParts own = code.parts;
  for (const SlotFunction& function : functions) {
    codegen::add_needs(code, function.program);
    with_templates |= needs_templates(function.program.parts.members.front());
  }
  codegen::ProgramParts front = code.parts;
  front.own_constants.clear();
  front.own_types.clear();
  codegen::ProgramText text;
  write_front(text, front, with_templates);
  for (const SlotFunction& function : functions) {
    write_text(text, function.program, function.number);
    text.line("namespace graft_slot_{} {{", function.number);
    write_type(text, function.program.parts.members.front(), function.number);
    write_function(text, function);
    text.line("}}");
  }
  own.math_calls.clear();  // which the front has
  text.raw(codegen::text_alone(own));
  text.own_lines();
  // A definition of the declared type: only the compiler knows whether that is `bool` or `unsigned char`.
  for (const Value& value : values)
    text.line("__device__ decltype(::{0}) {0} = static_cast<decltype(::{0})>({1}ull);", value.variable->name,
              static_cast<std::uint64_t>(value.value));
  return text.take();
}

std::string constants_text(const std::vector<Value>& values) {
  codegen::ProgramText text;
  text.own_lines();
  for (const Value& value : values) {
    const std::uint64_t bytes = value.variable->bytes;
    const char* const type = bytes == 1 ? "unsigned char" : bytes == 2 ? "short" : bytes == 4 ? "int" : "long long";
    text.line(
        "extern \"C\" {{ extern __device__ const {0} {1}; __device__ const {0} {1} = static_cast<{0}>({2}ull); }}",
        type, value.variable->symbol, static_cast<std::uint64_t>(value.value));
  }
  return text.take();
}

std::string facts_text() {
  return kTemplates;
}

namespace {

std::string facts_probe_of(const std::string& type) {
  const std::string function = base::format("graft_slot_function_of<decltype({})>::type", type);
  return base::format("&graft_slot_probe<{0}, graft_slot_layouts_of<{0}>::type>", function);
}

}  // namespace

std::optional<std::string> facts_probe(const Slot& slot) {
  if (!slot.types) return std::nullopt;
  return facts_probe_of(
      base::format("graft_slot_taking<{}>::function(&::{})", base::join(*slot.types, ", "), slot.name));
}

std::optional<std::string> facts_probe(const std::string& name) {
  const auto is_of_name = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == ':'; };
  if (name.empty() || !std::ranges::all_of(name, is_of_name)) return std::nullopt;
  return facts_probe_of("::" + name);
}

bool read_slot_facts(const std::string& lowered_name, Slot& slot) {
  const std::optional<CallbackType> type = read_probe(lowered_name);
  if (!type || type->parameters != slot.types) return false;
  slot.result_type = type->result;
  if (slot.types->empty() || !passes_state(slot.types->back())) return true;
  slot.state_bytes = type->state.size;
  slot.state_alignment = type->state.alignment;
  return true;
}

}  // namespace graft::own_kernels
