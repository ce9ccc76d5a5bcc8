// Tests which Error graft makes from the messages of a failed compile. NVRTC and the host compiler word the same
// mistake differently, and both wordings must give the same Error.
#include "compile/compile_error.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "support/errors.hpp"

namespace graft::compile {
namespace {

codegen::SourceProgram program_of(const char* entry) {
  codegen::SourceProgram program;
  program.title = "f in callback.cu";
  program.parts.callback_name = "callback.cu";
  program.parts.entry = entry;
  return program;
}

Error own_error(const codegen::SourceProgram& program, Compiler compiler, std::string_view log) {
  const CompileErrors errors(program, compiler, {{"a compiler", "1.0"}});
  return test::error_of([&] { errors.throw_own_error(parse_compile_log(log, compiler), std::string(log)); });
}

Error users_error(Compiler compiler, std::string_view log) {
  const codegen::SourceProgram program = program_of("f");
  const CompileErrors errors(program, compiler, {{"a compiler", "1.0"}});
  return test::error_of([&] { errors.throw_users_error(parse_compile_log(log, compiler)); });
}

TEST(Misfit, IsToldByTheFirstErrorOfEachCompiler) {
  struct Row {
    Compiler compiler;
    const char* log;
    ErrorCode code;
    const char* message;
  };
  const Row rows[] = {
      {Compiler::Nvrtc, "graft_declared_signature(1): error: identifier \"Absent\" is undefined\n",
       ErrorCode::SignatureMismatch,
       "f in callback.cu: the declared signature \"float(Absent)\" is not a function type, or names types that the "
       "source does not declare"},
      {Compiler::Host, "graft_declared_signature:1:5: error: 'Absent' was not declared in this scope\n",
       ErrorCode::SignatureMismatch,
       "f in callback.cu: the declared signature \"float(Absent)\" is not a function type, or names types that the "
       "source does not declare"},
      {Compiler::Nvrtc, "graft_adapter(1): error: cannot determine which instance of overloaded function \"f\"\n",
       ErrorCode::AmbiguousEntry, "f in callback.cu: `f` names several functions"},
      {Compiler::Host, "graft_adapter:1:5: error: reference to overloaded function could not be resolved\n",
       ErrorCode::AmbiguousEntry, "f in callback.cu: `f` names several functions"},
      {Compiler::Nvrtc, "graft_adapter(1): error: the global scope has no \"f\"; \"f\" is undefined\n",
       ErrorCode::NoSuchEntry, "callback.cu has no function `f`"},
      {Compiler::Host, "graft_adapter:1:5: error: '::f' has not been declared\n", ErrorCode::NoSuchEntry,
       "callback.cu has no function `f`"},
      {Compiler::Nvrtc, "graft/adapter.h(9): error: no\n", ErrorCode::UnsupportedParameter,
       "f in callback.cu cannot be called as a callback"},
      {Compiler::Host, "graft/adapter.h:9:1: error: no\n", ErrorCode::UnsupportedParameter,
       "f in callback.cu cannot be called as a callback"},
      {Compiler::Host, "/tmp/cc1.s:9: Error: symbol `w' is already defined\n", ErrorCode::CompileFailed,
       "f in callback.cu does not compile: two of the texts define one symbol"},
      // the words of a warning in front of the first error must not decide which Error results
      {Compiler::Nvrtc, "callback.cu(2): warning #1-D: template\ngraft_adapter(1): error: \"f\" is undefined\n",
       ErrorCode::NoSuchEntry, "callback.cu has no function `f`"},
      // a log without an error message means that the compiler itself has failed
      {Compiler::Nvrtc, "callback.cu(2): warning #1-D: template\nptxas fatal: no\n", ErrorCode::CompileFailed,
       "f in callback.cu does not compile"},
      {Compiler::Host, "ld: no\n", ErrorCode::CompileFailed, "f in callback.cu does not compile"},
  };
  codegen::SourceProgram program = program_of("f");
  program.parts.declared = "float(Absent)";
  for (const Row& row : rows) {
    const Error error = own_error(program, row.compiler, row.log);
    EXPECT_EQ(error.code(), row.code) << row.log;
    EXPECT_EQ(error.message(), row.message);
    EXPECT_EQ(error.log(), row.log);
    EXPECT_FALSE(error.remedy().empty());
    EXPECT_EQ(error.versions().size(), 1u);
  }
}

TEST(Misfit, OfAPickedOverloadIsAMismatch) {
  codegen::SourceProgram program = program_of("f");
  program.parts.pick_overload = true;
  program.parts.declared = "double(double)";
  const char* message = "f in callback.cu: no overload of `f` has the signature \"double(double)\"";
  const Error nvrtc = own_error(program, Compiler::Nvrtc,
                                "graft_adapter(1): error: cannot determine which instance of overloaded function\n");
  EXPECT_EQ(nvrtc.code(), ErrorCode::SignatureMismatch);
  EXPECT_EQ(nvrtc.message(), message);
  const Error host = own_error(program, Compiler::Host,
                               "graft_adapter:1:5: error: no matches converting function 'f' to type 'double (*)'\n");
  EXPECT_EQ(host.code(), ErrorCode::SignatureMismatch);
  EXPECT_EQ(host.message(), message);
}

TEST(Misfit, NamesThePartOfAComposition) {
  codegen::SourceProgram program = program_of("");
  program.parts.members = {program_of("g").parts, program_of("h").parts};
  program.parts.members[1].callback_name = "second.cu";
  for (const auto& [compiler, log] :
       {std::pair{Compiler::Nvrtc, "graft_adapter(1): error: namespace \"graft_text_1\" has no member \"h\"\n"},
        {Compiler::Host, "graft_adapter:1:5: error: 'h' is not a member of 'graft_text_1'\n"}}) {
    const Error error = own_error(program, compiler, log);
    EXPECT_EQ(error.code(), ErrorCode::NoSuchEntry);
    EXPECT_EQ(error.message(), "second.cu has no function `h`");
  }
}

TEST(UsersError, HasTheAdviceForTheCompilersWords) {
  struct Row {
    Compiler compiler;
    const char* log;
    const char* remedy;
  };
  const Row rows[] = {
      {Compiler::Nvrtc, "a.cu(3): error: expected a \";\"\n", "Correct the lines"},
      {Compiler::Nvrtc, "a.cu(3): catastrophic error: cannot open source file \"absent.h\"\n", "Options::headers"},
      {Compiler::Nvrtc, "a.cu(3): error: missing return statement at end of non-void function \"f\"\n",
       "Return a value"},
      {Compiler::Nvrtc, "a.cu(3): error: a function without execution space annotations\n", "__device__"},
      {Compiler::Host, "a.cu:3:1: error: expected ';'\n", "Correct the lines"},
      {Compiler::Host, "a.cu:3:1: fatal error: absent.h: No such file or directory\n", "Options::headers"},
      {Compiler::Host, "a.cu:3:1: fatal error: curand_kernel.h: No such file or directory\n", "callbacks/random.cuh"},
      {Compiler::Nvrtc, "a.cu(3): catastrophic error: cannot open source file \"set\"\n", "device code cannot use it"},
      {Compiler::Nvrtc, "a.cu(3): catastrophic error: cannot open source file \"complex\"\n  in thrust/complex.h\n",
       "graft::complex"},
      {Compiler::Host, "a.cu:3:1: error: 'y' was not declared in this scope\n", "but no textures"},
      {Compiler::Host, "a.cu:3:1: error: no return statement [-Werror=return-type]\n", "Return a value"},
      // a name of namespace std
      {Compiler::Nvrtc, "a.cu(3): error: namespace \"std\" has no member \"lerp\"\n", "lacks lerp"},
      {Compiler::Host, "a.cu:3:1: error: 'lerp' is not a member of 'std'\n", "lacks lerp"},
      {Compiler::Host, "a.cu:3:1: error: no member named 'lerp' in namespace 'std'\n", "lacks lerp"},
  };
  for (const Row& row : rows) {
    const Error error = users_error(row.compiler, row.log);
    EXPECT_EQ(error.code(), ErrorCode::CompileFailed);
    EXPECT_EQ(error.message(), "a.cu does not compile: line 3");
    EXPECT_NE(error.remedy().find(row.remedy), std::string::npos) << row.log << error.remedy();
    EXPECT_EQ(error.log(), row.log);
  }
}

// A missing bracket or semicolon has consequences in correct lines, whose advice would mislead.
TEST(UsersError, AMissingBraceOrSemicolonIsToldAndNotItsConsequences) {
  struct Row {
    Compiler compiler;
    const char* log;
    const char* remedy;
  };
  const char* kBrace = "A `}` is missing";
  const char* kSemicolon = "behind it";
  const Row rows[] = {
      {Compiler::Nvrtc,
       "a.cu(3): error: missing return statement at end of non-void function \"f\"\na.cu(3): error: expected a \"}\"\n"
       "a.cu(1): note #3196-D: to match this \"{\"\n",
       kBrace},
      {Compiler::Nvrtc, "a.cu(3): error: expected a \";\"\n  {\na.cu(1): note #3196-D: to match this \"{\"\n", kBrace},
      {Compiler::Host, "a.cu:3:40: error: expected '}' at end of input\n", kBrace},
      {Compiler::Host, "a.cu:3:40: error: expected '}'\na.cu:1:3: note: to match this '{'\n", kBrace},
      {Compiler::Host, "a.cu:3:29: error: a function-definition is not allowed here before '{' token\n", kBrace},
      {Compiler::Host, "a.cu:3:29: error: function definition is not allowed here\n", kBrace},
      {Compiler::Nvrtc,
       "a.cu(3): error: expected a \";\"\na.cu(3): error: A function without execution space annotations\n",
       kSemicolon},
      {Compiler::Host, "a.cu:3:22: error: expected ';' after struct definition\n", kSemicolon},
      {Compiler::Host,
       "a.cu:3:1: error: new types may not be defined in a return type\na.cu:3:1: note: (perhaps a semicolon is "
       "missing "
       "after the definition of 'E')\n",
       kSemicolon},
  };
  for (const Row& row : rows) {
    const Error error = users_error(row.compiler, row.log);
    EXPECT_EQ(error.message(), "a.cu does not compile: line 3");
    EXPECT_NE(error.remedy().find(row.remedy), std::string::npos) << row.log << error.remedy();
  }
}

TEST(UsersError, HasNoAdviceForAnotherCompilersWords) {
  const Error error = users_error(Compiler::Nvrtc, "a.cu(3): error: \"y\" not declared\n");
  EXPECT_EQ(error.remedy(), "Correct the lines that the compiler names.");
}

TEST(UsersError, IsNotThrownForGraftsLinesOrForAFullDisk) {
  const codegen::SourceProgram program = program_of("f");
  const CompileErrors host(program, Compiler::Host, {});
  const auto check = [&](std::string_view log) { host.throw_users_error(parse_compile_log(log, Compiler::Host)); };
  EXPECT_NO_THROW(check("a.cu:3:1: warning: odd\ngraft/adapter.h:9:1: error: no\n"));
  EXPECT_NO_THROW(check("a.cu:3:1: fatal error: error writing to /tmp/x.s: No space left on device\n"));
}

TEST(Doubt, IsThrownIfTheTextAloneCompiles) {
  codegen::SourceProgram program = program_of("");
  program.scan.uncertain = true;
  const CompileErrors errors(program, Compiler::Nvrtc, {});
  const auto log = [](const char* text) {
    return [text](const codegen::ProgramParts&) { return parse_compile_log(text, Compiler::Nvrtc); };
  };
  EXPECT_NO_THROW(errors.check_doubt(log("a.cu(3): error: no\n")));
  program.doubt = Error(ErrorCode::NoSuchEntry, {"nothing there", {}, {}, {}});
  EXPECT_EQ(test::error_of([&] { errors.check_doubt(log("")); }).code(), ErrorCode::NoSuchEntry);
  EXPECT_EQ(test::error_of([&] { errors.check_doubt(log("a.cu(3): error: no\n")); }).code(), ErrorCode::CompileFailed);
}

}  // namespace
}  // namespace graft::compile
