// Tests visit_code(): which units of device code it visits in each CodeScope, which contents it has read when it calls
// the visitor, and how the visitor can end it.
#include "format/device_code.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "format/samples.hpp"

namespace graft::format {
namespace {

constexpr std::string_view kFatbinMagic = "\x50\xed\x55\xba";

// Lists the units that it visits: "ptx sm_75 in a.o; ". If `refuses_objects`, it makes visit_code() end at the first
// host object.
class Lister : public CodeVisitor {
 public:
  std::optional<FormatError> visit(CodeUnit& unit) override {
    constexpr const char* kWords[] = {"ptx", "cubin", "ltoir", "other"};
    units += fmt::format("{} {}{}; ", kWords[static_cast<int>(unit.code.kind)], unit.code.architecture.sm(),
                         unit.code.member.empty() ? "" : fmt::format(" in {}", unit.code.member));
    return std::nullopt;
  }
  std::optional<FormatError> visit_object(const ElfFile&) override {
    return refuses_objects ? std::optional(FormatError{Flaw::Unfit, "an object", 5}) : std::nullopt;
  }

  std::string units;
  bool refuses_objects = false;
};

std::string units(FileKind kind, std::string_view bytes, CodeScope scope) {
  Lister lister;
  const auto flaw = visit_code(kind, base::as_bytes(bytes), scope, lister);
  return lister.units + (flaw ? flaw->error.message : "");
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  const std::size_t at = text.find(what);
  if (at == text.npos) throw std::runtime_error("the sample does not contain the text");
  return text.replace(at, what.size(), by);
}

TEST(DeviceCode, InAnArchiveALinkerReadsElfFilesOnly) {
  const std::string archive = "!<arch>\n" + archive_member("a.ptx/", sample("nvcc_75.ptx")) +
                              archive_member("b.cubin/", sample("nvrtc_12_9_sm90a.cubin")) +
                              archive_member("c.txt/", "\x01") + archive_member("d.a/", sample("library.a")) +
                              archive_member("e.fatbin/", sample("plain_lto.fatbin"));
  EXPECT_EQ(units(FileKind::Archive, archive, CodeScope::Everything),
            "ptx sm_75 in a.ptx; cubin sm_90a in b.cubin; ltoir sm_75 in e.fatbin; ");
  EXPECT_EQ(units(FileKind::Archive, archive, CodeScope::LinkerInputs), "cubin sm_90a in b.cubin; ");
}

TEST(DeviceCode, InAnObjectTheScopesFindFatbinsByNameOrByContent) {
  const std::string object = sample("relocatable.o");
  for (const CodeScope scope : {CodeScope::Everything, CodeScope::LinkerInputs})
    EXPECT_EQ(units(FileKind::Object, object, scope), "cubin sm_75; ptx sm_75; ");
  const std::string renamed = replaced(object, "__nv_relfatbin", "__my_relfatbin");
  EXPECT_EQ(units(FileKind::Object, renamed, CodeScope::Everything), "");
  EXPECT_EQ(units(FileKind::Object, renamed, CodeScope::LinkerInputs), "cubin sm_75; ptx sm_75; ");
  const std::string overwritten = replaced(object, kFatbinMagic, "text");
  EXPECT_EQ(units(FileKind::Object, overwritten, CodeScope::Everything), "this is not a fatbin");
  EXPECT_EQ(units(FileKind::Object, overwritten, CodeScope::LinkerInputs), "");
}

// Counts in `known` the units whose contents visit_code() has already read, and in `read` the units whose contents are
// available after read_code().
class Reader : public CodeVisitor {
 public:
  std::optional<FormatError> visit(CodeUnit& unit) override {
    known += unit.ptx || unit.cubin;
    EXPECT_EQ(unit.is_in_fatbin, !unit.ptx && !unit.cubin && unit.code.kind != CodeKind::LtoIr);
    if (auto damage = read_code(unit)) return damage;
    read += unit.ptx || unit.cubin;
    return std::nullopt;
  }

  int known = 0;
  int read = 0;
};

TEST(DeviceCode, IsReadBeforeTheVisitOutsideOfFatbinsOnly) {
  struct Row {
    const char* name;
    FileKind kind;
    int known;
    int read;
  };
  for (const Row& row : {Row{"nvcc_75.ptx", FileKind::Ptx, 1, 1}, Row{"nvcc_75.cubin", FileKind::Cubin, 1, 1},
                         Row{"nvcc_75.ltoir", FileKind::LtoIr, 0, 0}, Row{"plain.fatbin", FileKind::Fatbin, 0, 3}}) {
    const std::string bytes = sample(row.name);
    Reader reader;
    EXPECT_FALSE(visit_code(row.kind, base::as_bytes(bytes), CodeScope::LinkerInputs, reader)) << row.name;
    EXPECT_EQ(reader.known, row.known) << row.name;
    EXPECT_EQ(reader.read, row.read) << row.name;
  }
}

TEST(DeviceCode, AnErrorOfTheVisitorEndsTheWalkAndNamesTheMember) {
  const std::string archive = sample("library.a");
  Lister lister;
  lister.refuses_objects = true;
  const auto flaw = visit_code(FileKind::Archive, base::as_bytes(archive), CodeScope::LinkerInputs, lister);
  ASSERT_TRUE(flaw);
  EXPECT_EQ(flaw->error.message, "an object");
  EXPECT_EQ(flaw->member, "a_name_of_more_than_fifteen_letters.o");
  EXPECT_EQ(flaw->error.offset, archive.find("\x7f"
                                             "ELF") +
                                    5);
  EXPECT_EQ(lister.units, "");
}

TEST(DeviceCode, TakesDamageInBothScopes) {
  for (const std::string_view name : kSamples)
    read_damaged(sample(name), [](const Guarded& bytes) {
      const auto kind = file_kind(bytes.bytes());
      if (!kind) return;
      for (const CodeScope scope : {CodeScope::Everything, CodeScope::LinkerInputs}) {
        Lister lister;
        const auto flaw = visit_code(*kind, bytes.bytes(), scope, lister);
        EXPECT_TRUE(!flaw || !flaw->error.message.empty());
      }
    });
}

}  // namespace
}  // namespace graft::format
