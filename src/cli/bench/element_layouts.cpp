#include "cli/bench/element_layouts.hpp"

#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "cli/arrays/state_source.hpp"
#include "graft/error.hpp"

namespace graft::cli {
namespace {

// "graft::InOut<Rgb>" -> "Rgb", "Rgb&" -> "Rgb"
std::string element_name(std::string spelling) {
  constexpr std::string_view kInOut = "graft::InOut<";
  if (spelling.starts_with(kInOut) && spelling.ends_with('>'))
    spelling = spelling.substr(kInOut.size(), spelling.size() - kInOut.size() - 1);
  while (spelling.ends_with('&') || spelling.ends_with(' ')) spelling.pop_back();
  return spelling;
}

class LayoutFinder {
 public:
  LayoutFinder(const BuildRequest& request, const Image& image,
               const std::function<base::Bytes(const BuildRequest&)>& make)
      : request_(request), image_(image), make_(make) {}

  ElementLayout find(const Parameter& parameter) {
    if (parameter.type.kind != ElementKind::Class) return layout_of(parameter.type);
    const std::string name = element_name(parameter.spelling);
    const auto [known, is_new] = members_.try_emplace(name);
    if (is_new) known->second = members(name);
    // Of another size, it is another type of the same name.
    if (!known->second || known->second->element.size != parameter.type.size) return layout_of(parameter.type);
    return layout_of(parameter.type, *known->second);
  }

 private:
  std::optional<format::Field> members(const std::string& name) const {
    try {
      format::Outcome<format::Field> found = fields_of_type(request_, image_, name, make_);
      if (found) return std::move(*found);
    } catch (const Error&) {  // without its members, a struct can still be measured
    }
    return std::nullopt;
  }

  const BuildRequest& request_;
  const Image& image_;
  const std::function<base::Bytes(const BuildRequest&)>& make_;
  std::map<std::string, std::optional<format::Field>> members_;
};

}  // namespace

ElementLayouts element_layouts(const BuildRequest& request, const Image& image,
                               const std::function<base::Bytes(const BuildRequest&)>& make) {
  const Signature& signature = image.signature();
  LayoutFinder finder(request, image, make);
  ElementLayouts found;
  std::vector<ElementLayout> outputs;
  const auto add_output = [&](const Parameter& parameter) {
    outputs.push_back(finder.find(parameter));
    if (!outputs.back().is_known && found.unknown_output.empty())
      found.unknown_output = element_name(parameter.spelling);
  };
  if (signature.result().role == Role::Output) add_output(signature.result());
  for (const Parameter& parameter : signature.parameters()) {
    if (parameter.role == Role::Input || parameter.role == Role::FurtherInput)
      found.layouts.push_back(finder.find(parameter));
    if (parameter.role == Role::Output || parameter.role == Role::InOut) add_output(parameter);
  }
  found.layouts.insert(found.layouts.end(), std::make_move_iterator(outputs.begin()),
                       std::make_move_iterator(outputs.end()));
  return found;
}

}  // namespace graft::cli
