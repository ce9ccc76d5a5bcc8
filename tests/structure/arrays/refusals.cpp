// Mistakes that graft refuses with its own static_assert. Each line below a comment `refused: WORDS` is a mistake, for
// which the compiler must say WORDS. refusals.py compiles the file once for each value of MISTAKES, and reads the
// messages. A compiler reports a mistake in a template once for the same types, so mistakes that need the same instance
// of a template have different values. Without MISTAKES the file compiles.
#include <array>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>
#include <graft/graft.hpp>

// Types with a pointer, a size and possibly gaps between elements. Their members have the same names as those of
// Kokkos, mdspan, PyTorch and Boost.MultiArray.
struct Buffer {
  float* data() const { return nullptr; }
  std::size_t size() const { return 0; }
};
struct View : Buffer {
  template <class Number>
  std::size_t stride(Number) const {
    return 2;
  }
  bool span_is_contiguous() const { return false; }
};
struct Picture : Buffer {
  std::size_t stride = 640;
};
struct Mdspan {
  float* data_handle() const { return nullptr; }
  std::size_t size() const { return 0; }
  std::array<std::size_t, 2> extents() const { return {}; }
};
struct Tensor {
  float* data_ptr() const { return nullptr; }
  bool is_contiguous() const { return false; }
};
struct MultiArray : Buffer {
  using allocator_type = std::allocator<float>;
  const std::ptrdiff_t* strides() const { return nullptr; }
};

struct Given {
  const graft::Transform& transform;
  const graft::Fft& fft;
  const graft::Reduce& reduce;
  CUstream_st* stream;
  graft::DeviceArray<float> x;
  graft::DeviceArray<const float> read_only;
  std::vector<float>& host;
  std::vector<graft::DeviceArray<float>>& arrays;
  std::vector<graft::ArrayRef>& refs;
  std::vector<std::span<float>>& spans;
  std::string& text;
  float plain[4];
  std::array<float, 4> array;
  std::uint32_t words[1];
  const std::uint32_t read_only_words[1];
  std::uint32_t zeros;
  Buffer buffer;
  View view;
  Picture picture;
  Mdspan mdspan;
  Tensor tensor;
  MultiArray multi_array;
};

