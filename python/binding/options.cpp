// Reads options by name. Each option is a line of a table: its name, and where its value goes.
#include "options.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fail.hpp"

namespace graft_python {
namespace {
namespace nb = nanobind;
using graft::ErrorCode;

template <class Target>
struct Word {
  const char* name;
  void (*set)(Target&, nb::handle);
};

template <class T>
T value_of(nb::handle value) {
  return nb::cast<T>(value);
}

// A str, or an object that names a path, such as a pathlib.Path.
std::string path_of(nb::handle value) {
  PyObject* const path = PyOS_FSPath(value.ptr());
  if (!path) {
    PyErr_Clear();
    throw nb::cast_error();
  }
  return value_of<std::string>(nb::steal(path));
}

std::vector<std::string> paths_of(nb::handle value) {
  if (!nb::isinstance<nb::list>(value) && !nb::isinstance<nb::tuple>(value)) throw nb::cast_error();
  std::vector<std::string> paths;
  for (const nb::handle path : value) paths.push_back(path_of(path));
  return paths;
}

template <class Enum, std::size_t N>
Enum named(const std::array<std::string_view, N>& names, nb::handle value, const char* what) {
  const auto text = nb::cast<std::string>(value);
  std::string valid;
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == text) return static_cast<Enum>(i);
    valid += (i ? ", " : "") + std::string(names[i]);
  }
  fail(ErrorCode::InvalidArgument, '"' + text + "\" is no " + what, "Pass one of " + valid + ".");
}

graft::Route route_of(nb::handle value) {
  return named<graft::Route>(std::array<std::string_view, 5>{"lto", "program", "ptx", "indirect", "host"}, value,
                             "route");
}

template <class Target, std::size_t N>
void read(Target& target, const nb::dict& words, const Word<Target> (&table)[N], const char* what) {
  for (const auto& [key, value] : words) {
    const auto name = nb::cast<std::string>(key);
    const Word<Target>* found = nullptr;
    std::string valid;
    for (const Word<Target>& word : table) {
      if (name == word.name) found = &word;
      valid += (valid.empty() ? "" : ", ") + std::string(word.name);
    }
    if (!found)
      fail(ErrorCode::InvalidArgument, '"' + name + "\" is no option of " + what, "The options are " + valid + ".");
    if (value.is_none()) continue;
    try {
      found->set(target, value);
    } catch (const nb::cast_error&) {
      fail(ErrorCode::InvalidArgument,
           "the option " + name + " has the value " + nb::cast<std::string>(nb::repr(value)) +
               ", which is not of its type",
           "graft_cuda._options has the type of each option.");
    }
  }
}

constexpr double kMostSeconds = 24 * 60 * 60;

constexpr Word<graft::Closed> kClosed[] = {
    {"max_registers", [](graft::Closed& c, nb::handle v) { c.max_registers = value_of<int>(v); }},
    {"time",
     [](graft::Closed& c, nb::handle v) {
       const double seconds = value_of<double>(v);
       if (!(seconds > 0 && seconds <= kMostSeconds))
         fail(ErrorCode::InvalidArgument,
              "the bound time of the option closed is " + nb::cast<std::string>(nb::repr(v)) + " seconds",
              "Pass a number of seconds above 0, and at most a day.");
       c.time = std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(1000 * seconds)));
     }},
    {"memory", [](graft::Closed& c, nb::handle v) { c.memory = value_of<std::uint64_t>(v); }},
};

void set_closed(graft::Options& options, nb::handle value) {
  if (nb::isinstance<nb::bool_>(value)) {
    if (value_of<bool>(value)) options.closed.emplace();
    return;
  }
  read(options.closed.emplace(), nb::cast<nb::dict>(value), kClosed, "closed");
}

