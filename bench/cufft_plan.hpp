// FFTs of cuFFT, whose library is opened at run time, so that the program starts on machines without it.
#pragma once

#include <cufft.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "families/fft/plan.hpp"

namespace graft::bench {

// A callback as LTO-IR, which cuFFT calls by its plain name. If the name is empty, there is none.
struct CufftCallback {
  std::string name = {};
  std::vector<std::byte> ltoir = {};
  void* caller_info = nullptr;
};

// A batch of FFTs, one behind the other, whose arrays have no gaps. Throws std::runtime_error if there is no cuFFT, or
// if a call fails.
class CufftPlan {
 public:
  CufftPlan(std::int64_t length, families::fft::Precision precision, std::int64_t batch, cudaStream_t stream,
            const CufftCallback& load = {}, const CufftCallback& store = {})
      : CufftPlan(std::vector<int>{static_cast<int>(length)}, precision, batch, stream, load, store) {}
  // Of several dimensions, the slowest first.
  CufftPlan(std::vector<int> shape, families::fft::Precision precision, std::int64_t batch, cudaStream_t stream,
            const CufftCallback& load = {}, const CufftCallback& store = {})
      : CufftPlan(std::move(shape), precision == families::fft::Precision::Single ? CUFFT_C2C : CUFFT_Z2Z, batch,
                  stream, load, store) {}
  CufftPlan(std::vector<int> shape, cufftType type, std::int64_t batch, cudaStream_t stream,
            const CufftCallback& load = {}, const CufftCallback& store = {});
  // Of another type of point in both arrays and in the calculation, such as CUDA_C_16F.
  CufftPlan(std::vector<int> shape, cudaDataType type, std::int64_t batch);
  ~CufftPlan();
  // Not copyable, because the plan is owned.
  CufftPlan(const CufftPlan&) = delete;
  CufftPlan& operator=(const CufftPlan&) = delete;

  // Plans of real FFTs have one direction, and ignore this one.
  void execute(void* in, void* out, int direction = CUFFT_FORWARD) const;
  // On another stream from now on.
  void set_stream(cudaStream_t stream) const;

 private:
  cufftType type_ = CUFFT_C2C;
  bool is_of_data_type_ = false;
  void *load_info_ = nullptr, *store_info_ = nullptr;  // cuFFT reads these pointers when it makes the plan
  cufftHandle plan_ = 0;
};

}  // namespace graft::bench
