#include "nearest.hpp"

#include <stdexcept>

#include "nearest_kernel.hpp"  // made by graft_add_kernel

namespace nearest {
namespace {

graft::KernelCallbacks filled(int dimensions, const Callbacks& callbacks) {
  graft::KernelCallbacks all;
  if (callbacks.metric) all.slots.push_back({"metric", *callbacks.metric});
  if (callbacks.filter) all.slots.push_back({"filter", *callbacks.filter});
  all.constants.push_back({"dimensions", dimensions});
  return all;
}

void check_room(const graft::Report& report) {
  for (const graft::Report::Slot& slot : report.slots)
    if (slot.state_bytes > sizeof(State) || slot.state_alignment > alignof(State))
      throw std::invalid_argument(slot.callback + ": its state has no room in nearest::State");
}

}  // namespace

graft::KernelCode code() {
  return nearest_kernel();
}

Finder::Finder(int dimensions, const Callbacks& callbacks)
    : kernel_(graft::Kernel::create(code(), filled(dimensions, callbacks))) {
  check_room(report());
}

void Finder::find(cudaStream_t stream, const float* queries, int query_count, const float* points, int point_count,
                  int* found, const State& state) const {
  const unsigned blocks = (static_cast<unsigned>(query_count) + 127) / 128;
  kernel_.launch({.grid = {blocks}, .block = {128}, .stream = stream}, queries, query_count, points, point_count, found,
                 state);
}

graft::Image build(int dimensions, const Callbacks& callbacks, graft::Architecture architecture) {
  graft::Image image = graft::build(code(), filled(dimensions, callbacks), architecture);
  check_room(image.report());
  return image;
}

}  // namespace nearest
