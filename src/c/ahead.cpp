#include "c/ahead.hpp"

#include "base/format.hpp"
#include "core/fail.hpp"

namespace graft::c {

std::vector<Architecture> architectures_of(const char* const* names, std::size_t count) {
  if (count != 0) checked(names, "the list of architectures");
  std::vector<Architecture> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(Architecture::parse(checked_text(names[i], "an architecture")));
  return all;
}

std::vector<PackEntry> entries_of(const graft_callback* const* callbacks, const char* const* names, std::size_t count) {
  if (count != 0) checked(callbacks, "the list of callbacks");
  std::vector<PackEntry> all;
  for (std::size_t i = 0; i < count; ++i)
    all.emplace_back(checked(callbacks[i], "a callback of the pack").value,
                     names == nullptr || names[i] == nullptr ? "" : names[i]);
  return all;
}

PrecompileFormat format_of(graft_format format) {
  if (format < GRAFT_FORMAT_PACK || format > GRAFT_FORMAT_CUBIN)
    refuse(base::format("{} is not the number of a format", format), "Use a constant GRAFT_FORMAT_... of graft.h.");
  return static_cast<PrecompileFormat>(format);
}

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace graft::c
