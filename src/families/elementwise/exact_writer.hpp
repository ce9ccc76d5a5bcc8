// What the exact adapters for dense arrays (exact_program.cpp) and for arrays of any shape (shapes/exact_views.cpp)
// have in common: the text in front of the user's text, the check or deduction of the types, the elements in registers,
// and the calls of the callback.
//
// The user's macros apply to all text behind the user's text. All names there therefore begin with graft_, including
// names of members. Other names that are needed (float2's members, blockDim.x) are reached through functions that
// front() defines.
//
// A group is one vector of a thread: policy.vector_width adjacent elements. A cell is a struct of integers that holds
// an element whose type has no conversion in exact_types.hpp.
//
// Words are loaded and stored by inline assembly. NVVM then has no pointers to examine, which takes a tenth of the
// compile time of a short callback, and it cannot split a 16-byte store into four, as it did with stores of structs.
// The instructions are ordinary loads and stores to ptxas, which removes loads that nothing needs.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.hpp"
#include "codegen/program_text.hpp"
#include "codegen/source_program.hpp"
#include "families/elementwise/exact_types.hpp"
#include "families/elementwise/policy.hpp"
#include "families/family.hpp"
#include "graft/signature.hpp"

namespace graft::elementwise {

inline bool is_input(const Parameter& parameter) {
  return parameter.role == Role::Input || parameter.role == Role::InOut;
}
inline bool is_output(const Parameter& parameter) {
  return parameter.role == Role::Output || parameter.role == Role::InOut;
}
inline bool is_array(const Parameter& parameter) {
  return is_input(parameter) || is_output(parameter);
}

// The names that the generated text uses for one array of the signature.
struct ArrayName {
  const Parameter& parameter;
  const Packing* packing;  // null: the array's elements are passed in cells
  std::string type;        // the typedef of the array's element type: "graft_type_0"
  // The index of the array's pointer among the kernel's pointers. An in-out array has two pointers (see
  // families/elementwise/parameter_layout.hpp), of which the text uses the one among the outputs.
  int place;

  const RegisterKind& registers() const { return packing != nullptr ? packing->registers : kWordRegister; }
  // How many registers hold this many bytes of the array.
  int registers_for(int bytes) const { return std::max(1, bytes / registers().bytes); }

  int bytes() const { return static_cast<int>(parameter.type.size); }
  int alignment() const { return static_cast<int>(parameter.type.alignment); }

  // A cell consists of pieces: an array of integers, each as wide as the element's alignment allows, up to 4 bytes.
  int piece_bytes() const { return std::min(alignment(), 4); }
  std::string_view piece_type() const {
    return piece_bytes() == 1 ? "unsigned char" : piece_bytes() == 2 ? "unsigned short" : "unsigned int";
  }
};

class ExactWriter {
 public:
  ExactWriter(const codegen::SourceProgram& program, const Signature& signature, families::TypesFrom types,
              const Policy& policy);
  ExactWriter(const ExactWriter&) = delete;
  ExactWriter& operator=(const ExactWriter&) = delete;

  std::string text();

 protected:
  ~ExactWriter() = default;

  // Writes what the kernel needs in front of the user's text.
  virtual void front_of_kernel() = 0;
  // Writes a type that contains graft_parameters, the kernel's one parameter, if the kernel needs one.
  virtual void type_behind_parameters() {}
  virtual void kernel() = 0;

  std::string callback() const;
  // The array's pointer: "graft_all.graft_arrays[2]".
  static std::string pointer_of(const ArrayName& array);

  // Writes the declarations of one call's outputs, and the call. `input` returns the argument for an input array: an
  // element's value. The variable of every output, also that of the callback's result, is named
  // `graft_out<place><suffix>`. The variable of an in-out array holds the loaded element, which `input` returns for it
  // as for an input.
  template <class Input>
  void make_call(const std::string& index, const std::string& suffix, Input input);

  // Writes the code that handles one element: `index` is its index in the call, and element_at(array, type) returns the
  // expression of the array's element as an object of the type. `leave` is the statement that follows if a selective
  // callback stores nothing.
  template <class ElementAt>
  void element(const std::string& index, std::string_view leave, ElementAt element_at);

  // Returns the statement that stores an output variable as the element that the expression names.
  std::string store_of_element(const ArrayName& array, const std::string& element, const std::string& name) const;
  // Returns the type as which an element is loaded or stored.
  static std::string type_in_memory(const ArrayName& array);

  // Returns the expression by which the callback gets an element: the variable itself, or a reference to the element
  // inside a cell.
  static std::string as_value(const ArrayName& array, const std::string& name);

  // ---- groups in registers ----

  // Returns the variable of the i-th register of a thread's v-th group.
  static std::string register_of(const ArrayName& array, int v, int i);
  // Writes the declaration of the registers of a group.
  void declare_registers(const ArrayName& array, int v, int count);
  // Returns the expression of the i-th element of a group, as an argument for the callback.
  std::string element_of(const ArrayName& array, int v, int i);
  // Returns the expression of the i-th register of a group of outputs that has `bytes` bytes.
  std::string output_register(const ArrayName& array, int v, int i, int bytes) const;

