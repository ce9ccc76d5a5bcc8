// Mistakes that graft refuses with its own static_assert. Each value of REFUSAL selects one mistake. The test compiles
// the file once for each value and reads the compiler's message. Without REFUSAL the file compiles.
#include <array>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <graft/graft.hpp>

#if !defined(REFUSAL) || REFUSAL >= 40
#include <Eigen/Core>
#endif

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
  CUstream_st* stream;
  graft::DeviceArray<float> x;
  graft::DeviceArray<const float> read_only;
  std::vector<float>& host;
  std::vector<graft::DeviceArray<float>>& arrays;
  std::vector<graft::ArrayRef>& refs;
  std::string& text;
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
#if REFUSAL == 1
  run(graft::inputs(g.host), g.x);
#elif REFUSAL == 2
  run(g.x, graft::outputs(g.host));
#elif REFUSAL == 3
  run(g.x, g.read_only);
#elif REFUSAL == 4
  run({static_cast<void*>(g.x.pointer), g.x.count}, g.x);
#elif REFUSAL == 5
  run(graft::inputs(g.x, g.x, g.x, g.x, g.x, g.x, g.x, g.x, g.x, g.x, g.x, g.x, g.x, g.x, g.x, g.x, g.x), g.x);
#elif REFUSAL == 6
  run(g.x, graft::outputs(g.x, g.x, g.x, g.x, g.x, g.x, g.x, g.x, g.x));
#elif REFUSAL == 7
  g.transform.execute(g.stream, g.x, g.x, g.text);

// The caller passes a list of arrays where graft expects another kind of list or a single array.
#elif REFUSAL == 10
  run_on_host(graft::outputs(g.x, g.x), g.host);
#elif REFUSAL == 11
  run_on_host(g.host, graft::inputs(g.x));
#elif REFUSAL == 12
  run(graft::outputs(g.x), g.x);
#elif REFUSAL == 13
  run(g.x, graft::inputs(g.x));
#elif REFUSAL == 14
  run(graft::inputs(g.x, graft::inputs(g.x)), g.x);
#elif REFUSAL == 15
  run_on_host(g.host, graft::host_outputs(graft::host_outputs(g.host)));
#elif REFUSAL == 16
  graft::device(graft::inputs(g.x));

// The caller declares a parameter that no callback can have.
#elif REFUSAL == 17
  graft::Signature::of<void(const float&&)>();

// Bit arrays.
#elif REFUSAL == 60
  graft::host_inputs(std::vector<bool>{true});
#elif REFUSAL == 61
  const graft::Inputs flags(std::vector<bool>{true});
#elif REFUSAL == 62
  graft::inputs(std::span<const graft::Bit>());
#elif REFUSAL == 63
  const std::uint32_t words[1] = {};
  graft::outputs(graft::bits(words, 8));
#elif REFUSAL == 64
  std::uint32_t words[1] = {}, zeros = 0;
  graft::bits(words, 8).count_zeros(&zeros);

// The caller passes an array whose elements are arrays.
#elif REFUSAL == 20
  run_on_host(g.arrays, g.host);
#elif REFUSAL == 21
  run_on_host(g.host, std::span(g.arrays));
#elif REFUSAL == 22
  run({g.arrays.data(), 2}, g.x);
#elif REFUSAL == 23
  run(graft::device(g.arrays), g.x);
#elif REFUSAL == 24
  run(graft::inputs(std::span(&g.x, 1)), g.x);
#elif REFUSAL == 25
  std::vector<std::span<float>> spans = {g.host};
  run_on_host(spans, g.host);

// The caller mixes ArrayRefs with arrays of C++ types.
#elif REFUSAL == 50
  g.transform.execute(g.stream, g.refs, g.x);
#elif REFUSAL == 51
  g.transform.execute(graft::host, g.host, {g.refs.data(), 1});
#elif REFUSAL == 52
  g.transform.execute(g.stream, graft::inputs(g.refs), g.x, 2.0f);
#elif REFUSAL == 53
  g.transform.launch_parameters(std::span(g.refs), {g.x.pointer, g.x.count});
