// Binds kernels of the user's own: KernelCode, and Kernel with its launches. The package decides what each argument of
// a launch is (_kernel.py); libgraft compares it with the kernel's parameter.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <graft/kernel.hpp>

#include "arrays.hpp"
#include "fail.hpp"
#include "launch_server.hpp"
#include "lock.hpp"
#include "options.hpp"
#include "values.hpp"

namespace graft_python {
namespace nb = nanobind;
using namespace nb::literals;
namespace {

using graft::Callback;
using graft::Engine;
using graft::Kernel;
using graft::KernelCode;

using Slots = std::vector<std::pair<std::string, Callback>>;
using Constants = std::vector<std::pair<std::string, std::int64_t>>;
using Size = std::array<unsigned, 3>;

graft::KernelCallbacks callbacks_of(const Slots& slots, const Constants& constants) {
  graft::KernelCallbacks callbacks;
  for (const auto& [slot, callback] : slots) callbacks.slots.push_back({slot, callback});
  for (const auto& [name, value] : constants) callbacks.constants.push_back({name, value});
  return callbacks;
}

graft::Inlining inlining_of(const std::string& name) {
  constexpr std::array kNames = {"automatic", "always", "never"};
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (name == kNames[i]) return static_cast<graft::Inlining>(i);
  fail(graft::ErrorCode::InvalidArgument, '"' + name + "\" does not say how callbacks are inlined",
       "Pass one of automatic, always, never.");
}

// An entry: its name, its symbol, the sizes of its parameters, and their types, if its symbol has them.
using Entry = std::tuple<std::string, std::string, std::vector<std::uint64_t>, std::vector<std::string>>;

std::vector<Entry> entries_of(const std::vector<graft::KernelEntry>& entries) {
  std::vector<Entry> all;
  for (const graft::KernelEntry& one : entries) all.emplace_back(one.name, one.symbol, one.parameters, one.types);
  return all;
}

// The arguments of a launch. Each is an Arrays of one array, or the bytes of a value and the short name of its type.
class LaunchArguments {
 public:
  explicit LaunchArguments(const nb::list& given) {
    all_.reserve(given.size());
    pointers_.reserve(given.size());  // the arguments point to them
    for (const nb::handle one : given) {
      if (nb::isinstance<Arrays>(one)) add_array(*nb::cast<const Arrays&>(one).all().at(0));
      else add_value(nb::cast<nb::tuple>(one));
    }
  }

  const std::vector<graft::KernelArgument>& all() const noexcept { return all_; }

 private:
  void add_array(const Array& array) {
    const graft::ArrayRef dense = array.flat_ref();
    pointers_.push_back(array.pointer());
    graft::KernelArgument& argument = all_.emplace_back(pointers_.back());
    argument.type = number_type(dense.type, true);
  }

  void add_value(const nb::tuple& value) {
    const auto bytes = nb::cast<nb::bytes>(value[0]);  // which the list keeps
    const auto type = nb::cast<std::string>(value[1]);
    graft::KernelArgument& argument = all_.emplace_back(bytes.data(), bytes.size());
    if (type != "class") argument.type = number_type(graft::ElementType::named(type), false);
  }

