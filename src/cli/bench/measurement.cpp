#include "cli/bench/measurement.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/format.hpp"
#include "cli/arrays/npy.hpp"
#include "core/fail.hpp"
#include "graft/error.hpp"

namespace graft::cli {
namespace {

constexpr double kSampleSeconds = 200e-6;
constexpr std::size_t kPatternBytes = std::size_t{1} << 22;  // of random values in an array
// Of the arrays of every call, in bytes. Large items have a smaller one: those of an odd number of elements would need
// the memory of up to 128 of them to come back to the larger.
constexpr std::size_t kCallAlignment = 1024, kAlignmentOfLargeItems = 16;
constexpr std::size_t kLargeItem = kPatternBytes / 64;
constexpr std::uint64_t kMostPatternItems = std::uint64_t{1} << 16;
constexpr std::size_t kComparedBytes = std::size_t{1} << 14;  // of each window of items that are compared
// In a sample of the host's time. The launches of so many calls, of three kernels each, are less than the queue of a
// stream holds (about 1,000).
constexpr int kHostCalls = 200;

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

int calls_for(const PlaceLimits& limits, std::uint64_t bytes) {
  const double seconds = std::max(limits.shortest_call, static_cast<double>(bytes) / limits.bytes_per_second);
  return std::clamp(static_cast<int>(std::ceil(kSampleSeconds / seconds)), 1, limits.most_calls);
}

}  // namespace

// Returns the smallest power of two of items that keep every array of the next call aligned.
std::uint64_t Measurement::unit() const {
  std::uint64_t unit = 1;
  for (const BenchArray& array : subject_.arrays()) {
    constexpr std::uint64_t kBitsOfByte = 8;
    const bool is_bit = array.type.kind == ElementKind::Bit;
    const std::uint64_t item = array.per_item * (is_bit ? 1 : array.type.size);
    const std::uint64_t alignment = array.bytes(1) < kLargeItem ? kCallAlignment : kAlignmentOfLargeItems;
    const std::uint64_t wanted = alignment * (is_bit ? kBitsOfByte : 1);
    unit = std::max(unit, wanted / std::gcd(wanted, item));
  }
  return unit;
}

Measurement::Slots Measurement::slots(std::uint64_t items) const {
  const std::uint64_t stride = rounded_up(items, unit());
  const std::uint64_t enough = place_.limits().traffic / std::max<std::uint64_t>(subject_.bytes(stride), 1) + 1;
  return {.stride = stride, .count = std::max<std::uint64_t>(enough, 2)};
}

// Those of the subject's arrays, and two of the largest for the copy.
std::size_t Measurement::bytes_for(std::uint64_t items) const {
  std::size_t bytes = 2 * subject_.largest_array(items);
  for (const BenchArray& array : subject_.arrays()) bytes += array.bytes(items);
  return bytes;
}

std::vector<std::uint64_t> Measurement::usual_counts(std::uint64_t first) const {
  const std::size_t free = place_.free_bytes() / 10 * 9;
  const auto fits = [&](std::uint64_t items) {
    return subject_.largest_array(items) <= place_.limits().most_array && bytes_for(slots(items).items()) <= free;
  };
  std::vector<std::uint64_t> counts = {first};
  std::uint64_t largest = first;
  while (fits(2 * largest)) largest *= 2;
  while (counts.back() * 4 <= largest) counts.push_back(counts.back() * 4);
  if (counts.back() != largest) counts.push_back(largest);
  return counts;
}

void Measurement::prepare(const std::vector<std::uint64_t>& counts) {
  std::uint64_t items = 0;
  for (const std::uint64_t count : counts) items = std::max(items, slots(count).items());
  const std::size_t free = place_.free_bytes();
  if (bytes_for(items) > free)
    refuse(base::format("the arrays of {} {} need {} bytes, so that no cache holds them, and {} are free on {}",
                        *std::ranges::max_element(counts), subject_.word(), bytes_for(items), free, place_.title()),
           "Measure fewer (--count).");
  const std::size_t item_bytes = std::max<std::size_t>(subject_.largest_array(unit()) / unit(), 1);
  pattern_items_ = rounded_up(std::clamp<std::uint64_t>(kPatternBytes / item_bytes, 2, kMostPatternItems), unit());
  for (std::size_t i = 0; i < subject_.arrays().size(); ++i) fill(i, rounded_up(items, pattern_items_));
  copy_from_ = place_.allocate(subject_.largest_array(items));
  copy_to_ = place_.allocate(subject_.largest_array(items));
}

void Measurement::fill(std::size_t i, std::uint64_t items) {
  const BenchArray& array = subject_.arrays()[i];
  memory_.push_back(place_.allocate(array.bytes(items)));
  std::vector<std::byte>& random = patterns_.emplace_back();
  if (!array.is_read) return;
  random.resize(array.bytes(pattern_items_));
  fill_elements(random_, layouts_[i], random);
  for (std::uint64_t item = 0; item < items; item += pattern_items_)
    place_.write(memory_.back() + array.bytes(item), random);
}

std::vector<std::byte*> Measurement::pointers(std::uint64_t first_item) const {
  std::vector<std::byte*> found;
  for (std::size_t i = 0; i < memory_.size(); ++i) found.push_back(memory_[i] + subject_.arrays()[i].bytes(first_item));
  return found;
}

// Returns the items that fill() wrote there. `first_item` is a multiple of 32, so that bits begin with a word.
std::vector<std::byte> Measurement::pattern(std::size_t i, std::uint64_t first_item, std::uint64_t items) const {
  const BenchArray& array = subject_.arrays()[i];
  std::vector<std::byte> found;
  while (items > 0) {
    const std::uint64_t at = first_item % pattern_items_;
    const std::uint64_t piece = std::min(items, pattern_items_ - at);
    const auto begin = patterns_[i].begin() + static_cast<std::ptrdiff_t>(array.bytes(at));
    found.insert(found.end(), begin, begin + static_cast<std::ptrdiff_t>(array.bytes(piece)));
    first_item += piece;
    items -= piece;
  }
  return found;
}

// Returns the items that are compared: some at the beginning, in the middle and at the end.
std::vector<Measurement::Window> Measurement::windows(std::uint64_t items) const {
  constexpr std::uint64_t kBitsOfWord = 32;
  const bool has_whole_items = subject_.arrays().front().per_item > 1;
  const std::uint64_t step = has_whole_items ? 1 : kBitsOfWord;
  const std::size_t item_bytes = std::max<std::size_t>(subject_.largest_array(kBitsOfWord) / kBitsOfWord, 1);
  const std::uint64_t size = rounded_up(std::max<std::uint64_t>(kComparedBytes / item_bytes, 1), step);
  if (items <= 3 * size) return {{0, items}};
  if (!subject_.items_are_alike()) return {{0, 3 * size}};
  const std::uint64_t last = (items - size) / step * step;
  return {{0, size}, {items / 2 / step * step, size}, {last, items - last}};
}

// Calls the reference. After an error, returns false, and nothing is compared any more.
bool Measurement::calls_reference(const std::vector<std::byte*>& pointers, std::uint64_t items) {
  try {
    reference_->call(nullptr, pointers, items)();
    return true;
  } catch (const Error& error) {
    unverified_ = error.message();
    reference_ = nullptr;
    return false;
  }
}

std::optional<Comparison> Measurement::compare(std::uint64_t items) {
  const std::uint64_t first = next(slots(items));
  const std::vector<Window> compared = windows(items);
  const auto& arrays = subject_.arrays();
  constexpr std::byte kPoison{0xff};  // no result of an earlier call may look like one of this
  // What the reference reads and writes: the items of all windows, one behind the other.
  std::uint64_t count = 0;
  std::vector<AlignedBytes> expected;
  for (const Window& window : compared) count += window.items;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    expected.emplace_back(arrays[i].bytes(count), 1, "an array of the comparison");
    std::byte* to = expected.back().data();
    for (const Window& window : compared) {
      std::vector<std::byte> content = arrays[i].is_read ? pattern(i, first + window.begin, window.items)
                                                         : std::vector(arrays[i].bytes(window.items), kPoison);
      std::ranges::copy(content, to);
      to += content.size();
      if (arrays[i].is_output) place_.write(pointers(first + window.begin)[i], content);
    }
  }
  subject_.call(place_.stream(), pointers(first), items)();
  std::vector<std::byte*> host;
  for (const AlignedBytes& array : expected) host.push_back(array.data());
  if (!calls_reference(host, count)) return std::nullopt;
  Comparison comparison;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (!arrays[i].is_output) continue;
    std::vector<std::byte> found(expected[i].size());
    std::size_t at = 0;
    for (const Window& window : compared) {
      const std::size_t bytes = arrays[i].bytes(window.items);
      place_.read(std::span(found).subspan(at, bytes), pointers(first + window.begin)[i]);
      at += bytes;
    }
    const double scale = subject_.makes_sums() ? largest_magnitude(layouts_[i], expected[i].span()) : 1;
    comparison.compared += count * arrays[i].per_item;
    comparison.unlike += count_unlike(layouts_[i], found, expected[i].span(), scale);
  }
  return comparison;
}

