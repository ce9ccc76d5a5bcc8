// Tests that LaunchGeometry, which computes parameter offsets on the host, computes the same offsets as the compiler
// does from the adapter's struct Parameters<>. With other offsets, kernels would read their pointers and state from the
// wrong place.
#include "families/elementwise/launch_geometry.hpp"

#include <gtest/gtest.h>

#include <cstddef>

#include "families/elementwise/geometries.hpp"

namespace graft::test {
namespace {

template <std::size_t Arrays, class State>
struct Parameters {
  graft_launch launch;
  void* arrays[Arrays];
  State state;
};

template <std::size_t Bytes, std::size_t Alignment>
struct State {
  alignas(Alignment) unsigned char bytes[Bytes];
};

template <class Expected>
void expect_layout(const elementwise::LaunchGeometry& geometry) {
  EXPECT_TRUE(geometry.has_state);
  EXPECT_EQ(geometry.state_offset, offsetof(Expected, state));
  EXPECT_EQ(geometry.parameter_bytes, sizeof(Expected));
}

template <class S>
void expect_layouts() {
  expect_layout<Parameters<1, S>>(geometry_of<float(const S&)>());
  expect_layout<Parameters<2, S>>(geometry_of<float(float, const S&)>());
  expect_layout<Parameters<3, S>>(geometry_of<float(float, double, const S&)>());
}

TEST(LaunchGeometry, StateStandsWhereTheCompilerPutsIt) {
  expect_layouts<State<1, 1>>();
  expect_layouts<State<3, 1>>();
  expect_layouts<State<6, 2>>();
  expect_layouts<State<4, 4>>();
  expect_layouts<State<256, 8>>();
  expect_layouts<State<16, 16>>();
  expect_layouts<State<32, 32>>();
  expect_layouts<State<64, 64>>();
  expect_layouts<State<GRAFT_MAX_STATE_BYTES, 64>>();
}

TEST(LaunchGeometry, WithoutStateThereAreOnlyPointers) {
  const elementwise::LaunchGeometry geometry = geometry_of<float(float)>();
  EXPECT_FALSE(geometry.has_state);
  EXPECT_EQ(geometry.parameter_bytes, sizeof(graft_launch) + 2 * sizeof(void*));
}

TEST(LaunchGeometry, EveryParameterFitsTheBuffer) {
  using Largest = State<GRAFT_MAX_STATE_BYTES, families::kParameterAlignment>;
  EXPECT_LE(sizeof(Parameters<elementwise::kMaxArrays, Largest>), families::kMostParameterBytes);
}

TEST(LaunchGeometry, InputsStandInFrontOfOutputs) {
  const elementwise::LaunchGeometry geometry = geometry_of<float(short, double&, int, unsigned char&)>();
  EXPECT_EQ(geometry.inputs, 2u);
  EXPECT_EQ(geometry.outputs, 3u);
  EXPECT_EQ(geometry.arrays[0].type, element_type<short>());
  EXPECT_EQ(geometry.arrays[1].type, element_type<int>());
  EXPECT_EQ(geometry.arrays[2].type, element_type<float>());
  EXPECT_EQ(geometry.arrays[3].type, element_type<double>());
  EXPECT_EQ(geometry.arrays[4].type, element_type<unsigned char>());
}

struct Rgb {
  unsigned char r, g, b;
};

TEST(LaunchGeometry, AWordDividesAThreadsShare) {
  EXPECT_EQ(geometry_of<float(float)>(4).arrays[0].word, 16u);
  EXPECT_EQ(geometry_of<float(float)>(1).arrays[0].word, 4u);
  EXPECT_EQ(geometry_of<Rgb(Rgb)>(16).arrays[0].word, 16u);
  EXPECT_EQ(geometry_of<Rgb(Rgb)>(4).arrays[0].word, 4u);
  EXPECT_EQ(geometry_of<Rgb(Rgb)>(1).arrays[0].word, 1u);
  EXPECT_EQ(geometry_of<double(unsigned char)>(8).arrays[0].word, 8u);
  EXPECT_EQ(geometry_of<double(unsigned char)>(8).words, 15u);
}

TEST(LaunchGeometry, ATileIsWhatABlockHandles) {
  EXPECT_EQ(1u << geometry_of<float(float)>(1, 1).tile_bits, 256u);
  EXPECT_EQ(1u << geometry_of<float(float)>(4, 1).tile_bits, 1024u);
  EXPECT_EQ(1u << geometry_of<float(float)>(16, 4).tile_bits, 16384u);
}

}  // namespace
}  // namespace graft::test
