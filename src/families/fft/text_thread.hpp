// The `Thread` of building_blocks/fft/block.h that writes CUDA text: each of its functions writes the statement that
// does what the function says. program.hpp shows the result.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/format.hpp"
#include "families/fft/plan.hpp"
#include "families/fft/program.hpp"
#include "families/fft/shared_places.hpp"
#include "fft/block.h"

namespace graft::families::fft {

// The text of an expression of type unsigned, or a number that is known now.
class IndexText {
 public:
  explicit IndexText(int number) : number_(number) {}
  explicit IndexText(std::string text) : text_(std::move(text)) {}

  bool is_number() const { return text_.empty(); }
  std::string text() const { return is_number() ? base::format("{}u", number_) : text_; }

  // Operations with neutral elements leave no trace in the text.
  friend IndexText operator+(const IndexText& a, const IndexText& b) {
    if (a.is(0)) return b;
    return b.is(0) ? a : combined(a, "+", b);
  }
  friend IndexText operator*(const IndexText& a, const IndexText& b) {
    if (a.is(0) || b.is(0)) return IndexText(0);
    if (a.is(1)) return b;
    return b.is(1) ? a : combined(a, "*", b);
  }
  friend IndexText operator-(const IndexText& a, const IndexText& b) { return b.is(0) ? a : combined(a, "-", b); }
  friend IndexText operator/(const IndexText& a, const IndexText& b) {
    return a.is(0) || b.is(1) ? a : combined(a, "/", b);
  }
  friend IndexText operator%(const IndexText& a, const IndexText& b) {
    return a.is(0) || b.is(1) ? IndexText(0) : combined(a, "%", b);
  }

 private:
  bool is(int number) const { return is_number() && number_ == number; }
  std::string operand() const { return is_combined_ ? "(" + text() + ")" : text(); }
  static IndexText combined(const IndexText& a, const char* operation, const IndexText& b) {
    IndexText result(base::format("{} {} {}", a.operand(), operation, b.operand()));
    result.is_combined_ = true;
    return result;
  }

  int number_ = 0;
  std::string text_;  // empty: a number
  bool is_combined_ = false;
};

class TextThread {
 public:
  using Index = IndexText;

  // A complex number that has a name in the text.
  struct Value {
    TextThread* thread = nullptr;
    std::string name;
    Value operator*(const Value& other) const {
      return thread->named_value(base::format("graft_times({}, {})", name, other.name));
    }
  };

  TextThread(const ProgramRequest& request, const Kernel& kernel, std::set<int>& radices)
      : request_(request), kernel_(kernel), plan_(kernel_.block), radices_(radices) {}

  // Begins a step: names of earlier steps are free again.
  void begin_step(const graft_fft::Step& step);
  // Ends it, and returns its statements without those that name what no other statement uses.
  std::string end_step();

  // Returns how many times the text of the last step asks whether an FFT exists. In a full thread block all FFTs exist:
  // is_full_block() is the condition, and after assume_full_blocks(true) the text of steps does not ask.
  int checks() const { return checks_; }
  std::string is_full_block() const;
  void assume_full_blocks(bool assumes_full) { assumes_full_ = assumes_full; }
  // After assume_even(true), steps call the functions graft_load_even and graft_store_even (program.cpp).
  void assume_even(bool assumes_even) { assumes_even_ = assumes_even; }

  Index number() const { return Index("graft_thread"); }
  Index named(const char* name, const Index& index);
  template <class Body>
  void when_below(const char* name, const Index& index, int bound, Body body) {
    open(bound == 0 ? "" : base::format("if ({} < {}u) ", index.text(), bound));
    body(named(name, index));
    close();
  }
  template <class Body, class Other>
  void when_zero(const Index& index, Body body, Other other) {
    open(base::format("if ({} == 0u) ", index.text()));
    body();
    close();
    open("else ");
    other();
    close();
  }
  Index unless_zero(const Index& index, int at_zero, const Index& other) const {
    return Index(base::format("({} == 0u ? {}u : {})", index.text(), at_zero, other.text()));
  }
  template <class Body>
  void with_fft(graft_fft::Action action, const Index& fft, Body body) {
    const int scopes = open_fft(action, fft);
    body();
    for (int i = 0; i < scopes; ++i) close();
  }
  void load(int k, const Index& point, int distance);
  void store(int k, const Index& point, int distance);
  void write(int k, const graft_fft::SharedAccess<Index>& access);
  void read(int k, const graft_fft::SharedAccess<Index>& access);
  Value root(int offset, const Index& index);
  Index column(const Index& fft) const;
  Index row() const;
  void multiply(int k, const Value& value);
  void butterfly(int radix, int k);
  void split(int k, int mirror, const Value& root) {
    line("graft_split(graft_v[{}], graft_v[{}], {});", k, mirror, root.name);
  }
  void join(int k, int mirror, const Value& root) {
    line("graft_join(graft_v[{}], graft_v[{}], {});", k, mirror, root.name);
  }
  void split_ends(int k, int end) { line("graft_split_ends(graft_v[{}], graft_v[{}]);", k, end); }
  void join_ends(int k, int end) { line("graft_join_ends(graft_v[{}], graft_v[{}]);", k, end); }
  void between(int k, const Index& fft, const Index& point, int distance);

 private:
  struct Line {
    std::string defines;  // the name that the line gives to a value; may be empty
    std::string text;
  };

