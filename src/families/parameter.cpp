#include "families/parameter.hpp"

#include <algorithm>
#include <cstring>

namespace graft::families {
namespace {

constexpr std::size_t align_up(std::size_t offset, std::size_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

}  // namespace

std::size_t lay_out_arrays_and_state(std::size_t head_bytes, const Arguments& arguments,
                                     const std::optional<ElementType>& state, std::byte* parameter) noexcept {
  const std::size_t alignment = std::max<std::size_t>(state ? state->alignment : 1, alignof(void*));
  std::size_t at = align_up(head_bytes, alignment);
  for (const ArrayRef& array : arguments.inputs) {
    std::memcpy(parameter + at, &array.pointer, sizeof array.pointer);
    at += sizeof array.pointer;
  }
  if (arguments.inputs.empty()) at += sizeof(void*);
  if (state) {
    at = align_up(at, state->alignment);
    std::memcpy(parameter + at, arguments.state, state->size);
    at += state->size;
  }
  return align_up(at, alignment);
}

}  // namespace graft::families
