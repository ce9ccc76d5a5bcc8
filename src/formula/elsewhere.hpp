// What people type who come from NumPy, C, MATLAB or spreadsheets, and that formulas do not have: each refusal says
// what to type instead.
//
//     sinc(a)             ->   a == 0 ? 1 : sin(pi * a) / (pi * a)
//     a.astype(np.uint8)  ->   u8(a)
//     a.sum()             ->   a formula computes one element; a reduction is for whole arrays
//
// What to type is always a formula that means what was typed, in which x, y and z stand for the arguments, or a symbol
// that can stand in place of the one that was typed. tests/formula parses all of it. Names that mean the same elsewhere
// are no mistakes; functions.cpp has them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graft::formulas {

// A word or symbol of elsewhere, and how a message continues behind it.
struct Elsewhere {
  std::string_view typed;
  std::string_view here;  // what to type instead; may be empty
  std::string_view why;   // what a message says behind the word, or empty for the usual words
};

// What a message says, and what it suggests.
struct Advice {
  std::string what;
  std::string suggestion;
};

// Each returns null if the text is none of elsewhere's.

// A function or constant: "sinc", "True", "sum".
const Elsewhere* name_elsewhere(std::string_view name);
// Behind the point of a value: "T" of x.T, or a name as above.
const Elsewhere* property_elsewhere(std::string_view name);
// A word that begins a statement, or is an operator: "lambda", "in".
const Elsewhere* word_elsewhere(std::string_view word);
// The symbol with which a text begins: "<>", "[", "π".
const Elsewhere* symbol_elsewhere(std::string_view text);

// A function that takes lists elsewhere, with what to type instead of them: "polyval".
const Elsewhere* function_of_lists(std::string_view function);

// What computes a function of complex numbers that formulas have of real ones alone: sin(x) / cos(x) of "tan"; empty if
// nothing does.
std::string_view of_complex_numbers(std::string_view function);

// A function of formulas that is called with another number of arguments elsewhere: "log(x, 2)".
struct CallElsewhere {
  std::string_view function;
  std::size_t arguments;
  std::string_view here;
  std::string_view why;  // as Elsewhere::why
};

// Returns null if the call is none of elsewhere's.
const CallElsewhere* call_elsewhere(std::string_view function, std::size_t arguments);

// Whether libraries have this name for the second argument of a function, which formulas give it by no name.
bool is_second_argument(std::string_view function, std::string_view keyword);

// The type that a word of C, Python or NumPy means, by its name in formulas: f64 of "f8".
struct TypeElsewhere {
  std::string_view typed;
  std::string_view in_c;  // as in (int)x
  std::string_view in_python;
};

// Returns null for the names that types have in formulas, and for those that are none.
const TypeElsewhere* type_elsewhere(std::string_view name);

// The type that a word means in C, by its name in formulas: i32 of "int", f32 of "f32"; empty for other words.
std::string_view type_in_c(std::string_view word);

// Whether a word is a name that kernels of CuPy and templates give to the type of an argument: "T".
bool is_type_parameter(std::string_view word);
// What a message says of "T(0.5)". `literal`: its value, or empty if this is no literal.
Advice advice_on_type_parameter(std::string_view word, const std::string& literal);

// All that these tables say to type instead, for the test that all of it are formulas.
std::vector<std::string> all_hints();

// How many arguments stand in a hint: x, y and z.
inline constexpr std::size_t kMostFilledIn = 3;

// Returns `here` with the arguments in place of x, y and z, and `here` itself if there are none. Returns an empty text
// if an argument is missing or empty, if `here` has no place for one, or if the text would be too long for a message.
std::string filled_in(std::string_view here, std::span<const std::string> arguments);

// Of a name that only elsewhere knows.
Advice advice_on_name(const Elsewhere& known, std::string_view name, std::span<const std::string> arguments);

// Of `object.method(...)`, which no value has: "x.max()". The texts are those of the object and of the arguments.
Advice advice_on_method(std::string_view object, std::string_view method, std::span<const std::string> arguments);

// ---- libraries, which formulas know by the names of their functions ----

// Whether functions and constants may have this before them, because their library's mean the same: "np", "math",
// "scipy.special".
bool is_library(std::string_view path);
// Whether a path that begins so can only be one of libraries, such as "np.linalg" and "std".
bool begins_library(std::string_view first_name);

// A function of a library that has another meaning than the one of formulas with this name; null if there is none.
const Elsewhere* other_meaning(std::string_view library, std::string_view function);

}  // namespace graft::formulas
