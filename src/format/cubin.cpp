// Reads the sections that cubin.hpp describes. The section .nv.callgraph lists the calls from one section to another.
// It does not list calls within a section, so the reader decodes the relative call instructions in the code. From both
// kinds of calls the reader builds one call graph, and looks for recursion in this graph.
#include "format/cubin.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "format/byte_view.hpp"

namespace graft::format {
namespace {

constexpr std::uint8_t kSized = 4;  // the format of an .nv.info record that has a u16 size and then that many bytes
constexpr std::uint8_t kFrameSize = 0x11;
constexpr std::uint8_t kMinStackSize = 0x12;
constexpr std::uint8_t kRegisters = 0x2f;
constexpr std::uint8_t kParameter = 0x17;
constexpr std::uint8_t kDriverCalls = 0x46;
constexpr std::uint32_t kUnknownStack = ~0u;

constexpr std::size_t kInstruction = 16;
// In a call instruction, the low 9 bits are the operation, and the 3 bits above them are the kind of the operand.
constexpr std::uint32_t kCallAbsolute = 0x143;
constexpr std::uint32_t kCallRelative = 0x144;
// Conversions whose result or operand has 64 bits: F2F and I2F. Arithmetic of doubles: DMUL, DADD, DSETP and DFMA.
constexpr std::uint32_t kFloatToFloat64 = 0x110;
constexpr std::uint32_t kIntegerToFloat64 = 0x112;
constexpr std::uint32_t kFirstOfDoubles = 0x028;
constexpr std::uint32_t kLastOfDoubles = 0x02b;
constexpr std::uint64_t kSizeOf64Bits = 3;
// The operand kind of a constant. A call whose operand has another kind goes through a pointer.
constexpr std::uint32_t kImmediate = 4;

constexpr std::string_view kCode = ".text.";
constexpr std::string_view kFunctionInfo = ".nv.info.";
constexpr std::string_view kSharedMemory = ".nv.shared.";

// The system takes so much shared memory of each thread block from sm_80 on, and its place is in the sections of
// kernels from sm_90 on.
constexpr std::uint64_t kSystemSharedBytes = 1024;
constexpr int kFirstWithSystemShared = 90;

// Parses "#ib12l": the result comes first, then the parameters.
std::optional<PtxFunction> read_prototype(std::string_view name, std::string_view text) {
  if (!text.starts_with('#')) return std::nullopt;
  PtxFunction function;
  function.name = name;
  bool is_result = true;
  for (text.remove_prefix(1); !text.empty(); is_result = false) {
    const char kind = text.front();
    text.remove_prefix(1);
    PtxParameter parameter;
    if (kind == 'f' || kind == 'd') parameter.number = PtxParameter::Float;
    if (kind == 'i' || kind == 'f') parameter.size = 4;
    else if (kind == 'l' || kind == 'd') parameter.size = 8;
    else if (kind == 'b')
      for (; !text.empty() && text.front() >= '0' && text.front() <= '9'; text.remove_prefix(1))
        parameter.size = std::min<std::uint64_t>(parameter.size * 10 + (text.front() - '0'), 1 << 20);
    else if (kind != 'v' || !is_result) return std::nullopt;
    if (kind != 'v') (is_result ? function.results : function.parameters).push_back(parameter);
  }
  return function;
}

class Reader {
 public:
  explicit Reader(const ElfFile& file) : file_(file) {}

  Cubin read() {
    functions();
    for (const ElfSection& section : file_.sections) {
      if (section.name.starts_with(kFunctionInfo))
        infos_.emplace(section.name.substr(kFunctionInfo.size()), ByteView(section.bytes));
      if (section.name.starts_with(kSharedMemory))
        shared_.emplace(section.name.substr(kSharedMemory.size()), section.size);
      if (section.name == ".nv.info") info(section.bytes);
      if (section.name == ".nv.prototype") prototypes(section);
      if (section.name == ".nv.callgraph") call_graph(section.bytes);
    }
    for (CubinFunction& function : cubin_.functions)
      if (function.is_kernel) {
        parameters(function);
        shared_memory(function);
      }
    for (std::size_t i = 0; i < file_.sections.size(); ++i)
      if (file_.sections[i].name.starts_with(kCode)) code(i);
    cubin_.has_recursion = has_cycle();
    cubin_.widens_to_double = has_widening_ && has_double_arithmetic_;
    return std::move(cubin_);
  }

 private:
  void functions() {
    for (std::size_t i = 0; i < file_.symbols.size(); ++i) {
      const ElfSymbol& symbol = file_.symbols[i];
      if (!symbol.is_function || symbol.section == 0 || symbol.name.empty()) continue;
      places_.emplace(static_cast<std::uint32_t>(i), cubin_.functions.size());
      starts_.emplace(std::pair(symbol.section, symbol.value), static_cast<std::uint32_t>(i));
      CubinFunction found;
      found.name = symbol.name;
      found.code_bytes = symbol.size;
      found.is_kernel = symbol.is_kernel;
      cubin_.functions.push_back(found);
    }
  }

