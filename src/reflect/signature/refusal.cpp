// A table has the words for each refusal of contract.h: which part of the signature is refused (Place), the reason, and
// the remedy.
#include "reflect/signature/refusal.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/format.hpp"

namespace graft::reflect {
namespace {

constexpr std::string_view kElement = "element";

// A parameter of a store callback; a load callback has no element.
struct CufftParameter {
  std::string_view name;
  std::vector<std::string_view> types;  // empty: any type by value
};

std::vector<CufftParameter> parameters_of(bool is_store) {
  std::vector<CufftParameter> list = {{"data", {"void*"}},
                                      {"offset", {"size_t", "unsigned long", "unsigned long long"}},
                                      {kElement, {}},
                                      {"caller_info", {"void*"}},
                                      {"shared", {"void*"}}};
  if (!is_store) std::erase_if(list, [](const CufftParameter& one) { return one.name == kElement; });
  return list;
}

// A store callback has an element in third place, where a load callback has a pointer.
bool is_meant_to_store(const std::vector<std::string>& types) {
  return types.size() > 3 ? !types[3].ends_with('*') : !types.empty() && types[0] == "void";
}

bool fits(const std::string& type, const CufftParameter& wanted) {
  if (wanted.types.empty()) return !type.ends_with('&');
  return std::ranges::find(wanted.types, type) != wanted.types.end();
}

std::string difference(const std::string& type, const CufftParameter& wanted) {
  return base::format("its `{}` is {} and not {}", wanted.name, type,
                      wanted.types.empty() ? "a value" : wanted.types.front());
}

std::string joined(const std::vector<std::string>& parts) {
  if (parts.empty()) return "it differs in a type";
  if (parts.size() < 3) return base::join(parts, " and ");
  return base::format("{}, and {}", base::join(std::vector(parts.begin(), parts.end() - 1), ", "), parts.back());
}

// Says how a signature differs from that of a cuFFT load or store callback which its author probably meant:
//
//     float2 f(const float2*, int, void*)    its `data` is const float2* and not void*, its `offset` is int and not
//                                            size_t, and it has no `shared`
std::string differences_from_cufft(const std::vector<std::string>& types) {
  const bool is_store = is_meant_to_store(types);
  const std::vector<CufftParameter> wanted = parameters_of(is_store);
  std::vector<std::string> all;
  if (!types.empty() && is_store != (types[0] == "void"))
    all.push_back(is_store ? base::format("it returns {} and not void", types[0]) : "it returns void");
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (i + 1 >= types.size()) all.push_back(base::format("it has no `{}`", wanted[i].name));
    else if (!fits(types[i + 1], wanted[i])) all.push_back(difference(types[i + 1], wanted[i]));
  }
  if (types.size() > wanted.size() + 1)
    all.push_back(base::format("it has {} parameters and not {}", types.size() - 1, wanted.size()));
  return joined(all);
}

using graft_adapter::Refusal;

enum class Place {
  Type,      // the type of the result or of a parameter
  Callback,  // the callback as a whole
  Part,      // one of the callbacks of a chain
  LoadCallback,
  StoreCallback,
};

struct Wording {
  Refusal refusal;
  Place place;
  std::string_view reason;
  std::string_view remedy;
};

static_assert(GRAFT_MAX_INPUTS == 16 && GRAFT_MAX_OUTPUTS == 8 && GRAFT_MAX_ELEMENT_BYTES == 32 &&
                  GRAFT_MAX_STATE_BYTES == 2048 && GRAFT_MAX_COORDINATES == 5 && GRAFT_MAX_STATE_ALIGNMENT == 64,
              "the wordings contain these limits");

constexpr auto kWordings = std::to_array<Wording>({
    {Refusal::kPointer, Place::Type, "is a pointer or an array, but graft loads and stores the data itself",
     "Take one element by value; put a pointer that the callback itself reads into a `const T&` state struct."},
    {Refusal::kRvalueReference, Place::Type, "is an rvalue reference to const",
     "Take the parameter by value (an input), by `T&` (an output), as `graft::InOut<T>` (both) or by `const T&` "
     "(state)."},
    {Refusal::kVolatile, Place::Type, "is volatile", "Drop the volatile."},
    {Refusal::kIndexByReference, Place::Type, "takes the index or the position by reference",
     "Take graft::Index and graft::Position by value."},
    {Refusal::kTooLarge, Place::Type, "is larger than 32 bytes, the limit for one element",
     "Split the element into several arrays, or pass it as `const T&` state if it is the same for all elements."},
    {Refusal::kNotTriviallyCopyable, Place::Type, "is not trivially copyable",
     "Use a struct that has no copy constructor, no destructor, no virtual functions and no owning members."},
    {Refusal::kStateTooLarge, Place::Type, "is a state larger than 2,048 bytes",
     "Put the data into device memory and a pointer to it into the state."},
    {Refusal::kReturnsReference, Place::Type, "is a reference, but a result must be a value", "Return by value."},
    {Refusal::kSecondState, Place::Type, "is a second `const T&`, but a callback can have only one state",
     "Take elements by value (`T`, not `const T&`), and put everything constant into one state struct."},
    {Refusal::kTooManyInputs, Place::Type, "is the seventeenth input, but a callback can have at most 16",
     "Combine several inputs into one struct per element."},
    {Refusal::kTooManyOutputs, Place::Type, "is the ninth output, but a callback can have at most 8",
     "Combine several outputs into one struct per element."},
    {Refusal::kNoOutput, Place::Callback, "has no parameters and no result",
     "Return a value, write through a `T&` parameter, or take a state whose pointers the callback writes through."},
    {Refusal::kVariadic, Place::Callback, "takes a variable number of arguments",
     "Declare a fixed number of parameters."},
    {Refusal::kNotCallable, Place::Callback,
     "has no single signature: its call operator is a template or overloaded, or it is not a function",
     "Write the parameter types out: `[](float x) { ... }` rather than `[](auto x) { ... }`. Or declare the signature "
     "with Callback::with_signature."},
    {Refusal::kOveraligned, Place::Type, "is aligned to more than 64 bytes",
     "Lower the alignment of the state struct."},
    {Refusal::kMemberPointer, Place::Type, "is a pointer to a member", "Pass a value or an index instead."},
    {Refusal::kLongDouble, Place::Type, "is a long double, which GPUs do not have", "Use double."},
    {Refusal::kAlmostCufft, Place::Callback, "is almost a cuFFT load or store callback",
     "Declare a load callback as `T f(void* data, size_t offset, void* caller_info, void* shared)`, and a store "
     "callback as `void f(void* data, size_t offset, T element, void* caller_info, void* shared)`. Every other "
     "callback "
     "takes each element by value: `float f(float x)`."},
    {Refusal::kCufft, Place::Type, "belongs to a cuFFT load or store callback, which loads or stores its data itself",
     "Every other callback takes each element by value: `float f(float x)`."},
    {Refusal::kTooFewInputsForPreviousPart, Place::Part, "has fewer inputs than the previous part has outputs",
     "Give this part one input for each output of the previous part."},
    {Refusal::kPartsTypesDiffer, Place::Part, "has an input whose type differs from the previous part's output",
     "No value is converted between parts: give the output and the input the same type, or structs of the same size "
     "and "
     "alignment."},
    {Refusal::kLoadTypeDiffers, Place::LoadCallback, "returns another type than the op's first input",
     "Let the load callback return the type of the op's first input."},
    {Refusal::kStoreTypeDiffers, Place::StoreCallback, "takes an element of another type than the op's first output",
     "Give the store callback's `element` the type of the op's first output."},
    {Refusal::kNoLoadCallback, Place::LoadCallback, "does not have the signature of a load callback",
     "Declare it as cuFFT does: `T f(void* data, unsigned long long offset, void* caller_info, void* shared)`."},
    {Refusal::kNoStoreCallback, Place::StoreCallback, "does not have the signature of a store callback",
     "Declare it as cuFFT does: `void f(void* data, unsigned long long offset, T element, void* caller_info, void* "
     "shared)`."},
    {Refusal::kInOutInPart, Place::Part,
     "has a graft::InOut parameter, but only the last part of a chain writes arrays",
     "Take the value as an input, and let the last part of the chain update the array."},
    {Refusal::kInOutInOp, Place::Callback, "has a graft::InOut parameter, which an op of graft::Stages cannot have",
     "Take the value as an input and return the new value: an output may be exactly the array of an input."},
    {Refusal::kStoreAsParameter, Place::Type, "is graft::Store, which only a result can be",
     "Return graft::Store(condition), and write the outputs through `T&` parameters."},
    {Refusal::kStoreBeforeLastPart, Place::Part, "returns graft::Store, but only the last part of a chain can",
     "Pass the decision on as an output, for example a bool, and let the last part return graft::Store."},
    {Refusal::kStoreWithoutOutput, Place::Callback, "returns graft::Store, but has no output",
     "Write through a `T&` or graft::InOut parameter, or return void."},
    {Refusal::kBitInStage, Place::Callback,
     "has graft::Bit as the element that a load or store callback of graft::Stages accesses",
     "Let the load callback return a bool, or the store callback take one: such a callback finds its bits itself."},
    {Refusal::kTooManyCoordinates, Place::Type, "has another number of coordinates than 1 to 5",
     "Take the last coordinates by graft::Position, and compute others from graft::Index."},
});

// Whether the table of wordings has a row for every Refusal, at the index at which wording_of looks for it.
constexpr bool are_complete() {
  for (std::size_t i = 0; i < kWordings.size(); ++i)
    if (kWordings[i].refusal != i + 1) return false;
  return kWordings.size() + 1 == graft_adapter::kRefusalEnd;
}
static_assert(are_complete());

const Wording& wording_of(Refusal refusal) {
  return kWordings.at(std::size_t{refusal} - 1);
}

std::string text_of(Place place, unsigned position, const std::vector<std::string>& types) {
  switch (place) {
    case Place::Type:
      if (position >= types.size()) break;
      return position == 0 ? base::format("its result ({})", types[0])
                           : base::format("its parameter {} ({})", position, types[position]);
    case Place::Part:
      return base::format("part {}", position + 1);
    case Place::LoadCallback:
      return "the load callback";
    case Place::StoreCallback:
      return "the store callback";
    case Place::Callback:
      break;
  }
  return "the callback";
}

}  // namespace

Error refusal_error(const RefusalWords& words, std::string_view callback) {
  return Error(ErrorCode::UnsupportedParameter,
               {.message = base::format("{}: {} {}", callback, words.subject, words.reason),
                .remedy = std::string(words.remedy),
                .log = {},
                .versions = {}});
}

Error refusal_error(Refusal refusal, unsigned position, const std::vector<std::string>& types,
                    std::string_view callback, std::string_view takers_of_cufft) {
  const Wording& wording = wording_of(refusal);
  const std::string subject = text_of(wording.place, position, types);
  std::string reason(wording.reason), remedy(wording.remedy);
  if (refusal == Refusal::kAlmostCufft) reason += ", but " + differences_from_cufft(types);
  if (refusal == Refusal::kCufft)
    remedy = base::format("Pass this callback as the load or store callback of {}. {}", takers_of_cufft, remedy);
  return refusal_error(RefusalWords{subject, reason, remedy}, callback);
}

}  // namespace graft::reflect
