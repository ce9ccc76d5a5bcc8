// A program of the build: compiles one building block or policy fragment to LTO-IR with NVRTC 12, because there is no
// nvcc of CUDA 12 in a toolkit of CUDA 13.
//
//     nvrtc_ltoir LIBNVRTC OUTPUT SOURCE [NVRTC OPTIONS...]
#include <dlfcn.h>
#include <nvrtc.h>

#include <cstddef>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

class Compiler {
 public:
  explicit Compiler(const char* file) : library_(dlopen(file, RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) throw std::runtime_error(dlerror());
    int major = 0;
    int minor = 0;
    call<decltype(nvrtcVersion)>("nvrtcVersion", &major, &minor);
    // NVRTC 12.3 and older refuse options that graft needs. For tools of CUDA 13, the blocks are made by nvcc 13.
    if (major != 12 || minor < 4)
      throw std::runtime_error(std::string(file) + " is NVRTC " + std::to_string(major) + "." + std::to_string(minor) +
                               "; give NVRTC 12.4 to 12.9");
  }

  std::string ltoir(const char* file, const std::vector<const char*>& options) const {
    std::ifstream source(file);
    const std::string text((std::istreambuf_iterator<char>(source)), {});
    if (text.empty()) throw std::runtime_error(std::string("cannot read ") + file);
    nvrtcProgram program = nullptr;
    call<decltype(nvrtcCreateProgram)>("nvrtcCreateProgram", &program, text.c_str(), file, 0, nullptr, nullptr);
    std::size_t size = 0;
    try {
      call<decltype(nvrtcCompileProgram)>("nvrtcCompileProgram", program, static_cast<int>(options.size()),
                                          options.data());
    } catch (const std::exception& error) {
      call<decltype(nvrtcGetProgramLogSize)>("nvrtcGetProgramLogSize", program, &size);
      std::string log(size, '\0');
      call<decltype(nvrtcGetProgramLog)>("nvrtcGetProgramLog", program, log.data());
      throw std::runtime_error(std::string(error.what()) + ":\n" + log.c_str());
    }
    call<decltype(nvrtcGetLTOIRSize)>("nvrtcGetLTOIRSize", program, &size);
    std::string code(size, '\0');
    call<decltype(nvrtcGetLTOIR)>("nvrtcGetLTOIR", program, code.data());
    return code;
  }

 private:
  // Calls NVRTC's function `name`. The type of the function comes from its declaration in nvrtc.h.
  template <class Function, class... Arguments>
  void call(const char* name, Arguments... arguments) const {
    const auto function = reinterpret_cast<Function*>(dlsym(library_, name));
    if (function == nullptr) throw std::runtime_error(std::string("NVRTC has no function ") + name);
    if (const nvrtcResult result = function(arguments...); result != NVRTC_SUCCESS)
      throw std::runtime_error(std::string(name) + " failed with error " + std::to_string(result));
  }

  void* library_;
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 4) throw std::runtime_error("give LIBNVRTC OUTPUT SOURCE [NVRTC OPTIONS...]");
  const std::string code = Compiler(argv[1]).ltoir(argv[3], {argv + 4, argv + argc});
  std::ofstream output(argv[2], std::ios::binary);
  output << code << std::flush;
  if (!output) throw std::runtime_error(std::string("cannot write ") + argv[2]);
} catch (const std::exception& error) {
  std::fprintf(stderr, "nvrtc_ltoir: %s\n", error.what());
  return 1;
}
