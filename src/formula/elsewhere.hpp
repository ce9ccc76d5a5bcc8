// What people type who come from NumPy, C, MATLAB or spreadsheets, and what a formula has in its place:
//
//     np.where(x > 0, x, 0)   ->   select(...)
//     x if x > 0 else 0       ->   c ? x : y
//     x.sum()                 ->   a formula computes one element; a reduction is for whole arrays
//
// None of it is part of the language: each refusal says what to type.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace graft::formulas {

// A word or symbol of elsewhere, and how a message continues behind it.
struct Elsewhere {
  std::string_view typed;
  std::string_view here;  // what to type instead; may be empty
  std::string_view why;   // what a message says behind the word, or empty for the usual words
};

// Each returns null if the text is none of elsewhere's.

// A function, type or constant: "where", "True", "sum".
const Elsewhere* name_elsewhere(std::string_view name);
// A word that is an operator or begins a statement: "and", "if", "lambda".
const Elsewhere* word_elsewhere(std::string_view word);
// The symbol with which a text begins: "<<", "[", "π".
const Elsewhere* symbol_elsewhere(std::string_view text);

// What a message says of a call with a point, and what it suggests.
struct Advice {
  std::string what;
  std::string suggestion;
};

// Of `object.method(...)`: "np.sqrt(x)", "x.max()". `object` may be empty, as of "(x + 1).max()".
Advice advice_on_method(std::string_view object, std::string_view method);

// A function of formulas that is called with another number of arguments elsewhere: "log(x, 2)".
struct CallElsewhere {
  std::string_view function;
  std::size_t arguments;
  std::string_view here;
  std::string_view why;  // as Elsewhere::why
};

// Returns null if the call is none of elsewhere's.
const CallElsewhere* call_elsewhere(std::string_view function, std::size_t arguments);

}  // namespace graft::formulas
