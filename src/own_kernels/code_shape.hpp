// Reads what the code of kernels has, from its PTX: the kernels, and the slots, which are the functions that it calls
// and does not define.
//
// The mangled name of a slot shows the types of its parameters. It does not show the type of the result, of which PTX
// shows the size, and the calls in it whether the result is used as an integer or as a floating-point number.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/ptx.hpp"
#include "graft/kernel.hpp"

namespace graft::own_kernels {

// The most slots of one code.
inline constexpr std::size_t kMostSlots = 256;

struct Slot {
  std::string symbol = {};       // "_ZN3lib6metricEffRK1S"
  std::string name = {};         // "lib::metric", "lib::multiply<float>"
  std::string declaration = {};  // "lib::metric(float, float, const S&)"; of an extern "C" function the name alone
  std::optional<std::vector<std::string>> types = {};  // of the parameters; nothing for an extern "C" function
  std::vector<format::PtxParameter> parameters = {};
  std::optional<format::PtxParameter> result = {};
  // What only the compiler of the source tells: the result's type, as format::canonical_type spells it, and the size
  // and alignment of the class to which the last parameter refers. Empty and 0 if they are not known.
  std::string result_type = {};
  std::uint64_t state_bytes = 0, state_alignment = 0;
  int call_sites = 0;  // in the PTX, in which loops are unrolled already

  // "float lib::metric(float, float, const S&)"
  std::string declaration_with_result() const {
    return result_type.empty() ? declaration : result_type + " " + declaration;
  }
};

// A variable that the code uses and does not define: a constant of the link.
struct Variable {
  std::string symbol = {};  // "_ZN3lib4tileE"
  std::string name = {};    // "lib::tile"
  std::uint64_t bytes = 0;  // 0 if it is no bool and no integer
};

struct CodeShape {
  std::vector<KernelEntry> entries;
  std::vector<Slot> slots;
  std::vector<Variable> variables;

  KernelShape described() const;
};

// Whether the text can be a symbol. Those of slots and constants are written into programs.
bool is_symbol(std::string_view text);

// Returns the name of a function as it is written in C++, without result and parameters.
std::string name_of(std::string_view symbol);

// Returns a kernel with what its symbol says: its name and the types of its parameters, of which `sizes` are the bytes.
KernelEntry entry_of(std::string_view symbol, std::vector<std::uint64_t> sizes);

// Whether two names of an author's or a user's can mean one slot: "lib::metric" and "metric".
bool are_of_one_slot(std::string_view a, std::string_view b);

// Sets what the slot's symbol says: name, declaration and types.
void name_slot(Slot& slot);

// Reads the PTX of the code `name`. Throws Error: NoSuchEntry if it has no kernel, ImageRefused if it is no PTX.
CodeShape read_code_shape(std::string_view ptx, const std::string& name);
// Reads a cubin that is to be linked, which shows neither how its parameters are aligned nor how often it calls a slot.
// Throws Error: NoSuchEntry; ImageRefused if it is no cubin, or a finished one.
CodeShape read_machine_code_shape(std::span<const std::byte> cubin, const std::string& name);

// Returns the slot that the user's name means: the one with this name or symbol, or the only one whose name ends with
// `::name`, or is that without template arguments. Throws Error: NoSuchEntry, AmbiguousEntry.
const Slot& find_slot(const CodeShape& shape, const std::string& name, const std::string& code);
// Returns the variable of this name, which can have this value. Throws Error: InvalidArgument, AmbiguousEntry.
const Variable& find_variable(const CodeShape& shape, const std::string& name, std::int64_t value,
                              const std::string& code);

// Defines functions that the PTX declares, which are never called: slots that stay empty. A link of PTX keeps each
// call.
std::string with_empty_functions(std::string_view ptx, const std::vector<std::string>& symbols);

// How many instructions the functions of the PTX have.
std::size_t count_instructions(std::string_view ptx);

}  // namespace graft::own_kernels
