// Many ranks transform the rows of one matrix. Each has a shard of rows, and all have the row of times, which repeats
// (graft/view.hpp). The ranks share a cache folder, so that one of them builds the kernel and the others find it there.
//
//     mpirun -n 4 mpi_shards /shared/kernels
//
// Each rank uses the GPU whose number is that of the rank on its node. Without a GPU, the ranks compute on the CPU
// (route host, whose kernels are not cached), and still build a kernel for sm_90 together. Rank 0 checks the result,
// and prints how many kernels were built. The program ends with 1 if the result is wrong or anything else fails.
#include <fmt/format.h>
#include <mpi.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <graft/graft.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "ranks.hpp"
#include "support/cuda.hpp"

namespace {

using examples::rank_in;
using examples::size_of;
using examples::use_gpu_of_rank;

constexpr const char* kDecay =
    "__device__ float decay(float x, float t, const float& rate) { return x * expf(-rate * t); }";
constexpr float kRate = 0.25F;
constexpr int kRows = 1003, kColumns = 997;  // rows: no multiple of the number of ranks
constexpr int kCount = kRows * kColumns;

struct Counts {
  std::vector<int> counts, begins;  // in elements
};

// The shards, which differ by at most one row.
Counts shards(int ranks) {
  Counts made;
  for (int rank = 0, begin = 0; rank < ranks; begin += made.counts.back(), ++rank) {
    made.begins.push_back(begin);
    made.counts.push_back((kRows / ranks + (rank < kRows % ranks ? 1 : 0)) * kColumns);
  }
  return made;
}

std::vector<float> scattered(const std::vector<float>& all, const Counts& of) {
  std::vector<float> shard(static_cast<std::size_t>(of.counts[static_cast<std::size_t>(rank_in(MPI_COMM_WORLD))]));
  MPI_Scatterv(all.data(), of.counts.data(), of.begins.data(), MPI_FLOAT, shard.data(), static_cast<int>(shard.size()),
               MPI_FLOAT, 0, MPI_COMM_WORLD);
  return shard;
}

std::vector<float> gathered(const std::vector<float>& shard, const Counts& of) {
  std::vector<float> all(rank_in(MPI_COMM_WORLD) == 0 ? kCount : 0);
  MPI_Gatherv(shard.data(), static_cast<int>(shard.size()), MPI_FLOAT, all.data(), of.counts.data(), of.begins.data(),
              MPI_FLOAT, 0, MPI_COMM_WORLD);
  return all;
}

// A shard as a matrix.
template <class T>
graft::View<T> rows_of(T* pointer, std::size_t count) {
  return graft::view(pointer, {count / kColumns, kColumns});
}

// [views]
std::vector<float> transformed_on_gpu(graft::Engine& engine, const std::vector<float>& x, const std::vector<float>& t) {
  const examples::DeviceBuffer<float> in(x), times(t), out(x.size());
  const auto shard = graft::inputs(rows_of(in.data(), x.size()), times);  // the times have one dimension, and repeat
  const auto result = rows_of(out.data(), x.size());
  graft::Options options;
  options.shapes.emplace_back(shard, result);
  graft::Transform::create(engine, kDecay, options).execute(nullptr, shard, result, kRate);
  return examples::on_host(out);
}
// [/views]

std::vector<float> transformed_here(const graft::Transform& transform, const std::vector<float>& x,
                                    const std::vector<float>& t) {
  std::vector<float> out(x.size());
  transform.execute(graft::host, graft::inputs(rows_of(x.data(), x.size()), graft::view(t.data(), {kColumns})),
                    rows_of(out.data(), out.size()), kRate);
  return out;
}

std::vector<float> transform_shard(graft::Engine& engine, const std::vector<float>& x, const std::vector<float>& t) {
  if (use_gpu_of_rank()) return transformed_on_gpu(engine, x, t);
  graft::build(engine, kDecay, graft::Architecture(90));
  graft::EngineOptions alone;
  alone.cache.policy = graft::CachePolicy::MemoryOnly;
  graft::Engine own(alone);  // so that `engine` counts the kernels for GPUs only
  return transformed_here(graft::Transform::create(own, kDecay, graft::Options::cpu()), x, t);
}

bool is_right(const std::vector<float>& x, const std::vector<float>& t, const std::vector<float>& out) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double expected = x[i] * std::exp(-static_cast<double>(kRate) * t[i % kColumns]);
    if (!(std::abs(out[i] - expected) <= 1e-6 * std::abs(expected) + 1e-30)) {
      fmt::print("element {} is {}, but should be {}\n", i, out[i], expected);
      return false;
    }
  }
  return true;
}

int sum(std::uint64_t mine) {
  int number = static_cast<int>(mine), all = 0;
  MPI_Reduce(&number, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  return all;
}

bool run(const std::string& folder) {
  // [engine]
  graft::EngineOptions options;
  options.cache.folder = folder;  // on a file system that all nodes share
  options.cache.policy = graft::CachePolicy::ReadWrite;
  options.cache.lock_wait = std::chrono::minutes(2);  // how long a rank waits for the one that builds
  graft::Engine engine(options);
  // [/engine]
  const bool is_first = rank_in(MPI_COMM_WORLD) == 0;
  const int ranks = size_of(MPI_COMM_WORLD);
  std::vector<float> x, t;
  if (is_first)
    for (int i = 0; i < kCount; ++i) x.push_back(std::sin(static_cast<float>(i)));
  for (int column = 0; column < kColumns; ++column) t.push_back(static_cast<float>(column % 97) / 8);
  const Counts of = shards(ranks);
  const std::vector<float> out = gathered(transform_shard(engine, scattered(x, of), t), of);
  const graft::Counters counters = engine.counters();
  const int built = sum(counters.builds), found = sum(counters.disk_hits);
  if (!is_first) return true;
  const bool good = is_right(x, t, out);
  if (good)
    fmt::print("{} ranks transformed {} elements; {} kernels were built, {} found in the folder\n", ranks, kCount,
               built, found);
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bool good = false;
  try {
    if (argc != 2) throw std::runtime_error("usage: mpirun -n RANKS mpi_shards FOLDER");
    good = run(argv[1]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "rank {}: {}\n", rank_in(MPI_COMM_WORLD), error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);  // the other ranks wait for this one
  }
  MPI_Finalize();
  return good ? 0 : 1;
}
