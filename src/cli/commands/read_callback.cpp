// Makes the Callback of a BuildRequest from a file, from bytes that were read from a file, or from source text. For an
// FFT, makes its callbacks, and from them those of one kernel.
//
// Callback::file also makes a Callback from a file, but it opens the path, and a pipe can be opened and read only once.
// So a command that must look at the bytes first keeps them in BuildRequest::content, and callback_of() makes the
// Callback from BuildRequest::content.

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "base/format.hpp"
#include "base/read_file.hpp"
#include "base/seen_file.hpp"
#include "cli/commands/build_request.hpp"
#include "cli/output/printable.hpp"
#include "core/fail.hpp"
#include "engine/job_kernels.hpp"
#include "families/fft/job.hpp"
#include "format/file_kind.hpp"
#include "graft/error.hpp"
#include "reflect/mistaken_text.hpp"

namespace graft::cli {
namespace {

constexpr std::size_t kLongestTitle = 200;

// Returns the same Callback that Callback::file makes from a file with these bytes.
Callback callback_of(const std::string& content, const std::string& file) {
  const auto bytes = base::as_bytes(content);
  const auto kind = format::file_kind(bytes);
  if (!kind)
    fail(ErrorCode::ImageRefused, base::format("{} is not a callback: {}", file, kind.error().message),
         "Give CUDA C++ source, a compiled callback, or a pack.");
  switch (*kind) {
    case format::FileKind::Source:
      break;
    case format::FileKind::LtoIr:
      return Callback::ltoir(bytes, file);
    case format::FileKind::Fatbin:
      return Callback::fatbin(bytes, file);
    case format::FileKind::Ptx:
      return Callback::ptx(content, file);
    case format::FileKind::Cubin:
    case format::FileKind::Object:
    case format::FileKind::Archive:
      return Callback::object(bytes, file);
    case format::FileKind::NvvmText:
    case format::FileKind::NvvmBitcode:
      return Callback::nvvm(bytes, Libdevice::Without, file);
    case format::FileKind::Pack:
    case format::FileKind::PackSet:
      return Callback::pack(bytes, file);
  }
  return Callback::source(content, file).with_folder(base::folder_of(file));
}

// Returns whether `callback` is source text and not the path of a file.
bool is_source_text(const std::string& callback) {
  if (callback.find('(') == callback.npos && !callback.starts_with('[')) return false;
  if (callback.find('\0') != callback.npos) return true;  // a path has no zero byte
  std::error_code ignored;
  return !std::filesystem::exists(callback, ignored);
}

// Throws for a callback that is no source text, and is not the path of a file that can be read.
[[noreturn]] void refuse_unreadable(const std::string& callback, const std::string& problem) {
  std::string remedy = "Check that it exists, is a file or a pipe, and that this user may read it.";
  if (reflect::kind_of_text(callback) == reflect::TextKind::Formula)
    remedy += base::format(" If it is a formula, write a function around it: '{}'.", reflect::lambda_of(callback));
  fail(ErrorCode::FileUnreadable, base::format("cannot read the callback file {}: {}", callback, problem),
       std::move(remedy));
}

Callback callback_at(const std::string& file_or_text) {
  if (is_source_text(file_or_text)) return Callback::source(file_or_text);
  std::error_code ignored;
  if (reflect::kind_of_text(file_or_text) == reflect::TextKind::Formula &&
      !std::filesystem::exists(file_or_text, ignored))
    refuse_unreadable(file_or_text, std::make_error_code(std::errc::no_such_file_or_directory).message());
  return Callback::file(file_or_text);
}

bool has_text(const std::string* text) {
  return !text->empty();
}

// The kernels of a job for the request's architecture, or for the architecture of a request that names none.
std::vector<Step> kernels_of(const BuildRequest& request, families::Job job) {
  std::optional<Architecture> architecture;
  if (request.route != name(Route::Host))
    architecture = request.architecture.empty() ? kOldestArchitecture : Architecture::parse(request.architecture);
  return engine::JobKernels(std::move(job)).kernels_for(architecture).schedule.kernels;
}

}  // namespace

bool BuildRequest::is_text() const {
  return is_source_text(callback);
}

void BuildRequest::read_content() {
  base::FileContent read = base::read_file(callback, format::kLargestCallback, format::largest_callback);
  if (!read) refuse_unreadable(callback, read.problem());
  content = std::move(*read);
}

// --entry and --signature belong to the callback of an FFT that has one callback. The callbacks of other FFTs have
// options of their own.
FftCallbacks BuildRequest::fft_callbacks() const {
  const bool is_only_one = std::ranges::count_if(std::array{&fft_load, &fft_between, &fft_store}, has_text) == 1;
  if (!is_only_one && (!entry.empty() || !signature.empty()))
    refuse("--entry and --signature are for a single callback",
           "Name those of each callback of the FFT: --load-entry, --load-signature, --between-entry, "
           "--between-signature, --store-entry, --store-signature.");
  const auto read = [&](const std::string& file_or_text, const std::string& its_entry,
                        const std::string& its_signature) -> std::optional<Callback> {
    if (file_or_text.empty()) {
      if (!its_entry.empty() || !its_signature.empty())
        refuse("an entry or a signature is given for a callback that the FFT does not have",
               "Give the callback too: --load, --between, --store.");
      return std::nullopt;
    }
    Callback part = callback_at(file_or_text);
    const std::string& wanted = its_entry.empty() ? entry : its_entry;
    const std::string& declared = its_signature.empty() ? signature : its_signature;
    if (!wanted.empty()) part = part.with_entry(wanted);
    return declared.empty() ? part : part.with_signature(declared);
  };
  return {.load = read(fft_load, fft_load_entry, fft_load_signature),
          .between = read(fft_between, fft_between_entry, fft_between_signature),
          .store = read(fft_store, fft_store_entry, fft_store_signature)};
}

int BuildRequest::kernel_count() const {
  if (!is_fft()) return 1;
  // The number depends on the plan only, so that no file has to be read.
  FftCallbacks callbacks;
  if (!fft_between.empty()) callbacks.between = Callback::source("");
  return static_cast<int>(kernels_of(*this, families::fft::job_of(fft_plan(), callbacks)).size());
}

families::Job BuildRequest::job() const {
  if (is_fft()) return families::fft::job_of(fft_plan(), fft_callbacks());
  return {.callbacks = {{"callback", read_callback()}}};
}

Step BuildRequest::step() const {
  return kernels_of(*this, job()).at(static_cast<std::size_t>(kernel));
}

Callback BuildRequest::read_callback() const {
  Callback read = content ? callback_of(*content, callback) : callback_at(callback);
  if (libdevice && read.form() == Form::Nvvm) read = Callback::nvvm(read.bytes(), Libdevice::With, read.name());
  if (!signature.empty()) read = read.with_signature(signature);
  for (const std::string& path : link_inputs) read = read.with_link_input(Callback::file(path));
  return read;
}

std::string BuildRequest::title() const {
  if (is_fft()) return base::format("FFT of {} points, kernel {}", fft_length, kernel + 1);
  return printable(std::string_view(callback).substr(0, callback.find('\n')), kLongestTitle);
}

}  // namespace graft::cli
