#include "format/tuning_members.hpp"

#include <algorithm>
#include <limits>

#include "base/format.hpp"

namespace graft::format {
namespace {

using nlohmann::json;

std::int64_t number_in(const json& value, const std::string& what, std::int64_t least, std::int64_t most,
                       Problem& problem) {
  const bool is_small = value.is_number_integer() &&
                        !(value.is_number_unsigned() &&
                          value.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()});
  const std::int64_t number = is_small ? value.get<std::int64_t>() : 0;
  if (is_small && number >= least && number <= most) return number;
  problem.note(base::format("{} is no integer from {} to {}", what, least, most));
  return least;
}

std::vector<std::int64_t> numbers_in(const json& value, const std::string& what, const ListBounds& bounds,
                                     Problem& problem) {
  std::vector<std::int64_t> found;
  if (!value.is_array() || value.size() > bounds.most_items) {
    problem.note(base::format("{} is no list of at most {} numbers", what, bounds.most_items));
    return found;
  }
  for (const json& number : value)
    found.push_back(number_in(number, "a number in " + what, bounds.least, bounds.most, problem));
  return found;
}

}  // namespace

Members::Members(const json& object, std::string where, Problem& problem)
    : object_(object), where_(std::move(where)), problem_(problem) {
  if (!object.is_object()) problem_.note(where_ + " is no object");
}

std::string Members::place_of(const char* name) const {
  return base::format("`{}` of {}", name, where_);
}

const json& Members::take(const char* name) {
  static const json kNothing;
  taken_.insert(name);
  const auto found = object_.is_object() ? object_.find(name) : object_.end();
  if (object_.is_object() && found != object_.end()) return *found;
  problem_.note(base::format("{} has no member `{}`", where_, name));
  return kNothing;
}

std::int64_t Members::number(const char* name, std::int64_t least, std::int64_t most) {
  return number_in(take(name), place_of(name), least, most, problem_);
}

bool Members::flag(const char* name) {
  const json& value = take(name);
  if (!value.is_boolean()) problem_.note(place_of(name) + " is neither true nor false");
  return value.is_boolean() && value.get<bool>();
}

std::string Members::text(const char* name, std::size_t longest) {
  const json& value = take(name);
  const std::string* const text = value.get_ptr<const std::string*>();
  if (text == nullptr || text->empty() || text->size() > longest) {
    problem_.note(base::format("{} is no text of 1 to {} bytes", place_of(name), longest));
    return {};
  }
  return *text;
}

std::size_t Members::word(const char* name, std::span<const std::string_view> words) {
  const json& value = take(name);
  const std::string* const text = value.get_ptr<const std::string*>();
  const auto found = text == nullptr ? words.end() : std::ranges::find(words, *text);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  problem_.note(base::format("{} is none of {}", place_of(name), base::join(words, ", ")));
  return 0;
}

std::vector<std::int64_t> Members::numbers(const char* name, const ListBounds& bounds) {
  return numbers_in(take(name), place_of(name), bounds, problem_);
}

std::vector<std::vector<std::int64_t>> Members::lists(const char* name, std::size_t most_lists,
                                                      const ListBounds& bounds) {
  const json& value = take(name);
  std::vector<std::vector<std::int64_t>> found;
  if (!value.is_array() || value.size() > most_lists) {
    problem_.note(base::format("{} is no list of at most {} lists", place_of(name), most_lists));
    return found;
  }
  for (const json& list : value)
    found.push_back(numbers_in(list, base::format("a list in {}", place_of(name)), bounds, problem_));
  return found;
}

std::vector<std::string> Members::others() const {
  std::vector<std::string> names;
  if (!object_.is_object()) return names;
  for (const auto& [name, value] : object_.items())
    if (!taken_.contains(name)) names.push_back(name);
  return names;
}

void Members::refuse_others() {
  if (!others().empty()) problem_.note(base::format("{} has a member that graft does not know", where_));
}

std::string text_of(const json& value) {
  return value.dump(-1, ' ', true, json::error_handler_t::replace);
}

}  // namespace graft::format
