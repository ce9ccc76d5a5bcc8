#include "families/fft/exact_hooks.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/format.hpp"
#include "codegen/compose.hpp"
#include "codegen/exact_text.hpp"
#include "codegen/program_text.hpp"
#include "contract.h"
#include "format/mangled.hpp"
#include "reflect/signature/declaration.hpp"
#include "reflect/signature/known_types.hpp"
#include "reflect/signature/probe.hpp"

namespace graft::families::fft {
namespace {

using Types = std::vector<std::string>;

// Names of cuFFT's types, which are names of CUDA's. The program checks the callbacks' types, so that a text may mean
// other types by these names.
std::string without_alias(std::string type) {
  for (const std::string_view name : {"cufftComplex", "cuFloatComplex", "cuComplex"})
    if (type == name) return "float2";
  for (const std::string_view name : {"cufftDoubleComplex", "cuDoubleComplex"})
    if (type == name) return "double2";
  return type;
}

bool is_offset(std::string_view type) {
  return type == "unsigned long long" || type == "size_t" || type == "unsigned long";
}

bool is_type(const std::string& type) {
  return reflect::known_type(type) || is_offset(type) || type == "void*" || type == "graft::Index";
}

// A type as the compiler names it, without const: that of a value does not matter to its function's type.
std::string plain_type(std::string_view spelling) {
  std::string type = format::canonical_type(reflect::west_const(spelling));
  const bool is_value = !type.ends_with('*') && !type.ends_with('&');
  return without_alias(is_value && type.starts_with("const ") ? type.substr(6) : type);
}

// Returns the result and the parameters of a function type, without the parameters' names.
Types types_of(const std::string& function_type) {
  Types types = reflect::spellings(function_type);
  for (std::size_t i = 0; i < types.size(); ++i) {
    std::string type = plain_type(types[i]);
    types[i] = i == 0 || is_type(type) ? type : plain_type(reflect::parameter_type(types[i]));
  }
  return types;
}

// A callback whose types are known.
struct Hook {
  std::string call;  // the expression that names the function
  bool is_cufft = false;
  std::string result;  // "void" for a store callback of cuFFT's shape
  Types parameters;    // of graft's shape: elements, and graft::Index at most once; of cuFFT's shape: all five or four

  std::string type() const { return base::format("{}({})", result, base::join(parameters, ", ")); }
  std::size_t elements() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(parameters, [](const auto& t) { return t != "graft::Index"; }));
  }
};

class HooksWriter {
 public:
  HooksWriter(const codegen::SourceProgram& program, const KernelRequest& request)
      : program_(program),
        request_(request),
        real_(request.precision == Precision::Double ? "double" : "float"),
        pair_(request.precision == Precision::Double ? "double2" : "float2"),
        complex_(request.precision == Precision::Double ? "graft::complex<double>" : "graft::complex<float>") {}

  std::optional<ExactHooks> write() {
    if (!read_hooks()) return std::nullopt;
    std::optional<Signature> signature = this->signature();
    if (!signature) return std::nullopt;
    return ExactHooks{std::move(*signature), front(), behind()};
  }

 private:
  enum Place : std::size_t { kLoad, kBetween, kStore };

  // Whether the points at a place are numbers, and which type they have where there is no callback.
  bool has_numbers(std::size_t place) const {
    return place == kLoad ? request_.loads_numbers() : place == kStore && request_.stores_numbers();
  }
  std::string point_type(std::size_t place) const { return std::string(has_numbers(place) ? real_ : pair_); }

  bool is_point(std::size_t place, std::string_view type) const {
    return has_numbers(place) ? type == real_ : type == pair_ || type == complex_;
  }

