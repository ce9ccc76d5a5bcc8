#include "families/fft/shared_places.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "fft/block.h"

namespace graft::families::fft {
namespace {

using graft_fft::Action;
using graft_fft::BlockPlan;
using graft_fft::kWarp;
using graft_fft::Neighbours;
using graft_fft::Pass;
using graft_fft::Places;
using graft_fft::Step;

// The pattern of the accesses repeats, so that a few warps stand for all of them.
constexpr int kMostWarps = 2;

struct Point {
  int fft = -1;  // -1: this thread accesses nothing
  int point = 0;
};

// A Thread of building_blocks/fft/block.h that notes which points it would access in shared memory, and in which
// register they would be. The other functions are never called in steps that read or write shared memory.
class NotingThread {
 public:
  using Index = unsigned;
  struct Value {
    Value operator*(const Value&) const { return {}; }
  };

  NotingThread(unsigned number, std::vector<Point>& notes) : number_(number), notes_(notes) {}

  Index number() const { return number_; }
  Index named(const char*, Index index) const { return index; }
  template <class Body>
  void when_below(const char*, Index index, int bound, Body body) const {
    if (bound == 0 || index < static_cast<unsigned>(bound)) body(index);
  }
  void write(int k, const graft_fft::SharedAccess<Index>& access) { note(k, access); }
  void read(int k, const graft_fft::SharedAccess<Index>& access) { note(k, access); }

  template <class Body, class Other>
  void when_zero(Index index, Body body, Other other) const {
    if (index == 0) body();
    else other();
  }
  Index unless_zero(Index index, int at_zero, Index other) const {
    return index == 0 ? static_cast<Index>(at_zero) : other;
  }

  template <class Body>
  void with_fft(Action, Index, Body) const {}
  void load(int, Index, int) const {}
  void store(int, Index, int) const {}
  Value root(int, Index) const { return {}; }
  Index column(Index) const { return 0; }
  Index row() const { return 0; }
  void multiply(int, const Value&) const {}
  void butterfly(int, int) const {}
  void split(int, int, const Value&) const {}
  void join(int, int, const Value&) const {}
  void split_ends(int, int) const {}
  void join_ends(int, int) const {}
  void between(int, Index, Index, int) const {}

 private:
  void note(int k, const graft_fft::SharedAccess<Index>& access) {
    notes_[static_cast<std::size_t>(k)] = {static_cast<int>(access.fft),
                                           static_cast<int>(access.first) + access.distance};
  }

