// A scheduler lets each thread run until it waits or ends, and then looks for threads that wait for each other and have
// all come: it computes their results, and lets them go on.
#include "warps_on_host.hpp"

#include <ucontext.h>

#include <bit>
#include <memory>
#include <stdexcept>
#include <vector>

namespace {

constexpr unsigned kWarp = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr std::size_t kStackBytes = 64 * 1024;

enum class Call { None, ActiveMask, MatchAny, Ballot, All, ShuffleXor, SyncThreadsCount };

struct Fiber {
  ucontext_t context = {};
  std::unique_ptr<char[]> stack = std::make_unique<char[]>(kStackBytes);
  bool has_ended = false;
  // What the fiber waits for, and what it was given.
  Call call = Call::None;
  unsigned mask = 0;
  unsigned long long value = 0;
  int distance = 0;
  unsigned long long result = 0;
};

ucontext_t scheduler;
std::vector<Fiber> fibers;
unsigned running = 0;
const std::function<void()>* program = nullptr;

void run_fiber() {
  (*program)();
  fibers[running].has_ended = true;
  swapcontext(&fibers[running].context, &scheduler);
}

unsigned long long wait(Call call, unsigned mask, unsigned long long value, int distance = 0) {
  Fiber& fiber = fibers[running];
  fiber.call = call;
  fiber.mask = mask;
  fiber.value = value;
  fiber.distance = distance;
  swapcontext(&fiber.context, &scheduler);
  return fiber.result;
}

void go_on(Fiber& fiber, unsigned long long result) {
  fiber.result = result;
  fiber.call = Call::None;
}

// Lets the threads of a warp go on that are at __activemask. Returns whether there are any.
bool release_active(unsigned warp, blocks::Convergence convergence) {
  unsigned here = 0;
  for (unsigned lane = 0; lane < kWarp; ++lane)
    if (fibers[warp + lane].call == Call::ActiveMask) here |= 1u << lane;
  if (here == 0) return false;
  if (convergence == blocks::Convergence::Alone) here &= -here;
  if (convergence == blocks::Convergence::InHalves && (here & 0x55555555) != 0) here &= 0x55555555;
  for (unsigned lane = 0; lane < kWarp; ++lane)
    if ((here >> lane & 1) != 0) go_on(fibers[warp + lane], here);
  return true;
}

unsigned long long result_of(unsigned warp, unsigned lane, const std::vector<unsigned long long>& values) {
  const Fiber& fiber = fibers[warp + lane];
  unsigned found = 0;
  for (unsigned other = 0; other < kWarp; ++other) {
    if ((fiber.mask >> other & 1) == 0) continue;
    const bool is_in = fiber.call == Call::MatchAny ? values[other] == values[lane] : values[other] != 0;
    if (is_in) found |= 1u << other;
  }
  switch (fiber.call) {
    case Call::All:
      return found == fiber.mask;
    case Call::ShuffleXor:
      return values[lane ^ static_cast<unsigned>(fiber.distance)];
    default:
      return found;
  }
}

// Lets the threads go on that wait together with the given lane, if all of them have come.
bool release_group(unsigned warp, unsigned lane) {
  const Fiber& first = fibers[warp + lane];
  if (first.call == Call::None || first.call == Call::ActiveMask || first.call == Call::SyncThreadsCount) return false;
  std::vector<unsigned long long> values(kWarp), results(kWarp);
  for (unsigned other = 0; other < kWarp; ++other) {
    if ((first.mask >> other & 1) == 0) continue;
    const Fiber& fiber = fibers[warp + other];
    if (fiber.call != first.call || fiber.mask != first.mask || fiber.distance != first.distance) return false;
    values[other] = fiber.value;
  }
  const unsigned mask = first.mask;
  for (unsigned other = 0; other < kWarp; ++other)
    if ((mask >> other & 1) != 0) results[other] = result_of(warp, other, values);
  for (unsigned other = 0; other < kWarp; ++other)
    if ((mask >> other & 1) != 0) go_on(fibers[warp + other], results[other]);
  return true;
}

bool release_block() {
  unsigned long long count = 0;
  for (const Fiber& fiber : fibers) {
    if (fiber.call != Call::SyncThreadsCount) return false;
    count += fiber.value;
  }
  for (Fiber& fiber : fibers) go_on(fiber, count);
  return true;
}

bool release_some(blocks::Convergence convergence) {
  bool is_some = release_block();
  for (unsigned warp = 0; warp < fibers.size(); warp += kWarp) {
    for (unsigned lane = 0; lane < kWarp; ++lane) is_some = release_group(warp, lane) || is_some;
    is_some = release_active(warp, convergence) || is_some;
  }
  return is_some;
}

}  // namespace

unsigned int __activemask() {
  return static_cast<unsigned>(wait(Call::ActiveMask, 0, 0));
}
unsigned int __match_any_sync(unsigned int mask, unsigned long long value) {
  return static_cast<unsigned>(wait(Call::MatchAny, mask, value));
}
unsigned int __ballot_sync(unsigned int mask, bool value) {
  return static_cast<unsigned>(wait(Call::Ballot, mask, value ? 1 : 0));
}
bool __all_sync(unsigned int mask, bool value) {
  return wait(Call::All, mask, value ? 1 : 0) != 0;
}
unsigned int __shfl_xor_sync(unsigned int mask, unsigned int value, int distance) {
  if (mask != kAllLanes) throw std::logic_error("a shuffle of a part of a warp");
  return static_cast<unsigned>(wait(Call::ShuffleXor, mask, value, distance));
}
int __syncthreads_count(bool value) {
  return static_cast<int>(wait(Call::SyncThreadsCount, 0, value ? 1 : 0));
}

namespace blocks {

void run_threads(unsigned threads, Convergence convergence, const std::function<void(unsigned)>& enter,
                 const std::function<void()>& thread) {
  program = &thread;
  if (fibers.size() != threads) fibers = std::vector<Fiber>(threads);
  for (Fiber& fiber : fibers) {
    fiber.has_ended = false;
    fiber.call = Call::None;
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.get();
    fiber.context.uc_stack.ss_size = kStackBytes;
    makecontext(&fiber.context, run_fiber, 0);
  }
  const auto run_all_that_can = [&] {
    bool are_waiting = false;
    for (running = 0; running < threads; ++running) {
      Fiber& fiber = fibers[running];
      if (!fiber.has_ended && fiber.call == Call::None) {
        enter(running);
        swapcontext(&scheduler, &fiber.context);
      }
      are_waiting = are_waiting || !fiber.has_ended;
    }
    return are_waiting;
  };
  while (run_all_that_can())
    if (!release_some(convergence)) throw std::logic_error("threads wait for each other forever");
}

}  // namespace blocks