  // Returns the text of the instructions that move `bytes` bytes at `offset` behind an address, `step` bytes at a time.
  // The operands from %first on are registers, and %address is the address: by default the one behind the registers.
  // `operation` may begin with a predicate.
  static std::string instructions(std::string_view operation, const RegisterKind& kind, int bytes, int step,
                                  int offset = 0, int first = 0, int address = -1);
  // Writes the store of `bytes` bytes of a group, from the `first`-th register on, to `offset` behind `address`, an
  // operand of inline assembly.
  void store_word(std::string_view operation, const ArrayName& array, int v, int first, int bytes, int offset,
                  const std::string& address);
  // Writes whether the callback stores all elements of a group.
  void all_are_stored(int v);

  static std::string out_name(const ArrayName& array, const std::string& suffix) {
    return base::format("graft_out{}{}", array.place, suffix);
  }

  const codegen::SourceProgram& program_;
  const Signature& signature_;
  const families::TypesFrom types_;
  const Policy& policy_;
  int outputs_begin_;              // the index of the first output's pointer among the kernel's pointers
  std::vector<ArrayName> arrays_;  // in the signature's order, the result first
  codegen::ProgramText text_;

 private:
  void add_array(const Parameter& parameter, std::string type);
  void front();
  bool names(std::string_view type) const;
  template <class Visit>
  void for_each_type(Visit visit) const;
  bool is_named(const Parameter& parameter) const;
  bool all_are_named() const;
  void name_types();
  void parameter();
  void type_reader();
  void read_type(const Parameter& parameter, std::string_view name, std::string_view member);
  void read_types();
  void check();
  template <class Input, class Output>
  std::string call(const std::string& index, Input input, Output output) const;
  void declare_output(const ArrayName& array, const std::string& name);
  void declare_in_out(const ArrayName& array, const std::string& name, const std::string& value);
  std::string piece_of(const ArrayName& array, const std::string& name, int i) const;
  static std::string packed_element(const ArrayName& array, int v, int i);
  std::string cell_of(const ArrayName& array, int v, int i);
};

template <class Input, class Output>
std::string ExactWriter::call(const std::string& index, Input input, Output output) const {
  std::vector<std::string> arguments;
  std::size_t array = signature_.result().role == Role::Output ? 1 : 0;
  for (std::size_t i = 0; i < signature_.parameters().size(); ++i) {
    const Parameter& parameter = signature_.parameters()[i];
    if (parameter.role == Role::Index) arguments.push_back(base::format("graft_index{{{}}}", index));
    else if (parameter.role == Role::Position)
      arguments.push_back(base::format("graft_position<graft_type_{}>({}, graft_all.graft_dividers)", i, index));
    else if (parameter.role == Role::State) arguments.emplace_back("graft_all.graft_state");
    else if (parameter.role == Role::Input) arguments.push_back(input(arrays_[array++]));
    else arguments.push_back(output(arrays_[array++]));
  }
  return base::format("{}({})", callback(), base::join(arguments, ", "));
}

template <class Input>
void ExactWriter::make_call(const std::string& index, const std::string& suffix, Input input) {
  const auto output = [&](const ArrayName& array) { return out_name(array, suffix); };
  const auto variable = [&](const ArrayName& array) {
    const std::string value = as_value(array, output(array));
    return array.parameter.role == Role::InOut ? base::format("static_cast<{}&&>({})", array.type, value) : value;
  };
  for (const ArrayName& array : arrays_) {
    if (array.parameter.role == Role::InOut) declare_in_out(array, output(array), input(array));
    else if (array.parameter.role == Role::Output && &array.parameter != &signature_.result())
      declare_output(array, output(array));
  }
  const std::string made = call(index, input, variable);
  if (signature_.result().role == Role::Output)
    text_.line("  const graft_result {} = {};", output(arrays_.front()), made);
  else if (signature_.is_selective()) text_.line("  const bool graft_stored{} = graft_is_stored({});", suffix, made);
  else text_.line("  {};", made);
}

template <class ElementAt>
void ExactWriter::element(const std::string& index, std::string_view leave, ElementAt element_at) {
  make_call(index, "", [&](const ArrayName& array) {
    if (array.packing != nullptr) return element_at(array, base::format("const {}", array.type));
    // The cell is not const, here and in a group, because a class may have different constructors for copies of const
    // and of non-const objects.
    const std::string name = base::format("graft_c{}", array.place);
    text_.line("  {} {} = {};", type_in_memory(array), name,
               element_at(array, base::format("const {}", type_in_memory(array))));
    return as_value(array, name);
  });
  if (signature_.is_selective()) text_.line("  if (!graft_stored) {};", leave);
  for (const ArrayName& array : arrays_)
    if (is_output(array.parameter))
      text_.line("  {}", store_of_element(array, element_at(array, type_in_memory(array)), out_name(array, "")));
}

}  // namespace graft::elementwise
