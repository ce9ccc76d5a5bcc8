// Writes the programs of a callback that fills a slot: one that only tells the callback's type, and one that defines
// the slot's function by a call of the callback.
//
//     namespace graft_text_0 { __device__ float huber(float a, float b, const Huber& s) { ... } }       <- the user's
//     typedef decltype(::graft_text_0::huber) graft_type;
//     extern "C" __device__ graft_slot_parts<graft_type>::result _Z6metricffRK6Metric(
//         graft_slot_at<0, graft_type>::type p0, ...) {
//       return ::graft_text_0::huber(p0, p1, p2);
//     }
//
// The second is C++'s metric(float, float, const Metric&), although it has none of the kernel's types: a reference is a
// pointer, and the linker knows functions by their names alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codegen/source_program.hpp"
#include "own_kernels/code_shape.hpp"

namespace graft::own_kernels {

// A callback's type, as the compiler writes it, without the namespace that graft puts around the text.
struct CallbackType {
  std::string result;                        // "float", "void"
  std::vector<std::string> parameters = {};  // as format::canonical_type spells them
  // The bytes and alignments of the result and then of each parameter. A reference has those of a pointer, void has 0.
  struct Layout {
    std::uint64_t size = 0;
    std::uint64_t alignment = 1;
  };
  std::vector<Layout> layouts = {};
  Layout state = {};  // of what the last parameter refers or points to, if that is const; 0 if its type is not known

  std::string text(const std::string& name) const;  // "float huber(float, float, const Huber&)"
};

// Prepares a callback for the programs: graft::chain of it alone has a namespace around its text. Throws what
// codegen::prepare_program throws.
codegen::SourceProgram prepare_callback(const Callback& callback, const Options& options);

// `number` is that of the callback in the image: each has a namespace of its own.
//
// The program that tells the type, and the expression whose lowered name does. Its PTX has the callback's instructions.
std::string type_text(const codegen::SourceProgram& program, std::size_t number);
inline constexpr const char* kTypeProbe = "&graft_slot_probe<graft_type, graft_layouts>";
// For a compiled callback: the expression whose lowered name has the symbol of its function, and whether the symbol is
// the slot's.
std::string name_probe(const codegen::SourceProgram& program, std::size_t number);
bool has_name_of(const std::string& lowered_name, const Slot& slot);
// Reads the type from the expression's lowered name. Throws Error(UnsupportedParameter) if the name is no such name.
CallbackType read_type(const std::string& lowered_name, const std::string& title);

// The function of a slot, which is inlined or not as the slot wishes. It calls the callback, or is empty: it returns
// zero.
enum class SlotBody : std::uint8_t { Call, Empty };
struct SlotFunction {
  codegen::SourceProgram program = {};  // of prepare_callback()
  std::size_t number = 0;
  CallbackType type = {};
  const Slot* slot = nullptr;
  Inlining inlining = Inlining::Automatic;
  SlotBody body = SlotBody::Call;
};
// The program that defines the function of a slot.
std::string slot_text(const SlotFunction& function);

// A slot's result and state, which the compiler tells where the slot's function is declared: text to put behind the
// code of the kernels, and an expression whose lowered name says both. Returns nothing for a slot whose name shows no
// types. The second function guesses: it knows only the name by which a user fills the slot, and its expression does
// not compile if that is not the whole name of one function. Returns nothing for what is no name.
std::string facts_text();
std::optional<std::string> facts_probe(const Slot& slot);
std::optional<std::string> facts_probe(const std::string& name);
// Sets them. Returns false, and leaves them as they are, if the name cannot be read or is of other types than the slot.
bool read_slot_facts(const std::string& lowered_name, Slot& slot);

// A program that defines constants.
struct Value {
  const Variable* variable;
  std::int64_t value;
};
std::string constants_text(const std::vector<Value>& values);

// One program of all: the functions of slots, then the code of the kernels, and then the constants. The callbacks'
// macros end before the code begins. `code` becomes the program of the whole: it gets what the callbacks need.
std::string whole_text(codegen::SourceProgram& code, const std::vector<SlotFunction>& functions,
                       const std::vector<Value>& values);

}  // namespace graft::own_kernels
