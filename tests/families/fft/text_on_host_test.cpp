// Runs the generated texts, which were compiled for the CPU, and compares with FFTs in long double: with and without
// callbacks of both shapes, strides, both directions, scaling, inverses in the same kernel.
#include <gmock/gmock.h>

#include <algorithm>

#include "families/fft/host_text.hpp"
#include "families/fft/text_case_run.hpp"

namespace graft::test {

extern const std::vector<HostText> texts_0, texts_1, texts_2, texts_3;

namespace {

template <class Real>
void expect_case(const TextCase& of_case, const std::vector<HostText>& texts) {
  TextCaseRun<Real> run(of_case);
  run.run([&](std::size_t kernel, const void* parameter, std::size_t, std::int64_t blocks) {
    const auto text = std::find_if(texts.begin(), texts.end(), [&](const HostText& candidate) {
      return candidate.number == of_case.number && candidate.kernel == kernel;
    });
    ASSERT_NE(text, texts.end());
    const int of_cluster = std::max(1, of_case.request.plan.kernels[kernel].cluster.blocks);
    text->run(parameter, 0, static_cast<unsigned long long>(blocks / of_cluster));
  });
  run.expect_results();
}

TEST(TextOnHost, ComputesWhatTheReferenceComputes) {
  std::vector<HostText> texts;
  for (const auto* share : {&texts_0, &texts_1, &texts_2, &texts_3})
    texts.insert(texts.end(), share->begin(), share->end());
  const std::vector<TextCase> cases = text_cases();
  EXPECT_EQ(cases.size(), 483);
  for (const TextCase& of_case : cases) {
    SCOPED_TRACE(of_case.number);
    if (of_case.is_double()) expect_case<double>(of_case, texts);
    else expect_case<float>(of_case, texts);
  }
}

}  // namespace
}  // namespace graft::test
