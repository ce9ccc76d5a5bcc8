#include "families/fft/text_thread.hpp"

#include <algorithm>
#include <cctype>

namespace graft::families::fft {

using graft_fft::Part;

namespace {

// Adds the names in a text to `names`.
void add_names(const std::string& text, std::set<std::string>& names) {
  const auto is_of_name = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  for (auto at = text.begin(); at != text.end();) {
    const auto begin = std::find_if(at, text.end(), is_of_name);
    at = std::find_if_not(begin, text.end(), is_of_name);
    if (begin != at) names.emplace(begin, at);
  }
}

constexpr const char* kIndex = "const unsigned";
constexpr const char* kLongIndex = "const unsigned long long";

}  // namespace

void TextThread::begin_step(const graft_fft::Step& step) {
  names_.clear();
  checks_ = 0;
  is_write_ = step.action == graft_fft::Action::Write;
  open("");
}

std::string TextThread::end_step() {
  close();
  // From the last line to the first, because a line that is left out uses nothing.
  std::set<std::string> used;
  for (auto line = lines_.rbegin(); line != lines_.rend(); ++line) {
    if (line->defines.empty() || used.count(line->defines) > 0) add_names(line->text, used);
    else line->text.clear();
  }
  std::string text;
  for (const Line& line : lines_) text += line.text;
  lines_.clear();
  return text;
}

void TextThread::open(const std::string& condition) {
  line("{}{{", condition);
  ++depth_;
  array_key_.clear();
  shared_key_.clear();
}

void TextThread::close() {
  --depth_;
  line("}}");
  array_key_.clear();
  shared_key_.clear();
}

// ---- names ----

std::string TextThread::new_name(const std::string& name) {
  const int uses = ++names_[name];
  return uses == 1 ? "graft_" + name : base::format("graft_{}_{}", name, uses);
}

IndexText TextThread::named(const char* name, const Index& index) {
  if (index.is_number()) return index;
  std::string chosen = new_name(name);
  define(kIndex, chosen, index.text());
  return Index(std::move(chosen));
}

TextThread::Value TextThread::named_value(const std::string& expression) {
  Value value = {this, new_name("w")};
  define("const graft_complex", value.name, expression);
  return value;
}

// ---- the arrays in device memory ----

// The FFTs of a block are neighbouring columns, and the blocks of a row follow each other.
IndexText TextThread::column(const Index& fft) const {
  return Index("graft_block") % Index(kernel_.blocks_of_row()) * Index(plan_.ffts) + fft;
}

IndexText TextThread::row() const {
  return Index("graft_block") / Index(kernel_.blocks_of_row()) % Index(kernel_.rows);
}

bool TextThread::has_places(bool is_load) const {
  return !layout(is_load).is_workspace && !(is_load ? request_.has_unit_stride_in : request_.has_unit_stride_out);
}

std::string TextThread::times_stride(bool is_load) const {
  if (!has_places(is_load)) return {};
  return base::format(" * graft_p.graft_{}_places.graft_points[{}]", is_load ? "in" : "out", kMostPointDimensions - 1);
}

bool TextThread::has_elements_apart(bool is_load) const {
  return has_elements_of_rows(is_load) || (has_places(is_load) && !request_.plan.shape.empty());
}

// Staged points are accessed one by one, and each has an offset of its own. For callbacks it is computed in 32 bits.
const char* TextThread::array_index_type(bool is_load) const {
  const bool is_staged = is_load ? plan_.stages_inputs : plan_.stages_outputs;
  return is_staged && !request_.has_long_arrays && !request_.hooks.empty() ? kIndex : kLongIndex;
}

int TextThread::open_fft(graft_fft::Action action, const Index& fft) {
  if (action == graft_fft::Action::Between) return open_fft_between(fft);
  const bool is_load = action == graft_fft::Action::Load;
  return is_cluster(is_load) ? open_fft_of_cluster(action, fft) : open_fft_of_array(is_load, fft);
}

// A callback gets the frequencies of FFTs that exist only: it may count them, and one that does not exist could make it
// read outside of its arrays. The product of a convolution reads a table, which may have all frequencies of the block.
int TextThread::open_fft_between(const Index& fft) {
  const Chirp& chirp = kernel_.chirp;
  const bool has_all = chirp.spectrum >= 0 && (chirp.is_whole() || kernel_.has_one_fft());
  if (has_all || !kernel_.has_incomplete_blocks()) return 0;
  if (kernel_.has_one_fft())
    open(base::format("if (graft_block * {}ull + {} < graft_p.graft_batch) ", plan_.ffts, fft.text()));
  else open(base::format("if ({} < {}u) ", column(fft).text(), kernel_.columns));
  return 1;
}

int TextThread::open_fft_of_array(bool is_load, const Index& fft) {
  const Layout& at = layout(is_load);
  std::string exists;
  inside_ = Index(0);
  open("");
  if (kernel_.has_one_fft()) {
    define(kLongIndex, "graft_batch", base::format("graft_block * {}ull + {}", plan_.ffts, fft.text()));
    exists = "graft_batch < graft_p.graft_batch";
  } else {
    const Index chosen = named("column", column(fft));
    const Index rest = named("rest", Index("graft_block") / Index(kernel_.blocks_of_row()));
    define(kLongIndex, "graft_batch", (rest / Index(kernel_.rows)).text());
    inside_ = named("inside", at.place_of_row(rest % Index(kernel_.rows)) + chosen * constant(at.column));
    exists = base::format("{} < {}u", chosen.text(), kernel_.columns);
    open_mirror(is_load, chosen);
  }
  const std::string first = has_elements_apart(is_load) ? "0u" : inside_.text();
  const char* const side = is_load ? "in" : "out";
  const std::string distance = at.is_workspace ? base::format("{}ull", request_.plan.workspace_points())
                                               : base::format("graft_p.graft_{}_distance", side);
  const std::string batch = has_places(is_load)
                                ? base::format("graft_batch_place(graft_p.graft_{}_places, graft_batch)", side)
                                : "graft_batch * " + distance;
  const std::string index = base::format("graft_batch * {}ull", at.count > 0 ? at.count : request_.plan.length);
  if (at.mirror.extent > 0) {
    define(array_index_type(is_load), "graft_begin", batch);
    define(array_index_type(is_load), "graft_begin_index", index);
  }
  define(array_index_type(is_load), "graft_base", base::format("{} + {}{}", batch, first, times_stride(is_load)));
  define(array_index_type(is_load), "graft_base_index", base::format("{} + {}", index, first));
  if (!kernel_.has_incomplete_blocks()) return 1;
  ++checks_;
  if (assumes_full_) return 1;
  open(base::format("if ({}) ", exists));
  return 2;
}

std::string TextThread::is_full_block() const {
  if (kernel_.has_one_fft()) return base::format("graft_block * {0}ull + {0}u <= graft_p.graft_batch", plan_.ffts);
  return base::format("{} + {}u <= {}u", column(Index(0)).text(), plan_.ffts, kernel_.columns);
}

std::string TextThread::element_place(bool is_load, const std::string& element) const {
  if (!has_places(is_load)) return base::format("({})", element);
  return base::format("graft_{0}_place(graft_p.graft_{0}_places, {1})", is_load ? "in" : "out", element);
}

std::string TextThread::array_place(bool is_load, const Index& point, int distance) {
  const Layout& at = layout(is_load);
  if (has_elements_apart(is_load)) {
    const Index number = number_of(is_load, point, distance);
    const std::string element = (at.half_of > 0 ? element_of_half(at, number) : number).text();
    return base::format("graft_base + {}, graft_base_index + ({})", element_place(is_load, element), element);
  }
  if (distance % at.run != 0) return array_place(is_load, point + Index(distance), 0);
  if (point.text() != array_key_) {
    array_name_ = new_name("at");
    array_index_ = new_name("index");
    const std::string inside = at.place_of_point(point).text();
    define(array_index_type(is_load), array_name_, base::format("graft_base + {}{}", inside, times_stride(is_load)));
    define(array_index_type(is_load), array_index_, base::format("graft_base_index + {}", inside));
    array_key_ = point.text();
  }
  if (distance == 0) return base::format("{}, {}", array_name_, array_index_);
  return base::format("{0} + {2}ull{3}, {1} + {2}ull", array_name_, array_index_, distance / at.run * at.point,
                      times_stride(is_load));
}

// ---- convolutions, and half spectra of complex FFTs ----

std::int64_t TextThread::all_points() const {
  return request_.plan.convolved > 0 ? request_.plan.convolved : request_.plan.length;
}

IndexText TextThread::number_of(bool is_load, const Index& point, int distance) const {
  return inside_ + layout(is_load).place_of_point(point + Index(distance));
}

IndexText TextThread::element_of_half(const Layout& half, const Index& number) const {
  if (half.half_of == all_points()) return number;
  const Index row = constant(half.half_of), of_half = constant(half.half_of / 2 + 1);
  return number / row * of_half + number % row;
}

std::string TextThread::is_in_half(const Layout& half, const Index& number) const {
  const Index of_row = half.half_of == all_points() ? number : number % constant(half.half_of);
  return base::format("{} < {}u", of_row.text(), half.half_of / 2 + 1);
}

std::string TextThread::is_alone(const Layout& half, const Index& number) const {
  const Index of_row = half.half_of == all_points() ? number : number % constant(half.half_of);
  return base::format("{0} == 0u || ({0}) * 2u == {1}u", of_row.text(), half.half_of);
}

TextThread::Presence TextThread::presence(bool is_load, const Index& point, int distance) const {
  const Layout& at = layout(is_load);
  Presence all;
  // Points that follow from `point` lie between `distance` and that of the next leg, unless they are staged.
  const graft_fft::Pass& pass = plan_.passes[is_load ? 0 : plan_.pass_count - 1];
  const bool is_staged = is_load ? plan_.stages_inputs : plan_.stages_outputs;
  const auto add = [&](Exists exists, const std::string& condition) {
    if (exists == Exists::Always || all.exists == Exists::Never) return;
    all.condition = all.exists == Exists::Always ? condition : base::format("{} && {}", all.condition, condition);
    all.exists = exists;
  };
  const auto add_bound = [&](const Index& number, std::int64_t step, std::int64_t bound) {
    const std::int64_t least = is_staged ? 0 : distance * step;
    const std::int64_t end = is_staged ? plan_.length : (distance + plan_.butterflies(pass)) * step;
    add(end <= bound     ? Exists::Always
        : least >= bound ? Exists::Never
                         : Exists::Sometimes,
        base::format("{} < {}u", number.text(), bound));
  };
  const Index number = number_of(is_load, point, distance);
  if (has_elements_of_rows(is_load)) add(Exists::Sometimes, is_in_half(at, number));
  else if (at.half_of > 0) add_bound(number, at.point, at.half_of / 2 + 1);
  const bool is_within_half = at.half_of > 0 && !has_elements_of_rows(is_load);
  if (has_chirp(is_load) && !is_within_half)
    add_bound(number_of_chirp(is_load, point, distance), kernel_.chirp.is_whole() ? 1 : at.point, kernel_.chirp.points);
  return all;
}

std::string TextThread::chirp(const Index& number) const {
  return base::format("graft_root(graft_p.graft_roots + {})", (number + Index(kernel_.chirp.roots)).text());
}

// ---- the shared memory of a cluster ----

int TextThread::open_fft_of_cluster(graft_fft::Action action, const Index& fft) {
  open("");
  fft_ = fft;
  if (action == graft_fft::Action::Load) return 1;  // what an FFT that does not exist loads is not stored
  fft_ = named("column", column(fft));
  if (!kernel_.has_incomplete_blocks()) return 1;
  open(base::format("if ({} < {}u) ", fft_.text(), kernel_.columns));
  return 2;
}

void TextThread::load_from_cluster(int k, const Index& point, int distance) {
  const Cluster& cluster = kernel_.cluster;
  const Index place = cluster.has_neighbouring_ffts ? (point + Index(distance)) * Index(cluster.pitch) + fft_
                                                    : fft_ * Index(cluster.pitch) + point + Index(distance);
  const std::string value = base::format("graft_shared[{}]", place.text());
  // Join takes frequencies as they are, and the first kernel of an inverse FFT has exchanged their parts.
  line("graft_v[{}] = {};", k, plan_.loads_half ? "graft_swapped(" + value + ")" : value);
}

void TextThread::store_to_cluster(int k, const Index& point, int distance) {
  const Index ffts(kernel_.cluster.ffts);
  const bool is_apart = distance % kernel_.cluster.ffts == 0;  // then in another block only
  const Index first = is_apart ? point : point + Index(distance);
  const Index block = first / ffts + Index(is_apart ? distance / kernel_.cluster.ffts : 0);
  const Index pitch(kernel_.cluster.pitch);
  const Index place = kernel_.cluster.has_neighbouring_ffts ? fft_ * pitch + first % ffts : first % ffts * pitch + fft_;
  line("*graft_of_cluster(graft_shared, graft_block, {}, {}) = graft_v[{}];", block.text(), place.text(), k);
}

// ---- real FFTs of the first half of the slowest frequencies ----

void TextThread::open_mirror(bool is_load, const Index& column) {
  const Layout& at = layout(is_load);
  if (at.mirror.extent == 0) return;
  const Index of_each = constant(at.mirror.of_each), slowest = named("slowest", column / of_each),
              rest = named("mid", column % of_each);
  define("const bool", "graft_is_alone",
         base::format("{0} == 0u || {0} * 2u == {1}u", slowest.text(), at.mirror.extent));
  const Index opposite = constant(at.mirror.extent) - slowest;
  if (is_line(at)) mirror_ = named("mirror", constant(at.mirror.last) - inside_);
  else if (at.half_of > 0)
    mirror_ = named("mirror", opposite * constant(at.column / at.half_of * (at.half_of / 2 + 1)));
  else mirror_ = named("mirror", (opposite * of_each + (of_each - rest) % of_each) * constant(at.column));
}

TextThread::MirroredPoint TextThread::mirrored_point(bool is_load, const Index& point, int distance) const {
  const Layout& at = layout(is_load);
  const Index p = point + Index(distance), last = constant(at.mirror.last);
  MirroredPoint found;
  // Of one dimension, the half spectrum ends within a column.
  const std::int64_t step = is_line(at) ? at.point : 1, half = at.mirror.last / 2;
  const bool is_staged = is_load ? plan_.stages_inputs : plan_.stages_outputs;
  const graft_fft::Pass& pass = plan_.passes[is_load ? 0 : plan_.pass_count - 1];
  std::int64_t least = distance * step, end = (distance + plan_.butterflies(pass)) * step;
  Index x = is_line(at) ? number_of(is_load, point, distance) : p;
  if (is_staged || at.half_of > 0) {
    least = 0;
    end = at.mirror.last;
  }
  if (at.half_of > 0) x = p % last;
  found.x = base::format("({})", x.text());
  found.is_direct = end <= half + 1 ? Exists::Always : least > half ? Exists::Never : Exists::Sometimes;
  found.direct = base::format("{} <= {}u", found.x, half);
  // Of several dimensions, points 0 and `half` are both.
  const bool may_be_both = !is_line(at) && least == 0;
  found.is_mirrored = least > half                                           ? Exists::Always
                      : may_be_both || end > (is_line(at) ? half + 1 : half) ? Exists::Sometimes
                                                                             : Exists::Never;
  found.mirrored = is_line(at) ? base::format("{} > {}u", found.x, half)
                               : base::format("({0} == 0u || {0} * 2u >= {1}u)", found.x, at.mirror.last);
  if (is_line(at)) found.element = mirror_ - p * constant(at.point);
  else found.element = mirror_ + (last - x) % last;
  if (at.half_of > 0) {
    const Index rows = constant(at.column / at.half_of);
    found.element = found.element + (rows - p / last) % rows * constant(at.half_of / 2 + 1);
  }
  return found;
}

std::string TextThread::mirrored_place(bool is_load, const Index& element) const {
  return base::format("graft_begin + {}, graft_begin_index + ({})", element_place(is_load, element.text()),
                      element.text());
}

void TextThread::load_mirrored(int k, const Index& point, int distance) {
  const MirroredPoint found = mirrored_point(true, point, distance);
  const auto loading = [&](const std::string& place) {
    return base::format("graft_load(graft_p, {}, graft_callback_shared)", place);
  };
  const std::string direct = loading(array_place(true, point, distance)),
                    mirrored = base::format("graft_conjugated({})", loading(mirrored_place(true, found.element))),
                    value = base::format("graft_v[{}]", k);
  // What is its own mirror takes zeros for the other half, as half spectra of complex FFTs do.
  const std::string alone =
      base::format("graft_doubled({}, {} == 0u || {} * 2u == {}u)", direct, found.x, found.x, kernel_.in.mirror.last);
  line("if (graft_is_alone) {{");
  if (found.is_direct == Exists::Always) line("  {} = {};", value, alone);
  else if (found.is_direct == Exists::Never) line("  {0}.graft_x = {0}.graft_y = 0;", value);
  else line("  if ({1}) {0} = {2}; else {0}.graft_x = {0}.graft_y = 0;", value, found.direct, alone);
  if (found.is_mirrored == Exists::Never) line("}} else {0} = {1};", value, direct);
  else if (found.is_direct == Exists::Never) line("}} else {0} = {1};", value, mirrored);
  else if (is_line(kernel_.in))
    line("}} else if ({1}) {0} = {2}; else {0} = {3};", value, found.direct, direct, mirrored);
  else {
    // Both elements say what the point is. They agree if the numbers are real.
    line("}} else if (!({1})) {0} = {2};", value, found.mirrored, direct);
    line("else {{");
    line("  {} = {};", value, mirrored);
    line("  if ({}) {} = graft_mean({}, {});", found.direct, value, value, direct);
    line("}}");
  }
}

void TextThread::store_mirrored(int k, const Index& point, int distance) {
  const MirroredPoint found = mirrored_point(false, point, distance);
  if (found.is_direct != Exists::Never)
    line("{}graft_store(graft_p, {}, graft_v[{}], graft_callback_shared);",
         found.is_direct == Exists::Always ? "" : base::format("if ({}) ", found.direct),
         array_place(false, point, distance), k);
  if (found.is_mirrored != Exists::Never)
    line("if ({}!graft_is_alone) graft_store(graft_p, {}, graft_conjugated(graft_v[{}]), graft_callback_shared);",
         found.is_mirrored == Exists::Always ? "" : found.mirrored + " && ", mirrored_place(false, found.element), k);
}

void TextThread::load(int k, const Index& point, int distance) {
  if (plan_.loads_from_cluster) return load_from_cluster(k, point, distance);
  if (kernel_.in.mirror.extent > 0) return load_mirrored(k, point, distance);
  const Presence present = presence(true, point, distance);
  const std::string zero = base::format("graft_v[{0}].graft_x = graft_v[{0}].graft_y = 0;", k);
  if (present.exists == Exists::Never) return line("{}", zero);
  const std::string place = array_place(true, point, distance);
  std::string value =
      base::format("graft_load{}(graft_p, {}, graft_callback_shared)", assumes_even_ ? "_even" : "", place);
  const Index number = number_of(true, point, distance);
  if (kernel_.in.half_of > 0) value = base::format("graft_doubled({}, {})", value, is_alone(kernel_.in, number));
  if (has_chirp(true))
    value = base::format("graft_times({}, {})", value, chirp(number_of_chirp(true, point, distance)));
  const std::string loading = base::format("graft_v[{}] = {};", k, value);
  if (present.exists == Exists::Always) line("{}", loading);
  else line("if ({}) {} else {}", present.condition, loading, "{ " + zero + " }");
}

void TextThread::store(int k, const Index& point, int distance) {
  if (plan_.stores_to_cluster) return store_to_cluster(k, point, distance);
  if (kernel_.out.mirror.extent > 0) return store_mirrored(k, point, distance);
  const Presence present = presence(false, point, distance);
  if (present.exists == Exists::Never) return;
  const std::string place = array_place(false, point, distance);
  std::string value = base::format("graft_v[{}]", k);
  // The inverse FFT of a convolution leaves real and imaginary parts exchanged.
  if (has_chirp(false))
    value = base::format("graft_times(graft_swapped({}), {})", value, chirp(number_of_chirp(false, point, distance)));
  const std::string condition =
      present.exists == Exists::Always ? std::string() : base::format("if ({}) ", present.condition);
  line("{}graft_store{}(graft_p, {}, {}, graft_callback_shared);", condition, assumes_even_ ? "_even" : "", place,
       value);
}

// ---- shared memory ----

std::string TextThread::shared_place(const graft_fft::SharedAccess<Index>& access) {
  const graft_fft::Places& places = plan_.exchanges[access.exchange];
  const auto place_of = [&](const Index& point) {
    const Index paddings = places.extra == 0 ? Index(0) : point / Index(places.period) * Index(places.extra);
    return (access.fft * Index(places.fft_distance) + (point + paddings) * Index(places.point_distance)).text();
  };
  // Staged points are accessed one by one, so that their distance is 0.
  const bool is_fixed =
      access.distance == 0 || has_fixed_distance(plan_, plan_.passes[is_write_ ? access.exchange - 1 : access.exchange],
                                                 is_write_, places, access.distance);
  if (!is_fixed) return base::format("graft_shared[{}]", place_of(access.first + Index(access.distance)));
  const std::string key = access.fft.text() + "," + access.first.text();
  if (key != shared_key_) {
    shared_name_ = new_name("place");
    define("auto* const", shared_name_, base::format("graft_shared + ({})", place_of(access.first)));
    shared_key_ = key;
  }
  return base::format("{}[{}]", shared_name_, places.padded(access.distance) * places.point_distance);
}

const char* TextThread::part(Part part) const {
  return part == Part::Both ? "" : part == Part::Real ? ".graft_x" : ".graft_y";
}

void TextThread::write(int k, const graft_fft::SharedAccess<Index>& access) {
  const std::string place = shared_place(access);
  line("{} = graft_v[{}]{};", place, k, part(access.part));
}

void TextThread::read(int k, const graft_fft::SharedAccess<Index>& access) {
  const std::string place = shared_place(access);
  line("graft_v[{}]{} = {};", k, part(access.part), place);
}

// ---- computation ----

TextThread::Value TextThread::root(int offset, const Index& index) {
  return named_value(base::format("graft_root(graft_p.graft_roots + {})", (index + Index(offset)).text()));
}

void TextThread::multiply(int k, const Value& value) {
  line("graft_v[{0}] = graft_times(graft_v[{0}], {1});", k, value.name);
}

void TextThread::butterfly(int radix, int k) {
  if (radix == 1) return;
  radices_.insert(radix);
  line("graft_butterfly_{}(graft_v + {});", radix, k);
}

void TextThread::between(int k, const Index& fft, const Index& point, int distance) {
  const Layout& at = kernel_.frequency;
  const Index first = kernel_.has_one_fft() ? Index(0) : row() * constant(at.row) + column(fft) * constant(at.column);
  const Index number = first + (point + Index(distance)) * constant(at.point);
  if (at.half_of == 0) return line("graft_v[{0}] = graft_between(graft_p, {1}, graft_v[{0}]);", k, number.text());
  const Index half = named("half", number);
  line("if ({1}) graft_v[{0}] = graft_doubled(graft_between(graft_p, {2}, graft_v[{0}]), {3});", k,
       is_in_half(at, half), element_of_half(at, half).text(), is_alone(at, half));
  line("else graft_v[{0}].graft_x = graft_v[{0}].graft_y = 0;", k);
}

}  // namespace graft::families::fft
