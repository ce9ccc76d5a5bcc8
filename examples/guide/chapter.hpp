// The examples of docs/guide.md, one function each. What stands between `// [name]` and `// [/name]` is in the guide,
// word for word (tests/docs checks it); the rest makes it run, and looks at what came out.
//
// `stream` is a stream of device 0, null without a GPU. The current folder is an empty one of the program's own.
#pragma once

#include <cuda_runtime_api.h>

#include <filesystem>
#include <graft/graft.hpp>
#include <span>
#include <string_view>

namespace guide {

void first(cudaStream_t stream);
void arrays(cudaStream_t stream);
void array_refs(cudaStream_t stream);
void outputs(cudaStream_t stream);
void index(cudaStream_t stream);
void structs(cudaStream_t stream);
void entries(cudaStream_t stream);
void state(cudaStream_t stream);
void table(cudaStream_t stream);
void baked(cudaStream_t stream);
void chain(cudaStream_t stream);
void stages(cudaStream_t stream);
void forms(cudaStream_t stream);
void report(cudaStream_t stream);
void routes(cudaStream_t stream);
void options(cudaStream_t stream);
void error(cudaStream_t stream);
void host(cudaStream_t stream);
void cache(cudaStream_t stream);
void packs(cudaStream_t stream);
void graph(cudaStream_t stream);
void async(cudaStream_t stream);
void devices(cudaStream_t stream);
void symbol(cudaStream_t stream);

// Without a GPU builds the callback's kernel for sm_90, and returns true: the example ends there.
bool only_built(cudaStream_t stream, const graft::Callback& callback, const graft::Options& options = {});

// Throws when the example did not do what the guide says. clang 14 has the builtins, and no std::source_location.
void expect(bool is_so, const char* file = __builtin_FILE(), int line = __builtin_LINE());

void write_file(const std::filesystem::path& file, std::span<const std::byte> bytes);
void write_file(const std::filesystem::path& file, std::string_view text);

}  // namespace guide
