#include "store/file_time.hpp"

namespace graft::store {
namespace {

using Clock = std::chrono::system_clock;
using std::chrono::duration_cast;
using std::chrono::seconds;

}  // namespace

Clock::time_point file_time(const timespec& time) {
  // Times in the first and the last second that the clock can represent are clamped too, because the clock may not
  // cover that second completely.
  constexpr seconds kLast = duration_cast<seconds>(Clock::time_point::max().time_since_epoch());
  constexpr seconds kFirst = duration_cast<seconds>(Clock::time_point::min().time_since_epoch());
  const seconds since(time.tv_sec);
  if (since >= kLast) return Clock::time_point::max();
  if (since <= kFirst) return Clock::time_point::min();
  return Clock::time_point(duration_cast<Clock::duration>(since + std::chrono::nanoseconds(time.tv_nsec)));
}

Clock::duration age(Clock::time_point now, Clock::time_point used) {
  if (used >= now) return Clock::duration::zero();
  const Clock::duration before_epoch = used.time_since_epoch();
  const bool overflows =
      before_epoch < Clock::duration::zero() && now.time_since_epoch() > Clock::duration::max() + before_epoch;
  return overflows ? Clock::duration::max() : now - used;
}

}  // namespace graft::store
