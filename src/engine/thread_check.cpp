#include "engine/thread_check.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "base/record.hpp"
#include "core/compiler_options.hpp"
#include "core/fail.hpp"
#include "core/slots.hpp"
#include "families/own_kernels.hpp"
#include "graft/error.hpp"
#include "link/ptx_thread_words.hpp"
#include "own_kernels/code_shape.hpp"
#include "reflect/callback/thread_words.hpp"

namespace graft::engine {
namespace {

using reflect::ThreadWord;

// What is wrong with a word in a callback, and what to use in its place.
struct Advice {
  const char* problem;
  const char* remedy;
};

Advice advice_on(ThreadWord::Use use) {
  switch (use) {
    case ThreadWord::Barrier:
      return {"a callback must not wait for other threads, since some threads have no element and never arrive",
              "Split the work into two transforms, one after the other."};
    case ThreadWord::Index:
      return {"it numbers threads and not elements, and graft chooses which thread handles which element",
              "Add a parameter of type graft::Index, which is the element's index."};
    case ThreadWord::SharedMemory:
      return {"which elements share this memory differs between kernels",
              "Put the values into a state (a parameter `const T&`), or into device memory to which the state points, "
              "and update them with atomics."};
    case ThreadWord::Exchange:
      break;
  }
  return {"which elements the threads of a warp handle differs between kernels",
          "Use two transforms, one after the other, or atomics on device memory to which the state points."};
}

// Which callbacks of graft::Stages get the thread block's shared memory.
struct SharedMemory {
  bool of_load = true;
  bool of_store = true;
};

// A callback that gets the thread block's shared memory can address its own part only by its thread.
bool addresses_shared_memory(const ThreadWord& found) {
  return found.word == "threadIdx" || found.word == "blockDim" || found.word.starts_with("%tid") ||
         found.word.starts_with("%ntid");
}

std::string place_of_word(const std::string& file, const ThreadWord& found) {
  return found.line == 0 ? file : base::format("{}({})", file, found.line);
}

// A slot's callback may use the words if the author of the kernel says so.
[[noreturn]] void refuse_words_in_slot(const std::vector<ThreadWord>& words, const std::string& file,
                                       const std::string& slot) {
  const ThreadWord& first = words.front();
  fail(
      ErrorCode::InvalidArgument,
      base::format("{}: `{}` in a callback for the slot {}, and the kernel's author does not say which threads call it",
                   place_of_word(file, first), first.word, slot),
      "The author allows such words by KernelCode::with_thread_words. Options::allow_thread_words "
      "(--allow-thread-words) compiles the callback unchanged; a barrier may then wait for ever.");
}

[[noreturn]] void refuse_words(const std::vector<ThreadWord>& words, const std::string& file) {
  const ThreadWord& first = words.front();
  const Advice advice = advice_on(first.use);
  Error::Details details;
  details.message = base::format("{}: `{}` in a callback: {}", place_of_word(file, first), first.word, advice.problem);
  for (const ThreadWord& other : words) {
    if (&other != &first) details.message += base::format("; also {}: `{}`", place_of_word(file, other), other.word);
    details.diagnostics.push_back({file, other.line, other.column, Diagnostic::Severity::Error,
                                   base::format("`{}` in a callback: {}", other.word, advice_on(other.use).problem)});
  }
  const bool may_hang =
      std::ranges::any_of(words, [](const ThreadWord& one) { return one.use == ThreadWord::Barrier; });
  details.remedy = base::format(
      "{} Options::allow_thread_words (--allow-thread-words) compiles the callback unchanged, and {} may then differ "
      "between kernels.",
      advice.remedy, may_hang ? "the kernel may wait for ever, or its results" : "its results");
  throw Error(ErrorCode::InvalidArgument, std::move(details));
}

std::vector<ThreadWord> words_in(const Callback& callback, const Options& options, bool gets_shared_memory) {
  const std::string& entry = options.entry.empty() ? callback.entry() : options.entry;
  std::vector<ThreadWord> words =
      callback.form() == Form::Source
          ? reflect::find_thread_words(callback.text(), entry, are_device_by_default(options.compiler_options))
          : link::thread_words_in_ptx(callback, entry);
  std::erase_if(words, [&](const ThreadWord& found) {
    return !found.is_certain || (gets_shared_memory && addresses_shared_memory(found));
  });
  return words;
}

void check_one(const Callback& callback, const Options& options, bool gets_shared_memory) {
  const std::vector<ThreadWord> words = words_in(callback, options, gets_shared_memory);
  if (!words.empty()) refuse_words(words, callback.name());
}

void check_all(const Callback& callback, const Options& options, bool gets_shared_memory, SharedMemory stages) {
  const Callback::Composition* const composition = callback.composition();
  if (composition == nullptr) return check_one(callback, options, gets_shared_memory);
  const bool is_staged = composition->kind == Callback::Composition::Staged;
  for (std::size_t i = 0; i < composition->parts.size(); ++i)
    if (composition->parts[i])
      check_all(*composition->parts[i], options,
                is_staged && ((i == 0 && stages.of_load) || (i == 2 && stages.of_store)), stages);
}

}  // namespace

void check_thread_words(const Callback& callback, const Options& options) {
  if (!options.allow_thread_words) check_all(callback, options, false, {});
}

void check_thread_words(const Step& step, const Options& options) {
  if (!has_slots(step.callback)) return check_thread_words(step.callback, options);
  if (options.allow_thread_words) return;
  const families::AskedKernels asked = base::read_record<families::AskedKernels>(step.request).value();
  for (std::size_t i = 0; i < asked.slots.size(); ++i) {
    const Callback& callback = step.callback.composition()->parts[i + 1].value();
    const auto is_of_slot = [&](const std::string& allowed) {
      return own_kernels::are_of_one_slot(allowed, asked.slots[i]);
    };
    // A pack was checked when it was made.
    if (callback.form() == Form::Pack || std::ranges::any_of(asked.thread_word_slots, is_of_slot)) continue;
    const std::vector<ThreadWord> words = words_in(callback, options, false);
    if (!words.empty()) refuse_words_in_slot(words, callback.name(), asked.slots[i]);
  }
}

void check_thread_words(const Callback& callback, const Options& options, const Signature& signature) {
  if (options.allow_thread_words || callback.composition() == nullptr || has_slots(callback)) return;
  const auto is_opaque = [](const std::vector<ElementType>& arrays) {
    return !arrays.empty() && arrays.front().kind == ElementKind::Opaque;
  };
  check_all(callback, options, false, {is_opaque(signature.inputs()), is_opaque(signature.outputs())});
}

}  // namespace graft::engine
