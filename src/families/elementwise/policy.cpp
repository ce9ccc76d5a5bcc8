// Chooses policies by the constants below, each of which has the measurement behind it in a comment. Also checks
// policies that come from outside the process: from packs and cache entries.
#include "families/elementwise/policy.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "base/format.hpp"
#include "core/fail.hpp"
#include "core/option_table.hpp"
#include "families/elementwise/parameter_layout.hpp"
#include "graft/error.hpp"

namespace graft::elementwise {
namespace {

constexpr int kWidest = 16;  // the largest vector width, in elements

// The most bytes of elements that a thread holds at a time: 256, or 16 bytes of each array if this is more
// (policy.hpp).
constexpr int kRegisterBudget = 256;
constexpr Architecture kFirstWithProgrammaticLaunch(90);

// The tuning for a callback that calls long math functions and has one input and one output, by element size. A thread
// handles several vectors, so that the loads of its next vector overlap the arithmetic of the current one. The comments
// in the table give the speed relative to one vector per thread and 256 threads per block, at 2 GiB per array on an
// H200 (bench_policy).
struct TuningForLongMath {
  int element_bytes;
  int vectors;
  int threads;
  std::uint64_t single_below;
};
// Below `single_below` elements, one vector per thread keeps more of the GPU busy. With one vector per thread and 256
// threads per block, kernels had these speeds relative to the table's tuning: f16 gelu 1.71 at 2^20 elements, 1.20 at
// 2^22 and 0.95 at 2^24; f32 gelu 1.15, 1.07 and 1.02 at the same sizes.
constexpr TuningForLongMath kTuningsForLongMath[] = {
    {2, 4, 64, 1u << 23},   // speed: f16 gelu 1.154, softplus 1.176; bf16 gelu 1.201, softplus 1.191
    {4, 2, 128, 1u << 23},  // speed: f32 gelu 1.005, softplus 1.033
};

// The size in bytes from which elements of a selective callback's outputs are stored one by one.
constexpr std::uint32_t kNarrowestSingleElement = 4;

// Vectors per thread for callbacks that have bit arrays as outputs. Speeds at 1 GiB, relative to a copy, with 1, 2 and
// 4 vectors (bench_bits): float to bits 0.79, 0.98 and 0.98; float and bits to float and bits 0.98, 0.96 and 0.95, and
// with the zeros counted, which takes one atomic operation for each thread block, 0.81, 0.96 and 0.96.
constexpr int kVectorsWithOutputBits = 2;
// Vectors per thread for callbacks that have only bit arrays. A vector has at most 16 elements, so it holds only 2
// bytes of a bit array.
constexpr int kVectorsOfBits = 4;

// Vectors per thread for callbacks that read no array, if the launch is programmatic. Relative to one vector per thread
// without programmatic launch, the speed for f32 was 1.10 at 2^24 elements and 1.00 at 2^29.
constexpr int kVectorsWithoutInputs = 2;

bool reads_no_array(const Signature& signature) {
  return signature.inputs().empty() && signature.in_outs().empty();
}

// Visits the sizes of the elements of all arrays but bit arrays. Threads move a bit array's elements by themselves, a
// few bits at a time, so bit arrays do not matter for the vector width.
template <class Visit>
void for_each_array(const Signature& signature, Visit visit) {
  const auto each = [&](const ElementType& type) {
    if (!is_bit(type)) visit(static_cast<int>(type.size));
  };
  std::ranges::for_each(signature.inputs(), each);
  std::ranges::for_each(signature.outputs(), each);
}

bool has_only_bits(const Signature& signature) {
  bool is_other = false;
  for_each_array(signature, [&](int) { is_other = true; });
  return !is_other && !(signature.inputs().empty() && signature.outputs().empty());
}

// Returns the most vectors per thread that a callback with outputs can have.
int most_vectors(const Signature& signature) {
  return static_cast<int>(std::bit_floor(GRAFT_MAX_OUTPUT_VECTORS / static_cast<unsigned>(signature.outputs().size())));
}

// Returns the number of vectors per thread that bit arrays ask for; 1 if they do not matter.
int vectors_for_bits(const Signature& signature) {
  if (!std::ranges::any_of(signature.outputs(), is_bit)) return 1;
  return std::min(has_only_bits(signature) ? kVectorsOfBits : kVectorsWithOutputBits, most_vectors(signature));
}

int register_budget(const Signature& signature) {
  int arrays = 0;
  for_each_array(signature, [&](int) { ++arrays; });
  return std::max(kRegisterBudget, arrays * GRAFT_WORD_BYTES);
}

int full_width(const Signature& signature) {
  int width = has_only_bits(signature) ? kWidest : 1;
  for_each_array(signature,
                 [&](int size) { width = std::max(width, GRAFT_WORD_BYTES / std::gcd(size, GRAFT_WORD_BYTES)); });
  return width;
}

bool fits(const Signature& signature, int width) {
  bool fitting = true;
  for_each_array(signature, [&](int size) { fitting = fitting && width * size <= GRAFT_SHARE_BYTES; });
  return fitting;
}

// Adapts the policy to a callback that returns graft::Store. Its threads cannot store through shared memory, where all
// threads wait for each other, because some may have nothing to store. So a thread stores at most 16 bytes of each
// output at a time, or one element if it is larger.
//
// If no output has elements of less than 4 bytes, these 16 bytes are several vectors of one element. Neighbouring
// threads then store neighbouring elements, and the stores of a warp to a 32-byte sector of memory are one request,
// also if some of the elements are left alone. Speeds for float, relative to a copy by the bytes that must move, with 4
// vectors of one element and with one vector of 4 elements (bench_selective): all elements stored 1.002 and 1.006,
// every second run of 4,096 elements 0.988 and 1.013, none 0.961 and 0.968, each with probability 1/2 0.563 and 0.501.
// At most about 0.54 can be expected of the last: nearly every sector must be read, changed and written back. Narrower
// elements stay in vectors, because a load or store of less than 4 bytes is slow.
bool adapt_to_selection(const Signature& signature, Policy& policy) {
  if (!signature.is_selective()) return false;
  std::uint32_t largest = 1, smallest = GRAFT_MAX_ELEMENT_BYTES;
  for (const ElementType& type : signature.outputs()) {
    if (is_bit(type)) continue;
    largest = std::max(largest, type.size);
    smallest = std::min(smallest, type.size);
  }
  const auto elements = static_cast<int>(std::bit_floor(std::max(GRAFT_WORD_BYTES / largest, 1u)));
  const bool is_single = largest > 1 && smallest >= kNarrowestSingleElement;
  if (!is_single && elements >= policy.vector_width) return false;
  policy.vector_width = is_single ? 1 : elements;
  if (is_single) policy.vectors_per_thread = std::min(elements, most_vectors(signature));
  policy.reason =
      "the callback is selective: a thread stores at most 16 bytes of each output at a time, or one larger element";
  return is_single;
}

void adapt_to_long_math(const Signature& signature, Policy& policy) {
  if (signature.inputs().size() + signature.in_outs().size() != 1 || signature.outputs().size() != 1) return;
  const auto bytes = static_cast<int>((signature.in_outs().empty() ? signature.inputs() : signature.outputs())[0].size);
  if (static_cast<int>(signature.outputs()[0].size) != bytes) return;
  for (const TuningForLongMath& entry : kTuningsForLongMath)
    if (entry.element_bytes == bytes) {
      policy.vectors_per_thread = entry.vectors;
      policy.block_threads = entry.threads;
      policy.single_below = entry.single_below;
      // 0: launches of every size use tiles. Without tiles, f16 gelu at 2^16 elements ran at 0.81 of its speed with
      // tiles.
      policy.few_tiles = 0;
      policy.reason +=
          base::format("; the callback calls long math functions: {} vectors per thread hide their latency",
                       policy.vectors_per_thread);
    }
}

// Limits for a policy from outside the process. The limits are far above every value that graft chooses, and far enough
// below the limits of a grid that no sum in arguments.cpp overflows.
constexpr int kMostFewTiles = 1 << 20;
constexpr std::uint64_t kMostSingle{kMostSingleBelow};
constexpr int kMostVectors = 16;
constexpr int kFewestThreads = 32;

bool is_power_of_two(std::int64_t value, std::int64_t least, std::int64_t most) {
  return value >= least && value <= most && std::has_single_bit(static_cast<std::uint64_t>(value));
}

std::string_view word(Body body) {
  return body == Body::Vector ? "vector" : "rolled";
}

void require(bool condition, std::string message, std::string remedy) {
  if (!condition) refuse(std::move(message), std::move(remedy));
}

template <std::size_t N>
void require_one_of(const std::array<int, N>& allowed, int value, std::string_view what) {
  require(std::find(allowed.begin(), allowed.end(), value) != allowed.end(),
          base::format("Options::policy.{} is {}", what, value),
          base::format("Use one of {}, or leave it unset.", base::join(allowed, ", ")));
}

}  // namespace

bool are_short_integers(const Signature& signature) {
  const auto is_short = [](const ElementType& type) {
    return (type.kind == ElementKind::Signed || type.kind == ElementKind::Unsigned) && type.size <= 2;
  };
  return std::ranges::all_of(signature.inputs(), is_short) && std::ranges::all_of(signature.outputs(), is_short);
}

std::string objection_to(const Policy& policy, const Signature& signature) {
  if (!is_power_of_two(policy.vector_width, 1, kWidest) || !fits(signature, policy.vector_width))
    return base::format("its vector width is {}", policy.vector_width);
  if (!is_power_of_two(policy.vectors_per_thread, 1, kMostVectors))
    return base::format("it has {} vectors per thread", policy.vectors_per_thread);
  // A rolled kernel, for example one of the indirect route, holds one element of each output at a time.
  if (policy.body == Body::Vector &&
      static_cast<std::size_t>(policy.vectors_per_thread) * signature.outputs().size() > GRAFT_MAX_OUTPUT_VECTORS)
    return base::format("it has {} vectors per thread of {} outputs", policy.vectors_per_thread,
                        signature.outputs().size());
  if (policy.body > Body::Rolled) return "it has an unknown body";
  if (!is_power_of_two(policy.block_threads, kFewestThreads, GRAFT_BLOCK_THREADS))
    return base::format("it has {} threads per block", policy.block_threads);
  if (policy.few_tiles < 0 || policy.few_tiles > kMostFewTiles)
    return base::format("its few_tiles is {}", policy.few_tiles);
  if (policy.single_below > kMostSingle) return base::format("its single_below is {}", policy.single_below);
  return {};
}

std::string Policy::text() const {
  return base::format("{}, {} elements x {} per thread, {} threads per block{}", word(body), vector_width,
                      vectors_per_thread, block_threads, programmatic_launch ? ", programmatic launch" : "");
}

Tuning tuning_of(const Policy& policy) {
  std::vector<Tuning::Decision> decisions;
  Policy::visit_decisions([&](const char* name, auto member, Policy::For) {
    decisions.push_back({name, static_cast<std::int64_t>(policy.*member)});
  });
  return Tuning(std::move(decisions));
}

std::vector<Tuning::Decision> answers(const Policy& policy) {
  std::vector<Tuning::Decision> all;
  Policy::visit_decisions([&](const char* name, auto member, Policy::For use) {
    if (use == Policy::For::Block || (use == Policy::For::Tile && !policy.exact))
      all.push_back({name, static_cast<std::int64_t>(policy.*member)});
  });
  return all;
}

std::vector<std::string> without_effect(const PolicyOverrides& asked, const Policy& policy) {
  std::vector<std::string> names;
  if (policy.body != Body::Rolled) return names;
  const Tuning tuning = tuning_of(policy);
  for_each_option<PolicyOverrides>([&](const auto& row) {
    const auto& wanted = asked.*row.member;
    if (wanted && static_cast<std::int64_t>(*wanted) != tuning[row.name]) names.emplace_back(row.name);
  });
  return names;
}

std::vector<std::string> notes_on_words(const Signature& signature, const Policy& policy) {
  std::vector<std::string> notes;
  if (policy.body != Body::Vector || signature.is_selective()) return notes;
  const auto look = [&](const ElementType& type) {
    const auto size = static_cast<int>(type.size);
    const int word = std::gcd(policy.vector_width * size, GRAFT_WORD_BYTES);
    if (type.kind != ElementKind::Class || word == GRAFT_WORD_BYTES || std::has_single_bit(type.size)) return;
    std::string note = base::format(
        "structs of {} bytes move in words of {} bytes and not {}, because a thread holds only {} of each array: give "
        "them {} bytes, or give each member an array",
        size, word, GRAFT_WORD_BYTES, policy.vector_width, std::bit_ceil(type.size));
    if (std::ranges::find(notes, note) == notes.end()) notes.push_back(std::move(note));
  };
  std::ranges::for_each(signature.inputs(), look);
  std::ranges::for_each(signature.outputs(), look);
  return notes;
}

std::optional<Policy> policy_of(const KernelSpec& kernel, std::string& why) {
  Policy policy;
  std::size_t known = 0;
  Policy::visit_decisions([&]<class Value>(const char* name, Value Policy::*member, Policy::For) {
    const std::int64_t* const value = kernel.tuning.find(name);
    if (value == nullptr) return;
    ++known;
    policy.*member = static_cast<Value>(*value);
    if (static_cast<std::int64_t>(policy.*member) != *value && why.empty())
      why = base::format("its {} is {}", name, *value);
  });
  if (why.empty() && known != kernel.tuning.decisions().size()) why = "its tuning has an unknown or repeated decision";
  if (why.empty()) why = objection_to(policy, kernel.signature);
  return why.empty() ? std::optional(std::move(policy)) : std::nullopt;
}

Policy policy_of(const KernelSpec& kernel) {
  std::string why;
  return policy_of(kernel, why).value_or(Policy());
}

std::string misfit(const Policy& policy, const PolicyOverrides& asked) {
  const auto compare = [](std::string_view name, const auto& own, const auto& wanted, auto shown) -> std::string {
    if (!wanted || *wanted == own) return {};
    return base::format("{}={}, but this request asks for {}", name, shown(own), shown(*wanted));
  };
  const auto number = [](int value) { return value; };
  if (std::string why = compare("body", policy.body, asked.body, word); !why.empty()) return why;
  // If the request asks for the rolled body, do not compare the vector width and the vectors per thread: in a rolled
  // kernel both are 1, whatever the request says.
  if (asked.body != Body::Rolled) {
    std::string why = compare("vector_width", policy.vector_width, asked.vector_width, number);
    if (why.empty()) why = compare("vectors_per_thread", policy.vectors_per_thread, asked.vectors_per_thread, number);
    if (!why.empty()) return why;
  }
  if (!asked.programmatic_launch.value_or(false)) return {};
  return compare("programmatic_launch", policy.programmatic_launch, asked.programmatic_launch,
                 [](bool b) { return b; });
}

Policy launched(Policy policy, const PolicyOverrides& asked) {
  // An override must apply to launches of every size, as in choose_policy. Launches below single_below or few_tiles
  // would ignore it, so both are set to 0, which turns these rules off.
  if (asked.block_threads) {
    policy.block_threads = *asked.block_threads;
    policy.single_below = 0;
  }
  policy.programmatic_launch = asked.programmatic_launch.value_or(policy.programmatic_launch);
  if (asked.vectors_per_thread) {
    policy.single_below = 0;
    policy.few_tiles = 0;
  }
  return policy;
}

int bytes_per_thread(const Signature& signature, int vector_width) {
  int bytes = 0;
  for_each_array(signature, [&](int size) { bytes += vector_width * size; });
  return bytes;
}

Policy rolled(Policy policy) {
  policy.body = Body::Rolled;
  policy.vector_width = policy.vectors_per_thread = 1;
  policy.single_below = 0;
  return policy;
}

Policy indirect_policy() {
  Policy policy;
  policy.vectors_per_thread = GRAFT_INDIRECT_ELEMENTS;
  policy.body = Body::Rolled;
  policy.few_tiles = kFewTiles;
  policy.reason = "the indirect route's building block fits every signature: it handles one element at a time";
  return policy;
}

namespace {

// Takes the largest width with which no thread holds more bytes than its registers allow.
void choose_width(const Signature& signature, Policy& policy) {
  const int full = full_width(signature);
  const int budget = register_budget(signature);
  policy.vector_width = full;
  while (policy.vector_width > 1 &&
         (bytes_per_thread(signature, policy.vector_width) > budget || !fits(signature, policy.vector_width)))
    policy.vector_width /= 2;
  policy.reason = policy.vector_width == full
                      ? "every array moves in 16-byte words"
                      : base::format("a vector width of {} would hold {} bytes per thread, more than {}", full,
                                     bytes_per_thread(signature, full), budget);
}

// With programmatic launch, launches that follow each other were 1.4 times as fast at 2^20 f32 elements, 1.04 at 2^24,
// and never slower (bench_policy; its subject `alone` is without programmatic launch). There is one exception: a thread
// block that reads nothing ends before the next one can begin. So callbacks without inputs, with one vector per thread,
// ran with programmatic launch at 0.73 of their speed without it.
void choose_launch(const Signature& signature, Architecture architecture, Policy& policy) {
  policy.programmatic_launch = architecture >= kFirstWithProgrammaticLaunch;
  if (!policy.programmatic_launch || !reads_no_array(signature) || signature.outputs().empty()) return;
  policy.vectors_per_thread = std::max(policy.vectors_per_thread, kVectorsWithoutInputs);
  policy.reason += base::format("; the callback reads no array: {} vectors per thread", policy.vectors_per_thread);
}

void override_width(int width, const Signature& signature, Policy& policy) {
  require_one_of(std::array{1, 2, 4, 8, 16}, width, "vector_width");
  require(fits(signature, width),
          base::format("Options::policy.vector_width is {}: a thread would hold more than {} bytes of one array", width,
                       GRAFT_SHARE_BYTES),
          "Choose a smaller width.");
  policy.vector_width = width;
  policy.reason = "set by Options::policy";
}

void override_vectors(int vectors, bool is_rolled, const Signature& signature, Policy& policy) {
  require_one_of(std::array{1, 2, 4}, vectors, "vectors_per_thread");
  require(
      is_rolled || static_cast<std::size_t>(vectors) * signature.outputs().size() <= GRAFT_MAX_OUTPUT_VECTORS,
      base::format("Options::policy.vectors_per_thread is {}: a thread would handle more than {} vectors of {} outputs",
                   vectors, GRAFT_MAX_OUTPUT_VECTORS, signature.outputs().size()),
      "Choose fewer vectors, or leave it unset.");
  policy.vectors_per_thread = vectors;
  policy.single_below = 0;
  policy.few_tiles = 0;
  policy.reason = "set by Options::policy";
}

void override_launch(const PolicyOverrides& overrides, Architecture architecture, Policy& policy) {
  if (overrides.block_threads) {
    require_one_of(std::array{64, 128, GRAFT_BLOCK_THREADS}, *overrides.block_threads, "block_threads");
    policy.block_threads = *overrides.block_threads;
    policy.single_below = 0;  // launches of fewer elements would use GRAFT_BLOCK_THREADS threads per block
  }
  if (!overrides.programmatic_launch) return;
  require(!*overrides.programmatic_launch || architecture >= kFirstWithProgrammaticLaunch,
          base::format("Options::policy.programmatic_launch is set, but {} does not have programmatic launch",
                       architecture.sm()),
          base::format("Leave it unset: programmatic launch needs {} or newer.", kFirstWithProgrammaticLaunch.sm()));
  policy.programmatic_launch = *overrides.programmatic_launch;
}

}  // namespace

Policy choose_policy(const Signature& signature, Architecture architecture, const PolicyOverrides& overrides,
                     bool long_math) {
  Policy policy;
  policy.few_tiles = kFewTiles;
  choose_width(signature, policy);
  const bool has_single_elements = adapt_to_selection(signature, policy);
  if (long_math && !has_single_elements) adapt_to_long_math(signature, policy);
  // With few_tiles = 0, small launches use tiles too. At 2^16 elements, the callbacks that have no inputs (fill and
  // iota) are 1.2 times as fast in tiles as with one element per thread. For short integers, whose callbacks compute
  // little, a thread with only one element would move too few bytes. At 2^16 elements, copy, add and triad were 1.05
  // times as fast with tiles as without, and a callback with four inputs was 1.02 times as fast. half is no such type,
  // because callbacks call long functions on half: with tiles, sigmoid of half ran at 0.80 of its speed without tiles.
  else if (reads_no_array(signature) || are_short_integers(signature)) policy.few_tiles = 0;
  choose_launch(signature, architecture, policy);
  if (const int vectors = vectors_for_bits(signature); vectors > policy.vectors_per_thread) {
    policy.vectors_per_thread = vectors;
    policy.reason += base::format("; {} vectors per thread, for bit arrays", vectors);
  }
  if (overrides.vector_width) {
    override_width(*overrides.vector_width, signature, policy);
    if (has_single_elements) policy.vectors_per_thread = 1;  // as many as in other kernels of this width
  }
  if (overrides.vectors_per_thread)
    override_vectors(*overrides.vectors_per_thread, overrides.body == Body::Rolled, signature, policy);
  if (overrides.body) policy.body = *overrides.body;
  if (policy.body == Body::Rolled) policy = rolled(policy);
  override_launch(overrides, architecture, policy);
  return policy;
}

}  // namespace graft::elementwise
