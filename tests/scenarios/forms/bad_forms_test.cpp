// Tests the errors that graft reports for mistakes that users make with compiled callbacks. NVIDIA's linker silently
// accepts several of these mistakes.
#include <fmt/format.h>

#include "base/bytes.hpp"
#include "scenarios/forms/forms.hpp"

namespace graft::test {
namespace {

struct Row {
  const char* name;
  Form form;
  std::string file;
  std::string signature;
  std::string entry;
  int architecture;
  ErrorCode code;
  std::string words;  // a part of the message
};

void PrintTo(const Row& row, std::ostream* out) {
  *out << row.name;
}

const std::string kGain = "extern \"C\" float gain(float)";

const Row kRows[] = {
    {"NoSignature", Form::LtoIr, "gain.ltoir", "", "gain", 90, ErrorCode::InvalidArgument, "comes without a signature"},
    {"NoName", Form::LtoIr, "gain.ltoir", "float(float)", "", 90, ErrorCode::NoSuchEntry, "names the function"},
    {"NoFunction", Form::LtoIr, "gain.ltoir", "int x", "", 90, ErrorCode::InvalidArgument,
     "is not the signature of a function"},
    {"UnknownType", Form::LtoIr, "gain.ltoir", "extern \"C\" float gain(Unknown)", "", 90, ErrorCode::CompileFailed,
     "signature of gain.ltoir does not compile"},
    {"PointerParameter", Form::LtoIr, "gain.ltoir", "extern \"C\" float gain(float*)", "", 90,
     ErrorCode::UnsupportedParameter, "float*"},

    {"MisspeltInLtoIr", Form::LtoIr, "gain.ltoir", "extern \"C\" float gian(float)", "", 90, ErrorCode::NoSuchEntry,
     "gain.ltoir has no function `gian`"},
    {"MisspeltInPtx", Form::Ptx, "gain.ptx", "extern \"C\" float gian(float)", "", 90, ErrorCode::NoSuchEntry,
     "gain.ptx has no function `gian`; it exports gain, axpy"},
    {"MisspeltInCubin", Form::Object, "gain.cubin", "extern \"C\" float gian(float)", "", 75, ErrorCode::NoSuchEntry,
     "it exports"},
    {"MisspeltInObject", Form::Object, "gain_lto.o", "extern \"C\" float gian(float)", "", 75, ErrorCode::NoSuchEntry,
     "gain_lto.o has no function `gian`"},
    {"WrongTypesOfAMangledName", Form::LtoIr, "gain.ltoir", "float shift(int)", "", 90, ErrorCode::NoSuchEntry,
     "no function `shift(int)` (_Z5shifti)"},
    {"CDeclaredAsCpp", Form::LtoIr, "gain.ltoir", "float gain(float)", "", 90, ErrorCode::NoSuchEntry, "_Z4gainf"},

    {"WrongParameterSize", Form::Ptx, "gain.ptx", "extern \"C\" float gain(double)", "", 90,
     ErrorCode::SignatureMismatch, "(8) -> (4) bytes"},
    {"WrongParameterCount", Form::Ptx, "gain.ptx", "extern \"C\" float gain(float, float)", "", 90,
     ErrorCode::SignatureMismatch, "(4, 4) -> (4)"},
    {"WrongResult", Form::Ptx, "gain.ptx", "extern \"C\" double gain(float)", "", 90, ErrorCode::SignatureMismatch,
     "(4) -> (8)"},

    {"UndefinedInLtoIr", Form::LtoIr, "gain.ltoir", "extern \"C\" float calls_absent(float)", "", 90,
     ErrorCode::LinkFailed, "`absent(float)` is called, and nothing defines it"},
    {"UndefinedInPtx", Form::Ptx, "gain.ptx", "extern \"C\" float calls_absent(float)", "", 90, ErrorCode::LinkFailed,
     "absent(float)"},

    {"LtoIrForANewerArchitecture", Form::LtoIr, "gain_90.ltoir", kGain, "", 80, ErrorCode::ImageRefused,
     "gain_90.ltoir holds nothing for sm_80, only LTO-IR for sm_90"},
    {"PtxForANewerArchitecture", Form::Ptx, "gain_90.ptx", kGain, "", 80, ErrorCode::ImageRefused,
     "holds nothing for sm_80, only PTX for sm_90"},
    {"CubinForAnotherArchitecture", Form::Object, "gain.cubin", kGain, "", 90, ErrorCode::ImageRefused,
     "machine code for sm_75"},

    {"PtxAsLtoIr", Form::LtoIr, "gain.ptx", kGain, "", 90, ErrorCode::ImageRefused, "cannot be read as LTO-IR"},
    {"LtoIrAsPtx", Form::Ptx, "gain.ltoir", kGain, "", 90, ErrorCode::ImageRefused, "cannot be read as PTX"},
    {"LtoIrAsFatbin", Form::Fatbin, "gain.ltoir", kGain, "", 90, ErrorCode::ImageRefused, "cannot be read as fatbin"},
    {"PtxAsObject", Form::Object, "gain.ptx", kGain, "", 90, ErrorCode::ImageRefused, "cannot be read as object"},
};

// PTX for a family target (NVIDIA's name for targets that end in f, such as sm_100f) runs only on the devices of that
// family. graft must refuse the PTX for all other devices, even for those with a higher number, such as sm_120.
TEST(BadFormsOfAGeneration, ServeNoOther) {
  std::string text(base::as_text(compiled(Form::Ptx, "gain.ptx").bytes()));
  text.replace(text.find(".target sm_75"), std::string(".target sm_75").size(), ".target sm_100f");
  const Callback callback = Callback::ptx(text, "f100f.ptx").with_signature(kGain);
  for (const Route route : {Route::Ptx, Route::Indirect}) {
    const Error error = error_of([&] { build(callback, Architecture(120), by(route)); });
    EXPECT_EQ(error.code(), ErrorCode::ImageRefused) << error.what();
    EXPECT_EQ(error.message(), "f100f.ptx holds nothing for sm_120, only PTX for sm_100f");
  }
}

class BadForms : public ::testing::TestWithParam<Row> {};

TEST_P(BadForms, AreRefusedInWords) {
  const Row& row = GetParam();
  const Error error = error_of([&] {
    build(compiled(row.form, row.file).with_signature(row.signature).with_entry(row.entry),
          Architecture(row.architecture));
  });
  EXPECT_EQ(error.code(), row.code) << error.what();
  EXPECT_NE(error.message().find(row.words), std::string::npos) << error.what();
  EXPECT_FALSE(error.remedy().empty());
}

INSTANTIATE_TEST_SUITE_P(Table, BadForms, ::testing::ValuesIn(kRows),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(BadForms, GarbageOfEveryFormIsRefused) {
  const std::string garbage(200, 'x');
  const auto bytes = base::as_bytes(garbage);
  for (const Callback& callback :
       {Callback::ltoir(bytes), Callback::fatbin(bytes), Callback::ptx(garbage), Callback::object(bytes),
        Callback::ltoir({}), Callback::fatbin({}), Callback::object({}), Callback::ptx("")})
    EXPECT_EQ(error_of([&] { build(callback.with_signature(kGain), Architecture(90)); }).code(),
              ErrorCode::ImageRefused)
        << name(callback.form());
}

TEST(BadForms, RoutesThatAFormCannotTakeSayWhy) {
  const Callback ltoir = compiled(Form::LtoIr, "gain.ltoir").with_signature(kGain);
  const Callback ptx = compiled(Form::Ptx, "gain.ptx").with_signature(kGain);
  const auto refusal = [](const Callback& callback, Route route) {
    const Error error = error_of([&] { build(callback, Architecture(90), by(route)); });
    EXPECT_EQ(error.code(), ErrorCode::RouteUnavailable) << error.what();
    return error.message();
  };
  EXPECT_NE(refusal(ltoir, Route::Program).find("program: gain.ltoir is not source"), std::string::npos);
  EXPECT_NE(refusal(ltoir, Route::Ptx).find("ptx: gain.ltoir has neither PTX nor machine code"), std::string::npos);
  EXPECT_NE(refusal(ltoir, Route::Host).find("host: gain.ltoir is not source"), std::string::npos);
  EXPECT_NE(refusal(ptx, Route::Lto).find("lto: gain.ptx has no LTO-IR"), std::string::npos);
}

}  // namespace
}  // namespace graft::test
