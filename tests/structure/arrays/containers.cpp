// The containers that Transform::execute accepts on a stream and on the host. Compiling this file is the test. The host
// compiler checks Eigen's containers, nvcc (-x cu) checks those of Thrust and libcu++, and both compilers check those
// of the standard library.
#include <array>
#include <cstddef>
#include <deque>
#include <initializer_list>
#include <list>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <valarray>
#include <vector>

#include <graft/graft.hpp>

#ifdef __CUDACC__
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/universal_vector.h>

#include <cuda/std/array>
#include <cuda/std/span>
#else
#include <Eigen/Core>
#endif

namespace {

using Device = graft::DeviceArray<float>;
using Host = std::vector<float>;

template <class In, class Out>
concept Executes = requires(const graft::Transform& transform, CUstream_st* stream, In in, Out out) {
  transform.execute(stream, in, out);
};

template <class In, class Out>
concept HostExecutes = requires(const graft::Transform& transform, In& in, Out& out) {
  transform.execute(graft::host, in, out);
};

template <class Array>
concept Input = Executes<Array, Device>;
template <class Array>
concept Output = Executes<Device, Array>;
template <class Array>
concept Refused = !Input<Array> && !Output<Array>;
template <class Array>
concept RefusedOnHost = !HostExecutes<Array, Host> && !HostExecutes<Host, Array>;
// Refused by a static_assert in the body of a constructor, which shows graft's message (refusals.cpp). No concept sees
// the body.
template <class Array>
concept RefusedAsHost = graft::detail::HostContainer<std::remove_reference_t<Array>> &&
    !graft::detail::DeviceContainer<std::remove_reference_t<Array>>;

// A concept checks only declarations. Instantiating these templates proves that the function bodies compile too.
template <class Array>
struct TakenAsInput {
  static_assert(Input<Array>);
  static void call(const graft::Transform& transform, CUstream_st* stream, Device out, Array&& in) {
    transform.execute(stream, in, out);
    transform.execute(stream, graft::inputs(in, in), out);
  }
};

template <class Array>
struct Taken : TakenAsInput<Array> {
  static_assert(Output<Array>);
  static void call_with_output(const graft::Transform& transform, CUstream_st* stream, Device in, Array&& out) {
    transform.execute(stream, in, out);
    transform.execute(stream, in, graft::outputs(out, out));
  }
};

template <class Array>
struct TakenOnHost {
  static_assert(HostExecutes<Array, Host>);
  static void call(const graft::Transform& transform, Host& other, Array& in) {
    transform.execute(graft::host, in, other);
    transform.execute(graft::host, graft::host_inputs(in, other), other);
    transform.execute(graft::host, graft::inputs(in, other), other);
    transform.execute(graft::host, graft::inputs(in), other);
    if constexpr (kIsWritable) {
      transform.execute(graft::host, other, in);
      transform.execute(graft::host, other, graft::host_outputs(other, in));
      transform.execute(graft::host, other, graft::outputs(in, other));
      transform.execute(graft::host, other, graft::outputs(in));
    }
  }
  using Element = std::remove_pointer_t<decltype(graft::detail::data_of(std::declval<Array&>()))>;
  static constexpr bool kIsWritable = !std::is_const_v<Element>;
};

// AsDevice is the type that graft::device returns for a container.
template <class Container>
using AsDevice = decltype(graft::device(std::declval<Container&>()));

// ---- arrays for execute on a stream ----

// `execute` must accept these types. (If it accepted nothing at all, the checks of refused types below would pass too.)
static_assert(Executes<Device, Device>);
template struct Taken<Device>;
template struct Taken<std::span<float>>;
template struct Taken<std::span<float, 4>>;
template struct TakenAsInput<std::span<const float>>;
template struct TakenAsInput<graft::DeviceArray<const float>>;

// graft must refuse containers in host memory.
static_assert(RefusedAsHost<std::vector<float>> && RefusedAsHost<const std::vector<float>&>);
static_assert(RefusedAsHost<std::array<float, 4>> && RefusedAsHost<std::array<float, 4>&>);
static_assert(RefusedAsHost<std::string> && RefusedAsHost<std::string&> && RefusedAsHost<std::string_view>);
static_assert(RefusedAsHost<float (&)[4]>);
static_assert(Refused<std::initializer_list<float>> && Refused<std::valarray<float>&>);

// graft::device accepts these containers. A caller of graft::device promises that the container's memory is device
// memory.
static_assert(std::is_same_v<AsDevice<std::vector<float>>, Device>);
static_assert(std::is_same_v<AsDevice<std::array<float, 4>>, Device>);
static_assert(std::is_same_v<AsDevice<float[4]>, Device>);
static_assert(std::is_same_v<AsDevice<const std::vector<float>>, graft::DeviceArray<const float>>);
static_assert(std::is_same_v<AsDevice<std::span<float>>, Device>);
static_assert(std::is_same_v<AsDevice<Device>, Device>);

// A buffer in device memory, as another library might declare it.
struct Buffer {
  float* data() const { return nullptr; }
  std::size_t size() const { return 0; }
  float* begin() const { return nullptr; }
  float* end() const { return nullptr; }
};
template struct Taken<Buffer>;
template struct Taken<const Buffer&>;
static_assert(std::is_same_v<AsDevice<Buffer>, Device>);

// graft must refuse types that are not arrays. (Pointers without a count are refused by a static_assert.)
static_assert(Refused<int> && Refused<std::nullptr_t>);
static_assert(Refused<std::list<float>&> && Refused<std::deque<float>&>);

// ---- arrays for execute on the host ----

template struct TakenOnHost<std::vector<float>>;
template struct TakenOnHost<const std::vector<float>>;
template struct TakenOnHost<std::array<float, 4>>;
template struct TakenOnHost<float[4]>;
template struct TakenOnHost<const float[4]>;
template struct TakenOnHost<std::span<float>>;
template struct TakenOnHost<std::span<const float, 4>>;
template struct TakenOnHost<std::string>;
template struct TakenOnHost<std::string_view>;
template struct TakenOnHost<std::initializer_list<float>>;
template struct TakenOnHost<Device>;
template struct TakenOnHost<Buffer>;
static_assert(RefusedOnHost<int> && RefusedOnHost<std::nullptr_t>);
static_assert(RefusedOnHost<std::list<float>> && RefusedOnHost<std::deque<float>>);

// Construction of the array lists never throws, except for types whose strides are checked at run time.
template <class Array>
inline constexpr bool kNeverThrows = std::is_nothrow_constructible_v<graft::HostInputs, const Array&>&&
    std::is_nothrow_constructible_v<graft::HostOutputs, Array&>&& noexcept(graft::host_inputs(
        std::declval<const Array&>(), std::declval<const Host&>())) && noexcept(graft::device(std::declval<Array&>()));
static_assert(kNeverThrows<Host> && kNeverThrows<std::array<float, 4>> && kNeverThrows<float[4]>);
static_assert(kNeverThrows<std::span<float>> && kNeverThrows<Device>);
static_assert(std::is_nothrow_constructible_v<graft::Inputs, Device>);
static_assert(std::is_nothrow_constructible_v<graft::Outputs, std::span<float>>);
static_assert(std::is_nothrow_constructible_v<graft::HostInputs, const float*, std::size_t>);
static_assert(noexcept(graft::inputs(std::declval<Device&>())) && noexcept(graft::outputs(std::declval<Device&>())));

// One list of arrays whose types do not show where their memory is serves the host and a stream.
using Spans = decltype(graft::inputs(std::declval<std::span<float>&>(), std::declval<std::span<float>&>()));
static_assert(std::is_convertible_v<Spans, graft::Inputs> && std::is_convertible_v<Spans, graft::HostInputs>);
static_assert(std::is_convertible_v<decltype(graft::inputs()), graft::Inputs> &&
              std::is_convertible_v<decltype(graft::inputs()), graft::HostInputs>);
static_assert(std::is_same_v<decltype(graft::inputs(std::declval<Host&>())), graft::HostInputs>);
static_assert(std::is_same_v<decltype(graft::outputs(std::declval<Host&>())), graft::HostOutputs>);

// Inputs, Outputs and the other lists of arrays can be copied and assigned.
template <class List>
inline constexpr bool kIsValue = std::is_nothrow_copy_constructible_v<List>&& std::is_constructible_v<List, List&>&&
    std::is_assignable_v<List&, List&>;
static_assert(kIsValue<graft::Inputs> && kIsValue<graft::Outputs>);
static_assert(kIsValue<graft::HostInputs> && kIsValue<graft::HostOutputs>);

// ---- arrays described by ArrayRef ----

// A container of ArrayRefs stands for the arrays that the ArrayRefs describe. It is not an array of elements, although
// its memory is contiguous. Both overloads of `execute` are candidates for this call, and the overload for arrays of
// C++ types has a body that refuses ArrayRefs.
template <class Refs>
void execute_refs(const graft::Transform& transform, CUstream_st* stream, Refs& refs, const graft::ArrayRef& one) {
  transform.execute(stream, refs, refs);
  transform.execute(stream, one, refs, 2.0f);
  transform.execute(stream, {}, refs, graft::CallerInfo{});
  transform.execute(stream, {one, one}, {one}, {&one, graft::ElementType()}, {nullptr, nullptr});
  transform.execute(graft::host, refs, one, graft::StateRef(2.0f), graft::CallerInfo{});
  transform.execute(graft::host, {std::data(refs), std::size(refs)}, {one});
  transform.execute(graft::host, {}, {{nullptr, 0, graft::ElementType()}}, graft::CallerInfo{});
  (void)transform.launch_parameters(refs, one, 2.0f);
  (void)transform.launch_parameters({one}, refs, graft::CallerInfo{});
}
using Ref = graft::ArrayRef;
template void execute_refs(const graft::Transform&, CUstream_st*, std::vector<Ref>&, const Ref&);
template void execute_refs(const graft::Transform&, CUstream_st*, const std::vector<Ref>&, const Ref&);
template void execute_refs(const graft::Transform&, CUstream_st*, std::array<Ref, 2>&, const Ref&);
template void execute_refs(const graft::Transform&, CUstream_st*, std::span<Ref>&, const Ref&);
template void execute_refs(const graft::Transform&, CUstream_st*, std::span<const Ref>&, const Ref&);
template void execute_refs(const graft::Transform&, CUstream_st*, std::span<Ref, 2>&, const Ref&);
template void execute_refs(const graft::Transform&, CUstream_st*, std::initializer_list<Ref>&, const Ref&);
template void execute_refs(const graft::Transform&, CUstream_st*, Ref (&)[2], const Ref&);

// Typed arrays may be combined with a state whose type is known only at run time.
[[maybe_unused]] void execute_with_state(const graft::Transform& transform, CUstream_st* stream, Device x,
                                         std::span<const std::byte> state) {
  const graft::StateRef ref(state.data(), graft::ElementType::structure(state.size(), 4));
  transform.execute(stream, x, x, ref);
  transform.execute(graft::host, x, x, {state.data(), ref.type}, graft::CallerInfo{});
}
static_assert(std::is_trivially_copyable_v<Ref> && std::is_trivially_copyable_v<graft::ArrayRefs>);
static_assert(std::is_trivially_copyable_v<graft::StateRef>);
static_assert(std::is_constructible_v<Ref, const float*, std::size_t, graft::ElementType>);
static_assert(graft::StateRef(2.0f).type == graft::element_type<float>());

#ifdef __CUDACC__
static_assert(RefusedAsHost<thrust::host_vector<float>> && RefusedAsHost<thrust::host_vector<float>&>);
static_assert(RefusedAsHost<cuda::std::array<float, 4>&>);
static_assert(std::is_same_v<AsDevice<thrust::host_vector<float>>, Device>);
template struct Taken<thrust::device_vector<float>&>;
template struct TakenAsInput<const thrust::device_vector<float>&>;
template struct Taken<thrust::universal_vector<float>&>;
static_assert(std::is_same_v<AsDevice<thrust::device_vector<float>>, Device>);
template struct Taken<cuda::std::span<float>>;
template struct TakenAsInput<cuda::std::span<const float>>;
template struct TakenOnHost<thrust::host_vector<float>>;
template struct TakenOnHost<const thrust::host_vector<float>>;
template struct TakenOnHost<cuda::std::span<float>>;
static_assert(kNeverThrows<thrust::host_vector<float>>);

[[maybe_unused]] void execute_fancy_pointers(const graft::Transform& transform, CUstream_st* stream,
                                             thrust::device_ptr<float> x, std::size_t n) {
  transform.execute(stream, {x, n}, {x, n});
}
#else
using Eigen::Dynamic;
using Eigen::Map;
using Eigen::MatrixXf;
using Eigen::VectorXf;
using RowMatrix = Eigen::Matrix<float, Dynamic, Dynamic, Eigen::RowMajor>;
using Whole = Eigen::Matrix4f;

static_assert(RefusedAsHost<VectorXf> && RefusedAsHost<VectorXf&> && RefusedAsHost<Eigen::MatrixXd&>);
static_assert(RefusedAsHost<Eigen::Array4f&> && RefusedAsHost<Map<VectorXf>> && RefusedAsHost<Eigen::Ref<VectorXf>>);
static_assert(std::is_same_v<AsDevice<VectorXf>, Device>);
static_assert(std::is_same_v<AsDevice<Map<MatrixXf>>, Device>);

// Whole matrices have no gaps, so their strides need no check.
template struct TakenOnHost<VectorXf>;
template struct TakenOnHost<const MatrixXf>;
template struct TakenOnHost<RowMatrix>;
template struct TakenOnHost<Eigen::ArrayXXf>;
template struct TakenOnHost<Whole>;
static_assert(kNeverThrows<VectorXf> && kNeverThrows<MatrixXf> && kNeverThrows<RowMatrix> && kNeverThrows<Whole>);
static_assert(kNeverThrows<Eigen::Array<float, 0, 0>> && kNeverThrows<Eigen::Matrix<float, 1, 1>>);

// The type of these expressions guarantees that there are no gaps between elements.
template <class Expression>
using Of = std::remove_cvref_t<Expression>;
template struct TakenOnHost<Map<VectorXf>>;
template struct TakenOnHost<Map<const VectorXf>>;
static_assert(kNeverThrows<Map<VectorXf>> && kNeverThrows<Map<Whole>> && kNeverThrows<Eigen::Ref<VectorXf>>);
static_assert(kNeverThrows<Of<decltype(std::declval<MatrixXf&>().col(0))>>);
static_assert(kNeverThrows<Of<decltype(std::declval<RowMatrix&>().row(0))>>);
static_assert(kNeverThrows<Of<decltype(std::declval<Whole&>().col(0))>>);
static_assert(kNeverThrows<Of<decltype(std::declval<Whole&>().leftCols<2>())>>);
static_assert(kNeverThrows<Of<decltype(std::declval<Whole&>().transpose())>>);
static_assert(kNeverThrows<Of<decltype(std::declval<VectorXf&>().head(2))>>);
static_assert(kNeverThrows<Of<decltype(std::declval<Whole&>().block<1, 1>(0, 0))>>);

// The strides of these types are checked at run time, so construction may throw.
template <class Array>
inline constexpr bool kMayThrow = !std::is_nothrow_constructible_v<graft::HostInputs, const Array&> &&
                                  !std::is_nothrow_constructible_v<graft::HostOutputs, Array&>;
template struct TakenOnHost<Map<MatrixXf>>;
template struct TakenOnHost<Of<decltype(std::declval<MatrixXf&>().row(0))>>;
template struct TakenOnHost<Of<decltype(std::declval<MatrixXf&>().block(0, 0, 1, 1))>>;
static_assert(kMayThrow<Of<decltype(std::declval<MatrixXf&>().row(0))>>);
static_assert(kMayThrow<Of<decltype(std::declval<MatrixXf&>().block(0, 0, 1, 1))>>);
static_assert(kMayThrow<Of<decltype(std::declval<MatrixXf&>().transpose())>>);
static_assert(kMayThrow<Of<decltype(std::declval<MatrixXf&>().diagonal())>>);
static_assert(kMayThrow<Eigen::Ref<MatrixXf>> && kMayThrow<Map<VectorXf, 0, Eigen::InnerStride<>>>);
static_assert(kMayThrow<Map<MatrixXf, 0, Eigen::OuterStride<4>>>);
#endif

// A braced list has no type, so no concept can check the list. Compiling these calls shows that `execute` accepts
// braced lists.
[[maybe_unused]] void execute_in_braces(const graft::Transform& transform, CUstream_st* stream, float* x,
                                        const float* y, std::size_t n) {
  transform.execute(stream, {y, n}, {x, n});
  transform.execute(stream, {std::span(y, n)}, {std::span(x, n)});
  transform.execute(stream, graft::inputs(), {x, n});
  transform.execute(stream, graft::inputs(std::span(x, n), std::span(y, n)), std::span(x, n), 2.0f);
  transform.execute(graft::host, {y, n}, {x, n});
  transform.execute(graft::host, graft::host_inputs(), graft::host_outputs(std::span(x, n)));
}

}  // namespace
