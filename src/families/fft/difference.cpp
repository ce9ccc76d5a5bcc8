#include "families/fft/difference.hpp"

#include <algorithm>
#include <vector>

#include "base/format.hpp"

namespace graft::families::fft {
namespace {

constexpr std::size_t kLoadStage = 0, kBetweenStage = 1;

const char* point_name(const KernelRequest& request, bool is_number) {
  const bool is_double = request.precision == Precision::Double;
  if (is_number) return is_double ? "double" : "float";
  return is_double ? "double2" : "float2";
}

std::string name_of_fft(const KernelRequest& request) {
  const char* const kind = request.is_real ? "real " : "";
  if (request.has_inverse || serves_both_directions(request)) return base::format("this {}FFT", kind);
  return base::format("the {} {}FFT", request.is_inverse ? "inverse" : "forward", kind);
}

// "returns float", or "writes float&" of a parameter.
std::string output_of(const Signature& signature) {
  if (signature.result().role == Role::Output) return "returns " + signature.result().spelling;
  const auto output = std::ranges::find(signature.parameters(), Role::Output, &Parameter::role);
  return output == signature.parameters().end() ? "has no output" : "writes " + output->spelling;
}

// "takes float".
std::string input_of(const Signature& signature) {
  const auto input = std::ranges::find(signature.parameters(), Role::Input, &Parameter::role);
  return input == signature.parameters().end() ? "takes no element" : "takes " + input->spelling;
}

bool has_bits(const std::vector<ElementType>& types) {
  return std::ranges::find(types, ElementKind::Bit, &ElementType::kind) != types.end();
}

// What no callback of an FFT has, or an empty text.
std::string oddity_of(const Signature& first, const Signature& last) {
  if (!last.in_outs().empty()) return "takes a graft::InOut";
  if (has_bits(first.inputs()) || has_bits(last.inputs()) || has_bits(last.outputs())) return "has graft::Bit";
  if (last.outputs().empty()) return "has no output";
  if (last.outputs().size() > 1) return base::format("has {} outputs", last.outputs().size());
  return {};
}

// What a callback of cuFFT's shape has.
std::string cufft_callback(const std::vector<std::string>& types, bool is_load) {
  const bool is_void = !types.empty() && types[0] == "void";
  if (is_load) return is_void ? "is a store callback of cuFFT's shape" : "returns " + types.at(0);
  return is_void && types.size() > 3 ? "takes " + types[3] : "is a load callback of cuFFT's shape";
}

}  // namespace

std::string difference_of(const KernelRequest& request, const RefusedCallback& callback) {
  const bool is_load = callback.stage == kLoadStage, is_between = callback.stage == kBetweenStage;
  const bool is_number = is_load ? request.loads_numbers() : !is_between && request.stores_numbers();
  const std::string point = point_name(request, is_number);
  const std::string needed = is_load      ? "returns " + point
                             : is_between ? "takes and returns " + point
                                          : base::format("takes {} and has one output", point);
  std::string found;
  if (callback.first == nullptr || callback.last == nullptr) {
    if (callback.types.empty()) return {};
    found = cufft_callback(callback.types, is_load);
  } else {
    const Signature &first = *callback.first, &last = *callback.last;
    found = oddity_of(first, last);
    if (found.empty() && last.is_selective() && (is_load || is_between)) found = "returns graft::Store";
    if (found.empty() && is_between && first.inputs().size() > 1)
      found = base::format("takes {} elements", first.inputs().size());
    if (found.empty())
      found = is_load      ? output_of(last)
              : is_between ? base::format("{} and {}", input_of(first), output_of(last))
                           : input_of(first);
  }
  return base::format("it {}, and {} needs one that {}", found, name_of_fft(request), needed);
}

}  // namespace graft::families::fft