  void info(ByteView records) {
    for (std::size_t at = 0; records.has(at, 4);) {
      const auto format = records.get<std::uint8_t>(at);
      const auto attribute = records.get<std::uint8_t>(at + 1);
      const std::size_t size = format == kSized ? records.get<std::uint16_t>(at + 2) : 0;
      if (size >= 8 && records.has(at + 4, size)) {
        const auto place = places_.find(records.get<std::uint32_t>(at + 4));
        if (place != places_.end())
          note(cubin_.functions[place->second], attribute, records.get<std::uint32_t>(at + 8));
      }
      at += 4 + size;
    }
  }

  // Calls visit(records, place, size) with each record of this attribute about a function.
  template <class Visit>
  void for_each_record(std::string_view function, std::uint8_t attribute, Visit visit) const {
    const auto [begin, end] = infos_.equal_range(function);
    for (auto info = begin; info != end; ++info) {
      const ByteView& records = info->second;
      for (std::size_t at = 0; records.has(at, 4);) {
        const bool is_sized = records.get<std::uint8_t>(at) == kSized;
        const std::size_t size = is_sized ? records.get<std::uint16_t>(at + 2) : 0;
        if (is_sized && records.get<std::uint8_t>(at + 1) == attribute && records.has(at + 4, size))
          visit(records, at + 4, size);
        at += 4 + size;
      }
    }
  }

  // The records are in no order, and a kernel without parameters has none.
  void parameters(CubinFunction& kernel) const {
    struct Parameter {
      std::uint64_t offset, size;
    };
    std::map<std::uint16_t, Parameter> found;
    for_each_record(kernel.name, kParameter, [&](const ByteView& records, std::size_t at, std::size_t size) {
      if (size == 12)
        found[records.get<std::uint16_t>(at + 4)] = {records.get<std::uint16_t>(at + 6),
                                                     records.get<std::uint32_t>(at + 8) >> 18};
    });
    std::vector<std::uint64_t> sizes, offsets;
    for (const auto& [number, parameter] : found) {
      if (number != sizes.size()) return;
      sizes.push_back(parameter.size);
      offsets.push_back(parameter.offset);
    }
    kernel.parameters = std::move(sizes);
    kernel.offsets = std::move(offsets);
  }

  void shared_memory(CubinFunction& kernel) const {
    const auto found = shared_.find(kernel.name);
    if (found == shared_.end()) return;
    const std::uint64_t systems =
        file_.architecture().number >= kFirstWithSystemShared ? std::min(found->second, kSystemSharedBytes) : 0;
    kernel.shared_bytes = found->second - systems;
  }

  static void note(CubinFunction& function, std::uint8_t attribute, std::uint32_t value) {
    if (attribute == kFrameSize) function.frame_bytes = value;
    if (attribute == kMinStackSize && value != kUnknownStack) function.stack_bytes = value;
    if (attribute == kRegisters) function.registers = value;
  }

  // The section .nv.prototype refers to the symbol table by its `link` field, and the symbol table refers to its string
  // table in the same way.
  void prototypes(const ElfSection& section) {
    if (section.link >= file_.sections.size()) return;
    const std::size_t names = file_.sections[section.link].link;
    if (names >= file_.sections.size()) return;
    const ByteView texts(file_.sections[names].bytes);
    const ByteView entries(section.bytes);
    for (std::size_t at = 0; entries.has(at, 8); at += 8) {
      const auto number = entries.get<std::uint32_t>(at);
      const auto text = texts.zero_ended(entries.get<std::uint32_t>(at + 4));
      if (number >= file_.symbols.size() || !text) continue;
      const ElfSymbol& symbol = file_.symbols[number];
      std::optional<PtxFunction> found = read_prototype(symbol.name, *text);
      if (!found || symbol.name.empty()) continue;
      found->is_defined = symbol.section != 0;
      found->linkage = symbol.is_shared ? PtxFunction::Visible : PtxFunction::Local;
      cubin_.prototypes.push_back(std::move(*found));
    }
  }

  // Some entries of .nv.callgraph are not calls. add_call ignores a pair unless both numbers are functions of this
  // file.
  void call_graph(ByteView pairs) {
    for (std::size_t at = 0; pairs.has(at, 8); at += 8)
      add_call(pairs.get<std::uint32_t>(at), pairs.get<std::uint32_t>(at + 4));
  }

  void add_call(std::uint32_t caller, std::uint32_t callee) {
    if (places_.contains(caller) && places_.contains(callee)) calls_[caller].insert(callee);
  }

