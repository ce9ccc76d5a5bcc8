// Many ranks reduce one array together: the mean and the variance of its elements. Each rank makes the accumulators of
// its part (graft::Reduce::partials), all get the accumulators of the others, and each makes the results. These have
// the same bits with each number of ranks, which rank 0 checks against a reduction of all elements.
//
//     mpirun -n 3 mpi_sum
//
// Each rank uses the GPU whose number is that of the rank on its node, or the CPU if there is none. The program ends
// with 1 if the bits differ or anything else fails.
#include <fmt/format.h>
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <graft/graft.hpp>
#include <vector>

#include "ranks.hpp"

namespace {

using examples::rank_in;
using examples::size_of;

constexpr std::uint64_t kCount = 5'000'011;

// Where the arrays of a rank are: in the memory of its GPU, or of the host.
struct Gpu {
  template <class T>
  using Array = examples::DeviceBuffer<T>;
  static constexpr CUstream_st* stream = nullptr;
  static graft::Options options() { return {}; }
};
struct Cpu {
  template <class T>
  using Array = std::vector<T>;
  static constexpr graft::HostTag stream = graft::host;
  static graft::Options options() { return {.routes = {.required = graft::Route::Host}}; }
};
template <class T>
const std::vector<T>& fetched(const std::vector<T>& array) {
  return array;
}
template <class T>
std::vector<T> fetched(const examples::DeviceBuffer<T>& array) {
  return examples::on_host(array);
}

struct Results {
  float mean, variance;
};

graft::Reduce make_moments(const graft::Options& options) {
  return graft::Reduce::create({.map = graft::Callback::ready_made("moments_of<float>"),
                                .combine = graft::Callback::ready_made("join_moments<float>"),
                                .finish = graft::Callback::ready_made("mean_and_variance<float>")},
                               options);
}

// The elements from `begin` on.
std::vector<float> elements(std::uint64_t begin, std::uint64_t count) {
  std::vector<float> made(count);
  for (std::uint64_t i = 0; i < count; ++i) made[i] = static_cast<float>((begin + i) * 2654435761 % 1'000'003) / 1000;
  return made;
}

// Gives each rank the accumulators of all, in the order of the chunks. `mine` are those of this rank.
std::vector<std::byte> of_all_ranks(const graft::Reduce& reduce, const std::vector<std::byte>& mine) {
  const int ranks = size_of(MPI_COMM_WORLD);
  const std::size_t bytes = reduce.accumulator_bytes();
  std::vector<int> counts, begins;
  for (int rank = 0; rank < ranks; ++rank) {
    const graft::ReduceShard shard =
        reduce.shard(kCount, static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(ranks));
    counts.push_back(static_cast<int>(shard.chunks * bytes));
    begins.push_back(static_cast<int>(shard.first_chunk * bytes));
  }
  std::vector<std::byte> all(static_cast<std::size_t>(begins.back() + counts.back()));
  MPI_Allgatherv(mine.data(), static_cast<int>(mine.size()), MPI_BYTE, all.data(), counts.data(), begins.data(),
                 MPI_BYTE, MPI_COMM_WORLD);
  return all;
}

template <class Place>
Results reduced_together(const graft::Reduce& reduce) {
  const auto rank = static_cast<std::uint32_t>(rank_in(MPI_COMM_WORLD));
  const auto ranks = static_cast<std::uint32_t>(size_of(MPI_COMM_WORLD));
  const graft::ReduceShard shard = reduce.shard(kCount, rank, ranks);
  const typename Place::template Array<float> x(elements(shard.begin, shard.count));
  typename Place::template Array<std::byte> mine(shard.chunks * reduce.accumulator_bytes());
  reduce.partials(Place::stream, x, shard, mine.data());

  const typename Place::template Array<std::byte> all(of_all_ranks(reduce, fetched(mine)));
  typename Place::template Array<float> mean(1), variance(1);
  reduce.finish(Place::stream, all.data(), kCount, graft::outputs(mean, variance));
  return {fetched(mean)[0], fetched(variance)[0]};
}

template <class Place>
Results reduced_at_once(const graft::Reduce& reduce) {
  const typename Place::template Array<float> x(elements(0, kCount));
  typename Place::template Array<float> mean(1), variance(1);
  reduce.execute(Place::stream, x, graft::outputs(mean, variance));
  return {fetched(mean)[0], fetched(variance)[0]};
}

template <class Place>
bool run() {
  const graft::Reduce reduce = make_moments(Place::options());
  const Results found = reduced_together<Place>(reduce);
  if (rank_in(MPI_COMM_WORLD) != 0) return true;
  const Results expected = reduced_at_once<Place>(reduce);
  const bool is_same = std::memcmp(&found, &expected, sizeof found) == 0;
  fmt::print("{} ranks: mean {}, variance {}, {} of one call\n", size_of(MPI_COMM_WORLD), found.mean, found.variance,
             is_same ? "with the bits" : "not with the bits");
  return is_same;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bool good = false;
  try {
    good = examples::use_gpu_of_rank() ? run<Gpu>() : run<Cpu>();
  } catch (const std::exception& error) {
    fmt::print(stderr, "rank {}: {}\n", rank_in(MPI_COMM_WORLD), error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);  // the other ranks wait for this one
  }
  MPI_Finalize();
  return good ? 0 : 1;
}
