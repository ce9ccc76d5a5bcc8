#include "reflect/callback/thread_vocabulary.hpp"

#include <algorithm>
#include <string>

#include "reflect/text/keywords.hpp"

namespace graft::reflect {
namespace {

using Use = ThreadWord::Use;

struct KnownWord {
  std::string_view text;
  Use use;
};

constexpr std::string_view kVariables[] = {"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"};
// Whole names, because programs have functions of their own with names such as __reduce_angle. The last five make the
// groups of namespace cooperative_groups.
constexpr std::string_view kBarriers[] = {"__syncthreads",        "__syncthreads_count", "__syncthreads_and",
                                          "__syncthreads_or",     "__syncwarp",          "__barrier_sync",
                                          "__barrier_sync_count", "this_thread_block",   "this_grid",
                                          "this_cluster",         "this_multi_grid",     "coalesced_threads"};
constexpr std::string_view kIndices[] = {
    "__clusterDim",         "__clusterDimIsSpecified",   "__clusterGridDimInClusters",
    "__clusterIdx",         "__clusterRelativeBlockIdx", "__clusterRelativeBlockRank",
    "__clusterSizeInBlocks"};
constexpr std::string_view kSharedMemory[] = {"__shared__", "__cluster_map_shared_rank", "__cluster_query_shared_rank",
                                              "__cluster_map_shared_multicast"};
constexpr std::string_view kExchanges[] = {"__activemask",      "__any",
                                           "__any_sync",        "__all",
                                           "__all_sync",        "__ballot",
                                           "__ballot_sync",     "__shfl",
                                           "__shfl_sync",       "__shfl_up",
                                           "__shfl_up_sync",    "__shfl_down",
                                           "__shfl_down_sync",  "__shfl_xor",
                                           "__shfl_xor_sync",   "__match_any_sync",
                                           "__match_all_sync",  "__reduce_add_sync",
                                           "__reduce_min_sync", "__reduce_max_sync",
                                           "__reduce_and_sync", "__reduce_or_sync",
                                           "__reduce_xor_sync"};
// Beginnings of names, mostly of the compiler's own functions: __nvvm_bar0, __nvvm_read_ptx_sreg_tid_x.
constexpr KnownWord kPrefixes[] = {{"__nvvm_bar", Use::Barrier},          {"__cluster_barrier_", Use::Barrier},
                                   {"__nvvm_read_ptx_sreg_", Use::Index}, {"__cudaGet_", Use::Index},
                                   {"__nvvm_shfl_", Use::Exchange},       {"__nvvm_vote_", Use::Exchange},
                                   {"__nvvm_match_", Use::Exchange},      {"__nvvm_redux_", Use::Exchange}};
// Each function of these lists contains one of these.
constexpr std::string_view kStems[] = {"__sync",   "__barrier_sync", "__cluster",  "__shared__", "__shfl",
                                       "__ballot", "__any",          "__all",      "__match_",   "__reduce_",
                                       "__nvvm_",  "__activemask",   "__cudaGet_", "this_",      "coalesced_threads"};

// What assembly contains. A text ends at a dot or is followed by no letter.
constexpr KnownWord kThreadAssembly[] = {
    {"%tid", Use::Index},      {"%ntid", Use::Index},         {"%ctaid", Use::Index},
    {"%nctaid", Use::Index},   {"%laneid", Use::Index},       {"%warpid", Use::Index},
    {"%nwarpid", Use::Index},  {"%lanemask_", Use::Index},    {"%cluster_", Use::Index},
    {"bar.", Use::Barrier},    {"barrier.", Use::Barrier},    {"shfl.", Use::Exchange},
    {"vote.", Use::Exchange},  {"match.", Use::Exchange},     {"redux.", Use::Exchange},
    {"elect.", Use::Exchange}, {"activemask", Use::Exchange}, {".shared", Use::SharedMemory}};

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
  if (is_among(kVariables, word) || is_among(kIndices, word)) return Use::Index;
  if (is_among(kBarriers, word)) return Use::Barrier;
  if (is_among(kSharedMemory, word)) return Use::SharedMemory;
  if (is_among(kExchanges, word)) return Use::Exchange;
  for (const KnownWord& prefix : kPrefixes)
    if (word.starts_with(prefix.text)) return prefix.use;
  return std::nullopt;
}

bool is_thread_variable(std::string_view word) {
  return is_among(kVariables, word);
}

bool may_have_thread_words(std::string_view text) {
  const auto has = [&](std::string_view word) { return text.find(word) != text.npos; };
  return std::ranges::any_of(kVariables, has) || std::ranges::any_of(kStems, has) || has("asm") || has("\\\n") ||
         has("\\\r");
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
