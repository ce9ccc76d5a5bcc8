#include "reflect/almost_cufft.hpp"

#include <algorithm>
#include <span>
#include <string_view>

#include "base/format.hpp"

namespace graft::reflect {
namespace {

constexpr std::string_view kElement = "element";

// A parameter of a store callback; a load callback has no element.
struct CufftParameter {
  std::string_view name;
  std::vector<std::string_view> types;  // empty: any type by value
};

std::vector<CufftParameter> parameters_of(bool is_store) {
  std::vector<CufftParameter> list = {{"data", {"void*"}},
                                      {"offset", {"size_t", "unsigned long", "unsigned long long"}},
                                      {kElement, {}},
                                      {"caller_info", {"void*"}},
                                      {"shared", {"void*"}}};
  if (!is_store) std::erase_if(list, [](const CufftParameter& one) { return one.name == kElement; });
  return list;
}

// A store callback has an element in third place, where a load callback has a pointer.
bool is_meant_to_store(const std::vector<std::string>& types) {
  return types.size() > 3 ? !types[3].ends_with('*') : !types.empty() && types[0] == "void";
}

bool fits(const std::string& type, const CufftParameter& wanted) {
  if (wanted.types.empty()) return !type.ends_with('&');
  return std::ranges::find(wanted.types, type) != wanted.types.end();
}

std::string difference(const std::string& type, const CufftParameter& wanted) {
  return base::format("its `{}` is {} and not {}", wanted.name, type,
                      wanted.types.empty() ? "a value" : wanted.types.front());
}

std::string joined(const std::vector<std::string>& parts) {
  if (parts.empty()) return "it differs in a type";
  if (parts.size() < 3) return base::join(parts, " and ");
  return base::format("{}, and {}", base::join(std::vector(parts.begin(), parts.end() - 1), ", "), parts.back());
}

}  // namespace

std::string differences_from_cufft(const std::vector<std::string>& types) {
  const bool is_store = is_meant_to_store(types);
  const std::vector<CufftParameter> wanted = parameters_of(is_store);
  std::vector<std::string> all;
  if (!types.empty() && is_store != (types[0] == "void"))
    all.push_back(is_store ? base::format("it returns {} and not void", types[0]) : "it returns void");
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (i + 1 >= types.size()) all.push_back(base::format("it has no `{}`", wanted[i].name));
    else if (!fits(types[i + 1], wanted[i])) all.push_back(difference(types[i + 1], wanted[i]));
  }
  if (types.size() > wanted.size() + 1)
    all.push_back(base::format("it has {} parameters and not {}", types.size() - 1, wanted.size()));
  return joined(all);
}

}  // namespace graft::reflect