constexpr Word<graft::Options> kOptions[] = {
    {"entry", [](graft::Options& o, nb::handle v) { o.entry = value_of<std::string>(v); }},
    {"headers",
     [](graft::Options& o, nb::handle v) {
       for (auto& [name, text] : value_of<std::map<std::string, std::string>>(v)) o.headers.push_back({name, text});
     }},
    {"include_paths", [](graft::Options& o, nb::handle v) { o.include_paths = paths_of(v); }},
    {"defines",
     [](graft::Options& o, nb::handle v) {
       for (const auto& [name, value] : nb::cast<nb::dict>(v)) {
         std::string text = nb::cast<std::string>(nb::str(value));
         if (nb::isinstance<nb::bool_>(value)) text = value_of<bool>(value) ? "1" : "0";  // "True" is no word of C++
         o.defines.push_back({nb::cast<std::string>(name), std::move(text)});
       }
     }},
    {"standard",
     [](graft::Options& o, nb::handle v) {
       const int year = value_of<int>(v);
       if (year != 17 && year != 20)
         fail(ErrorCode::InvalidArgument, "the option standard is " + std::to_string(year), "Pass 17 or 20.");
       o.standard = static_cast<graft::CppStandard>(year);
     }},
    {"fast_math", [](graft::Options& o, nb::handle v) { o.floating_point.fast_math = value_of<bool>(v); }},
    {"contraction", [](graft::Options& o, nb::handle v) { o.floating_point.contraction = value_of<bool>(v); }},
    {"flush_to_zero", [](graft::Options& o, nb::handle v) { o.floating_point.flush_to_zero = value_of<bool>(v); }},
    {"precise_division",
     [](graft::Options& o, nb::handle v) { o.floating_point.precise_division = value_of<bool>(v); }},
    {"precise_square_root",
     [](graft::Options& o, nb::handle v) { o.floating_point.precise_square_root = value_of<bool>(v); }},
    {"any_shape", [](graft::Options& o, nb::handle v) { o.any_shape = value_of<bool>(v); }},
    {"max_registers", [](graft::Options& o, nb::handle v) { o.max_registers = value_of<int>(v); }},
    {"line_info", [](graft::Options& o, nb::handle v) { o.line_info = value_of<bool>(v); }},
    {"compiler_options",
     [](graft::Options& o, nb::handle v) { o.compiler_options = value_of<std::vector<std::string>>(v); }},
    {"shared_bytes", [](graft::Options& o, nb::handle v) { o.shared_bytes = value_of<int>(v); }},
    {"vector_width", [](graft::Options& o, nb::handle v) { o.policy.vector_width = value_of<int>(v); }},
    {"vectors_per_thread", [](graft::Options& o, nb::handle v) { o.policy.vectors_per_thread = value_of<int>(v); }},
    {"body",
     [](graft::Options& o, nb::handle v) {
       o.policy.body = named<graft::Body>(std::array<std::string_view, 2>{"vector", "rolled"}, v, "body");
     }},
    {"block_threads", [](graft::Options& o, nb::handle v) { o.policy.block_threads = value_of<int>(v); }},
    {"programmatic_launch", [](graft::Options& o, nb::handle v) { o.policy.programmatic_launch = value_of<bool>(v); }},
    {"route", [](graft::Options& o, nb::handle v) { o.routes.required = route_of(v); }},
    {"forbidden_routes",
     [](graft::Options& o, nb::handle v) {
       for (const nb::handle route : v) o.routes.forbidden.push_back(route_of(route));
     }},
    {"closed", set_closed},
    {"host_threads", [](graft::Options& o, nb::handle v) { o.host_threads = value_of<int>(v); }},
    {"shipped_tuning", [](graft::Options& o, nb::handle v) { o.shipped_tuning = value_of<bool>(v); }},
    {"allow_thread_words", [](graft::Options& o, nb::handle v) { o.allow_thread_words = value_of<bool>(v); }},
    {"architecture",
     [](graft::Options& o, nb::handle v) { o.architecture = graft::Architecture::parse(value_of<std::string>(v)); }},
    {"devices", [](graft::Options& o, nb::handle v) { o.devices = value_of<std::vector<int>>(v); }},
};

graft::CachePolicy policy_of(nb::handle value) {
  return named<graft::CachePolicy>(
      std::array<std::string_view, 5>{"off", "memory", "read-only", "read-write", "forbid-compiling"}, value,
      "policy of the cache");
}

constexpr Word<graft::EngineOptions> kEngine[] = {
    {"cuda_path", [](graft::EngineOptions& o, nb::handle v) { o.cuda_path = path_of(v); }},
    {"host_compiler", [](graft::EngineOptions& o, nb::handle v) { o.host_compiler = path_of(v); }},
    {"program", [](graft::EngineOptions& o, nb::handle v) { o.program = path_of(v); }},
    {"tuning_file", [](graft::EngineOptions& o, nb::handle v) { o.tuning_file = path_of(v); }},
    {"cache", [](graft::EngineOptions& o, nb::handle v) { o.cache.policy = policy_of(v); }},
    {"cache_folder", [](graft::EngineOptions& o, nb::handle v) { o.cache.folder = path_of(v); }},
    {"cache_layers",
     [](graft::EngineOptions& o, nb::handle v) {
       auto& layers = o.cache.layers.emplace();
       for (const std::string& layer : paths_of(v)) layers.emplace_back(layer);
     }},
    {"cache_max_bytes", [](graft::EngineOptions& o, nb::handle v) { o.cache.max_bytes = value_of<std::uint64_t>(v); }},
    {"exact_tools", [](graft::EngineOptions& o, nb::handle v) { o.cache.exact_tools = value_of<bool>(v); }},
    {"threads", [](graft::EngineOptions& o, nb::handle v) { o.threads = value_of<unsigned>(v); }},
    {"max_builds", [](graft::EngineOptions& o, nb::handle v) { o.max_builds = value_of<unsigned>(v); }},
    {"max_unused_image_bytes",
     [](graft::EngineOptions& o, nb::handle v) { o.max_unused_image_bytes = value_of<std::uint64_t>(v); }},
};

}  // namespace

graft::Options options_of(const nb::dict& words) {
  graft::Options options;
  // The bytes of a state that is compiled into the kernel, and the size and alignment of its struct, or its type.
  nb::dict others;
  for (const auto& [key, value] : words) {
    if (nb::cast<std::string>(key) != "baked_state") {
      others[key] = value;
      continue;
    }
    if (!nb::isinstance<nb::tuple>(value))  // with_baked_state of the package makes the tuple
      fail(ErrorCode::InvalidArgument, "baked_state is no option of Python", "Pass the state as bake=.");
    const auto given = nb::borrow<nb::tuple>(value);
    const auto bytes = nb::cast<nb::bytes>(given[0]);
    const auto* const first = static_cast<const std::byte*>(bytes.data());
    options.baked_state.assign(first, first + bytes.size());
    const auto type = nb::cast<std::string>(given[1]);
    options.baked_type = type == "class" ? graft::ElementType::structure(bytes.size(), nb::cast<std::size_t>(given[2]))
                                         : graft::ElementType::named(type);
  }
  read(options, others, kOptions, "kernels");
  return options;
}

graft::EngineOptions engine_options_of(const nb::dict& words) {
  graft::EngineOptions options;
  read(options, words, kEngine, "engines");
  return options;
}

}  // namespace graft_python
