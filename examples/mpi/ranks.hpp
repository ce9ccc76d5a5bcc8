// What the MPI examples share: the ranks, and the GPU of each.
#pragma once

#include <mpi.h>

#include "support/cuda.hpp"

namespace examples {

// Open MPI's calls end the program if they fail, unless they are told otherwise.
inline int rank_in(MPI_Comm communicator) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  return rank;
}
inline int size_of(MPI_Comm communicator) {
  int size = 0;
  MPI_Comm_size(communicator, &size);
  return size;
}

// The number of this rank among those of its node.
inline int rank_on_node() {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  const int rank = rank_in(node);
  MPI_Comm_free(&node);
  return rank;
}

// Whether this rank can use a GPU. Makes it the current one.
inline bool use_gpu_of_rank() {
  if (!use_gpu()) return false;
  int devices = 0;
  check(cudaGetDeviceCount(&devices));
  check(cudaSetDevice(rank_on_node() % devices));
  return true;
}

}  // namespace examples
