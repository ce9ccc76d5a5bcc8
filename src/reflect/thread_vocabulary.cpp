#include "reflect/thread_vocabulary.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "reflect/keywords.hpp"

namespace graft::reflect {
namespace {

using Use = ThreadWord::Use;

struct KnownWord {
  std::string_view text;
  Use use;
};

constexpr std::array<KnownWord, 5> kThreadVariables = {{{"threadIdx", Use::Index},
                                                        {"blockIdx", Use::Index},
                                                        {"blockDim", Use::Index},
                                                        {"gridDim", Use::Index},
                                                        {"warpSize", Use::Index}}};
// Whole names, because programs have functions of their own with names such as __reduce_angle. A name that ends in '*'
// stands for the compiler's own functions whose names begin with it: __nvvm_bar0, __nvvm_read_ptx_sreg_tid_x.
constexpr std::array<KnownWord, 52> kThreadFunctions = {{{"__syncthreads", Use::Barrier},
                                                         {"__syncthreads_count", Use::Barrier},
                                                         {"__syncthreads_and", Use::Barrier},
                                                         {"__syncthreads_or", Use::Barrier},
                                                         {"__syncwarp", Use::Barrier},
                                                         {"__barrier_sync", Use::Barrier},
                                                         {"__barrier_sync_count", Use::Barrier},
                                                         {"__cluster_barrier_arrive", Use::Barrier},
                                                         {"__cluster_barrier_arrive_relaxed", Use::Barrier},
                                                         {"__cluster_barrier_wait", Use::Barrier},
                                                         {"cooperative_groups", Use::Barrier},
                                                         {"__clusterDim", Use::Index},
                                                         {"__clusterDimIsSpecified", Use::Index},
                                                         {"__clusterGridDimInClusters", Use::Index},
                                                         {"__clusterIdx", Use::Index},
                                                         {"__clusterRelativeBlockIdx", Use::Index},
                                                         {"__clusterRelativeBlockRank", Use::Index},
                                                         {"__clusterSizeInBlocks", Use::Index},
                                                         {"__shared__", Use::SharedMemory},
                                                         {"__cluster_map_shared_rank", Use::SharedMemory},
                                                         {"__cluster_query_shared_rank", Use::SharedMemory},
                                                         {"__cluster_map_shared_multicast", Use::SharedMemory},
                                                         {"__activemask", Use::Exchange},
                                                         {"__any", Use::Exchange},
                                                         {"__any_sync", Use::Exchange},
                                                         {"__all", Use::Exchange},
                                                         {"__all_sync", Use::Exchange},
                                                         {"__ballot", Use::Exchange},
                                                         {"__ballot_sync", Use::Exchange},
                                                         {"__shfl", Use::Exchange},
                                                         {"__shfl_sync", Use::Exchange},
                                                         {"__shfl_up", Use::Exchange},
                                                         {"__shfl_up_sync", Use::Exchange},
                                                         {"__shfl_down", Use::Exchange},
                                                         {"__shfl_down_sync", Use::Exchange},
                                                         {"__shfl_xor", Use::Exchange},
                                                         {"__shfl_xor_sync", Use::Exchange},
                                                         {"__match_any_sync", Use::Exchange},
                                                         {"__match_all_sync", Use::Exchange},
                                                         {"__reduce_add_sync", Use::Exchange},
                                                         {"__reduce_min_sync", Use::Exchange},
                                                         {"__reduce_max_sync", Use::Exchange},
                                                         {"__reduce_and_sync", Use::Exchange},
                                                         {"__reduce_or_sync", Use::Exchange},
                                                         {"__reduce_xor_sync", Use::Exchange},
                                                         {"__nvvm_bar*", Use::Barrier},
                                                         {"__nvvm_read_ptx_sreg_*", Use::Index},
                                                         {"__cudaGet_*", Use::Index},
                                                         {"__nvvm_shfl_*", Use::Exchange},
                                                         {"__nvvm_vote_*", Use::Exchange},
                                                         {"__nvvm_match_*", Use::Exchange},
                                                         {"__nvvm_redux_*", Use::Exchange}}};
// Each word of kThreadFunctions contains one of these.
constexpr std::array<std::string_view, 14> kStems = {
    "__sync", "__barrier_sync", "__cluster", "__shared__", "__shfl",       "__ballot",   "__any",
    "__all",  "__match_",       "__reduce_", "__nvvm_",    "__activemask", "__cudaGet_", "cooperative_groups"};
constexpr std::array<std::string_view, 10> kCooperativeGroups = {
    "this_thread_block", "this_grid",         "this_cluster",     "coalesced_threads", "tiled_partition",
    "thread_block_tile", "labeled_partition", "binary_partition", "thread_block",      "coalesced_group"};

// What assembly contains. A text ends at a dot or is followed by no letter.
constexpr std::array<KnownWord, 18> kThreadAssembly = {{{"%tid", Use::Index},
                                                        {"%ntid", Use::Index},
                                                        {"%ctaid", Use::Index},
                                                        {"%nctaid", Use::Index},
                                                        {"%laneid", Use::Index},
                                                        {"%warpid", Use::Index},
                                                        {"%nwarpid", Use::Index},
                                                        {"%lanemask_", Use::Index},
                                                        {"%cluster_", Use::Index},
                                                        {"bar.", Use::Barrier},
                                                        {"barrier.", Use::Barrier},
                                                        {"shfl.", Use::Exchange},
                                                        {"vote.", Use::Exchange},
                                                        {"match.", Use::Exchange},
                                                        {"redux.", Use::Exchange},
                                                        {"elect.", Use::Exchange},
                                                        {"activemask", Use::Exchange},
                                                        {".shared", Use::SharedMemory}}};

const KnownWord* find_exact(std::span<const KnownWord> list, std::string_view word) {
  const auto found = std::ranges::find(list, word, &KnownWord::text);
  return found == list.end() ? nullptr : &*found;
}

bool is_in_ptx_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

// Whether a word of kThreadAssembly that was found at `at` is a whole word there, and depends on threads.
bool is_in_assembly(std::string_view text, std::size_t at, const KnownWord& word) {
  const std::size_t end = at + word.text.size();
  const bool begins_inside = is_in_ptx_name(word.text.front()) && at > 0 &&
                             (is_in_ptx_name(text[at - 1]) || text[at - 1] == '.' || text[at - 1] == '%');
  const bool ends_inside =
      is_in_ptx_name(word.text.back()) && word.text.back() != '_' && end < text.size() && is_in_ptx_name(text[end]);
  // These two instructions only ask about an address.
  const std::string_view before = text.substr(0, at);
  const bool is_question =
      word.use == Use::SharedMemory && (before.ends_with("isspacep") || before.ends_with("cvta.to"));
  return !begins_inside && !ends_inside && !is_question;
}

// Returns the register or instruction around the `size` characters at `at`: "%tid.x", "ld.shared.u32".
std::string_view whole_instruction(std::string_view text, std::size_t at, std::size_t size) {
  const auto belongs = [&](std::size_t i) { return is_in_ptx_name(text[i]) || text[i] == '.'; };
  std::size_t begin = at;
  std::size_t end = at + size;
  while (text[at] == '.' && begin > 0 && belongs(begin - 1)) --begin;
  while (end < text.size() && belongs(end)) ++end;
  return text.substr(begin, end - begin);
}

}  // namespace

std::optional<ThreadWord::Use> use_of(std::string_view word) {
  if (const KnownWord* variable = find_exact(kThreadVariables, word)) return variable->use;
  for (const KnownWord& known : kThreadFunctions)
    if (known.text.ends_with('*') ? word.starts_with(known.text.substr(0, known.text.size() - 1)) : word == known.text)
      return known.use;
  return std::nullopt;
}

bool is_thread_variable(std::string_view word) {
  return find_exact(kThreadVariables, word) != nullptr;
}

bool is_name_of_cooperative_groups(std::string_view word) {
  return is_among(kCooperativeGroups, word);
}

bool may_have_thread_words(std::string_view text) {
  const auto has = [&](std::string_view word) { return text.find(word) != text.npos; };
  return std::ranges::any_of(kThreadVariables, has, &KnownWord::text) || std::ranges::any_of(kStems, has) ||
         has("asm") || has("\\\n") || has("\\\r");
}

std::vector<ThreadWord> find_thread_words_in_assembly(std::string_view text) {
  std::vector<ThreadWord> found;
  for (const KnownWord& word : kThreadAssembly) {
    std::size_t at = text.find(word.text);
    while (at != text.npos && !is_in_assembly(text, at, word)) at = text.find(word.text, at + 1);
    if (at == text.npos) continue;
    const auto newlines = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    found.push_back({word.use, std::string(whole_instruction(text, at, word.text.size())),
                     static_cast<int>(newlines) + 1, 0, true});
  }
  return found;
}

}  // namespace graft::reflect
