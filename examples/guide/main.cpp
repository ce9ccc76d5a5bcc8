// Runs the examples of the guide (docs/guide.md), each with a check of its result. Without a GPU, the examples that
// launch kernels only build their kernels, for sm_90. Exits with 1 if an example fails.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>

#include "chapter.hpp"
#include "support/cuda.hpp"

namespace {

struct Chapter {
  const char* name;
  void (*run)(cudaStream_t stream);
};

constexpr Chapter kChapters[] = {
    {"first", guide::first},
    {"arrays", guide::arrays},
    {"broadcast", guide::broadcast},
    {"pitch", guide::pitch},
    {"transposed", guide::transposed},
    {"scalar", guide::scalar},
    {"halves", guide::halves},
    {"examples_of_shapes", guide::examples_of_shapes},
    {"position", guide::position},
    {"refs", guide::array_refs},
    {"outputs", guide::outputs},
    {"index", guide::index},
    {"in_place", guide::in_place},
    {"no_outputs", guide::no_outputs},
    {"no_arrays", guide::no_arrays},
    {"store", guide::store},
    {"bits", guide::bits},
    {"structs", guide::structs},
    {"entries", guide::entries},
    {"generic", guide::generic},
    {"state", guide::state},
    {"table", guide::table},
    {"baked", guide::baked},
    {"chain", guide::chain},
    {"stages", guide::stages},
    {"forms", guide::forms},
    {"link", guide::link_inputs},
    {"report", guide::report},
    {"routes", guide::routes},
    {"options", guide::options},
    {"compiler", guide::compiler},
    {"error", guide::error},
    {"diagnostics", guide::diagnostics},
    {"formula", guide::formula},
    {"host", guide::host},
    {"cache", guide::cache},
    {"packs", guide::packs},
    {"graph", guide::graph},
    {"async", guide::async},
    {"devices", guide::devices},
    {"symbol", guide::symbol},
    {"thread_words", guide::thread_words},
};

// Makes a new, empty temporary folder and makes it the working folder. The destructor restores the old working folder
// and removes the temporary one.
class Scratch {
 public:
  Scratch() : before_(std::filesystem::current_path()) {
    std::string name = std::filesystem::temp_directory_path() / "graft-guide-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot create a temporary folder " + name);
    folder_ = name;
    std::filesystem::current_path(folder_);
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::current_path(before_, ignored);
    std::filesystem::remove_all(folder_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

 private:
  std::filesystem::path before_;
  std::filesystem::path folder_;
};

bool succeeds(const Chapter& chapter, cudaStream_t stream) try {
  const Scratch scratch;
  chapter.run(stream);
  fmt::print("{:<8}  ok\n", chapter.name);
  return true;
} catch (const std::exception& error) {
  fmt::print("{:<8}  FAILED\n{}\n", chapter.name, error.what());
  return false;
}

}  // namespace

int main() try {
  const bool has_gpu = examples::use_gpu();
  const examples::Stream stream = has_gpu ? examples::make_stream() : nullptr;
  fmt::print("{}\n", has_gpu ? "Running on " + examples::gpu_name()
                             : "No GPU can be used here: kernels are built for sm_90 and do not run.");
  bool good = true;
  for (const Chapter& chapter : kChapters) good = succeeds(chapter, stream.get()) && good;
  return good ? 0 : 1;
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
