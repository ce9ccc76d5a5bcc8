// Measures a subject at a place, beside a copy of its largest array.
//
// The rules are those of bench_throughput, so that both find the same figures:
//
//   - Each call of a sample uses other memory, so that nothing comes from a cache.
//   - A sample is as many calls as take 200 us, and at most PlaceLimits::most_calls. It is timed as a whole.
//   - The subject and the copy take turns. The figures are medians; quartiles show their spread.
//   - Before the timing, results are compared with those of the CPU route: of a sample of the items, or, if an item's
//     result depends on its place, of the first ones.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/spread.hpp"
#include "cli/bench/elements.hpp"
#include "cli/bench/place.hpp"
#include "cli/bench/subject.hpp"

namespace graft::cli {

// The comparison with the CPU route, in elements of all outputs.
struct Comparison {
  std::uint64_t compared = 0;
  std::uint64_t unlike = 0;

  // A callback may round, compare or branch, and then a difference in the last place becomes a large one. So a few
  // elements may differ: one of 256.
  bool is_wrong() const noexcept { return unlike * 256 > compared; }
};

struct BenchRow {
  std::uint64_t items = 0;
  std::uint64_t bytes = 0;       // read and written by a call
  base::Spread seconds;          // of a call
  std::uint64_t copy_bytes = 0;  // read and written by the copy
  base::Spread copy_seconds;
  std::optional<Comparison> comparison;  // nothing without a reference

  bool is_wrong() const noexcept { return comparison && comparison->is_wrong(); }
  double speed() const noexcept { return static_cast<double>(bytes) / seconds.median; }  // in bytes per second
  double copy_speed() const noexcept { return static_cast<double>(copy_bytes) / copy_seconds.median; }
};

class Measurement {
 public:
  // `layouts` are those of the subject's arrays. `reference` is the same subject on the CPU route, or null; the layouts
  // of outputs must then be known. Place and subjects must outlive this object.
  Measurement(Place& place, const Subject& subject, std::vector<ElementLayout> layouts, const Subject* reference)
      : place_(place), subject_(subject), layouts_(std::move(layouts)), reference_(reference) {}

  // Returns the numbers of items from `first` on, each four times the one before, and the largest, a power of two: the
  // largest array is as large as the place allows and its free memory holds.
  std::vector<std::uint64_t> usual_counts(std::uint64_t first) const;

  // Allocates and fills the arrays. Call it once, before measure(). Throws Error(InvalidArgument) if they do not fit.
  void prepare(const std::vector<std::uint64_t>& counts);

  // Measures calls of so many items, one of those that prepare() was given. A row that is wrong has no times.
  BenchRow measure(std::uint64_t items, int samples);

  // Why results are no longer compared: the message of an error that the reference threw. Empty if there was none.
  const std::string& unverified() const noexcept { return unverified_; }

  // Returns the seconds of a call of so many items of several subjects, which take turns. Their arrays are those of
  // this measurement's subject.
  std::vector<base::Spread> seconds_in_turns(std::span<const Subject* const> subjects, std::uint64_t items,
                                             int samples);

  // Returns whether a call of another subject, with the same arrays, has the same results as one of this measurement's
  // subject, bit by bit. Compares some items at the beginning, in the middle and at the end.
  bool has_same_results(const Subject& other, std::uint64_t items);

  // Returns how much the results of such a call of two subjects differ, for results that may differ in rounding: the
  // root of the mean square of the differences, relative to that of the results of `one`. A nan if a result is one,
  // unless all bits are the same. The layouts of the outputs must be known.
  double relative_difference(const Subject& one, const Subject& other, std::uint64_t items);

  // Returns the seconds that the host takes for a call of so many items.
  base::Spread host_seconds(std::uint64_t items, int samples);

 private:
  // How the calls of one number of items go through the memory.
  struct Slots {
    std::uint64_t stride = 0;  // in items
    std::uint64_t count = 0;

    std::uint64_t items() const noexcept { return stride * count; }
  };
  struct Window {
    std::uint64_t begin = 0, items = 0;
  };

  std::uint64_t unit() const;
  Slots slots(std::uint64_t items) const;
  std::size_t bytes_for(std::uint64_t items_in_slots) const;
  std::vector<std::byte*> pointers(std::uint64_t first_item) const;
  std::uint64_t next(const Slots& slots) { return turn_++ % slots.count * slots.stride; }
  void fill(std::size_t array, std::uint64_t items);
  std::vector<std::byte> pattern(std::size_t array, std::uint64_t first_item, std::uint64_t items) const;
  std::vector<Window> windows(std::uint64_t items) const;
  // Calls visit(array, first item, items) for each window of each output.
  template <class Visit>
  void for_each_result(std::uint64_t first, std::uint64_t items, const Visit& visit) const;
  bool calls_reference(const std::vector<std::byte*>& pointers, std::uint64_t items);
  std::optional<Comparison> compare(std::uint64_t items);
  std::vector<std::byte> results(const Subject& subject, std::uint64_t first_item, std::uint64_t items);
  double seconds_of_calls(const Subject& subject, std::uint64_t items, const Slots& slots, int calls);
  double seconds_of_copies(std::uint64_t items, const Slots& slots, int calls);

  Place& place_;
  const Subject& subject_;
  std::vector<ElementLayout> layouts_;
  const Subject* reference_;
  std::string unverified_;
  Random random_;
  std::uint64_t turn_ = 0;
  std::uint64_t pattern_items_ = 0;               // the random items of an array, which repeat through its memory
  std::vector<std::vector<std::byte>> patterns_;  // of each array that is read
  std::vector<std::byte*> memory_;                // of each array
  std::byte* copy_from_ = nullptr;
  std::byte* copy_to_ = nullptr;
};

}  // namespace graft::cli