void refuse(Given g) {
  [[maybe_unused]] const auto run = [&](const graft::Inputs& in, const graft::Outputs& out) {
    g.transform.execute(g.stream, in, out);
  };
  [[maybe_unused]] const auto run_on_host = [&](const graft::HostInputs& in, const graft::HostOutputs& out) {
    g.transform.execute(graft::host, in, out);
  };
#ifndef MISTAKES
  graft::Signature::of<float(float&&, const float&)>();
  Eigen::MatrixXf matrix;
  Eigen::Matrix4f fixed;
  run(graft::inputs(g.x, g.read_only, graft::device(g.host), graft::device(matrix)), graft::outputs(g.x));
  run({g.view.data(), g.view.size()}, {g.buffer.data(), g.buffer.size()});
  run_on_host(graft::host_inputs(g.host, matrix, std::span(g.mdspan.data_handle(), g.mdspan.size())), fixed.col(0));
  run_on_host(graft::host_inputs(fixed.row(0).eval(), (matrix + matrix).eval()), matrix);
  g.transform.execute(g.stream, g.x, g.x, g.text.size());
  g.transform.execute(g.stream, g.refs, g.refs[0], g.text.size());
  g.transform.execute(graft::host, {}, {g.refs[0], {g.buffer.data(), g.buffer.size(), g.refs[0].type}});
#elif MISTAKES == 1
  // refused: inputs are device arrays; host containers need graft::device
  run(graft::inputs(g.host), g.x);
  // refused: outputs are device arrays; host containers need graft::device
  run(g.x, graft::outputs(g.host));
  // refused: an output array must not be const
  run(g.x, g.read_only);
  // refused: an array needs an element type
  run({static_cast<void*>(g.x.pointer), g.x.count}, g.x);
  // refused: a callback has at most 16 inputs
  run(graft::inputs(g.x, g.x, g.x, g.x, g.x, g.x, g.x, g.x, g.x, g.x, g.x, g.x, g.x, g.x, g.x, g.x, g.x), g.x);
  // refused: a callback has at most 8 outputs
  run(g.x, graft::outputs(g.x, g.x, g.x, g.x, g.x, g.x, g.x, g.x, g.x));
  // refused: elements and state must be trivially copyable
  g.transform.execute(g.stream, g.x, g.x, g.text);

  // The caller passes a list of arrays where graft expects another kind of list or a single array.
  // refused: use graft::inputs(...) of arrays in host memory
  run_on_host(graft::outputs(g.x, g.x), g.host);
  // refused: use graft::outputs(...) of arrays in host memory
  run_on_host(g.host, graft::inputs(g.x));
  // refused: use graft::inputs
  run(graft::outputs(g.x), g.x);
  // refused: use graft::outputs
  run(g.x, graft::inputs(g.x));
  // refused: graft::inputs takes the arrays themselves
  run(graft::inputs(g.x, graft::inputs(g.x)), g.x);
  // refused: graft::host_outputs takes the arrays themselves
  run_on_host(g.host, graft::host_outputs(graft::host_outputs(g.host)));
  // refused: graft::device takes one array
  graft::device(graft::inputs(g.x));

  // The caller declares a parameter that no callback can have.
  // refused: a parameter is an rvalue reference to const
  graft::Signature::of<void(const float&&)>();

  // Bit arrays.
  // refused: std::vector<bool> has no array of bools
  graft::host_inputs(std::vector<bool>{true});
  // refused: an array of graft::Bit in memory has one bit for each element
  graft::inputs(std::span<const graft::Bit>());
  // refused: the words of an output must not be const
  graft::outputs(graft::bits(g.read_only_words, 8));
  // refused: the counter of zeros is a 64-bit integer
  graft::bits(g.words, 8).count_zeros(&g.zeros);

  // The caller passes an array whose elements are arrays.
  // refused: this is an array of arrays; pass each inner array to graft::inputs
  run_on_host(g.arrays, g.host);
  run_on_host(g.host, std::span(g.arrays));
  run(graft::inputs(std::span(&g.x, 1)), g.x);
  run_on_host(g.spans, g.host);

  // The caller mixes ArrayRefs with arrays of C++ types.
  // refused: pass ArrayRefs directly to execute, as inputs and as outputs
  g.transform.execute(g.stream, g.refs, g.x);
  g.transform.launch_parameters(std::span(g.refs), {g.x.pointer, g.x.count});
  g.transform.execute(graft::host, graft::host_inputs(g.host, g.refs[0]), g.host);
  run(g.x, graft::device(g.refs));

  // The caller passes arrays in host memory to a launch on a stream.
  // refused: inputs are device arrays; host containers need graft::device
  g.transform.execute(g.stream, g.host, g.x);
  // refused: outputs are device arrays; host containers need graft::device
  g.transform.execute(g.stream, g.x, g.host);
  // refused: inputs are device arrays; host containers need graft::device
  g.transform.execute(g.stream, g.plain, g.x);
  // refused: outputs are device arrays; host containers need graft::device
  g.transform.execute(g.stream, g.x, g.array, 2.0f);
  // refused: inputs are device arrays; host containers need graft::device
  g.transform.launch_parameters(g.text, g.x);
  run(Eigen::MatrixXf(), g.x);

  // The caller passes pointers without a number of elements.
  // refused: a pointer has no number of elements; pass {pointer, count}
  g.transform.execute(g.stream, g.x.pointer, g.x.pointer);
  g.transform.execute(g.stream, g.x, g.read_only.pointer, g.x.count);
  g.transform.execute(graft::host, &g.zeros, g.host);
  g.transform.execute(graft::host, g.host, g.text.data(), g.text.size());
  g.transform.execute(graft::host, std::make_unique<float[]>(4), g.host);

  // The caller passes several arrays as a braced list.
  // refused: for several arrays write graft::inputs
  g.transform.execute(g.stream, {{g.x.pointer, 4}, {g.read_only.pointer, 4}}, g.x);
  // refused: for several arrays write graft::outputs
  g.transform.execute(g.stream, g.x, {{g.x.pointer, 4}, g.x});
  // refused: for several arrays write graft::inputs
  g.transform.execute(graft::host, {g.host, g.host}, g.host);
  // refused: for several arrays write graft::outputs
  g.transform.execute(graft::host, g.host, {{g.host.data(), 4}, {g.host.data(), 4}});

  // The arguments fit no overload.
  // refused: execute takes (stream or graft::host, inputs, outputs, state
  g.transform.execute(g.x, g.x);
  g.transform.execute(g.stream, std::list<float>(), g.x);
  g.transform.execute(g.stream, 2.0f, g.x);
  g.reduce.execute(g.x, g.x);
  // refused: execute takes (stream or graft::host, in, out, direction, FftLaunch
  g.fft.execute(g.x, g.x);
  g.fft.execute(g.stream, g.x, g.x, 2.0f);
  // refused: launch_parameters takes (inputs, outputs, state
  g.transform.launch_parameters(g.x);
  // refused: a Transform has a kernel from the start
  const graft::Transform transform;

  // The caller passes a range that is not contiguous.
  // refused: this is not a contiguous range of elements ... pass {pointer, count}
  run_on_host(g.view, g.host);
  run(graft::inputs(g.x, g.picture), g.x);
  run_on_host(g.host, graft::host_outputs(g.mdspan));
  run(g.tensor, g.x);
  run_on_host(g.multi_array, g.host);
  run(g.buffer, g.x);
  graft::device(g.view);

  // The caller passes an Eigen expression that is not an array, or an Eigen type that has gaps between elements.
  // refused: this is not a contiguous range of elements ... for an Eigen expression pass x.eval()
  run_on_host(Eigen::MatrixXf() + Eigen::MatrixXf(), g.host);
  // refused: this array has gaps between its elements
  run_on_host(Eigen::Matrix4f().row(0), g.host);
  run_on_host(g.host, Eigen::Matrix4f().topRows<2>());
  run_on_host(graft::host_inputs(g.host, Eigen::VectorXcf().real()), g.host);
  run(graft::device(Eigen::Map<Eigen::VectorXf, 0, Eigen::InnerStride<2>>(nullptr, 2)), g.x);

#elif MISTAKES == 2
  // refused: for several arrays write graft::inputs
  g.transform.execute(g.stream, {g.x, g.read_only, graft::bits(static_cast<std::uint32_t*>(nullptr), 8)}, g.x, 2.0f);
  // refused: std::vector<bool> has no array of bools
  const graft::Inputs flags(std::vector<bool>{true});
  // refused: this is an array of arrays; pass each inner array to graft::inputs
  run({g.arrays.data(), 2}, g.x);
  // refused: pass ArrayRefs directly to execute, as inputs and as outputs
  g.transform.execute(graft::host, g.host, {g.refs.data(), 1});
  // refused: this is not a contiguous range of elements ... pass {pointer, count}
  run(g.x, g.view);

#elif MISTAKES == 3
  // refused: for several arrays write graft::inputs
  g.transform.execute(g.stream, {g.x.pointer, g.read_only.pointer}, g.x);
  // refused: for several arrays write graft::outputs
  g.transform.execute(graft::host, g.host, {g.host.data(), g.host.data()});
  // refused: inputs are device arrays; host containers need graft::device
  g.fft.execute(g.stream, g.host, g.x);
  // refused: a pointer has no number of elements; pass {pointer, count}
  g.reduce.execute(g.stream, g.x.pointer, g.x);
  // refused: graft::declaration needs a struct that GRAFT_DEFINE_STRUCT defined
  graft::declaration<Buffer>();
  // refused: this is an array of arrays; pass each inner array to graft::inputs
  run(graft::device(g.arrays), g.x);
  // refused: pass ArrayRefs directly to execute, as inputs and as outputs
  g.transform.execute(g.stream, graft::inputs(g.refs), g.x, 2.0f);
#endif
}
