// Writes a C++ file with the texts of a share of the kernels of text_cases.hpp, to be compiled and run on the CPU:
//
//     fft_texts SHARE SHARES > file.cpp
//
// The file defines graft::test::texts_SHARE, a list of the kernels.
#include <cstdio>
#include <cstdlib>

#include "families/fft/text_cases.hpp"

int main(int count, char** arguments) {
  if (count != 3) return EXIT_FAILURE;
  const int share = std::atoi(arguments[1]), shares = std::atoi(arguments[2]);
  std::string text =
      "#include \"host.h\"\n#include \"families/fft/host_text.hpp\"\n#include <graft/device.h>\n"
      "#include \"contract.h\"\n#include \"cells.h\"\n#include \"adapter.h\"\n#include \"behind.h\"\n"
      "#include \"compose.h\"\n"
      "#include \"fft/refusals.h\"\n#include \"fft/hooks.h\"\n";
  std::string list;
  for (graft::test::TextCase& c : graft::test::text_cases()) {
    if (c.number % shares != share) continue;
    for (std::size_t kernel = 0; kernel < c.request.plan.kernels.size(); ++kernel) {
      c.request.kernel = kernel;
      c.request.name = graft::test::kernel_name(c.number, kernel);
      // Names of the kernels' texts would clash in one namespace.
      const std::string room = graft::base::format("room_{}_{}", c.number, kernel);
      graft::base::append(text, "namespace {} {{\n{}{}}}\n", room, c.callbacks,
                          graft::families::fft::host_text(c.request));
      graft::base::append(list, "  {{{}, {}, {}::{}}},\n", c.number, kernel, room, c.request.name);
    }
  }
  graft::base::append(text,
                      "namespace graft::test {{\nextern const std::vector<HostText> texts_{};\n"
                      "const std::vector<HostText> texts_{} = {{\n{}}};\n}}\n",
                      share, share, list);
  return std::fputs(text.c_str(), stdout) < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
