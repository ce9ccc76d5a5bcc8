// What a tuning file (format/tuning_file.hpp) says of FFTs: plans that `graft tune` measured to be faster on one GPU
// than those of the planner and its table (measured_plans.hpp). A row of the file names an FFT of one dimension, and
// the choices that make its plan:
//
//     {"length": 65536, "precision": "f32", "work": "complex", "factors": [64, 1024], "radices": [[8, 8], [16, 16, 4]],
//      "threads": [4, 64], "ffts": [32, 8], "resident_blocks": [3, 0], "splits_complex": false}
//
// An FFT by another plan adds in another order, so its results may differ in rounding. The choices are therefore
// members of the request (FftRequest::tuned), and with it of keys, reports and finished kernels. Rows and requests come
// from files that may be hostile: every number is bounded before a plan is made of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "families/fft/measured_plans.hpp"
#include "families/fft/request.hpp"
#include "format/tuning_file.hpp"

namespace graft::families::fft {

// The FFTs that share a plan.
struct TunedKind {
  std::int64_t length = 1;  // FftPlan::length: of a real FFT, the numbers
  Precision precision = Precision::Single;
  bool has_inverse = false;       // behind a callback between
  std::optional<Half> half = {};  // of real FFTs

  auto operator<=>(const TunedKind&) const = default;
};

struct TunedPlan {
  TunedKind kind;
  Choices choices;  // nothing is left to the planner
  bool operator==(const TunedPlan&) const = default;
};

// Returns the kind of a direction of the FFT. Returns nothing for FFTs whose plans are not measured: those of several
// dimensions, of lengths with large prime factors, of arrays of halves, and real ones of an odd length.
std::optional<TunedKind> tuned_kind(const FftRequest& request, bool is_inverse);

// Returns all kinds of a length (FftPlan::length). None for a length whose plans are not measured.
std::vector<TunedKind> tuned_kinds(std::int64_t length);

// "4096 points, f32, complex", "4096 numbers, f64, real with a filter"
std::string text_of(const TunedKind& kind);
// "factors 64 1024, radices 8x8 16x16x4, threads 4 64, FFTs 32 8, resident blocks 3 0"
std::string text_of(const Choices& choices);

// Returns the plan with these choices, or nothing if the architecture cannot have it. The choices must be possible.
std::optional<Plan> tuned_plan(const TunedKind& kind, const Choices& choices, Architecture architecture);

// Returns all choices of the plan that the planner makes of a candidate (candidates.hpp), where these choices make it
// again. Returns nothing if they do not, or if the candidate has no plan.
std::optional<Choices> choices_of_candidate(const TunedKind& kind, const Choices& candidate, Architecture architecture);

// The points of the plan: a real FFT is a complex one of half the length.
std::int64_t points_of(const TunedKind& kind);

// Returns the reason why no plan of the kind has the choices, as far as their numbers go, as a clause. Empty if there
// may be one. Takes no time.
std::string objection_to(const TunedKind& kind, const Choices& choices);
// The same for the choices of a request, if it has some.
std::string objection_to_tuned_choices(const FftRequest& request);

// Reads the rows of a file. Returns the reason why one cannot be read, as a clause, or an empty text if `plans` were
// read. The numbers of each row are possible, and no kind is there twice.
std::string read_tuned_plans(const format::TuningFile& file, std::vector<TunedPlan>& plans);
// Returns the text of a row.
std::string row_of(const TunedPlan& plan);

// Returns the request with the choices that the file has for it.
FftRequest with_tuned_plans(FftRequest request, const format::TuningFile& file);

// Returns the reason why kernels cannot have a row of the file, as a clause. Makes each plan, in parallel.
std::string objection_to_tuned_plans(const format::TuningFile& file);

}  // namespace graft::families::fft
