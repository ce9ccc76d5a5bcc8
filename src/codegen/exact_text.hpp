// Pieces of the programs that families write for exactly one signature, without templates of adapters. The user's
// macros apply to all text behind the user's text, so each piece has a part in front of it, out of their reach.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/program.hpp"
#include "codegen/program_text.hpp"

namespace graft::codegen {

// The template graft_are<A, B>, which write_type_check() uses. It comes in front of the user's text.
void write_type_checks(ProgramText& text);

// Writes the check, behind the user's text, that a function has exactly the type `type`: "graft_result(graft_type_0)".
// `shown` is the type for the message of a failure.
void write_type_check(ProgramText& text, std::string_view function, std::string_view type, std::string_view shown);

// Whether a member is a function of which the type is known before the text is compiled, so that a program may call it
// by its name. `function_type` is that of the member, empty if it is not known.
bool is_known_function(const ProgramParts& member, const std::string& function_type);

// Includes the headers of those types that have one, in front of the user's text, which includes them later. The types
// have the names that a compiler gives them.
void include_headers_of(ProgramText& text, const std::vector<std::string>& types);

// A type with two members, such as float2. Text behind the user's text cannot name the members, because `x` may be a
// macro of the user's.
struct Pair {
  std::string_view type;
  std::string_view member;  // the type of both members
  std::string_view first;
  std::string_view second;
};

// Returns nothing for a type that is no pair.
std::optional<Pair> pair_of(std::string_view type);

// Writes the functions graft_first_of and graft_second_of for a type of pairs, in front of the user's text.
void write_members_of(ProgramText& text, const Pair& pair);

}  // namespace graft::codegen
