// Lengths that need a workspace, and reports.
#include "chapter.hpp"

namespace fft_guide {

template <class Stream>
void workspace(Stream stream, const graft::Options& options) {
  const std::vector<Complex> ones(2 * 131072, 1);
  const auto in = array(stream, ones);
  auto out = array(stream, ones);
  std::vector<Complex> expected(ones.size());
  expected[0] = expected[131072] = 131072;
  {
    // [workspace_by_create]
    const graft::Fft fft = graft::Fft::create({.length = 131072, .batch = 2}, {}, options);  // allocates 2 MiB
    fft.execute(stream, in, out);
    // [/workspace_by_create]
    expect_near(values_of(out), expected, 1);
  }
  std::vector<std::byte> bytes;
  // [workspace_of_caller]
  const graft::Fft fft = graft::Fft::create({.length = 131072}, {}, options);
  const std::size_t needed = fft.workspace_bytes(2);
  // [/workspace_of_caller]
  bytes.resize(needed);
  auto memory = array(stream, bytes);
  // [workspace_of_caller]
  fft.execute(stream, in, out, graft::Direction::Forward,
              {.batch = 2, .workspace = memory.data(), .workspace_bytes = needed});
  // [/workspace_of_caller]
  expect_near(values_of(out), expected, 1);
}
template void workspace(cudaStream_t, const graft::Options&);
template void workspace(graft::HostTag, const graft::Options&);

template <class Stream>
void reports(Stream, const graft::Options& options) {
  const graft::Fft fft = graft::Fft::create({.length = 360}, {}, options);
  std::string text;
  // [reports]
  for (const graft::Report& report : fft.reports()) text += report.to_text();
  // [/reports]
  if (fft.reports().size() != 2 || text.empty()) throw std::runtime_error("there are not two reports");
}
template void reports(cudaStream_t, const graft::Options&);
template void reports(graft::HostTag, const graft::Options&);

}  // namespace fft_guide