  bool read_hooks() {
    if (program_.has_chain_as_stage) return false;
    for (const std::size_t place : {kLoad, kBetween, kStore}) {
      if (!program_.stages[place]) continue;
      const std::size_t number = *program_.stages[place];
      const codegen::ProgramParts& member = program_.parts.members[number];
      const std::string& function_type = program_.members[number].function_type;
      if (!codegen::is_known_function(member, function_type)) return false;
      Hook& hook = hooks_[place].emplace();
      hook.call = codegen::member_call(member, number);
      hook.parameters = types_of(function_type);
      if (hook.parameters.empty()) return false;
      hook.result = hook.parameters.front();
      hook.parameters.erase(hook.parameters.begin());
      if (!fits(place, hook)) return false;
    }
    return true;
  }

  bool fits(std::size_t place, Hook& hook) const {
    const Types& types = hook.parameters;
    hook.is_cufft = place != kBetween && !types.empty() && types.front() == "void*";
    if (hook.is_cufft && place == kLoad)
      return types.size() == 4 && is_offset(types[1]) && types[2] == "void*" && types[3] == "void*" &&
             is_point(kLoad, hook.result);
    if (hook.is_cufft)
      return types.size() == 5 && is_offset(types[1]) && is_point(kStore, types[2]) && types[3] == "void*" &&
             types[4] == "void*" && hook.result == "void";
    // An FFT has no arrays of bits.
    const auto is_element = [](const std::string& type) {
      const std::optional<ElementType> known = reflect::known_type(type);
      return known && known->kind != ElementKind::Bit;
    };
    const auto indices = std::ranges::count(types, "graft::Index");
    if (indices > 1 || !std::ranges::all_of(types, [&](const auto& t) { return t == "graft::Index" || is_element(t); }))
      return false;
    if (place == kLoad) return is_point(kLoad, hook.result);
    return !types.empty() && is_point(place, types.front()) &&
           (place == kStore ? is_element(hook.result) : hook.elements() == 1 && is_point(kBetween, hook.result));
  }

  // ---- the signature ----

  // The arrays of the load callback, then the further arrays of the store callback.
  Types arrays() const {
    Types all;
    const std::optional<Hook>&load = hooks_[kLoad], &store = hooks_[kStore];
    if (!load) all.push_back(point_type(kLoad));
    else if (load->is_cufft) all.push_back(load->result);
    else add_elements(*load, 0, all);
    if (store && !store->is_cufft) add_elements(*store, 1, all);
    return all;
  }
  static void add_elements(const Hook& hook, std::size_t first, Types& all) {
    for (std::size_t i = first; i < hook.parameters.size(); ++i)
      if (hook.parameters[i] != "graft::Index") all.push_back(hook.parameters[i]);
  }
  std::size_t loaded() const { return hooks_[kLoad] && !hooks_[kLoad]->is_cufft ? hooks_[kLoad]->elements() : 1; }

  std::optional<Signature> signature() const {
    const auto type_of = [](const std::string& type, bool is_opaque) {
      return is_opaque ? ElementType{ElementKind::Opaque, 0, 1} : reflect::known_type(type).value();
    };
    const std::optional<Hook>&load = hooks_[kLoad], &store = hooks_[kStore];
    std::vector<Parameter> parameters;
    bool takes_index = false;
    for (const std::string& type : arrays()) {
      const bool is_further = parameters.size() >= loaded();
      const bool is_opaque = parameters.empty() && load && load->is_cufft;
      parameters.push_back({is_further ? Role::FurtherInput : Role::Input, type_of(type, is_opaque), canonical(type)});
    }
    if (parameters.size() > GRAFT_MAX_INPUTS) return std::nullopt;
    for (const std::optional<Hook>& hook : hooks_)
      takes_index |= hook && std::ranges::find(hook->parameters, "graft::Index") != hook->parameters.end();
    if (takes_index) parameters.push_back({Role::Index, {ElementKind::Class, 8, 8}, "graft::Index"});
    const std::string stored = !store ? point_type(kStore) : store->is_cufft ? store->parameters[2] : store->result;
    return Signature({Role::Output, type_of(stored, store && store->is_cufft), canonical(stored)},
                     std::move(parameters));
  }

  // The name that a compiler gives the type.
  static std::string canonical(const std::string& type) {
    const std::optional<Signature> known = reflect::known_signature(base::format("{0}({0})", type));
    return known ? known->result().spelling : type;
  }

