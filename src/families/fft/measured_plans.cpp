#include "families/fft/measured_plans.hpp"

#include <algorithm>
#include <tuple>

namespace graft::families::fft {
namespace {

std::tuple<std::int64_t, Precision, bool> key_of(const MeasuredPlan& plan) {
  return {plan.length, plan.precision, plan.has_inverse};
}

}  // namespace

// Measured on an H200 with arrays of 1 GiB, a load callback that multiplies by a window and a store callback that
// scales. The unit is the time of cuFFT without callbacks. Plans with an inverse were measured with a filter between;
// the unit is the time of cuFFT with the filter as its store callback, and of cuFFT's inverse FFT.
const std::vector<MeasuredPlan>& measured_plans() {
  static const std::vector<MeasuredPlan> table = {
      // 0.497 of cuFFT's time with callbacks and 0.498 without; the estimates' choice 0.523 and 0.502
      {5, Precision::Single, {.radices = {{5}}, .threads = {1}, .ffts = {64}, .resident_blocks = {12}}},
      // 0.981 of cuFFT's time with callbacks and 0.979 without; the estimates' choice 0.992 and 0.994
      {5,
       Precision::Double,
       {.radices = {{5}}, .threads = {1}, .ffts = {64}, .resident_blocks = {8}, .splits_complex = true}},
      // 0.994 of cuFFT's time with callbacks and 0.996 without; the estimates' choice 1.087 and 1.006
      {6, Precision::Single, {.radices = {{6}}, .threads = {1}, .ffts = {64}, .resident_blocks = {16}}},
      // 1.001 of cuFFT's time with callbacks and 1.004 without; the estimates' choice 1.012 and 1.019
      {6,
       Precision::Double,
       {.radices = {{3, 2}}, .threads = {1}, .ffts = {64}, .resident_blocks = {8}, .splits_complex = true}},
      // 0.995 of cuFFT's time with callbacks and 0.994 without; the estimates' choice 1.040 and 1.004
      {7,
       Precision::Single,
       {.radices = {{7}}, .threads = {1}, .ffts = {64}, .resident_blocks = {16}, .splits_complex = true}},
      // 1.004 of cuFFT's time with callbacks and 1.010 without; the estimates' choice 1.032 and 1.019
      {7, Precision::Double, {.radices = {{7}}, .threads = {1}, .ffts = {64}}},
      // 0.884 of cuFFT's time with callbacks and 0.878 without; the estimates' choice 1.022 and 0.899
      {8, Precision::Single, {.radices = {{4, 2}}, .threads = {2}, .ffts = {64}}},
      // 0.827 of cuFFT's time with callbacks and 0.831 without; the estimates' choice 0.852 and 0.858
      {8,
       Precision::Double,
       {.radices = {{4, 2}}, .threads = {4}, .ffts = {16}, .resident_blocks = {16}, .splits_complex = true}},
      // 0.887 of cuFFT's time with callbacks and 0.882 without; the estimates' choice 0.918 and 0.893
      {9, Precision::Single, {.radices = {{9}}, .threads = {1}, .ffts = {64}, .resident_blocks = {12}}},
      // 0.876 of cuFFT's time with callbacks and 0.879 without; the estimates' choice 0.929 and 0.889
      {9,
       Precision::Double,
       {.radices = {{3, 3}}, .threads = {1}, .ffts = {64}, .resident_blocks = {6}, .splits_complex = true}},
      // 0.993 of cuFFT's time with callbacks and 0.998 without; the estimates' choice 1.141 and 1.009
      {10,
       Precision::Single,
       {.radices = {{10}}, .threads = {1}, .ffts = {64}, .resident_blocks = {12}, .splits_complex = true}},
      // 1.009 of cuFFT's time with callbacks and 1.009 without; the estimates' choice 1.146 and 1.014
      {10, Precision::Double, {.radices = {{10}}, .threads = {1}, .ffts = {64}, .resident_blocks = {8}}},
      // 0.993 of cuFFT's time with callbacks and 0.999 without; the estimates' choice 1.334 and 1.008
      {12, Precision::Single, {.radices = {{4, 3}}, .threads = {4}, .ffts = {16}, .splits_complex = true}},
      // 0.988 of cuFFT's time with callbacks and 0.989 without; the estimates' choice 1.265 and 1.131
      {12,
       Precision::Double,
       {.radices = {{4, 3}}, .threads = {4}, .ffts = {16}, .resident_blocks = {8}, .splits_complex = true}},
      // 0.681 of cuFFT's time with callbacks and 0.665 without; the estimates' choice 0.881 and 0.666
      {15, Precision::Single, {.radices = {{15}}, .threads = {1}, .ffts = {64}, .resident_blocks = {8}}},
      // 0.891 of cuFFT's time with callbacks and 0.891 without; the estimates' choice 0.969 and 0.894
      {15,
       Precision::Double,
       {.radices = {{15}}, .threads = {1}, .ffts = {64}, .resident_blocks = {6}, .splits_complex = true}},
      // 0.918 of cuFFT's time with callbacks and 0.918 without; the estimates' choice 1.074 and 0.920
      {16, Precision::Single, {.radices = {{8, 2}}, .threads = {2}, .ffts = {32}, .resident_blocks = {8}}},
      // 0.953 of cuFFT's time with callbacks and 0.959 without; the estimates' choice 1.201 and 1.127
      {16, Precision::Double, {.radices = {{8, 2}}, .threads = {4}, .ffts = {16}, .resident_blocks = {12}}},
      // 0.900 of cuFFT's time with callbacks and 0.889 without; the estimates' choice 1.296 and 1.027
      {20, Precision::Single, {.radices = {{20}}, .threads = {1}, .ffts = {64}}},
      // 0.901 of cuFFT's time with callbacks and 0.901 without; the estimates' choice 1.162 and 1.095
      {20,
       Precision::Double,
       {.radices = {{5, 2, 2}}, .threads = {4}, .ffts = {16}, .resident_blocks = {8}, .splits_complex = true}},
      // 0.825 of cuFFT's time with callbacks and 0.791 without; the estimates' choice 0.942 and 0.811
      {24, Precision::Single, {.radices = {{4, 3, 2}}, .threads = {8}, .ffts = {8}, .splits_complex = true}},
      // 0.849 of cuFFT's time with callbacks and 0.850 without; the estimates' choice 1.132 and 1.051
      {24, Precision::Double, {.radices = {{4, 3, 2}}, .threads = {8}, .ffts = {8}, .resident_blocks = {8}}},
      // 0.929 of cuFFT's time with callbacks and 0.912 without; the estimates' choice 1.407 and 1.112
      {25,
       Precision::Single,
       {.radices = {{25}}, .threads = {1}, .ffts = {64}, .resident_blocks = {6}, .splits_complex = true}},
      // 1.011 of cuFFT's time with callbacks and 0.957 without; the estimates' choice 1.051 and 0.996
      {25,
       Precision::Double,
       {.radices = {{5, 5}}, .threads = {5}, .ffts = {16}, .resident_blocks = {9}, .splits_complex = true}},
      // 0.902 of cuFFT's time with callbacks and 0.927 without; the estimates' choice 1.044 and 0.966
      {27, Precision::Single, {.radices = {{27}}, .threads = {1}, .ffts = {64}}},
      // 0.881 of cuFFT's time with callbacks and 0.864 without; the estimates' choice 1.632 and 1.208
      {27, Precision::Double, {.radices = {{3, 3, 3}}, .threads = {9}, .ffts = {8}, .resident_blocks = {14}}},
      // 0.756 of cuFFT's time with callbacks and 0.753 without; the estimates' choice 0.953 and 0.815
      {32,
       Precision::Single,
       {.radices = {{4, 4, 2}}, .threads = {8}, .ffts = {8}, .resident_blocks = {6}, .splits_complex = true}},
      // 0.938 of cuFFT's time with callbacks and 0.934 without; the estimates' choice 1.004 and 0.967
      {32, Precision::Double, {.radices = {{4, 4, 2}}, .threads = {16}, .ffts = {4}, .resident_blocks = {8}}},
      // 0.947 of cuFFT's time with callbacks and 0.930 without; the estimates' choice 1.119 and 1.000
      {36, Precision::Single, {.radices = {{6, 6}}, .threads = {2}, .ffts = {32}}},
      // 0.979 of cuFFT's time with callbacks and 0.979 without; the estimates' choice 1.002 and 1.004
      {36, Precision::Double, {.radices = {{4, 3, 3}}, .threads = {12}, .ffts = {8}, .resident_blocks = {5}}},
      // 0.946 of cuFFT's time with callbacks and 0.962 without; the estimates' choice 1.207 and 1.065
      {48, Precision::Single, {.radices = {{8, 6}}, .threads = {8}, .ffts = {8}, .resident_blocks = {8}}},
      // 0.973 of cuFFT's time with callbacks and 0.976 without; the estimates' choice 1.055 and 1.015
      {48,
       Precision::Double,
       {.radices = {{4, 4, 3}}, .threads = {16}, .ffts = {4}, .resident_blocks = {8}, .splits_complex = true}},
      // 0.904 of cuFFT's time with callbacks and 0.858 without; the estimates' choice 2.404 and 1.386
      {60, Precision::Single, {.radices = {{5, 4, 3}}, .threads = {12}, .ffts = {8}, .resident_blocks = {16}}},
      // 0.886 of cuFFT's time with callbacks and 0.887 without; the estimates' choice 1.393 and 1.161
      {60, Precision::Double, {.radices = {{10, 6}}, .threads = {10}, .ffts = {8}, .resident_blocks = {4}}},
      // 0.996 of cuFFT's time with callbacks and 0.995 without; the estimates' choice 1.020 and 1.021
      {64, Precision::Single, {.radices = {{4, 4, 4}}, .threads = {16}, .ffts = {4}, .splits_complex = true}},
      // 0.444 of cuFFT's time; the estimates' choice 0.454
      {64,
       Precision::Single,
       {.radices = {{8, 8}}, .threads = {8}, .ffts = {8}, .resident_blocks = {8}, .splits_complex = true},
       true},
      // 0.956 of cuFFT's time with callbacks and 0.957 without; the estimates' choice 1.012 and 1.015
      {64, Precision::Double, {.radices = {{8, 4, 2}}, .threads = {16}, .ffts = {4}, .resident_blocks = {16}}},
      // 1.067 of cuFFT's time with callbacks and 1.017 without; the estimates' choice 1.258 and 1.132
      {81,
       Precision::Single,
       {.radices = {{9, 9}}, .threads = {9}, .ffts = {8}, .resident_blocks = {10}, .splits_complex = true}},
      // 0.420 of cuFFT's time; the estimates' choice 0.500
      {81, Precision::Single, {.radices = {{9, 9}}, .threads = {9}, .ffts = {7}, .resident_blocks = {8}}, true},
      // 0.983 of cuFFT's time with callbacks and 0.975 without; the estimates' choice 1.014 and 1.002
      {81,
       Precision::Double,
       {.radices = {{9, 9}}, .threads = {9}, .ffts = {8}, .resident_blocks = {5}, .splits_complex = true}},
      // 1.022 of cuFFT's time with callbacks and 0.985 without; the estimates' choice 1.131 and 1.042
      {100,
       Precision::Single,
       {.radices = {{10, 10}}, .threads = {10}, .ffts = {6}, .resident_blocks = {6}, .splits_complex = true}},
      // 0.433 of cuFFT's time; the estimates' choice 0.465
      {100, Precision::Single, {.radices = {{10, 10}}, .threads = {10}, .ffts = {16}, .resident_blocks = {6}}, true},
      // 0.994 of cuFFT's time with callbacks and 0.934 without; the estimates' choice 1.032 and 0.953
      {125, Precision::Single, {.radices = {{5, 5, 5}}, .threads = {25}, .ffts = {5}}},
      // 0.515 of cuFFT's time; the estimates' choice 0.578
      {125, Precision::Single, {.radices = {{25, 5}}, .threads = {7}, .ffts = {9}, .resident_blocks = {12}}, true},
      // 0.979 of cuFFT's time with callbacks and 0.967 without; the estimates' choice 0.997 and 0.996
      {125, Precision::Double, {.radices = {{5, 5, 5}}, .threads = {25}, .ffts = {4}, .resident_blocks = {5}}},
      // 0.975 of cuFFT's time with callbacks and 0.975 without; the estimates' choice 1.049 and 0.999
      {128,
       Precision::Single,
       {.radices = {{8, 4, 4}}, .threads = {32}, .ffts = {2}, .resident_blocks = {16}, .splits_complex = true}},
      // 0.432 of cuFFT's time; the estimates' choice 0.462
      {128, Precision::Single, {.radices = {{8, 4, 4}}, .threads = {16}, .ffts = {8}, .resident_blocks = {12}}, true},
      // 0.991 of cuFFT's time with callbacks and 0.991 without; the estimates' choice 1.033 and 1.044
      {128,
       Precision::Double,
       {.radices = {{8, 8, 2}}, .threads = {32}, .ffts = {2}, .resident_blocks = {8}, .splits_complex = true}},
      // 1.024 of cuFFT's time with callbacks and 0.997 without; the estimates' choice 1.228 and 1.038
      {243, Precision::Single, {.radices = {{9, 9, 3}}, .threads = {27}, .ffts = {4}, .resident_blocks = {4}}},
      // 0.533 of cuFFT's time; the estimates' choice 0.562
      {243, Precision::Single, {.radices = {{27, 9}}, .threads = {14}, .ffts = {9}}, true},
      // 1.018 of cuFFT's time with callbacks and 1.008 without; the estimates' choice 1.079 and 1.022
      {243,
       Precision::Double,
       {.radices = {{9, 9, 3}}, .threads = {27}, .ffts = {8}, .resident_blocks = {3}, .splits_complex = true}},
      // 0.964 of cuFFT's time with callbacks and 0.962 without; the estimates' choice 0.992 and 0.979
      {256, Precision::Single, {.radices = {{8, 8, 4}}, .threads = {32}, .ffts = {2}, .resident_blocks = {12}}},
      // 0.349 of cuFFT's time; the estimates' choice 0.350
      {256, Precision::Single, {.radices = {{16, 8, 2}}, .threads = {16}, .ffts = {8}, .resident_blocks = {6}}, true},
      // 0.562 of cuFFT's time; the estimates' choice 0.581
      {343, Precision::Single, {.radices = {{7, 7, 7}}, .threads = {49}, .ffts = {5}, .resident_blocks = {4}}, true},
      // 1.049 of cuFFT's time with callbacks and 1.026 without; the estimates' choice 1.058 and 1.027
      {500, Precision::Single, {.radices = {{10, 10, 5}}, .threads = {50}, .ffts = {5}, .splits_complex = true}},
      // 0.473 of cuFFT's time; the estimates' choice 0.616
      {500, Precision::Single, {.radices = {{25, 20}}, .threads = {25}, .ffts = {5}, .resident_blocks = {6}}, true},
      // 1.000 of cuFFT's time with callbacks and 1.003 without; the estimates' choice 1.090 and 1.005
      {500, Precision::Double, {.radices = {{10, 10, 5}}, .threads = {50}, .ffts = {2}, .splits_complex = true}},
      // 0.990 of cuFFT's time with callbacks and 0.990 without; the estimates' choice 1.009 and 1.006
      {512,
       Precision::Single,
       {.radices = {{8, 8, 8}}, .threads = {64}, .ffts = {1}, .resident_blocks = {8}, .splits_complex = true}},
      // 0.467 of cuFFT's time; the estimates' choice 0.493
      {512, Precision::Single, {.radices = {{8, 8, 8}}, .threads = {32}, .ffts = {2}}, true},
      // 0.986 of cuFFT's time with callbacks and 1.010 without; the estimates' choice 1.078 and 1.040
      {625,
       Precision::Single,
       {.radices = {{25, 25}}, .threads = {25}, .ffts = {5}, .resident_blocks = {3}, .splits_complex = true}},
      // 0.538 of cuFFT's time; the estimates' choice 0.720
      {625, Precision::Single, {.radices = {{25, 25}}, .threads = {25}, .ffts = {5}, .resident_blocks = {3}}, true},
      // 1.001 of cuFFT's time with callbacks and 0.990 without; the estimates' choice 1.078 and 1.028
      {729, Precision::Single, {.radices = {{9, 9, 9}}, .threads = {81}, .ffts = {1}, .resident_blocks = {6}}},
      // 0.548 of cuFFT's time; the estimates' choice 0.591
      {729, Precision::Single, {.radices = {{9, 9, 9}}, .threads = {81}, .ffts = {1}, .resident_blocks = {12}}, true},
      // 1.036 of cuFFT's time with callbacks and 0.992 without; the estimates' choice 1.256 and 1.009
      {1000, Precision::Single, {.radices = {{10, 10, 10}}, .threads = {100}, .ffts = {1}, .resident_blocks = {3}}},
      // 0.490 of cuFFT's time; the estimates' choice 0.532
      {1000, Precision::Single, {.radices = {{10, 10, 10}}, .threads = {100}, .ffts = {1}}, true},
      // 0.990 of cuFFT's time with callbacks and 1.001 without; the estimates' choice 1.147 and 0.998
      {1000, Precision::Double, {.radices = {{10, 10, 10}}, .threads = {100}, .ffts = {1}, .resident_blocks = {7}}},
      // 0.427 of cuFFT's time; the estimates' choice 0.451
      {1024, Precision::Single, {.radices = {{16, 8, 8}}, .threads = {64}, .ffts = {1}, .resident_blocks = {12}}, true},
      // 0.991 of cuFFT's time with callbacks and 0.994 without; the estimates' choice 1.256 and 1.000
      {1536, Precision::Single, {.radices = {{16, 12, 8}}, .threads = {96}, .ffts = {1}, .resident_blocks = {8}}},
      // 0.909 of cuFFT's time with callbacks and 0.910 without; the estimates' choice 1.106 and 0.914
      {1536, Precision::Double, {.radices = {{12, 8, 4, 4}}, .threads = {192}, .ffts = {1}, .splits_complex = true}},
      // 1.038 of cuFFT's time with callbacks and 0.999 without; the estimates' choice 1.107 and 1.050
      {2000, Precision::Single, {.radices = {{20, 10, 10}}, .threads = {100}, .ffts = {1}, .resident_blocks = {7}}},
      // 0.424 of cuFFT's time; the estimates' choice 0.518
      {2000, Precision::Single, {.radices = {{25, 16, 5}}, .threads = {125}, .ffts = {1}}, true},
      // 1.105 of cuFFT's time with callbacks and 1.004 without; the estimates' choice 1.152 and 0.984
      {2000, Precision::Double, {.radices = {{10, 10, 5, 4}}, .threads = {200}, .ffts = {1}, .splits_complex = true}},
      // 0.984 of cuFFT's time with callbacks and 0.982 without; the estimates' choice 0.986 and 0.992
      {2048, Precision::Single, {.radices = {{8, 8, 8, 4}}, .threads = {256}, .ffts = {1}, .resident_blocks = {4}}},
      // 0.440 of cuFFT's time; the estimates' choice 0.468
      {2048,
       Precision::Single,
       {.radices = {{16, 16, 8}}, .threads = {128}, .ffts = {1}, .resident_blocks = {6}},
       true},
      // 0.944 of cuFFT's time with callbacks and 0.912 without; the estimates' choice 0.967 and 0.909
      {3000, Precision::Single, {.radices = {{25, 12, 10}}, .threads = {125}, .ffts = {1}}},
      // 0.432 of cuFFT's time; the estimates' choice 0.510
      {3000,
       Precision::Single,
       {.radices = {{25, 12, 10}}, .threads = {250}, .ffts = {1}, .resident_blocks = {4}},
       true},
      // 0.362 of cuFFT's time with callbacks and 0.346 without; the estimates' choice 0.403 and 0.351
      {3000, Precision::Double, {.radices = {{12, 10, 5, 5}}, .threads = {300}, .ffts = {1}, .resident_blocks = {3}}},
      // 0.462 of cuFFT's time; the estimates' choice 0.464
      {4096,
       Precision::Single,
       {.radices = {{16, 16, 16}}, .threads = {256}, .ffts = {1}, .resident_blocks = {3}},
       true},
      // 0.986 of cuFFT's time with callbacks and 0.989 without; the estimates' choice 1.121 and 0.997
      {4096,
       Precision::Double,
       {.radices = {{8, 8, 8, 8}}, .threads = {512}, .ffts = {1}, .resident_blocks = {2}, .splits_complex = true}},
      // 1.261 of cuFFT's time with callbacks and 1.155 without; the estimates' choice 1.378 and 1.136
      {6561, Precision::Single, {.radices = {{9, 9, 9, 9}}, .threads = {243}, .ffts = {1}, .resident_blocks = {3}}},
      // 1.054 of cuFFT's time with callbacks and 0.979 without; the estimates' choice 1.095 and 0.989. Radices 32,
      // 16, 16 in 256 threads take 1.038 and 0.985, but twice as long to compile.
      {8192, Precision::Single, {.radices = {{16, 8, 8, 8}}, .threads = {512}, .ffts = {1}, .splits_complex = true}},
      // 0.474 of cuFFT's time; the estimates' choice 0.653
      {8192,
       Precision::Single,
       {.radices = {{32, 16, 16}}, .threads = {256}, .ffts = {1}, .resident_blocks = {2}},
       true},
      // 0.957 of cuFFT's time with callbacks; the estimates' choice 0.996
      {16384,
       Precision::Single,
       {.radices = {{16, 16, 16, 4}}, .threads = {1024}, .ffts = {1}, .resident_blocks = {1}}},
      // 0.993 of cuFFT's time with callbacks and 0.995 without; the estimates' choice 1.011 and 1.007
      {32768,
       Precision::Single,
       {.factors = {128, 256},
        .radices = {{16, 8}, {16, 16}},
        .threads = {8, 16},
        .ffts = {32, 32},
        .resident_blocks = {3, 0}}},
      // 0.894 of cuFFT's time with callbacks and 0.895 without; the estimates' choice 0.902 and 0.895
      {65536,
       Precision::Single,
       {.factors = {64, 1024},
        .radices = {{8, 8}, {16, 16, 4}},
        .threads = {4, 64},
        .ffts = {32, 8},
        .resident_blocks = {3, 0}}},
      // 0.867 of cuFFT's time with callbacks and 0.832 without; the estimates' choice 1.075 and 1.042
      {531441,
       Precision::Single,
       {.factors = {243, 2187},
        .radices = {{9, 9, 3}, {9, 9, 9, 3}},
        .threads = {14, 81},
        .ffts = {32, 8},
        .resident_blocks = {2, 1}}},
      // 0.897 of cuFFT's time with callbacks and 0.888 without; the estimates' choice 1.090 and 1.038
      {531441,
       Precision::Double,
       {.factors = {243, 2187},
        .radices = {{9, 9, 3}, {9, 9, 9, 3}},
        .threads = {27, 243},
        .ffts = {8, 4},
        .resident_blocks = {3, 0}}},
      // 0.929 of cuFFT's time with callbacks and 0.918 without; the estimates' choice 1.165 and 0.944
      {16777216,
       Precision::Single,
       {.factors = {128, 512, 256},
        .radices = {{16, 8}, {16, 8, 4}, {16, 16}},
        .threads = {8, 32, 16},
        .ffts = {32, 16, 32},
        .resident_blocks = {4, 0, 2}}},
      // 0.942 of cuFFT's time with callbacks and 0.919 without; the estimates' choice 1.168 and 0.980
      {16777216,
       Precision::Double,
       {.factors = {128, 512, 256},
        .radices = {{16, 8}, {16, 8, 4}, {16, 16}},
        .threads = {8, 32, 16},
        .ffts = {16, 8, 16},
        .resident_blocks = {0, 2, 0}}},
  };
  return table;
}

const Choices* measured_choices(std::int64_t length, Precision precision, bool has_inverse) {
  const std::vector<MeasuredPlan>& table = measured_plans();
  const std::tuple key(length, precision, has_inverse);
  const auto at = std::ranges::lower_bound(table, key, {}, key_of);
  return at != table.end() && key_of(*at) == key ? &at->choices : nullptr;
}

}  // namespace graft::families::fft
