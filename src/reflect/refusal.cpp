#include "reflect/refusal.hpp"

#include <array>

#include "base/format.hpp"

namespace graft::reflect {
namespace {

struct Wording {
  std::string_view reason;  // the end of the message, which comes after "parameter 2 (float*) "
  std::string_view remedy;
};

// Indexed by graft_adapter::Refusal; 0 is "accepted".
constexpr std::array<Wording, 26> kWordings = {{
    {"", ""},
    {"is a pointer or an array, but graft loads and stores the data itself",
     "Take one element by value; put a pointer that the callback itself reads into a `const T&` state struct."},
    {"is an rvalue reference", "Take it by value (an input), by `T&` (an output) or by `const T&` (state)."},
    {"is volatile", "Drop the volatile."},
    {"takes the index by reference", "Take graft::Index by value."},
    {"is larger than 32 bytes, the limit for one element",
     "Split the element into several arrays, or pass it as `const T&` state if it is the same for all elements."},
    {"is not trivially copyable",
     "Use a struct that has no copy constructor, no destructor, no virtual functions and no owning members."},
    {"is a state larger than 2,048 bytes", "Put the data into device memory and a pointer to it into the state."},
    {"is a reference, but a result must be a value", "Return by value."},
    {"is a second `const T&`, but a callback can have only one state",
     "Take elements by value (`T`, not `const T&`), and put everything constant into one state struct."},
    {"is the ninth input, but a callback can have at most 8", "Combine several inputs into one struct per element."},
    {"is the fifth output, but a callback can have at most 4", "Combine several outputs into one struct per element."},
    {"has no output", "Return a value, or write through a `T&` parameter."},
    {"takes a variable number of arguments", "Declare a fixed number of parameters."},
    {"has no single signature: its call operator is a template or overloaded, or it is not a function",
     "Write the parameter types out: `[](float x) { ... }` rather than `[](auto x) { ... }`."},
    {"is aligned to more than 64 bytes", "Lower the alignment of the state struct."},
    {"is a pointer to a member", "Pass a value or an index instead."},
    {"is a long double, which GPUs do not have", "Use double."},
    {"has `size_t offset`: this is cuFFT's legacy callback signature",
     "Declare the offset as `unsigned long long`, as cuFFT's LTO callbacks do."},
    {"belongs to a cuFFT load or store callback, which moves its own data",
     "Give it as the load or store callback of graft::Stages, and as the op take one element by value: "
     "`float f(float x)`."},
    // The remaining refusals are those of compositions. Their position is the index of the part.
    {"has fewer inputs than the previous part has outputs", "Give it one input for each output of that part."},
    {"has an input whose type differs from the previous part's output",
     "Give both the same type, or structs of the same size and alignment: nothing is converted between parts."},
    {"returns another type than the op's first input",
     "Let the load callback return the type of the op's first input."},
    {"takes an element of another type than the op's first output",
     "Give the store callback's `element` the type of the op's first output."},
    {"is not a load callback",
     "Declare it as cuFFT does: `T f(void* data, unsigned long long offset, void* caller_info, void* shared)`."},
    {"is not a store callback",
     "Declare it as cuFFT does: `void f(void* data, unsigned long long offset, T element, void* caller_info, void* "
     "shared)`."},
}};

constexpr unsigned kFirstOfCompositions = 20;

}  // namespace

Error refusal_error(unsigned refusal, unsigned position, const std::vector<std::string>& types,
                    std::string_view callback) {
  const Wording& wording = kWordings.at(refusal);
  std::string what = "the callback";
  if (refusal >= kFirstOfCompositions)
    what = refusal < 22       ? base::format("part {}", position + 1)
           : refusal % 2 == 0 ? "the load callback"
                              : "the store callback";
  else if (position < types.size() && refusal != 12 && refusal != 13 && refusal != 14)
    what = position == 0 ? base::format("its result ({})", types[0])
                         : base::format("its parameter {} ({})", position, types[position]);
  return Error(ErrorCode::UnsupportedParameter, {.message = base::format("{}: {} {}", callback, what, wording.reason),
                                                 .remedy = std::string(wording.remedy),
                                                 .log = {},
                                                 .versions = {}});
}

}  // namespace graft::reflect