  // ---- the text ----

  std::string front() const {
    codegen::ProgramText text;
    for (const std::optional<Hook>& hook : hooks_) include_headers(text, hook);
    codegen::write_type_checks(text);
    for (const std::string_view type : {pair_, complex_}) codegen::write_members_of(text, *codegen::pair_of(type));
    for (const std::size_t place : {kLoad, kBetween, kStore}) {
      if (!hooks_[place]) continue;
      text.line("typedef {} graft_result_{};", hooks_[place]->result, place);
      for (std::size_t i = 0; i < hooks_[place]->parameters.size(); ++i)
        text.line("typedef {} graft_type_{}_{};", hooks_[place]->parameters[i], place, i);
    }
    return text.take();
  }

  static void include_headers(codegen::ProgramText& text, const std::optional<Hook>& hook) {
    if (!hook) return;
    Types types = {canonical(hook->result)};
    for (const std::string& type : hook->parameters) types.push_back(canonical(type));
    codegen::include_headers_of(text, types);
  }

  // The types in front have names that the user's macros do not change.
  static std::string type(std::size_t place, std::size_t i) { return base::format("graft_type_{}_{}", place, i); }

  std::string behind() const {
    codegen::ProgramText text;
    for (const std::size_t place : {kLoad, kBetween, kStore}) {
      if (!hooks_[place]) continue;
      Types types;
      for (std::size_t i = 0; i < hooks_[place]->parameters.size(); ++i) types.push_back(type(place, i));
      codegen::write_type_check(text, hooks_[place]->call,
                                base::format("graft_result_{}({})", place, base::join(types, ", ")),
                                hooks_[place]->type());
    }
    const std::optional<Hook>&load = hooks_[kLoad], &store = hooks_[kStore];
    text.line("struct {} {{ }};", kExactHooks);
    text.line("struct graft_fft_arrays {{ const void* graft_in[{}]; }};", std::max<std::size_t>(arrays().size(), 1));
    text.line("template <class> using graft_fft_arguments = graft_fft_arrays;");
    text.line("template <class> constexpr bool graft_fft_load_has_offset = {};", load && load->is_cufft);
    text.line("template <class> constexpr bool graft_fft_store_has_offset = {};", store && store->is_cufft);
    text.line(
        "template <class Hooks> static __device__ __forceinline__ bool graft_fft_load_is_aligned(const "
        "graft_fft_arrays& graft_all) {{\n  return true{};\n}}",
        alignment(0, loaded()));
    text.line(
        "template <class Hooks> static __device__ __forceinline__ bool graft_fft_store_is_aligned(const "
        "graft_fft_arrays& graft_all, const void* graft_out) {{\n"
        "  return reinterpret_cast<unsigned long long>(graft_out) % 16 == 0{};\n}}",
        alignment(loaded(), arrays().size()));
    text.raw(
        "template <bool graft_is_aligned> static __device__ __forceinline__ const void* graft_array(const void* "
        "graft_begin) {\n"
        "  if constexpr (graft_is_aligned) return __builtin_assume_aligned(graft_begin, 16);\n"
        "  else return graft_begin;\n}\n"
        "template <class Complex, class Point> static __device__ __forceinline__ Complex graft_complex_of(const Point& "
        "graft_point) {\n"
        "  Complex graft_c;\n  graft_c.graft_x = graft_first_of(graft_point);\n"
        "  graft_c.graft_y = graft_second_of(graft_point);\n  return graft_c;\n}\n");
    text.line(
        "template <class Hooks, class Complex, bool graft_is_aligned = false> static __device__ __forceinline__ "
        "Complex graft_fft_load(const "
        "graft_fft_arrays& graft_all, unsigned long long graft_offset, unsigned long long graft_index, void* "
        "graft_info, void* graft_shared) {{\n  return {};\n}}",
        load_value());
    if (hooks_[kBetween])
      text.line(
          "template <class Hooks, class Complex> static __device__ __forceinline__ Complex graft_fft_between(const "
          "graft_fft_arrays&, unsigned long long graft_index, const Complex& graft_value) {{\n"
          "  return {};\n}}",
          point_of(kBetween, call_with_point(kBetween, 0)));
    text.line(
        "template <class Hooks, class Complex, bool graft_is_aligned = false> static __device__ __forceinline__ void "
        "graft_fft_store(const "
        "graft_fft_arrays& graft_all, void* graft_out, unsigned long long graft_offset, unsigned long long "
        "graft_index, const Complex& graft_value, void* graft_info, void* graft_shared) {{\n"
        "  graft_out = const_cast<void*>(graft_array<graft_is_aligned>(graft_out));\n  {};\n}}",
        store_statement());
    return text.take();
  }