  unsigned number_;
  std::vector<Point>& notes_;
};

// The accesses of one instruction: one point for each thread of a warp.
using Instruction = std::array<Point, kWarp>;

std::vector<Instruction> instructions_of(const BlockPlan& plan, int exchange) {
  std::vector<Instruction> instructions;
  const int warps = std::min(kMostWarps, (plan.block_threads() + kWarp - 1) / kWarp);
  const auto registers = static_cast<std::size_t>(plan.points_of_thread());
  for (const Action action : {Action::Write, Action::Read})
    for (int warp = 0; warp < warps; ++warp) {
      const std::size_t begin = instructions.size();
      instructions.resize(begin + registers);
      for (int lane = 0; lane < kWarp && warp * kWarp + lane < plan.block_threads(); ++lane) {
        std::vector<Point> notes(registers);
        NotingThread thread(static_cast<unsigned>(warp * kWarp + lane), notes);
        run_step(plan, Step{action, exchange, graft_fft::Part::Both}, thread);
        for (std::size_t k = 0; k < registers; ++k) instructions[begin + k][static_cast<std::size_t>(lane)] = notes[k];
      }
    }
  return instructions;
}

// The number of banks, if each serves one word at a time: words of 8 bytes take two of the hardware's 32 banks.
int banks_for(int word_bytes) {
  return kWarp * 4 / word_bytes;
}

// Counts until the cycles are above `enough`, because a padding with that many is of no use.
Cycles count(const std::vector<Instruction>& instructions, const Places& places, int word_bytes,
             long enough = std::numeric_limits<long>::max()) {
  const int banks = banks_for(word_bytes), lanes = banks;
  Cycles cycles;
  for (const Instruction& instruction : instructions) {
    if (cycles.counted > enough) break;
    for (int begin = 0; begin < kWarp; begin += lanes) {
      // The different words that are accessed in each bank.
      std::array<std::array<int, kWarp>, kWarp> words;
      std::array<int, kWarp> used = {};
      int longest = 0;
      for (int lane = begin; lane < begin + lanes; ++lane) {
        const Point& point = instruction[static_cast<std::size_t>(lane)];
        if (point.fft < 0) continue;
        const int word = places.place(point.fft, point.point);
        auto& bank = words[static_cast<std::size_t>(word % banks)];
        int& used_words = used[static_cast<std::size_t>(word % banks)];
        if (std::find(bank.begin(), bank.begin() + used_words, word) == bank.begin() + used_words)
          bank[static_cast<std::size_t>(used_words++)] = word;
        longest = std::max(longest, used_words);
      }
      cycles.counted += longest;
      cycles.ideal += longest > 0;
    }
  }
  return cycles;
}

// The passes whose butterflies write and read an exchange; null where points are staged instead.
const Pass* writer_of(const BlockPlan& plan, int exchange) {
  return exchange == 0 ? nullptr : &plan.passes[exchange - 1];
}
const Pass* reader_of(const BlockPlan& plan, int exchange) {
  return exchange == plan.pass_count ? nullptr : &plan.passes[exchange];
}

// The largest rest that the first points of a pass's butterflies have, divided by the period.
int largest_rest(const BlockPlan& plan, const Pass& pass, bool is_write, int period) {
  int largest = 0;
  const int butterflies = plan.butterflies(pass);
  for (int j = 0; j < butterflies && largest < period - 1; ++j)
    largest = std::max<int>(
        largest, (is_write ? graft_fft::first_output(pass, j) : graft_fft::first_input(plan, pass, j)) % period);
  return largest;
}

// How many of the two sides of an exchange have to compute places anew because distances differ between threads.
int sides_without_fixed_distances(const BlockPlan& plan, int exchange, const Places& places) {
  int sides = 0;
  if (places.extra == 0) return sides;
  for (const bool is_write : {true, false}) {
    const Pass* pass = is_write ? writer_of(plan, exchange) : reader_of(plan, exchange);
    if (pass == nullptr) continue;
    const int between = is_write ? pass->done : plan.distance(*pass);
    const int largest = largest_rest(plan, *pass, is_write, places.period);
    bool is_fixed = true;
    for (int leg = 1; leg < pass->radix; ++leg)
      is_fixed = is_fixed && largest + leg * between % places.period < places.period;
    sides += !is_fixed;
  }
  return sides;
}

// Returns the paddings that are worth counting, none at all first. Useful periods are related to the banks and to the
// distance at which the writing pass puts its outputs.
std::vector<Places> paddings_for(const BlockPlan& plan, int exchange, int banks) {
  std::vector<Places> candidates = {Places{}};
  const Pass* writer = writer_of(plan, exchange);
  const int run = writer == nullptr ? plan.length : writer->done * writer->radix;
  const int done = writer == nullptr ? 1 : writer->done;
  for (const int period : {run, 2 * run, 4 * run, banks, 2 * banks})
    for (const int extra : {1, 2, done, banks / 2}) {
      const long added = static_cast<long>(extra) * (plan.length / period);
      if (period < plan.length && extra >= 1 && extra <= period && added <= plan.length / 8 + 16)
        candidates.push_back({0, 1, period, extra});
    }
  return candidates;
}

// The last point that an exchange moves: staged spectra of real FFTs have one more than the passes.
int last_point(const BlockPlan& plan, int exchange) {
  if (exchange == 0) return plan.loaded_points() - 1;
  return exchange == plan.pass_count ? plan.stored_points() - 1 : plan.length - 1;
}

// In words, with the padding.
int end_of_fft(const BlockPlan& plan, int exchange, const Places& places) {
  return places.padded(last_point(plan, exchange)) + 1;
}

// How many words to leave between two FFTs of a block. A warp may access the same points of several FFTs, which should
// lie in different banks.
std::vector<int> shifts_for(const BlockPlan& plan, int word_bytes) {
  if (plan.ffts == 1) return {0};
  return {0, 1, 2, banks_for(word_bytes) / 2};
}

// How much a side whose places are computed anew costs, as a share of the cycles without conflicts: about two more
// instructions for each access of four. It decides only between paddings whose conflicts are nearly the same.
constexpr double kCostOfNewPlaces = 0.4;

// Chooses the padding of an exchange whose FFTs are `fft_distance` words apart. If `point_distance` is above 1, the
// FFTs lie between each other's points.
Places best_places(const BlockPlan& plan, int exchange, int word_bytes, int point_distance,
                   const std::vector<Instruction>& instructions, double& cost) {
  Places best;
  cost = -1;
  double ideal = 0;  // cycles without conflicts
  for (Places places : paddings_for(plan, exchange, banks_for(word_bytes))) {
    places.point_distance = point_distance;
    int sides = -1;  // not known yet
    for (const int shift : point_distance > 1 ? std::vector{0} : shifts_for(plan, word_bytes)) {
      places.fft_distance = point_distance > 1 ? 1 : end_of_fft(plan, exchange, places) + shift;
      const Cycles cycles = cost < 0 ? count(instructions, places, word_bytes)
                                     : count(instructions, places, word_bytes, static_cast<long>(cost));
      if (cost < 0) ideal = static_cast<double>(cycles.ideal);
      if (cost >= 0 && static_cast<double>(cycles.counted) >= cost) continue;
      if (sides < 0) sides = sides_without_fixed_distances(plan, exchange, places);
      const double found = static_cast<double>(cycles.counted) + kCostOfNewPlaces * ideal * sides;
      if (cost >= 0 && found >= cost) continue;
      best = places;
      cost = found;
      if (cost <= ideal) return best;  // nothing is better
    }
  }
  return best;
}

bool is_by_fft(const Pass* pass) {
  return pass != nullptr && pass->neighbours == Neighbours::Ffts;
}

}  // namespace

bool has_fixed_distance(const BlockPlan& plan, const Pass& pass, bool is_write, const Places& places, int distance) {
  // The distance is fixed if p and p + distance are separated by the same number of paddings for every p. For p = 0
  // there are distance / period of them, so no p may get one more.
  if (places.extra == 0) return true;
  return largest_rest(plan, pass, is_write, places.period) + distance % places.period < places.period;
}

Cycles cycles_of(const BlockPlan& plan, int exchange, int word_bytes) {
  return count(instructions_of(plan, exchange), plan.exchanges[exchange], word_bytes);
}

void choose_places(BlockPlan& plan, int word_bytes) {
  std::vector<std::vector<Instruction>> instructions(static_cast<std::size_t>(plan.pass_count) + 1);
  int distance = 0;
  for (int i = 0; i <= plan.pass_count; ++i) {
    if (!plan.has_exchange(i)) continue;
    auto& of_exchange = instructions[static_cast<std::size_t>(i)];
    of_exchange = instructions_of(plan, i);
    double apart = 0, between = 0;
    plan.exchanges[i] = best_places(plan, i, word_bytes, 1, of_exchange, apart);
    if (plan.ffts > 1 && (is_by_fft(writer_of(plan, i)) || is_by_fft(reader_of(plan, i)))) {
      const Places places = best_places(plan, i, word_bytes, plan.ffts, of_exchange, between);
      if (between <= apart) plan.exchanges[i] = places;
    }
    if (plan.exchanges[i].point_distance == 1) distance = std::max(distance, end_of_fft(plan, i, plan.exchanges[i]));
  }

  // FFTs keep the same part of the memory in all exchanges, because threads of different FFTs may be in different ones.
  const auto cycles_with = [&](int fft_distance) {
    long cycles = 0;
    for (int i = 0; i <= plan.pass_count; ++i) {
      Places& places = plan.exchanges[i];
      if (!plan.has_exchange(i) || places.point_distance > 1) continue;
      places.fft_distance = fft_distance;
      cycles += count(instructions[static_cast<std::size_t>(i)], places, word_bytes).counted;
    }
    return cycles;
  };
  int best = distance;
  for (const int shift : shifts_for(plan, word_bytes))
    if (cycles_with(distance + shift) < cycles_with(best)) best = distance + shift;
  cycles_with(best);

  plan.shared_words = 0;
  for (int i = 0; i <= plan.pass_count; ++i)
    if (plan.has_exchange(i))
      plan.shared_words = std::max(plan.shared_words, plan.exchanges[i].place(plan.ffts - 1, last_point(plan, i)) + 1);
}

}  // namespace graft::families::fft
