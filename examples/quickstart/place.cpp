// Makes the exhibits' kernels and prints what the reports say about them.
#include "place.hpp"

#include <fmt/format.h>

#include <chrono>

namespace quickstart {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

void describe(const graft::Report& report, std::string_view done, double milliseconds) {
  const bool on_cpu = report.kernel.route == graft::Route::Host;
  fmt::print("  signature      {}\n", report.kernel.signature.text());
  fmt::print("  route          {}{}\n", name(report.kernel.route),
             on_cpu ? "" : " for " + report.kernel.architecture.sm());
  fmt::print("  {:<13}  {:.1f} ms\n", done, milliseconds);
  if (on_cpu) return;
  fmt::print("  kernel         {} registers, {} bytes of local memory, vectors of {} elements\n",
             report.resources.registers, report.resources.local_bytes, report.kernel.tuning["vector_width"]);
}

void build_for_hopper(const graft::Callback& callback) {
  const auto start = Clock::now();
  const graft::Image image = graft::build(callback, graft::Architecture(90));
  describe(image.report(), "built in", milliseconds_since(start));
}

}  // namespace

graft::Transform make(const Place& place, const graft::Callback& callback) {
  if (!place.has_gpu) build_for_hopper(callback);
  const graft::Options options = place.has_gpu ? graft::Options() : graft::Options::cpu();
  const auto start = Clock::now();
  graft::Transform transform = graft::Transform::create(callback, options);
  describe(transform.report(), "created in", milliseconds_since(start));
  return transform;
}

void print_throughput(std::size_t bytes, double milliseconds) {
  fmt::print("  throughput     {:.0f} GB/s ({:.3f} ms, median of 21 launches)\n",
             static_cast<double>(bytes) / milliseconds * 1e-6, milliseconds);
}

}  // namespace quickstart
