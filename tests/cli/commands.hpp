// The commands of graft that people call, in an order in which the examples of one command find what those of the
// commands before it have made.
#pragma once

namespace graft::test {

inline constexpr const char* kCommands[] = {"",
                                            "help",
                                            "doctor",
                                            "inspect",
                                            "apply",
                                            "bench",
                                            "tune",
                                            "reduce",
                                            "precompile",
                                            "warm",
                                            "cache",
                                            "cache dir",
                                            "cache list",
                                            "cache stats",
                                            "cache verify",
                                            "cache export",
                                            "cache import",
                                            "cache explain",
                                            "cache prune",
                                            "cache clear"};

}  // namespace graft::test
