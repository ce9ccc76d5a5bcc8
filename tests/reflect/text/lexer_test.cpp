// Tests the lexer, which splits a source into tokens. Also tests read_code(), which removes the tokens in branches such
// as #if 0, matches brackets, and finds the branch of #if that contains each token.
#include "reflect/text/lexer.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace graft::reflect {
namespace {

using namespace std::string_literals;

std::string kind_name(Token::Kind kind) {
  static constexpr const char* kNames[] = {"word", "number", "string", "char", "symbol", "line", "broken"};
  return kNames[kind];
}

// Describes the tokens as text: line, kind and text of each token, for example "1 word a|1 symbol =".
std::string described(std::string_view source) {
  std::string text;
  const Tokens tokens = tokenize(source);
  for (const Token& token : tokens.list)
    text += fmt::format("{}{} {} {}", text.empty() ? "" : "|", token.line, kind_name(token.kind), token.text);
  return text;
}

struct Row {
  std::string source;
  std::string expected;
};

TEST(Lexer, TellsTokensApart) {
  const std::vector<Row> rows = {
      {"", ""},
      {" \t\r\n\v\f", ""},
      {"a b1 _c", "1 word a|1 word b1|1 word _c"},
      {"a\nb\r\nc", "1 word a|2 word b|3 word c"},
      {"größe", "1 word größe"},
      {"\xEF\xBB\xBFint x", "1 word int|1 word x"},
      // Comments separate tokens and are no tokens themselves.
      {"a/* b */c", "1 word a|1 word c"},
      {"a // b\nc", "1 word a|2 word c"},
      {"a // b \\\n still b\nc", "1 word a|3 word c"},
      {"a /* 1\n2\n3 */ b", "1 word a|3 word b"},
      {"/**/a/***/b/*/*/c", "1 word a|1 word b|1 word c"},
      {"a /* { \" ' */ b", "1 word a|1 word b"},
      {"\"// no comment\" x", "1 string \"// no comment\"|1 word x"},
      {"// no */ \" string\nx", "2 word x"},
      // A string or a character is one token.
      {R"("a\"b" c)", R"(1 string "a\"b"|1 word c)"},
      {R"("\\" c)", R"(1 string "\\"|1 word c)"},
      {R"('\'' '"' "'")", R"(1 char '\''|1 char '"'|1 string "'")"},
      {R"(u8"a" L'b' u"c" U"d")", R"(1 string u8"a"|1 char L'b'|1 string u"c"|1 string U"d")"},
      {R"x(R"(a"b)" c)x", R"x(1 string R"(a"b)"|1 word c)x"},
      {"R\"--(a)\" )-\n)--\" c", "1 string R\"--(a)\" )-\n)--\"|2 word c"},
      {"u8R\"(\\)\" c", "1 string u8R\"(\\)\"|1 word c"},
      {"xR\"(a)\"", "1 word xR|1 string \"(a)\""},
      {"R\"12345678901234567(a)\"", "1 string R\"12345678901234567(a)\""},
      {"R\"a b(c)\" d", "1 string R\"a b(c)\"|1 word d"},
      // A number is one token.
      {"1'000'000 0x1F 1.5e+3f .5 0x1.8p-3",
       "1 number 1'000'000|1 number 0x1F|1 number 1.5e+3f|1 number .5|1 number 0x1.8p-3"},
      {"1+2", "1 number 1|1 symbol +|1 number 2"},
      {"f(1,'a')", "1 word f|1 symbol (|1 number 1|1 symbol ,|1 char 'a'|1 symbol )"},
      {"1.0f 2ull 0b1'0", "1 number 1.0f|1 number 2ull|1 number 0b1'0"},
      // A symbol may have several characters.
      {"a::b->c", "1 word a|1 symbol ::|1 word b|1 symbol ->|1 word c"},
      {"A<B<C>>", "1 word A|1 symbol <|1 word B|1 symbol <|1 word C|1 symbol >|1 symbol >"},
      {"a<<b<=c==d", "1 word a|1 symbol <<|1 word b|1 symbol <=|1 word c|1 symbol ==|1 word d"},
      {"[[x]]", "1 symbol [|1 symbol [|1 word x|1 symbol ]|1 symbol ]"},
      // A backslash at the end of a line joins this line and the next line.
      {"a\\\nb", "1 word ab"},
      {"a \\\n b\nc", "1 word a|2 word b|3 word c"},
      {"a\\\r\n\\\nb\nc", "1 word ab|4 word c"},
      {"x\n__dev\\\nice__ y", "1 word x|2 word __device__|3 word y"},
      {"\"a\\\nb\" c", "1 string \"ab\"|2 word c"},
      // A preprocessor directive is one token, which the expected texts call "line".
      {"#include <a>\nb", "1 line #include <a>|2 word b"},
      {"  # define A \\\n  {\nb", "1 line # define A   {|3 word b"},
      {"a # b", "1 word a|1 symbol #|1 word b"},
      {"/* c */ #if 0", "1 line #if 0"},
      {"#define A /* x\n y */ B // c\nd", "1 line #define A /* x\n y */ B // c|3 word d"},
      {"#define A \"/*\"\nb", "1 line #define A \"/*\"|2 word b"},
      {"#error don't\nb", "1 line #error don't|2 word b"},
      {"%:define A\nb", "1 line %:define A|2 word b"},
      {"#\nb", "1 line #|2 word b"},
      {"#include <a//b>\nc", "1 line #include <a//b>|2 word c"},
      // Code that is not valid C++ gives "broken" tokens.
      {"a \"b\nc", "1 word a|1 broken \"b|2 word c"},
      {"a 'b\nc", "1 word a|1 broken 'b|2 word c"},
      {"a /* b\nc", "1 word a|1 broken /* b\nc"},
      {"a R\"(b\nc", "1 word a|1 broken R\"(b\nc"},
      {"a R\"x(b)y\"", "1 word a|1 broken R\"x(b)y\""},
      {"a \"b\\", "1 word a|1 broken \"b\\"},
      {"a\0b"s, "1 word a|1 broken \0|1 word b"s},
      {"a @ ` \\ b", "1 word a|1 broken @|1 broken `|1 broken \\|1 word b"},
      {"#define A /* b", "1 broken /* b|1 line #define A /* b"},
  };
  for (const Row& row : rows) EXPECT_EQ(described(row.source), row.expected) << row.source;
}

TEST(Lexer, CountsLinesFromTheOneGiven) {
  EXPECT_EQ(tokenize("a\nb", 7).list.at(1).line, 8);
}

TEST(Lexer, KeepsTheJoinedTextAlive) {
  Tokens copy;
  {
    const std::string source = "__dev\\\nice__";
    copy = tokenize(source);
  }
  EXPECT_EQ(copy.list.at(0).text, "__device__");
}

TEST(Lexer, TakesDirectivesApart) {
  const Tokens tokens = tokenize("\n#  define /* why */ SQUARE(x) ((x) * (x))  // twice");
  const Directive directive = parse_directive(tokens.list.at(0));
  EXPECT_EQ(directive.name, "define");
  EXPECT_EQ(directive.line, 2);
  EXPECT_EQ(spaced_text(directive.words), "SQUARE(x) ((x) * (x))");
  EXPECT_EQ(parse_directive(tokenize("#").list.at(0)).name, "");
  EXPECT_EQ(parse_directive(tokenize("# 1 \"file\"").list.at(0)).name, "");
}

TEST(Lexer, SpacesTextAsTheSourceDid) {
  const std::vector<Row> rows = {
      {"float  x ,const Scale&\n s", "float x ,const Scale& s"},
      {"float/* in */x", "float x"},
      {"A<B>* p=  nullptr", "A<B>* p= nullptr"},
      {"", ""},
  };
  for (const Row& row : rows) EXPECT_EQ(spaced_text(tokenize(row.source).list), row.expected);
}

// Returns the tokens of the code, separated by spaces. The text ends with "!" if the code is damaged.
std::string code_text(std::string_view source) {
  const Tokens tokens = tokenize(source);
  const Code code = read_code(tokens);
  return spaced_text(code.tokens) + (code.is_damaged ? " !" : "");
}

TEST(Code, LeavesOutWhatIsUnderIfZero) {
  const std::vector<Row> rows = {
      {"a\n#if 0\nb\n#endif\nc", "a c"},
      {"#if 0 // off\na\n#else\nb\n#endif", "b"},
      {"#if 1\na\n#else\nb\n#endif", "a"},
      {"#if 1\na\n#elif X\nb\n#else\nc\n#endif", "a"},
      {"#if 0\n#if X\na\n#else\nb\n#endif\nc\n#endif\nd", "d"},
      {"#if X\na\n#else\nb\n#endif", "a b"},
      {"#ifdef X\na\n#elif 0\nb\n#endif", "a"},
      {"#if 0\ndon't { (\n#endif\na", "a"},
      {"#if X\na", "a !"},
      {"a\n#endif", "a !"},
      {"#else\na", "a !"},
      {"#elif 0\na", "a !"},
  };
  for (const Row& row : rows) EXPECT_EQ(code_text(row.source), row.expected) << row.source;
}

TEST(Code, MatchesBrackets) {
  const Tokens tokens = tokenize("f ( [ ] { } ) (");
  const Code code = read_code(tokens);
  EXPECT_EQ(code.partner, (std::vector<std::size_t>{0, 6, 3, 3, 5, 5, 6, 8}));
  EXPECT_TRUE(code.is_damaged);
  for (const char* damaged : {"(", ")", "(]", "{(})", "\"", "a \x01"})
    EXPECT_EQ(code_text(damaged).back(), '!') << damaged;
  EXPECT_EQ(code_text("({[]})<"), "({[]})<");
}

TEST(Code, NumbersBranches) {
  const Tokens tokens = tokenize("a\n#if X\nb\n#if Y\nc\n#endif\nd\n#else\ne\n#endif\nf");
  EXPECT_EQ(read_code(tokens).branch, (std::vector<int>{0, 1, 2, 1, 3, 0}));
}

// Checks that every token refers to a part of the source, that tokens are in the source's order, and that their line
// numbers never decrease.
void check_invariants(std::string_view source) {
  const Tokens tokens = tokenize(source);
  const std::string_view text = tokens.joined ? std::string_view(*tokens.joined) : source;
  const char* end = text.data();
  int line = 1;
  for (const Token& token : tokens.list) {
    ASSERT_FALSE(token.text.empty());
    ASSERT_LE(token.text.data() + token.text.size(), text.data() + text.size());
    ASSERT_GE(token.text.data(), text.data());
    if (token.kind != Token::Directive) {
      ASSERT_GE(token.text.data(), end);
      end = token.text.data() + token.text.size();
      ASSERT_GE(token.line, line);
      line = token.line;
    }
  }
  const Code code = read_code(tokens);
  ASSERT_EQ(code.partner.size(), code.tokens.size());
  for (std::size_t i = 0; i < code.partner.size(); ++i) {
    ASSERT_GE(code.partner[i], i);
    ASSERT_LE(code.partner[i], code.tokens.size());
  }
}

TEST(Lexer, TakesAnyBytes) {
  std::mt19937 random(1);
  for (const std::size_t size : {1u, 7u, 100u, 5000u, 1u << 20}) {
    std::string garbage(size, '\0');
    for (char& c : garbage) c = static_cast<char>(random());
    check_invariants(garbage);
  }
}

TEST(Lexer, TakesAnyPiecesOfSource) {
  const std::vector<std::string> pieces = {"\"",   "'", "R\"(",    ")\"",      "/*", "*/", "//", "\n",
                                           "\\\n", "#", "#if 0\n", "#endif\n", "{",  "}",  "(",  ")",
                                           "<",    ">", "a",       "1'",       ".",  "\\", "::", "\0"s};
  std::mt19937 random(2);
  for (int round = 0; round < 3000; ++round) {
    std::string source;
    for (int i = 0; i < 40; ++i) source += pieces[random() % pieces.size()];
    check_invariants(source);
  }
}

}  // namespace
}  // namespace graft::reflect
