// Takes the members of a JSON object of a tuning file (tuning_file.hpp) by name, type and bounds. The file may be
// hostile: a member that is missing, has another type or is out of bounds is a Problem, and so is one that nobody took.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace graft::format {

// The first problem that was found, as a clause. Readers go on after it, with defaults.
class Problem {
 public:
  void note(std::string what) {
    if (what_.empty()) what_ = std::move(what);
  }
  bool exists() const { return !what_.empty(); }
  const std::string& what() const { return what_; }

 private:
  std::string what_;
};

// The bounds of a list: how many items it has at most, and the bounds of each.
struct ListBounds {
  std::size_t most_items;
  std::int64_t least, most;
};

// The members of one object, each taken once. `where` is what messages call the object: "row 1 of `elementwise`".
class Members {
 public:
  Members(const nlohmann::json& object, std::string where, Problem& problem);

  const nlohmann::json& take(const char* name);
  std::int64_t number(const char* name, std::int64_t least, std::int64_t most);
  bool flag(const char* name);
  std::string text(const char* name, std::size_t longest);
  // Returns which of the words the member is.
  std::size_t word(const char* name, std::span<const std::string_view> words);
  std::vector<std::int64_t> numbers(const char* name, const ListBounds& bounds);
  // A list of lists of numbers.
  std::vector<std::vector<std::int64_t>> lists(const char* name, std::size_t most_lists, const ListBounds& bounds);

  // Returns the names of the members that were not taken.
  std::vector<std::string> others() const;
  // Call it last.
  void refuse_others();

 private:
  std::string place_of(const char* name) const;

  const nlohmann::json& object_;
  std::string where_;
  Problem& problem_;
  std::set<std::string> taken_;
};

// Returns the text of a JSON value, in one line of ASCII.
std::string text_of(const nlohmann::json& value);

}  // namespace graft::format
