// Mistakes that graft refuses in its own words: compiled once for each REFUSAL, and the test reads the message. With no
// REFUSAL the same file compiles.
#include <string>
#include <vector>

#include <graft/graft.hpp>

void refuse(const graft::Transform& transform, CUstream_st* stream, graft::DeviceArray<float> x,
            graft::DeviceArray<const float> read_only, std::vector<float>& host, std::string& text) {
#if REFUSAL == 1
  transform.execute(stream, graft::inputs(host), x);
#elif REFUSAL == 2
  transform.execute(stream, x, graft::outputs(host));
#elif REFUSAL == 3
  transform.execute(stream, x, read_only);
#elif REFUSAL == 4
  transform.execute(stream, {static_cast<void*>(x.pointer), x.count}, x);
#elif REFUSAL == 5
  transform.execute(stream, graft::inputs(x, x, x, x, x, x, x, x, x), x);
#elif REFUSAL == 6
  transform.execute(stream, x, graft::outputs(x, x, x, x, x));
#elif REFUSAL == 7
  transform.execute(stream, x, x, text);
#else
  transform.execute(stream, graft::inputs(x, read_only, graft::device(host)), graft::outputs(x), text.size());
#endif
}
