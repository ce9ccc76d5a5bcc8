// Tests that the ready-made callbacks chain with all that fit, in pairs.
//
// There are thousands of pairs, and a build of each would take minutes. Therefore one program contains all functions as
// parts, in the form in which graft writes the parts of a chain, and one chain type for each pair. NVRTC's front end
// compiles this program for a GPU: it gives the signature of each chain, and compiles the code of each chain. The host
// compiler makes an object of the same program, in which each chain is compared with its two parts run one after the
// other. Then some pairs, in which each function is once the first part and once the second, are built as users build
// them, on the GPU routes in turn. The environment variable GRAFT_CHAIN_ROUND selects other pairs.
//
// Each run compiles the code of an eighth of the pairs, or of all (support/rotation.hpp).
#include <cuda_fp16.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

#include "base/memory_object.hpp"
#include "codegen/compose.hpp"
#include "compile/compile_headers.hpp"
#include "contract.h"
#include "reflect/signature/probe.hpp"
#include "support/compile.hpp"
#include "support/rotation.hpp"
#include "support/sweep.hpp"
#include "tests/callbacks/ready_functions.hpp"

namespace graft::test {
namespace {

constexpr std::size_t kCount = 5;  // elements for each chain

const std::vector<ReadyFunction>& functions() {
  static const std::vector<ReadyFunction> all = ready_functions();
  return all;
}

// A program whose members are all functions, written as the members of one chain.
const codegen::SourceProgram& all_parts() {
  static const codegen::SourceProgram program = [] {
    codegen::SourceProgram whole;
    for (const ReadyFunction& function : functions()) {
      const codegen::SourceProgram one = codegen::prepare_program({chain({function.callback})}, {});
      whole.parts.members.push_back(one.parts.members.at(0));
      whole.members.push_back(one.members.at(0));
      whole.parts.include_half |= one.parts.include_half;
      whole.parts.include_bfloat16 |= one.parts.include_bfloat16;
      for (const std::string_view header : one.parts.std_headers)
        if (std::ranges::find(whole.parts.std_headers, header) == whole.parts.std_headers.end())
          whole.parts.std_headers.push_back(header);
      for (const reflect::MathFunction& call : one.parts.math_calls)
        if (std::ranges::find(whole.parts.math_calls, call) == whole.parts.math_calls.end())
          whole.parts.math_calls.push_back(call);
      whole.scan.mentions_half |= one.scan.mentions_half;
      whole.scan.mentions_bfloat16 |= one.scan.mentions_bfloat16;
      whole.scan.includes.insert(whole.scan.includes.end(), one.scan.includes.begin(), one.scan.includes.end());
    }
    return whole;
  }();
  return program;
}

// Compiles all parts and `more` with the front end, and returns the names of the probes.
std::vector<std::string> read_with_nvrtc(const std::string& more, const std::vector<std::string>& probes) {
  static const compile::OpenTools tools = compile::open_tools({}, toolbox());
  toolchain::NvrtcProgram program;
  program.source = codegen::callback_section(all_parts().parts) + more;
  program.name = "chains";
  program.headers = compile::device_headers(all_parts(), {});
  program.options = compile::nvrtc_flags(all_parts(), {}, Architecture(75), compile::CodeKind::LtoIr);
  program.options.emplace_back("-fdevice-syntax-only");
  for (const std::string& probe : probes) program.name_expressions.push_back(fmt::format("&graft_probe<{}>", probe));
  const toolchain::NvrtcResult result = tools.nvrtc->compile(program);
  EXPECT_TRUE(result.ok) << result.log.substr(0, 4000);
  return result.ok ? result.lowered_names : std::vector<std::string>();
}

const std::vector<Signature>& signatures() {
  static const std::vector<Signature> all = [] {
    std::vector<std::string> probes;
    for (std::size_t i = 0; i < functions().size(); ++i) probes.push_back(codegen::member_probe(i));
    const std::vector<std::string> names = read_with_nvrtc("", probes);
    std::vector<Signature> read;
    for (std::size_t i = 0; i < names.size(); ++i)
      read.push_back(reflect::to_signature(reflect::parse_probe(names[i]), functions()[i].entry));
    return read;
  }();
  return all;
}

const std::vector<Pair>& fitting_pairs() {
  static const std::vector<Pair> pairs = [] {
    std::vector<Pair> found;
    for (std::size_t i = 0; i < signatures().size(); ++i)
      for (std::size_t j = 0; j < signatures().size(); ++j)
        if (fits(signatures()[i], signatures()[j])) found.emplace_back(i, j);
    return found;
  }();
  return pairs;
}

std::string chain_type(const Pair& pair) {
  return fmt::format("graft_chain<graft_part_{}, graft_part_{}>", pair.first, pair.second);
}

std::string title(const Pair& pair) {
  return fmt::format("chain({}, {})", functions()[pair.first].entry, functions()[pair.second].entry);
}

// Returns the inputs of a chain: those of the first part, then those of the second that the first does not give.
std::vector<ElementType> inputs_of(const Pair& pair) {
  std::vector<ElementType> inputs = signatures()[pair.first].inputs();
  const std::vector<ElementType>& more = signatures()[pair.second].inputs();
  inputs.insert(inputs.end(), more.begin() + static_cast<std::ptrdiff_t>(signatures()[pair.first].outputs().size()),
                more.end());
  return inputs;
}

std::string readme() {
  std::ifstream file(GRAFT_SOURCE_DIR "/callbacks/README.md");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Returns the names between backticks in the line of README.md that begins with `start`.
std::set<std::string> names_in_line(const std::string& start) {
  const std::string text = readme();
  const std::size_t at = text.find("\n" + start);
  if (at == std::string::npos) return {};
  const std::string line = text.substr(at + 1, text.find("\n\n", at) - at - 1);
  std::set<std::string> names;
  for (std::size_t open = line.find('`'); open != std::string::npos;) {
    const std::size_t close = line.find('`', open + 1);
    names.insert(line.substr(open + 1, close - open - 1));
    open = line.find('`', close + 1);
  }
  return names;
}

std::set<std::string> names_of_functions() {
  std::set<std::string> names;
  for (const ReadyFunction& function : functions()) names.insert(function.name);
  return names;
}

// The list is without the functions of fft.cuh and reduce.cuh, which the readme's last sections have.
TEST(ReadyMadeChains, TheListIsThatOfTheReadme) {
  std::set<std::string> rows;
  const std::string all = readme();
  std::istringstream text(all.substr(0, all.find("\n## [fft.cuh]")));
  for (std::string line; std::getline(text, line);)
    if (line.starts_with("| `")) rows.insert(line.substr(3, line.find_first_of("<`", 3) - 3));
  EXPECT_EQ(rows, names_of_functions());
  EXPECT_EQ(signatures().size(), functions().size());
}

// Each chain that fits has the inputs, outputs, state and index of its parts.
TEST(ReadyMadeChains, PairsThatFitHaveTheSignatureOfBoth) {
  const Sweep sweep;
  if (sweep.passed_before()) GTEST_SKIP() << Sweep::kPassedBefore;
  std::vector<std::string> probes;
  for (const Pair& pair : fitting_pairs())
    probes.push_back(fmt::format("{0}::graft_function, graft_facts_of_composition<{0}>", chain_type(pair)));
  const std::vector<std::string> names = read_with_nvrtc("", probes);
  ASSERT_EQ(names.size(), fitting_pairs().size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& [first, second] = fitting_pairs()[i];
    SCOPED_TRACE(title(fitting_pairs()[i]));
    const Signature chained = reflect::to_signature(reflect::parse_probe(names[i]), "chain");
    EXPECT_EQ(chained.inputs(), inputs_of(fitting_pairs()[i]));
    EXPECT_EQ(chained.outputs(), signatures()[second].outputs());
    EXPECT_EQ(chained.takes_index(), signatures()[first].takes_index() || signatures()[second].takes_index());
    EXPECT_EQ(chained.state() ? chained.state()->size : 0,
              joined_states(signatures()[first], signatures()[second]).size());
  }
}

constexpr std::size_t kTurns = 16;

TEST(ReadyMadeChains, TheCodeOfPairsThatFitCompilesForAGpu) {
  const Sweep sweep;
  if (sweep.passed_before()) GTEST_SKIP() << Sweep::kPassedBefore;
  SCOPED_TRACE(rotation_text());
  std::string code;
  for (const Pair& pair : rows_in_turn(fitting_pairs(), kTurns))
    code += fmt::format(
        "__device__ void graft_run_{}_{}(const graft_share* in, graft_share* out, unsigned long long i,\n"
        "                                const graft_launch* launch) {{\n"
        "  graft_apply_to<{}, int>(in, out, 0, i, launch);\n}}\n",
        pair.first, pair.second, chain_type(pair));
  read_with_nvrtc(code, {});
}

// The verdict of graft on each pair is the one that the signatures let expect.
TEST(ReadyMadeChains, AllOtherPairsAreRefused) {
  const Sweep sweep;
  if (sweep.passed_before()) GTEST_SKIP() << Sweep::kPassedBefore;
  SCOPED_TRACE(rotation_text());
  std::string code;
  for (std::size_t i = 0; i < signatures().size(); ++i)
    for (std::size_t j = 0; j < signatures().size() && is_turn_of(0, i, 3); ++j) {
      const bool too_few = signatures()[i].outputs().size() > signatures()[j].inputs().size();
      const char* verdict = fits(signatures()[i], signatures()[j]) ? "kAccepted"
                            : too_few                              ? "kTooFewInputsForPreviousPart | 1u << 16"
                                                                   : "kPartsTypesDiffer | 1u << 16";
      code += fmt::format("static_assert(Links<Types<>, graft_part_{}, graft_part_{}>::verdict(0) == ({}));\n", i, j,
                          verdict);
    }
  read_with_nvrtc("namespace graft_adapter {\n" + code + "}\n", {});
}

// The words with which graft refuses a chain, for each function as the second part and as the first.
TEST(ReadyMadeChains, RefusalsSayWhatDoesNotFit) {
  const std::vector<ReadyFunction>& all = functions();
  std::set<std::string> seen;
  std::size_t at = 0;
  for (std::size_t j = 0; j < all.size(); ++j) {
    if (!seen.insert(all[j].name).second) continue;
    for (std::size_t k = 0; k < all.size(); ++k) {
      const std::size_t i = (at + k) % all.size();
      if (fits(signatures()[i], signatures()[j])) continue;
      at = i + 1;
      SCOPED_TRACE(title({i, j}));
      const Error error = error_of([&] { signature_of(chain(all[i].callback, all[j].callback)); });
      const bool too_few = signatures()[i].outputs().size() > signatures()[j].inputs().size();
      EXPECT_EQ(error.code(), ErrorCode::UnsupportedParameter);
      EXPECT_NE(
          error.message().find(too_few ? "part 2 has fewer inputs than the previous part has outputs" : "as its input"),
          std::string::npos)
          << error.what();
      break;
    }
  }
}

// README.md lists the functions that can only be the first part, and those that no ready-made function can follow.
TEST(ReadyMadeChains, TheReadmeListsWhatStandsOnlyAtOneEnd) {
  std::set<std::string> not_first = names_of_functions();
  std::set<std::string> not_second = names_of_functions();
  for (const auto& [first, second] : fitting_pairs()) {
    not_first.erase(functions()[first].name);
    not_second.erase(functions()[second].name);
  }
  EXPECT_EQ(names_in_line("Only the first part"), not_second);
  EXPECT_EQ(names_in_line("Only the last part"), not_first);
}

// ---- on the host ----

// An object with a function for each part, "graft_part_run_3", and for each chain, "graft_chain_run_3_7".
class HostObject {
 public:
  explicit HostObject(const std::vector<Pair>& pairs) : object_(compiled(pairs)) {}

  using Run = void(const void* state, const graft_share* in, graft_share* out, unsigned long long index);

  // Runs one part or one chain over all elements.
  std::vector<ByteArray> run(const std::string& name, const std::vector<ElementType>& input_types,
                             const std::vector<ByteArray>& inputs, const std::vector<ElementType>& output_types,
                             const ByteArray& state) const {
    Run* function = object_.function<Run>(name.c_str());
    if (function == nullptr) throw std::runtime_error("no function " + name + ": " + object_.failure());
    alignas(GRAFT_MAX_STATE_ALIGNMENT) unsigned char aligned_state[GRAFT_MAX_STATE_BYTES];
    if (!state.empty()) std::memcpy(aligned_state, state.data(), state.size());
    std::vector<ByteArray> outputs;
    for (const ElementType& type : output_types) outputs.emplace_back(type.size * kCount);
    graft_share in[GRAFT_MAX_INPUTS];
    graft_share out[GRAFT_MAX_OUTPUTS];
    for (std::size_t i = 0; i < kCount; ++i) {
      for (std::size_t k = 0; k < inputs.size(); ++k)
        std::memcpy(in[k].words, inputs[k].data() + i * input_types[k].size, input_types[k].size);
      function(aligned_state, in, out, i);
      for (std::size_t k = 0; k < outputs.size(); ++k)
        std::memcpy(outputs[k].data() + i * output_types[k].size, out[k].words, output_types[k].size);
    }
    return outputs;
  }

 private:
  static base::Bytes compiled(const std::vector<Pair>& pairs) {
    std::string why;
    const auto compiler = toolchain::HostCompiler::find({}, why);
    if (!compiler) throw std::runtime_error(why);
    std::vector<std::pair<std::string, std::string>> headers;
    for (const auto& header : compile::host_headers(all_parts(), {})) headers.emplace_back(header.name, header.text);
    const toolchain::HostCompilation result = compiler->compile(
        {source(pairs),
         headers,
         {"-O1", "-ffp-contract=off", "-fno-strict-aliasing", "-fvisibility=hidden", "-w", "-std=c++20"}});
    if (!result.ok) throw std::runtime_error("the chains do not compile on the host: " + result.log.substr(0, 4000));
    return result.object;
  }
  static std::string source(const std::vector<Pair>& pairs) {
    constexpr const char* kFunction =
        "GRAFT_EXPORT void graft_{}(const void* state, const graft_share* in, graft_share* out,\n"
        "                           unsigned long long index) {{\n"
        "  {}::template apply_with<{}>(state, in, out, 0, {{index, nullptr}});\n}}\n";
    std::string text = "#include \"graft/host.h\"\n" + codegen::callback_section(all_parts().parts);
    for (std::size_t i = 0; i < functions().size(); ++i)
      text += fmt::format(fmt::runtime(kFunction), fmt::format("part_run_{}", i),
                          fmt::format("graft_adapted_to<graft_part_{}::graft_function>", i),
                          fmt::format("graft_part_{}", i));
    for (const Pair& pair : pairs)
      text += fmt::format(fmt::runtime(kFunction), fmt::format("chain_run_{}_{}", pair.first, pair.second),
                          chain_type(pair), "int");
    return text;
  }

  base::MemoryObject object_;
};

TEST(ReadyMadeChains, ComputeOnTheHostAsTheirPartsDo) {
  const Sweep sweep;
  if (sweep.passed_before()) GTEST_SKIP() << Sweep::kPassedBefore;
  SCOPED_TRACE(rotation_text());
  const std::vector<Pair> pairs = rows_in_turn(fitting_pairs(), kTurns);
  const HostObject object(pairs);
  std::size_t only_nan = 0;
  for (const Pair& pair : pairs) {
    const Signature& first = signatures()[pair.first];
    const Signature& second = signatures()[pair.second];
    const std::vector<ElementType> types = inputs_of(pair);
    std::vector<ByteArray> inputs;
    for (const ElementType& type : types) inputs.push_back(some_elements(type, kCount, inputs.size() + 1));
    const auto own = inputs.begin() + static_cast<std::ptrdiff_t>(first.inputs().size());
    std::vector<ByteArray> handed = object.run(fmt::format("graft_part_run_{}", pair.first), first.inputs(),
                                               {inputs.begin(), own}, first.outputs(), some_state(first));
    handed.insert(handed.end(), own, inputs.end());
    const std::vector<ByteArray> wanted = object.run(fmt::format("graft_part_run_{}", pair.second), second.inputs(),
                                                     handed, second.outputs(), some_state(second));
    const std::vector<ByteArray> found = object.run(fmt::format("graft_chain_run_{}_{}", pair.first, pair.second),
                                                    types, inputs, second.outputs(), joined_states(first, second));
    bool all_nan = true;
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      const Comparison compared = compare(second.outputs()[k], found[k], wanted[k]);
      all_nan &= compared.all_nan;
      EXPECT_TRUE(compared.equal) << title(pair) << ", output " << k << ", byte " << compared.at;
    }
    only_nan += all_nan;
  }
  EXPECT_LT(only_nan, pairs.size() / 50) << "too few chains compute numbers";
}

// ---- built as users build them ----

// Returns the pairs of this round, of the first function of each name.
std::vector<Pair> pairs_to_build(std::size_t round) {
  std::set<std::string> names;
  std::vector<std::size_t> places;
  std::vector<Signature> of_names;
  for (std::size_t i = 0; i < functions().size(); ++i) {
    if (!names.insert(functions()[i].name).second) continue;
    places.push_back(i);
    of_names.push_back(signatures()[i]);
  }
  std::vector<Pair> pairs = covering_pairs(of_names, round);
  for (auto& [first, second] : pairs) {
    first = places[first];
    second = places[second];
  }
  return pairs;
}

TEST(ReadyMadeChains, EachFunctionBuildsAsFirstAndAsSecondPart) {
  const Sweep sweep;
  if (sweep.passed_before()) GTEST_SKIP() << Sweep::kPassedBefore;
  const char* round = std::getenv("GRAFT_CHAIN_ROUND");
  const std::size_t turn = round == nullptr ? 0 : std::strtoull(round, nullptr, 10);
  SCOPED_TRACE(rotation_text());
  const std::vector<Pair> pairs = rows_in_turn(pairs_to_build(turn), kTurns);
  constexpr Route kRoutes[] = {Route::Lto, Route::Program, Route::Ptx};
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    Options options;
    options.routes.required = kRoutes[(i + turn) % 3];
    SCOPED_TRACE(fmt::format("{} by {}", title(pairs[i]), name(kRoutes[(i + turn) % 3])));
    const Callback whole = chain(functions()[pairs[i].first].callback, functions()[pairs[i].second].callback);
    try {
      const Image image = build(whole, Architecture(90), options);
      EXPECT_EQ(image.report().kernel.route, options.routes.required);
      EXPECT_EQ(image.signature().inputs(), inputs_of(pairs[i]));
      EXPECT_EQ(image.signature().outputs(), signatures()[pairs[i].second].outputs());
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

// The text of relu does not mention half. Only the entry does, as a template argument.
TEST(ReadyMadeChains, HalfInAnEntryBringsItsHeader) {
  const Callback activations = Callback::file(GRAFT_SOURCE_DIR "/callbacks/activations.cuh");
  const Callback conversion = Callback::file(GRAFT_SOURCE_DIR "/callbacks/conversion.cuh");
  const Callback relu = activations.with_entry("graft::callbacks::relu<__half>");
  const Callback widen = conversion.with_entry("graft::callbacks::half_to_float");
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect, Route::Host}) {
    SCOPED_TRACE(name(route));
    Options options;
    options.routes.required = route;
    EXPECT_EQ(build(relu, Architecture(90), options).signature(), Signature::of<__half(__half)>());
    EXPECT_EQ(build(chain(relu, widen), Architecture(90), options).signature(), Signature::of<float(__half)>());
  }
}

}  // namespace
}  // namespace graft::test