  // Whether the arrays begin at multiples of 16 bytes, as further conditions.
  static std::string alignment(std::size_t begin, std::size_t end) {
    std::string text;
    for (std::size_t array = begin; array < end; ++array)
      base::append(text, " && reinterpret_cast<unsigned long long>(graft_all.graft_in[{}]) % 16 == 0", array);
    return text;
  }

  // A callback's result as a point of the FFT, and the reverse: graft_value as parameter i of a callback.
  std::string point_of(std::size_t place, const std::string& value) const {
    return has_numbers(place) ? value : base::format("graft_complex_of<Complex>({})", value);
  }
  std::string value_as(std::size_t place, std::size_t i) const {
    return has_numbers(place) ? "graft_value" : type(place, i) + "{graft_value.graft_x, graft_value.graft_y}";
  }

  std::string load_value() const {
    if (!hooks_[kLoad])
      return "static_cast<const Complex*>(graft_array<graft_is_aligned>(graft_all.graft_in[0]))[graft_offset]";
    const Hook& load = *hooks_[kLoad];
    if (load.is_cufft)
      return point_of(
          kLoad,
          base::format(
              "{}(const_cast<void*>(graft_array<graft_is_aligned>(graft_all.graft_in[0])), graft_offset, graft_info, "
              "graft_shared)",
              load.call));
    return point_of(kLoad, base::format("{}({})", load.call, base::join(arguments(kLoad, 0, 0), ", ")));
  }

  std::string store_statement() const {
    if (!hooks_[kStore]) return "static_cast<Complex*>(graft_out)[graft_offset] = graft_value";
    const Hook& store = *hooks_[kStore];
    if (store.is_cufft)
      return base::format("{}(graft_out, graft_offset, {}, graft_info, graft_shared)", store.call, value_as(kStore, 2));
    return base::format("static_cast<graft_result_{}*>(graft_out)[graft_offset] = {}", static_cast<int>(kStore),
                        call_with_point(kStore, loaded()));
  }

  // A call whose first element is the point.
  std::string call_with_point(std::size_t place, std::size_t first_array) const {
    return base::format("{}({})", hooks_[place]->call, base::join(arguments(place, 1, first_array), ", "));
  }

  // The arguments of a callback of graft's shape. The first `points` elements are the point, the others are elements of
  // the arrays from `array` on.
  Types arguments(std::size_t place, std::size_t points, std::size_t array) const {
    Types all;
    for (std::size_t i = 0; i < hooks_[place]->parameters.size(); ++i) {
      if (hooks_[place]->parameters[i] == "graft::Index") all.push_back(type(place, i) + "{graft_index}");
      else if (points > 0 && points-- > 0) all.push_back(value_as(place, i));
      else
        all.push_back(
            base::format("static_cast<const {}*>(graft_array<graft_is_aligned>(graft_all.graft_in[{}]))[graft_offset]",
                         type(place, i), array++));
    }
    return all;
  }

  const codegen::SourceProgram& program_;
  const KernelRequest& request_;
  const std::string_view real_;
  const std::string_view pair_;
  const std::string_view complex_;
  std::array<std::optional<Hook>, 3> hooks_;
};

}  // namespace

std::optional<ExactHooks> exact_hooks(const codegen::SourceProgram& program, const KernelRequest& request) {
  return HooksWriter(program, request).write();
}

}  // namespace graft::families::fft
