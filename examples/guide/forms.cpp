// Makes callbacks from binaries (LTO-IR and PTX), with declared signatures.
#include <string>

#include "chapter.hpp"

namespace guide {

namespace {

constexpr const char* kSource = R"(
struct Scale { float a; };
__device__ float gain(float x) { return 3 * x; }
extern "C" __device__ float axpy(float x, float y, const Scale& s) { return s.a * x + y; }
)";

graft::Report report_of(const graft::Callback& callback) {
  return graft::build(callback, graft::Architecture(90)).report();
}

}  // namespace

void forms(cudaStream_t) {
  const std::vector<std::byte> ltoir_bytes = graft::Callback(kSource).precompile({75}, graft::PrecompileFormat::LtoIr);
  const std::vector<std::byte> ptx_bytes = graft::Callback(kSource).precompile({75}, graft::PrecompileFormat::Ptx);
  const std::string ptx_text(reinterpret_cast<const char*>(ptx_bytes.data()), ptx_bytes.size());
  write_file("gain.ptx", ptx_text);
  // [forms]
  const graft::Callback ltoir = graft::Callback::ltoir(ltoir_bytes).with_signature("float gain(float)");
  const graft::Callback ptx = graft::Callback::ptx(ptx_text).with_signature(R"(
      struct Scale { float a; };
      extern "C" float axpy(float x, float y, const Scale& s)
  )");
  const graft::Callback typed =
      graft::Callback::file("gain.ptx").with_signature(graft::Signature::of<float(float)>()).with_entry("gain");
  // [/forms]
  expect(report_of(ltoir).kernel.route == graft::Route::Lto && report_of(ltoir).inlined());
  expect(report_of(ptx).kernel.route == graft::Route::Ptx);
  expect(report_of(ptx).kernel.signature.text() == "float(float, float, const Scale&)");
  expect(report_of(typed).kernel.signature == graft::Signature::of<float(float)>());
}

void link_inputs(cudaStream_t) {
  const graft::Callback source = "extern \"C\" __device__ float curve(float x) { return x * x * (3 - 2 * x); }";
  write_file("curves.ltoir", source.precompile({75}, graft::PrecompileFormat::LtoIr));
  // [link_inputs]
  const graft::Callback shade = R"(
      extern "C" __device__ float curve(float);  // defined in curves.ltoir
      __device__ float shade(float x, const float& gain) { return gain * curve(x); }
  )";
  const graft::Callback linked = shade.with_link_input(graft::Callback::file("curves.ltoir"));
  // [/link_inputs]
  expect(report_of(linked).kernel.route == graft::Route::Lto && report_of(linked).inlined());
}

}  // namespace guide