  template <class... T>
  void line(fmt::format_string<T...> format, T&&... arguments) {
    lines_.push_back({{}, std::string(depth_ * 2, ' ') + base::format(format, std::forward<T>(arguments)...) + '\n'});
  }
  // Writes `type name = expression;`
  void define(const char* type, const std::string& name, const std::string& expression) {
    line("{} {} = {};", type, name, expression);
    lines_.back().defines = name;
  }
  void open(const std::string& condition);
  void close();
  // Writes which batch, row and column an FFT is, where it begins in the array, and whether it exists. Returns how many
  // scopes it opened.
  int open_fft(graft_fft::Action action, const Index& fft);
  int open_fft_of_array(bool is_load, const Index& fft);
  // Writes whether an FFT exists, where a block may have fewer.
  int open_fft_between(const Index& fft);
  // The same for points that are in the shared memory of a cluster.
  int open_fft_of_cluster(graft_fft::Action action, const Index& fft);
  bool is_cluster(bool is_load) const { return is_load ? plan_.loads_from_cluster : plan_.stores_to_cluster; }
  void load_from_cluster(int k, const Index& point, int distance);
  void store_to_cluster(int k, const Index& point, int distance);
  // The layout of the array at this side of the kernel, and whether its places are parameters of the launch.
  const Layout& layout(bool is_load) const { return is_load ? kernel_.in : kernel_.out; }
  bool has_places(bool is_load) const;
  // The text behind a number of points that makes it a distance in the array.
  std::string times_stride(bool is_load) const;
  // Whether each element is found on its own: those of rows, or of several dimensions with strides of their own.
  bool has_elements_apart(bool is_load) const;
  // The type of offsets in the array, and of points' numbers.
  const char* array_index_type(bool is_load) const;
  std::string new_name(const std::string& name);
  Value named_value(const std::string& expression);
  // The arguments of graft_load and graft_store that say where point `point + distance` of the FFT is.
  std::string array_place(bool is_load, const Index& point, int distance);
  // The offset of an element of an FFT: the number itself, or the place that the launch's strides give it.
  std::string element_place(bool is_load, const std::string& element) const;
  static Index constant(std::int64_t value) { return Index(static_cast<int>(value)); }
  // The place of an access in shared memory.
  std::string shared_place(const graft_fft::SharedAccess<Index>& access);
  const char* part(graft_fft::Part part) const;

  // Whether a point of the kernel's FFTs is one of the caller's array. Only some are if the FFT is a convolution, or if
  // the array has half a spectrum.
  enum class Exists { Always, Sometimes, Never };
  struct Presence {
    Exists exists = Exists::Always;
    std::string condition = {};  // for Sometimes
  };
  Presence presence(bool is_load, const Index& point, int distance) const;
  // The number of the point among those of its batch.
  Index number_of(bool is_load, const Index& point, int distance) const;
  bool has_chirp(bool is_load) const {
    return kernel_.chirp.roots >= 0 && (kernel_.chirp.is_whole() || !layout(is_load).is_workspace);
  }
  // Which point of the chirp a point of the kernel's FFTs is.
  Index number_of_chirp(bool is_load, const Index& point, int distance) const {
    return kernel_.chirp.is_whole() ? point + Index(distance) : number_of(is_load, point, distance);
  }
  std::string chirp(const Index& number) const;
  std::int64_t all_points() const;
  // Whether the array has half a spectrum of several dimensions, whose elements are not as far apart as the points.
  bool has_elements_of_rows(bool is_load) const {
    return layout(is_load).half_of > 0 && layout(is_load).half_of != all_points();
  }
  // Of half a spectrum: the number of the element that is a point, whether it is there, and whether it has no conjugate
  // in the other half.
  Index element_of_half(const Layout& half, const Index& number) const;
  std::string is_in_half(const Layout& half, const Index& number) const;
  std::string is_alone(const Layout& half, const Index& number) const;

  // Of a kernel of the first half of the slowest frequencies (Mirror): which elements a point is.
  struct MirroredPoint {
    Exists is_direct = Exists::Always;   // whether it is one itself
    std::string direct;                  // the conditions for Sometimes
    Exists is_mirrored = Exists::Never;  // whether its conjugate is one, `element`, unless graft_is_alone
    std::string mirrored;
    Index element = Index(0);
    std::string x;  // its number among the points of the last dimension
  };
  // Whether the FFT has one dimension, whose frequencies are in several columns.
  bool is_line(const Layout& at) const { return request_.plan.shape.empty() && at.mirror.extent > 0; }
  // Names what all points of an FFT share: whether it is its own mirror, and where the elements of its mirror begin.
  void open_mirror(bool is_load, const Index& column);
  MirroredPoint mirrored_point(bool is_load, const Index& point, int distance) const;
  std::string mirrored_place(bool is_load, const Index& element) const;
  void load_mirrored(int k, const Index& point, int distance);
  void store_mirrored(int k, const Index& point, int distance);

  const ProgramRequest& request_;
  const Kernel& kernel_;
  const graft_fft::BlockPlan& plan_;
  std::set<int>& radices_;  // of the butterflies that the text calls

  std::vector<Line> lines_;  // of this step
  std::size_t depth_ = 1;
  bool is_write_ = false;  // in steps that access shared memory
  bool assumes_full_ = false, assumes_even_ = false;
  int checks_ = 0;                    // of this step
  std::map<std::string, int> names_;  // of this step, with the number of uses of each
  // The point whose place in the array has a name, and the names of its offset and its index.
  std::string array_key_, array_name_, array_index_;
  Index inside_ = Index(0);               // the number of the FFT's first point among those of its batch
  Index fft_ = Index(0);                  // of a cluster: the FFT in the block, or its column
  Index mirror_ = Index(0);               // where the elements of the FFT's mirror begin in the half spectrum
  std::string shared_key_, shared_name_;  // the point whose place in shared memory has a name, and this name
};

}  // namespace graft::families::fft
