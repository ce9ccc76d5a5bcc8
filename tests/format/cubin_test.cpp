// Tests read_cubin(), which reads facts about a cubin's functions, for example their parameters. read_cubin() must
// return nothing for other files, and must not read outside of a damaged cubin.
#include "format/cubin.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "format/samples.hpp"

namespace graft::format {
namespace {

std::string list(const std::vector<PtxParameter>& parameters) {
  std::string text;
  for (const PtxParameter& p : parameters) text += fmt::format("{}{}", text.empty() ? "" : " ", p.size);
  return text;
}

std::string text(const Cubin& cubin) {
  std::string lines;
  for (const CubinFunction& f : cubin.functions)
    lines += fmt::format("{} {} code, {} frame{}\n", f.name, f.code_bytes, f.frame_bytes,
                         f.stack_bytes ? fmt::format(", {} stack", *f.stack_bytes) : "");
  for (const PtxFunction& f : cubin.prototypes)
    lines +=
        fmt::format("{}: {} -> {}{}\n", f.name, list(f.parameters), list(f.results), f.is_defined ? "" : " absent");
  return lines;
}

Cubin read(const std::string& bytes) {
  const auto elf = read_elf(base::as_bytes(bytes));
  if (!elf) throw std::runtime_error(elf.error().message);
  return read_cubin(*elf);
}

TEST(Cubin, SaysWhatItsFunctionsTake) {
  std::string bytes = sample("nvcc_75.cubin");
  EXPECT_EQ(text(read(bytes)),
            "_ZN43_INTERNAL_7b48f286_12_callbacks_cu_129b00115localEf 256 code, 8 frame\n"
            "_ZN4math5twiceIfEET_S1_ 128 code, 0 frame\n"
            "_ZN4math5scaleENS_7ComplexIfEERKNS_5ScaleERdy 256 code, 0 frame\n"
            "_Z6kernelPf 128 code, 0 frame\n"
            "c_relu 640 code, 24 frame\n"
            "_Z4reluf 128 code, 0 frame\n"
            "_Z9undefinedf: 4 -> 4 absent\n"
            "_ZN4math5scaleENS_7ComplexIfEERKNS_5ScaleERdy: 8 8 8 8 -> 8\n"
            "_ZN4math5twiceIfEET_S1_: 4 -> 4\n"
            "c_relu: 4 4 4 -> 4\n"
            "_Z4reluf: 4 -> 4\n");
  bytes = sample("nvcc_120_linked.cubin");
  EXPECT_EQ(text(read(bytes)), "_Z6kernelPf 256 code, 0 frame, 0 stack\n");
  bytes = sample("nvrtc_12_9_sm90a.cubin");
  EXPECT_EQ(text(read(bytes)), "_Z4reluf 256 code, 0 frame\n_Z4reluf: 4 -> 4\n");
}

TEST(Cubin, OtherFilesSayNothing) {
  const std::string bytes = sample("host.o");
  EXPECT_EQ(text(read(bytes)), "");
}

TEST(Cubin, TakesDamage) {
  for (const std::string_view name : {"nvcc_75.cubin", "nvcc_120_linked.cubin", "nvrtc_12_9_sm90a.cubin"})
    read_damaged(sample(name), [](const Guarded& guarded) {
      const auto elf = read_elf(guarded.bytes());
      if (!elf) return;
      for (const CubinFunction& function : read_cubin(*elf).functions)
        EXPECT_TRUE(is_inside(function.name, guarded.text()));
    });
}

}  // namespace
}  // namespace graft::format
