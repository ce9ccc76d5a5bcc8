// Errors as values, versions, bytes and element types of the C interface.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/format.hpp"
#include "c/c_words.hpp"
#include "c/handles.hpp"
#include "core/fail.hpp"

// An error is either out_of_memory(), which is static and has no members, or a KeptError.
struct graft_error {
  bool is_kept = false;
};

namespace graft::c {
namespace {

struct KeptError : graft_error {
  explicit KeptError(const Error& given) noexcept : graft_error{true}, error(given) {}
  Error error;
};

constinit graft_error no_memory;

constexpr const char* kNoMemory = "graft: memory is exhausted [SystemFailed]";

const Error* kept(const graft_error* error) noexcept {
  return error != nullptr && error->is_kept ? &static_cast<const KeptError*>(error)->error : nullptr;
}

// Returns a text of the error: `read` of a kept error, `for_no_memory` if memory was exhausted, "" for success.
template <class Read>
const char* words_of(const graft_error* error, const char* for_no_memory, Read read) noexcept {
  if (const Error* const found = kept(error)) return read(*found);
  return error == nullptr ? "" : for_no_memory;
}

constexpr std::uint64_t kKindUnit = std::uint64_t{1} << 48;
constexpr std::uint64_t kAlignmentUnit = std::uint64_t{1} << 32;
constexpr std::uint64_t kKinds = static_cast<std::uint64_t>(ElementKind::Bit) + 1;

}  // namespace

graft_error* out_of_memory() noexcept {
  return &no_memory;
}

graft_error* keep_error(const Error& error) noexcept {
  try {
    graft_error* const made = new (std::nothrow) KeptError(in_c_words(error));
    return made == nullptr ? out_of_memory() : made;
  } catch (...) {  // the words need memory
    return out_of_memory();
  }
}

graft_error* keep_other(const char* what) noexcept {
  try {
    return keep_error(Error(ErrorCode::SystemFailed,
                            {.message = what, .remedy = std::string(kSystemRemedy), .log = {}, .versions = {}}));
  } catch (...) {
    return out_of_memory();
  }
}

void refuse_null(std::string_view argument) {
  refuse(base::format("{} is null", argument),
         "Pass a valid pointer or handle; check the error of the call that made it.");
}

ElementType element_of(graft_type type) {
  const std::uint64_t kind = type / kKindUnit;
  const auto alignment = static_cast<std::uint32_t>(type % kKindUnit / kAlignmentUnit);
  const auto size = static_cast<std::uint32_t>(type % kAlignmentUnit);
  if (kind >= kKinds || type == 0) [[unlikely]]
    refuse(base::format("{:#x} is not a graft_type", type),
           "Use a constant of graft.h such as GRAFT_F32, GRAFT_STRUCT(size, alignment) or graft_type_named.");
  if (kind == 0) return ElementType::structure(size, alignment);
  return {static_cast<ElementKind>(kind), size, alignment};
}

graft_type type_of(const ElementType& element) noexcept {
  return GRAFT_TYPE(static_cast<std::uint64_t>(element.kind), element.size, element.alignment);
}

}  // namespace graft::c

using graft::Error;
using graft::c::kept;

extern "C" {

uint32_t graft_abi_version(void) {
  return GRAFT_ABI_VERSION;
}

const char* graft_version(void) {
  return GRAFT_VERSION_STRING;
}

const char* graft_code_name(graft_code code) {
  if (code == GRAFT_OK) return "Ok";
  const std::string_view name = graft::name(static_cast<graft::ErrorCode>(code));
  return name.data();  // "Unknown" for a number that is no code
}

graft_code graft_error_code(const graft_error* error) {
  if (error == nullptr) return GRAFT_OK;
  const Error* const found = kept(error);
  return found == nullptr ? GRAFT_SYSTEM_FAILED : static_cast<graft_code>(found->code());
}

const char* graft_error_text(const graft_error* error) {
  return graft::c::words_of(error, graft::c::kNoMemory, [](const Error& found) { return found.what(); });
}

const char* graft_error_message(const graft_error* error) {
  return graft::c::words_of(error, "memory is exhausted", [](const Error& found) { return found.message().c_str(); });
}

const char* graft_error_log(const graft_error* error) {
  return graft::c::words_of(error, "", [](const Error& found) { return found.log().c_str(); });
}

const char* graft_error_remedy(const graft_error* error) {
  return graft::c::words_of(error, graft::kSystemRemedy.data(),
                            [](const Error& found) { return found.remedy().c_str(); });
}

size_t graft_error_diagnostic_count(const graft_error* error) {
  const Error* const found = kept(error);
  return found == nullptr ? 0 : found->diagnostics().size();
}

graft_diagnostic graft_error_diagnostic(const graft_error* error, size_t index) {
  if (index >= graft_error_diagnostic_count(error)) return {"", "", 0, 0, 0};
  const graft::Diagnostic& one = kept(error)->diagnostics()[index];
  return {one.file.c_str(), one.text.c_str(), one.line, one.column, static_cast<graft_severity>(one.severity)};
}

const char* graft_error_diagnostic_near(const graft_error* error, size_t index) {
  return index < graft_error_diagnostic_count(error) ? kept(error)->diagnostics()[index].near.c_str() : "";
}

const char* graft_error_diagnostic_suggestion(const graft_error* error, size_t index) {
  return index < graft_error_diagnostic_count(error) ? kept(error)->diagnostics()[index].suggestion.c_str() : "";
}

void graft_error_destroy(graft_error* error) {
  if (kept(error) != nullptr) delete static_cast<graft::c::KeptError*>(error);
}

const void* graft_bytes_data(const graft_bytes* bytes) {
  return bytes == nullptr ? nullptr : bytes->value.c_str();
}

size_t graft_bytes_size(const graft_bytes* bytes) {
  return bytes == nullptr ? 0 : bytes->value.size();
}

void graft_bytes_destroy(graft_bytes* bytes) {
  delete bytes;
}

graft_error* graft_type_named(const char* name, graft_type* type) {
  return graft::c::give(type, [&] {
    return graft::c::type_of(graft::ElementType::named(graft::checked_text(name, "the name of the type")));
  });
}

}  // extern "C"
