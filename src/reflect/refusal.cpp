#include "reflect/refusal.hpp"

#include <array>

#include "base/format.hpp"

namespace graft::reflect {
namespace {

struct Wording {
  std::string_view reason;  // follows "parameter 2 (float*) "
  std::string_view remedy;
};

// Indexed by graft_adapter::Refusal; 0 is "accepted".
constexpr std::array<Wording, 26> kWordings = {{
    {"", ""},
    {"is a pointer or an array, and graft moves the data itself",
     "Take one element by value; put a pointer that the callback itself reads into a `const T&` state struct."},
    {"is an rvalue reference", "Take it by value (an input), by `T&` (an output) or by `const T&` (state)."},
    {"is volatile", "Drop the volatile."},
    {"takes the index by reference", "Take graft::Index by value."},
    {"is larger than the 32 bytes that one element may have",
     "Split the element into several arrays, or pass it as `const T&` state if it is the same for all elements."},
    {"is not trivially copyable", "Use a plain struct without constructors that copy, virtual functions or owners."},
    {"is a state larger than 2,048 bytes", "Put the data into device memory and a pointer to it into the state."},
    {"is a reference, and a result must be a value", "Return by value."},
    {"is a second `const T&`, and a callback has one state",
     "Take elements by value (`T`, not `const T&`), and put everything constant into one state struct."},
    {"is the ninth input, and a callback has at most 8", "Pack several inputs into one struct per element."},
    {"is the fifth output, and a callback has at most 4", "Pack several outputs into one struct per element."},
    {"gives nothing back: there is no output", "Return a value, or write through a `T&` parameter."},
    {"takes a variable number of arguments", "Give it fixed parameters."},
    {"cannot be called in one way: its call operator is a template or overloaded, or it is no function at all",
     "Write the parameter types out: `[](float x) { ... }` rather than `[](auto x) { ... }`."},
    {"is aligned to more than 64 bytes", "Lower the alignment of the state struct."},
    {"is a pointer to a member", "Pass a value or an index instead."},
    {"is a long double, which GPUs do not have", "Use double."},
    {"has `size_t offset`: this is cuFFT's legacy callback signature",
     "Declare the offset as `unsigned long long`, as cuFFT's LTO callbacks do."},
    {"belongs to a cuFFT load or store callback, which moves its own data",
     "Give it as the load or store callback of graft::Stages, and as the op take one element by value: "
     "`float f(float x)`."},
    // of compositions; the position is that of the part
    {"takes fewer values than the part in front of it gives", "Give it an input for each output of that part."},
    {"takes another type than the part in front of it gives",
     "Give both the same type, or structs of the same size and alignment: between parts nothing is converted."},
    {"gives another type than the op takes first", "Let the load callback return what the op's first parameter is."},
    {"takes another type than the op gives first", "Let the store callback's `element` be what the op returns."},
    {"is no load callback",
     "Declare it as cuFFT does: `T f(void* data, unsigned long long offset, void* caller_info, void* shared)`."},
    {"is no store callback",
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