  std::vector<void*> pointers_;
  std::vector<graft::KernelArgument> all_;
};

graft::Dim3 dim_of(const Size& size) {
  return {size[0], size[1], size[2]};
}

void bind_code(nb::module_& module) {
  nb::class_<KernelCode>(module, "KernelCode", "The code of kernels with slots. An immutable value.")
      .def_static("source", &KernelCode::source, "text"_a, "name"_a)
      .def_static(
          "ltoir",
          [](const nb::bytes& bytes, std::string name) { return KernelCode::ltoir(span_of(bytes), std::move(name)); },
          "bytes"_a, "name"_a)
      .def_static(
          "fatbin",
          [](const nb::bytes& bytes, std::string name) { return KernelCode::fatbin(span_of(bytes), std::move(name)); },
          "bytes"_a, "name"_a)
      .def_static("ptx", &KernelCode::ptx, "text"_a, "name"_a)
      .def_static(
          "object",
          [](const nb::bytes& bytes, std::string name) { return KernelCode::object(span_of(bytes), std::move(name)); },
          "bytes"_a, "name"_a)
      .def_static(
          "pack",
          [](const nb::bytes& bytes, std::string name) { return KernelCode::pack(span_of(bytes), std::move(name)); },
          "bytes"_a, "name"_a)
      .def_static("file", &KernelCode::file, "path"_a)
      .def("with_entry", &KernelCode::with_entry, "entry"_a)
      .def("with_default", &KernelCode::with_default, "slot"_a, "callback"_a)
      .def("with_optional", &KernelCode::with_optional, "slot"_a, "constant"_a)
      .def(
          "with_inlining",
          [](const KernelCode& code, std::string slot, const std::string& inlining) {
            return code.with_inlining(std::move(slot), inlining_of(inlining));
          },
          "slot"_a, "inlining"_a)
      .def("with_constant", &KernelCode::with_constant, "constant"_a, "values"_a)
      .def("with_header", &KernelCode::with_header, "name"_a, "text"_a)
      .def("with_thread_words", &KernelCode::with_thread_words, "slot"_a)
      .def("with_folder", &KernelCode::with_folder, "folder"_a)
      .def(
          "with_floating_point",
          [](const KernelCode& code, const nb::dict& words) {
            return code.with_floating_point(options_of(words).floating_point);
          },
          "words"_a)
      .def("with_link_input", &KernelCode::with_link_input, "binary"_a)
      .def_prop_ro("name", [](const KernelCode& code) { return code.name(); })
      .def_prop_ro("form", [](const KernelCode& code) { return std::string(graft::name(code.code().form())); })
      .def(
          "describe",
          [](const KernelCode& code, Engine& engine, const std::string& architecture, const nb::dict& words) {
            const graft::Options options = options_of(words);
            const graft::KernelShape shape = unlocked(
                [&] { return graft::describe(engine, code, graft::Architecture::parse(architecture), options); });
            std::vector<std::tuple<std::string, std::string, std::string>> slots;
            for (const graft::KernelSlot& one : shape.slots) slots.emplace_back(one.name, one.declaration, one.symbol);
            return std::tuple(entries_of(shape.entries), slots, shape.constants);
          },
          "engine"_a, "architecture"_a, "options"_a)
      .def(
          "precompile",
          [](const KernelCode& code, Engine& engine, const std::vector<std::string>& architectures,
             const std::string& format, const nb::dict& words) {
            const graft::Options options = options_of(words);
            return bytes_of(unlocked(
                [&] { return code.precompile(engine, architectures_of(architectures), format_of(format), options); }));
          },
          "engine"_a, "architectures"_a, "format"_a, "options"_a)
      .def(
          "precompile_for",
          [](const KernelCode& code, Engine& engine, const std::string& slot, const Callback& callback,
             const std::vector<std::string>& architectures, const nb::dict& words) {
            const graft::Options options = options_of(words);
            return bytes_of(unlocked([&] {
              return code.precompile_for(engine, {slot, callback}, architectures_of(architectures), options);
            }));
          },
          "engine"_a, "slot"_a, "callback"_a, "architectures"_a, "options"_a)
      .def(
          "build",
          [](const KernelCode& code, Engine& engine, const Slots& slots, const Constants& constants,
             const std::string& architecture, const nb::dict& words) {
            const graft::Options options = options_of(words);
            const graft::KernelCallbacks callbacks = callbacks_of(slots, constants);
            return unlocked([&] {
              return graft::build(engine, code, callbacks, graft::Architecture::parse(architecture), options);
            });
          },
          "engine"_a, "slots"_a, "constants"_a, "architecture"_a, "options"_a);
}

void bind_kernel(nb::module_& module) {
  nb::class_<Kernel>(module, "Kernel")
      .def_static(
          "create",
          [](Engine& engine, const KernelCode& code, const Slots& slots, const Constants& constants,
             const nb::dict& words) {
            const graft::Options options = options_of(words);
            const graft::KernelCallbacks callbacks = callbacks_of(slots, constants);
            return unlocked([&] { return Kernel::create(engine, code, callbacks, options); });
          },
          "engine"_a, "code"_a, "slots"_a, "constants"_a, "options"_a)
      .def(
          "launch",
          [](const Kernel& kernel, const Size& grid, const Size& block, const std::optional<Size>& cluster,
             std::uint32_t shared_bytes, bool cooperative, std::intptr_t stream, const nb::list& given) {
            const LaunchArguments arguments(given);
            graft::KernelLaunch how = {.grid = dim_of(grid),
                                       .block = dim_of(block),
                                       .shared_bytes = shared_bytes,
                                       .stream = reinterpret_cast<CUstream_st*>(stream),
                                       .cluster = {},
                                       .cooperative = cooperative};
            if (cluster) how.cluster = dim_of(*cluster);
            const WithoutLock without_lock;
            kernel.launch_arguments(how, arguments.all());
          },
          "grid"_a, "block"_a, "cluster"_a.none(), "shared_bytes"_a, "cooperative"_a, "stream"_a, "arguments"_a)
      .def(
          "entry", [](const Kernel& kernel, const std::string& name) { return kernel.entry(name); }, "name"_a)
      .def(
          "prepare", [](const Kernel& kernel, int device) { unlocked([&] { kernel.prepare(device); }); }, "device"_a)
      .def("prepare_current", [](const Kernel& kernel) { unlocked([&] { kernel.prepare_current(); }); })
      .def("attributes",
           [](const Kernel& kernel) {
             const graft::KernelAttributes a = kernel.attributes();
             return std::tuple(a.max_block_threads, a.registers, a.static_shared_bytes, a.most_dynamic_shared_bytes,
                               a.local_bytes);
           })
      .def(
          "blocks_per_multiprocessor",
          [](const Kernel& kernel, const Size& block, std::size_t shared_bytes) {
            return kernel.blocks_per_multiprocessor(dim_of(block), shared_bytes);
          },
          "block"_a, "shared_bytes"_a)
      .def(
          "symbol",
          [](const Kernel& kernel, const std::string& name) {
            const graft::DeviceSymbol symbol = kernel.symbol(name);
            return std::pair(reinterpret_cast<std::uintptr_t>(symbol.pointer), symbol.bytes);
          },
          "name"_a)
      .def_prop_ro("function", [](const Kernel& kernel) { return reinterpret_cast<std::uintptr_t>(kernel.function()); })
      .def_prop_ro("handle", [](const Kernel& kernel) { return reinterpret_cast<std::uintptr_t>(kernel.handle()); })
      .def_prop_ro("entries", [](const Kernel& kernel) { return entries_of(kernel.entries()); })
      .def_prop_ro("image", [](const Kernel& kernel) { return kernel.image(); })
      .def_prop_ro("report", [](const Kernel& kernel) { return texts_of(kernel.report()); });
}

}  // namespace

void bind_kernels(nb::module_& module) {
  bind_code(module);
  bind_kernel(module);
}

}  // namespace graft_python
