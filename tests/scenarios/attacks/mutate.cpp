// Runs a fuzz target (tests/fuzz) on randomly edited copies of its corpus. The target recomputes checksums, and aborts
// if a reader returns a wrong result. Sanitizers find other faults.
//
//    mutate_READER ROUNDS FOLDER...
//
// Each round has its own random numbers. A failing run prints GRAFT_ATTACK_SEED and GRAFT_ATTACK_FIRST. If these
// variables are set in the next run, that run starts at the failing round. GRAFT_ATTACKS=long runs 50 times as many
// rounds.
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "base/files.hpp"
#include "scenarios/attacks/edits.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
// AddressSanitizer defines this function if the program is built with it.
extern "C" void __sanitizer_set_death_callback(void (*callback)()) __attribute__((weak));

namespace {

constexpr unsigned long long kLongFactor = 50;

unsigned long long g_seed = 1;
std::atomic<unsigned long long> g_round{0};

unsigned long long number_from(const char* variable, unsigned long long usual) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : usual;
}

void say_round() {
  std::fprintf(stderr, "to repeat: GRAFT_ATTACK_SEED=%llu GRAFT_ATTACK_FIRST=%llu\n", g_seed, g_round.load());
}

void end_by(int signal) {
  say_round();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

std::vector<std::string> read_seeds(char** folders, int count) {
  std::vector<std::filesystem::path> files;
  for (int i = 0; i < count; ++i)
    for (const auto& file : std::filesystem::recursive_directory_iterator(folders[i]))
      if (file.is_regular_file()) files.push_back(file.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> seeds;
  for (const auto& file : files) seeds.push_back(graft::base::read_file(file).value());
  return seeds;
}

// Copies the bytes to an allocation of exactly their size, so that AddressSanitizer reports reads past the end.
void read(const std::string& bytes) {
  const std::unique_ptr<std::uint8_t[]> exact(new std::uint8_t[bytes.size()]);
  std::copy(bytes.begin(), bytes.end(), exact.get());
  LLVMFuzzerTestOneInput(exact.get(), bytes.size());
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) return std::fprintf(stderr, "usage: mutate_READER ROUNDS FOLDER...\n"), 2;
  const std::string attacks = std::getenv("GRAFT_ATTACKS") != nullptr ? std::getenv("GRAFT_ATTACKS") : "";
  const unsigned long long rounds = std::strtoull(words[1], nullptr, 10) * (attacks == "long" ? kLongFactor : 1);
  const std::vector<std::string> seeds = read_seeds(words + 2, count - 2);
  if (seeds.empty()) return std::fprintf(stderr, "the folders contain no files to edit\n"), 1;
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(say_round);
  else std::signal(SIGSEGV, end_by);
  std::signal(SIGABRT, end_by);
  g_seed = number_from("GRAFT_ATTACK_SEED", 1);
  unsigned long long longest = 0;
  const unsigned long long first = number_from("GRAFT_ATTACK_FIRST", 0);
  for (g_round = first; g_round < first + rounds; ++g_round) {
    const std::string bytes = graft::attacks::Edits(g_seed << 40 ^ g_round, seeds).next();
    longest = std::max<unsigned long long>(longest, bytes.size());
    read(bytes);
  }
  std::printf("attack %s: %llu edited files of %zu, the longest of %llu bytes\n",
              std::filesystem::path(words[0]).filename().c_str(), rounds, seeds.size(), longest);
  return 0;
}