#elif REFUSAL == 54
  g.transform.execute(graft::host, graft::host_inputs(g.host, g.refs[0]), g.host);
#elif REFUSAL == 55
  run(g.x, graft::device(g.refs));

// The caller passes arrays in host memory to a launch on a stream.
#elif REFUSAL == 70
  g.transform.execute(g.stream, g.host, g.x);
#elif REFUSAL == 71
  g.transform.execute(g.stream, g.x, g.host);
#elif REFUSAL == 72
  float array[4] = {};
  g.transform.execute(g.stream, array, g.x);
#elif REFUSAL == 73
  std::array<float, 4> array = {};
  g.transform.execute(g.stream, g.x, array, 2.0f);
#elif REFUSAL == 74
  g.transform.launch_parameters(g.text, g.x);
#elif REFUSAL == 75
  run(Eigen::MatrixXf(), g.x);

// The caller passes pointers without a number of elements.
#elif REFUSAL == 80
  g.transform.execute(g.stream, g.x.pointer, g.x.pointer);
#elif REFUSAL == 81
  g.transform.execute(g.stream, g.x, g.x.pointer, g.x.count);
#elif REFUSAL == 82
  g.transform.execute(graft::host, g.host.data(), g.host);
#elif REFUSAL == 83
  g.transform.execute(graft::host, g.host, g.host.data(), g.host.size());
#elif REFUSAL == 84
  g.transform.execute(graft::host, std::make_unique<float[]>(4), g.host);

// The caller passes several arrays as a braced list.
#elif REFUSAL == 90
  g.transform.execute(g.stream, {{g.x.pointer, 4}, {g.read_only.pointer, 4}}, g.x);
#elif REFUSAL == 91
  g.transform.execute(g.stream, {g.x, g.read_only, graft::bits(static_cast<std::uint32_t*>(nullptr), 8)}, g.x, 2.0f);
#elif REFUSAL == 92
  g.transform.execute(g.stream, g.x, {{g.x.pointer, 4}, g.x});
#elif REFUSAL == 93
  g.transform.execute(graft::host, {g.host, g.host}, g.host);
#elif REFUSAL == 94
  g.transform.execute(graft::host, g.host, {{g.host.data(), 4}, {g.host.data(), 4}});

// The arguments fit no overload.
#elif REFUSAL == 100
  g.transform.execute(g.x, g.x);
#elif REFUSAL == 101
  g.transform.execute(g.stream, std::list<float>(), g.x);
#elif REFUSAL == 102
  g.transform.execute(g.stream, 2.0f, g.x);
#elif REFUSAL == 103
  g.transform.launch_parameters(g.x);
#elif REFUSAL == 104
  const graft::Transform transform;

// The caller passes a range that is not contiguous.
#elif REFUSAL == 30
  run_on_host(g.view, g.host);
#elif REFUSAL == 31
  run(g.x, g.view);
#elif REFUSAL == 32
  run(graft::inputs(g.x, g.picture), g.x);
#elif REFUSAL == 33
  run_on_host(g.host, graft::host_outputs(g.mdspan));
#elif REFUSAL == 34
  run(g.tensor, g.x);
#elif REFUSAL == 35
  run_on_host(g.multi_array, g.host);
#elif REFUSAL == 36
  run(g.buffer, g.x);
#elif REFUSAL == 37
  graft::device(g.view);

// The caller passes an Eigen expression that is not an array, or an Eigen type that has gaps between elements.
#elif REFUSAL == 40
  run_on_host(Eigen::MatrixXf() + Eigen::MatrixXf(), g.host);
#elif REFUSAL == 41
  run_on_host(Eigen::Matrix4f().row(0), g.host);
#elif REFUSAL == 42
  run_on_host(g.host, Eigen::Matrix4f().topRows<2>());
#elif REFUSAL == 44
  run_on_host(graft::host_inputs(g.host, Eigen::VectorXcf().real()), g.host);
#elif REFUSAL == 43
  run(graft::device(Eigen::Map<Eigen::VectorXf, 0, Eigen::InnerStride<2>>(nullptr, 2)), g.x);

#else
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
#endif
}