template <class Visit>
void Measurement::for_each_result(std::uint64_t first, std::uint64_t items, const Visit& visit) const {
  const auto& arrays = subject_.arrays();
  for (std::size_t i = 0; i < arrays.size(); ++i)
    for (const Window& window : windows(items))
      if (arrays[i].is_output) visit(i, first + window.begin, window.items);
}

// Returns the bytes of the outputs in all windows.
std::vector<std::byte> Measurement::results(const Subject& subject, std::uint64_t first, std::uint64_t items) {
  constexpr std::byte kPoison{0xff};  // no result of an earlier call may look like one of this
  const auto& arrays = subject.arrays();
  for_each_result(first, items, [&](std::size_t i, std::uint64_t begin, std::uint64_t count) {
    const std::size_t bytes = arrays[i].bytes(count);
    place_.write(pointers(begin)[i], arrays[i].is_read ? pattern(i, begin, count) : std::vector(bytes, kPoison));
  });
  subject.call(place_.stream(), pointers(first), items)();
  std::vector<std::byte> found;
  for_each_result(first, items, [&](std::size_t i, std::uint64_t begin, std::uint64_t count) {
    const std::size_t at = found.size();
    found.resize(at + arrays[i].bytes(count));
    place_.read(std::span(found).subspan(at), pointers(begin)[i]);
  });
  return found;
}

