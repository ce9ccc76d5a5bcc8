// Declares one function for each example of the guide (docs/guide.md). Lines between `[name]` and `[/name]` comments
// are shown in the guide word for word (tests/docs compares them). The other lines make the example run and check its
// result.
//
// `stream` is a stream of device 0, or null without a GPU. Each function runs in an empty temporary working folder.
#pragma once

#include <cuda_runtime_api.h>

#include <filesystem>
#include <graft/graft.hpp>
#include <span>
#include <string_view>

namespace guide {

void first(cudaStream_t stream);
void arrays(cudaStream_t stream);
void broadcast(cudaStream_t stream);
void pitch(cudaStream_t stream);
void transposed(cudaStream_t stream);
void scalar(cudaStream_t stream);
void halves(cudaStream_t stream);
void examples_of_shapes(cudaStream_t stream);
void position(cudaStream_t stream);
void array_refs(cudaStream_t stream);
void outputs(cudaStream_t stream);
void index(cudaStream_t stream);
void in_place(cudaStream_t stream);
void no_outputs(cudaStream_t stream);
void no_arrays(cudaStream_t stream);
void store(cudaStream_t stream);
void bits(cudaStream_t stream);
void structs(cudaStream_t stream);
void entries(cudaStream_t stream);
void generic(cudaStream_t stream);
void state(cudaStream_t stream);
void table(cudaStream_t stream);
void baked(cudaStream_t stream);
void chain(cudaStream_t stream);
void stages(cudaStream_t stream);
void forms(cudaStream_t stream);
void link_inputs(cudaStream_t stream);
void report(cudaStream_t stream);
void routes(cudaStream_t stream);
void options(cudaStream_t stream);
void compiler(cudaStream_t stream);
void error(cudaStream_t stream);
void diagnostics(cudaStream_t stream);
void formula(cudaStream_t stream);
void thread_words(cudaStream_t stream);
void host(cudaStream_t stream);
void cache(cudaStream_t stream);
void packs(cudaStream_t stream);
void graph(cudaStream_t stream);
void async(cudaStream_t stream);
void devices(cudaStream_t stream);
void symbol(cudaStream_t stream);

// If `stream` is null (there is no GPU), builds the callback's kernel for sm_90 and returns true; the example then
// ends, because it cannot launch. Otherwise returns false.
bool only_built(cudaStream_t stream, const graft::Callback& callback, const graft::Options& options = {});

// Throws if `is_so` is false, because then the example did not do what the guide says. `file` and `line` use builtins
// because clang 14 lacks std::source_location.
void expect(bool is_so, const char* file = __builtin_FILE(), int line = __builtin_LINE());

void write_file(const std::filesystem::path& file, std::span<const std::byte> bytes);
void write_file(const std::filesystem::path& file, std::string_view text);

}  // namespace guide
