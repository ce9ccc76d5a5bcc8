// Queues the steps on the GPUs. All calls come from one thread: graft and the CUDA runtime work on the current GPU, and
// NCCL's calls for several GPUs are in a group, so that none of them waits for one that comes behind it.
#include "gpus.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace fft_two_gpus {
namespace {

using examples::check;

void must(const char* call, ncclResult_t result) {
  if (result == ncclSuccess) return;
  const char* details = ncclGetLastError(nullptr);
  throw std::runtime_error(fmt::format("NCCL: {} failed: {}. {}", call, ncclGetErrorString(result), details));
}

graft::Options on_gpus(std::size_t gpus) {
  graft::Options options;
  for (std::size_t gpu = 0; gpu < gpus; ++gpu) options.devices.push_back(static_cast<int>(gpu));
  return options;
}

void use(std::size_t gpu) {
  check(cudaSetDevice(static_cast<int>(gpu)));
}

}  // namespace

std::string nccl_version() {
  int version = 0;  // 23203 is 2.32.3
  must("ncclGetVersion", ncclGetVersion(&version));
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

Communicators::Communicators(std::size_t gpus) : communicators_(gpus) {
  must("ncclCommInitAll", ncclCommInitAll(communicators_.data(), static_cast<int>(gpus), nullptr));
}

Communicators::~Communicators() {
  for (const ncclComm_t communicator : communicators_) ncclCommDestroy(communicator);
}

void Communicators::check() const {
  for (const ncclComm_t communicator : communicators_) {
    ncclResult_t result = ncclSuccess;
    must("ncclCommGetAsyncError", ncclCommGetAsyncError(communicator, &result));
    must("an exchange", result);
  }
}

Gpus::Gpus(const Shape& shape)
    : shape_(shape),
      communicators_(shape.slabs),
      ffts_{rows_of_slab(shape, on_gpus(shape.slabs)), columns_of_slab(shape, on_gpus(shape.slabs))} {
  const graft::Transform noise = fft_two_gpus::noise(on_gpus(shape.slabs));
  for (std::size_t gpu = 0; gpu < shape.slabs; ++gpu) {
    use(gpu);
    streams_.push_back(examples::make_stream());
    slabs_.emplace_back(streams_.back().get(), shape, gpu, ffts_, noise);
  }
}

template <class Step>
void Gpus::on_each(const Step& step) {
  for (std::size_t gpu = 0; gpu < slabs_.size(); ++gpu) {
    use(gpu);
    step(slabs_[gpu]);
  }
}

void Gpus::transform_rows() {
  on_each([&](Slab<cudaStream_t>& slab) { slab.transform_rows(ffts_.rows); });
}

void Gpus::exchange() {
  // [exchange]
  const std::size_t floats = 2 * shape_.block_points();
  must("ncclGroupStart", ncclGroupStart());
  for (std::size_t gpu = 0; gpu < slabs_.size(); ++gpu)
    for (std::size_t other = 0; other < slabs_.size(); ++other) {
      if (other == gpu) continue;
      const int peer = static_cast<int>(other);
      const cudaStream_t stream = streams_[gpu].get();
      must("ncclSend", ncclSend(slabs_[gpu].block_for(other), floats, ncclFloat, peer, communicators_[gpu], stream));
      must("ncclRecv", ncclRecv(slabs_[gpu].block_from(other), floats, ncclFloat, peer, communicators_[gpu], stream));
    }
  must("ncclGroupEnd", ncclGroupEnd());
  // [/exchange]
}

void Gpus::transform_columns() {
  on_each([&](Slab<cudaStream_t>& slab) { slab.transform_columns(ffts_.columns); });
}

void Gpus::transform() {
  transform_rows();
  exchange();
  transform_columns();
}

void Gpus::wait() const {
  for (const examples::Stream& stream : streams_) check(cudaStreamSynchronize(stream.get()));
  communicators_.check();
}

std::vector<std::vector<float>> Gpus::results() {
  wait();
  std::vector<std::vector<float>> results;
  on_each([&](Slab<cudaStream_t>& slab) {
    results.emplace_back(shape_.slab_points());
    check(cudaMemcpy(results.back().data(), slab.results(), results.back().size() * sizeof(float),
                     cudaMemcpyDeviceToHost));
  });
  return results;
}

}  // namespace fft_two_gpus