bool Measurement::has_same_results(const Subject& other, std::uint64_t items) {
  const std::uint64_t first = next(slots(items));
  return results(subject_, first, items) == results(other, first, items);
}

double Measurement::relative_difference(const Subject& one, const Subject& other, std::uint64_t items) {
  const std::uint64_t first = next(slots(items));
  const std::vector<std::byte> expected = results(one, first, items), found = results(other, first, items);
  if (found == expected) return 0;
  const std::vector<std::byte> zeros(expected.size());
  double difference = 0, whole = 0;
  std::size_t at = 0;
  for_each_result(first, items, [&](std::size_t i, std::uint64_t, std::uint64_t count) {
    const std::size_t bytes = subject_.arrays()[i].bytes(count);
    const std::span output = std::span(expected).subspan(at, bytes);
    difference += squared_difference(layouts_[i], output, std::span(found).subspan(at, bytes));
    whole += squared_difference(layouts_[i], output, std::span(zeros).first(bytes));
    at += bytes;
  });
  return std::sqrt(difference / whole);
}

std::vector<base::Spread> Measurement::seconds_in_turns(std::span<const Subject* const> subjects, std::uint64_t items,
                                                        int samples) {
  const Slots through = slots(items);
  const int calls = calls_for(place_.limits(), subject_.bytes(items));
  for (const Subject* const subject : subjects)  // as in measure()
    subject->call(place_.stream(), pointers(next(through)), items)();
  std::vector<std::vector<double>> seconds(subjects.size());
  for (int i = -1; i < samples; ++i)  // the first is not counted
    for (std::size_t k = 0; k < subjects.size(); ++k) {
      const double one = seconds_of_calls(*subjects[k], items, through, calls);
      if (i >= 0) seconds[k].push_back(one);
    }
  std::vector<base::Spread> spreads;
  for (std::vector<double>& one : seconds) spreads.push_back(base::spread_of(std::move(one)));
  return spreads;
}

double Measurement::seconds_of_calls(const Subject& subject, std::uint64_t items, const Slots& slots, int calls) {
  std::vector<std::function<void()>> all;
  for (int i = 0; i < calls; ++i) all.push_back(subject.call(place_.stream(), pointers(next(slots)), items));
  return place_.seconds([&] {
    for (const auto& call : all) call();
  }) / calls;
}

double Measurement::seconds_of_copies(std::uint64_t items, const Slots& slots, int calls) {
  const std::size_t bytes = subject_.largest_array(items);
  return place_.seconds([&] {
    for (int i = 0; i < calls; ++i) {
      const std::size_t at = subject_.largest_array(next(slots));
      place_.copy(copy_to_ + at, copy_from_ + at, bytes);
    }
  }) / calls;
}

BenchRow Measurement::measure(std::uint64_t items, int samples) {
  BenchRow row;
  row.items = items;
  row.bytes = subject_.bytes(items);
  row.copy_bytes = 2 * subject_.largest_array(items);
  if (reference_ != nullptr) row.comparison = compare(items);
  if (row.is_wrong()) return row;
  const Slots through = slots(items);
  const int calls = calls_for(place_.limits(), row.bytes);
  // A first launch may load code and allocate memory, for which the device may have to be idle: it is not among those
  // that are timed as one sample. The same is true of a first copy.
  subject_.call(place_.stream(), pointers(next(through)), items)();
  place_.copy(copy_to_, copy_from_, subject_.largest_array(items));
  std::vector<double> seconds, copies;
  for (int i = -1; i < samples; ++i) {  // the first is not counted
    const double one = seconds_of_calls(subject_, items, through, calls),
                 copy = seconds_of_copies(items, through, calls);
    if (i < 0) continue;
    seconds.push_back(one);
    copies.push_back(copy);
  }
  row.seconds = base::spread_of(std::move(seconds));
  row.copy_seconds = base::spread_of(std::move(copies));
  return row;
}

base::Spread Measurement::host_seconds(std::uint64_t items, int samples) {
  const std::function<void()> call = subject_.call(place_.stream(), pointers(0), items);
  std::vector<double> seconds;
  for (int i = -1; i < samples; ++i) {
    const double all = place_.host_seconds([&] {
      for (int k = 0; k < kHostCalls; ++k) call();
    });
    if (i >= 0) seconds.push_back(all / kHostCalls);
  }
  return base::spread_of(std::move(seconds));
}

}  // namespace graft::cli