  // Returns the places in a code section at which the code calls functions of the driver.
  std::set<std::size_t> driver_calls(std::string_view function) const {
    std::set<std::size_t> places;
    for_each_record(function, kDriverCalls, [&](const ByteView& records, std::size_t at, std::size_t size) {
      for (std::size_t i = 0; i + 4 <= size; i += 4) places.insert(records.get<std::uint32_t>(at + i));
    });
    return places;
  }

  void code(std::size_t section) {
    const ByteView text(file_.sections[section].bytes);
    const std::set<std::size_t> driver_places = driver_calls(file_.sections[section].name.substr(kCode.size()));
    for (std::size_t at = 0; text.has(at, kInstruction); at += kInstruction) {
      const auto word = text.get<std::uint64_t>(at);
      const auto operation = static_cast<std::uint32_t>(word & 0x1ff);
      if (operation == kFloatToFloat64 || operation == kIntegerToFloat64)
        has_widening_ |= is_widening(text.get<std::uint64_t>(at + 8));
      if (operation >= kFirstOfDoubles && operation <= kLastOfDoubles) has_double_arithmetic_ = true;
      if (operation != kCallAbsolute && operation != kCallRelative) continue;
      if ((word >> 9 & 7) != kImmediate) cubin_.calls_through_pointer |= !driver_places.contains(at);
      else if (operation == kCallRelative) relative_call(static_cast<std::uint16_t>(section), at, word);
    }
  }

  // `upper` is the upper half of a conversion to a floating-point number.
  static bool is_widening(std::uint64_t upper) {
    return (upper >> 11 & 3) == kSizeOf64Bits && (upper >> 20 & 3) < kSizeOf64Bits;
  }

  // A relative call instruction encodes the distance from the next instruction to the callee. Up to sm_89 the distance
  // is in bytes, in the upper 32 bits. From sm_90 on the distance is in 4-byte words: its low 8 bits are in bits 16 to
  // 23 of the instruction, and its other bits are in bits 34 to 63. This function tries both encodings, because only
  // the right encoding gives the start of a function.
  void relative_call(std::uint16_t section, std::size_t at, std::uint64_t word) {
    const auto upper = static_cast<std::int32_t>(word >> 32);
    const std::int64_t words =
        static_cast<std::int64_t>(upper >> 2) * 256 + static_cast<std::int64_t>(word >> 16 & 0xff);
    for (const std::int64_t distance : {static_cast<std::int64_t>(upper), words * 4}) {
      const auto target = static_cast<std::uint64_t>(static_cast<std::int64_t>(at + kInstruction) + distance);
      const auto callee = starts_.find({section, target});
      if (callee != starts_.end()) return add_call(function_at(section, at), callee->second);
    }
  }

  // The last function that starts at or before `at`. The search ignores the symbols' sizes, because the size of a
  // kernel's symbol includes the kernel's helpers.
  std::uint32_t function_at(std::uint16_t section, std::size_t at) const {
    const auto behind = starts_.upper_bound({section, at});
    return behind == starts_.begin() ? 0 : std::prev(behind)->second;
  }

  // A topological sort: repeatedly removes a function whose callees have all been removed. Each function that remains
  // is part of a cycle, or its calls lead to one.
  bool has_cycle() const {
    std::map<std::uint32_t, std::vector<std::uint32_t>> callers;
    std::map<std::uint32_t, std::size_t> left;  // per function: the number of its callees that have not been removed
    std::vector<std::uint32_t> done;
    for (const auto& [symbol, place] : places_) {
      const auto calls = calls_.find(symbol);
      left[symbol] = calls == calls_.end() ? 0 : calls->second.size();
      if (left[symbol] == 0) done.push_back(symbol);
      else
        for (const std::uint32_t callee : calls->second) callers[callee].push_back(symbol);
    }
    std::size_t taken = 0;
    for (; taken < done.size(); ++taken)
      for (const std::uint32_t caller : callers[done[taken]])
        if (--left[caller] == 0) done.push_back(caller);
    return taken < places_.size();
  }

  const ElfFile& file_;
  Cubin cubin_;
  std::multimap<std::string_view, ByteView> infos_;                          // function -> its .nv.info
  std::map<std::string_view, std::uint64_t> shared_;                         // kernel -> size of its .nv.shared
  std::map<std::uint32_t, std::size_t> places_;                              // symbol -> index in cubin_.functions
  std::map<std::pair<std::uint16_t, std::uint64_t>, std::uint32_t> starts_;  // section and offset -> symbol
  std::map<std::uint32_t, std::set<std::uint32_t>> calls_;                   // caller -> callees
  bool has_widening_ = false;                                                // to double
  bool has_double_arithmetic_ = false;
};

}  // namespace

const CubinFunction* Cubin::find(std::string_view name) const noexcept {
  const auto found = std::ranges::find(functions, name, &CubinFunction::name);
  return found == functions.end() ? nullptr : &*found;
}

Cubin read_cubin(const ElfFile& file) {
  return file.is_cubin() ? Reader(file).read() : Cubin{};
}

}  // namespace graft::format
