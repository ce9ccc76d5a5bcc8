// The arrays of a slab and of the whole array, and the calls of graft that work on them: in the memory of a GPU for a
// CUDA stream, in host memory for graft::host.
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "ffts.hpp"
#include "support/arrays.hpp"

namespace fft_two_gpus {

using Complex = std::complex<float>;

template <class T, class Stream>
using Array = std::conditional_t<std::is_same_v<Stream, graft::HostTag>, std::vector<T>, examples::DeviceBuffer<T>>;

template <class... Arrays>
std::size_t bytes_of(const Arrays&... arrays) {
  return (... + (arrays.size() * sizeof(*arrays.data())));
}

struct SlabFfts {
  graft::Fft rows, columns;
};

// How many FFTs of a batch one call computes. Long FFTs need a workspace as large as the data. Calls for parts of the
// batch, one after the other, need the workspace of a part only, so that a slab does not take twice the memory.
inline std::size_t batch_of_call(const graft::Fft& fft, std::size_t batch) {
  constexpr std::size_t kMostWorkspace = std::size_t{1} << 30;
  const std::size_t calls = fft.workspace_bytes(batch) / kMostWorkspace + 1;
  return (batch + calls - 1) / calls;
}

// Work is queued on the stream, whose GPU must be the current one.
template <class Stream>
class Slab {
 public:
  Slab(Stream stream, const Shape& shape, std::size_t number, const SlabFfts& ffts, const graft::Transform& noise)
      : stream_(stream),
        shape_(shape),
        number_(number),
        rows_of_call_(batch_of_call(ffts.rows, shape.slab_rows())),
        columns_of_call_(batch_of_call(ffts.columns, shape.slab_columns())),
        samples_(shape.slab_points()),
        sent_((shape.slabs - 1) * shape.block_points()),
        columns_(shape.slab_points()),
        workspace_(std::max(ffts.rows.workspace_bytes(rows_of_call_), ffts.columns.workspace_bytes(columns_of_call_))),
        blocks_(examples::array(stream, blocks())) {
    noise.execute(stream, graft::inputs(), samples_, static_cast<unsigned long long>(number * shape.slab_points()));
  }

  // `blocks_` points to the other arrays, which a move leaves in their place.
  Slab(Slab&&) = default;

  void transform_rows(const graft::Fft& fft) {
    const std::size_t rows = shape_.slab_rows(), columns = shape_.columns;
    Complex** blocks = blocks_.data();  // those of the call
    for (std::size_t row = 0; row < rows; row += rows_of_call_, blocks += shape_.slabs) {
      const std::size_t batch = std::min(rows_of_call_, rows - row);
      fft.execute(stream_, {samples_.data() + row * columns, batch * columns}, sent_, graft::Direction::Forward,
                  {.batch = batch,
                   .workspace = workspace_.data(),
                   .workspace_bytes = workspace_.size(),
                   .state = Window{static_cast<unsigned>(columns), 1},
                   .info = {.store = blocks}});
    }
  }

  // The block for another slab, and the place of the one that another slab sends. The block that stays has one place:
  // the store callback writes it where the exchange would copy it.
  Complex* block_for(std::size_t other) {
    if (other == number_) return block_from(other);
    return sent_.data() + (other < number_ ? other : other - 1) * shape_.block_points();
  }
  Complex* block_from(std::size_t other) { return columns_.data() + other * shape_.block_points(); }

  void transform_columns(const graft::Fft& fft) {
    const std::size_t columns = shape_.slab_columns(), points = shape_.slab_points();
    // [columns]
    const graft::FftLayout layout = {.stride = columns, .distance = 1};
    for (std::size_t column = 0; column < columns; column += columns_of_call_)
      fft.execute(stream_, {columns_.data() + column, points - column}, {results() + column, points - column},
                  graft::Direction::Forward,
                  {.batch = std::min(columns_of_call_, columns - column),
                   .in = layout,
                   .out = layout,
                   .workspace = workspace_.data(),
                   .workspace_bytes = workspace_.size()});
    // [/columns]
  }

  // The results of the slab's columns, as rows of `slab_columns`. They overwrite the blocks that were sent: these are
  // half of the slab's points or more, and a point is as large as two results.
  float* results() { return reinterpret_cast<float*>(sent_.data()); }

  std::size_t bytes() const { return bytes_of(samples_, sent_, columns_, workspace_, blocks_); }

 private:
  // For each call of the FFT of rows: where its first row begins in the blocks for the slabs.
  std::vector<Complex*> blocks() {
    std::vector<Complex*> begins;
    for (std::size_t row = 0; row < shape_.slab_rows(); row += rows_of_call_)
      for (std::size_t other = 0; other < shape_.slabs; ++other)
        begins.push_back(block_for(other) + row * shape_.slab_columns());
    return begins;
  }

  Stream stream_;
  Shape shape_;
  std::size_t number_, rows_of_call_, columns_of_call_;
  Array<short, Stream> samples_;
  Array<Complex, Stream> sent_, columns_;
  Array<std::byte, Stream> workspace_;
  Array<Complex*, Stream> blocks_;
};

// The whole array on one GPU.
template <class Stream>
class Whole {
 public:
  Whole(Stream stream, const Shape& shape, const graft::Fft& fft, const graft::Transform& noise)
      : stream_(stream),
        columns_(shape.columns),
        samples_(shape.points()),
        results_(shape.points()),
        workspace_(fft.workspace_bytes(1)) {
    noise.execute(stream, graft::inputs(), samples_, 0ULL);
  }

  void transform(const graft::Fft& fft) {
    fft.execute(stream_, samples_, results_, graft::Direction::Forward,
                {.workspace = workspace_.data(),
                 .workspace_bytes = workspace_.size(),
                 .state = Window{static_cast<unsigned>(columns_), 1}});
  }

  std::vector<float> results() const { return examples::values_of(results_); }
  std::size_t bytes() const { return bytes_of(samples_, results_, workspace_); }

 private:
  Stream stream_;
  std::size_t columns_;
  Array<short, Stream> samples_;
  Array<float, Stream> results_;
  Array<std::byte, Stream> workspace_;
};

}  // namespace fft_two_gpus
