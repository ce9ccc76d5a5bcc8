// CMake compiles this file once for each callback. The file connects callbacks::GRAFT_SUBJECT to
// building_blocks/kernel.h, whose functions form the callback's adapter. A GPU kernel is a program with one adapter,
// but this test links all adapters into one program, so macros give the functions of each adapter their own names.
#define GRAFT_JOIN_AGAIN(a, b) a##b
#define GRAFT_JOIN(a, b) GRAFT_JOIN_AGAIN(a, b)
#define GRAFT_QUOTE_AGAIN(a) #a
#define GRAFT_QUOTE(a) GRAFT_QUOTE_AGAIN(a)

#define graft_adapter GRAFT_JOIN(GRAFT_SUBJECT, _adapter)
#include "subject.hpp"  // after the line above, because contract.h puts names into graft_adapter too

#include "reference.hpp"

#define graft_probe GRAFT_JOIN(GRAFT_SUBJECT, _probe)
#define graft_input_count GRAFT_JOIN(GRAFT_SUBJECT, _input_count)
#define graft_input_size GRAFT_JOIN(GRAFT_SUBJECT, _input_size)
#define graft_input_alignment GRAFT_JOIN(GRAFT_SUBJECT, _input_alignment)
#define graft_output_count GRAFT_JOIN(GRAFT_SUBJECT, _output_count)
#define graft_output_size GRAFT_JOIN(GRAFT_SUBJECT, _output_size)
#define graft_output_alignment GRAFT_JOIN(GRAFT_SUBJECT, _output_alignment)
#define graft_may_use_shared GRAFT_JOIN(GRAFT_SUBJECT, _stages)
#define graft_apply GRAFT_JOIN(GRAFT_SUBJECT, _apply)
#define graft_call GRAFT_JOIN(GRAFT_SUBJECT, _call)

#include "host.h"  // first, because it defines CUDA's keywords for the host

#include "callbacks.h"

#include "cells.h"

#include "adapter.h"
#include "behind.h"
#define GRAFT_CALLBACK ::callbacks::GRAFT_SUBJECT
#include "kernel.h"

namespace {

const blocks::Subject subject = {GRAFT_QUOTE(GRAFT_SUBJECT),
                                 graft::Signature::of<decltype(::callbacks::GRAFT_SUBJECT)>(),
                                 graft_input_count,
                                 graft_input_size,
                                 graft_input_alignment,
                                 graft_output_count,
                                 graft_output_size,
                                 graft_output_alignment,
                                 graft_apply,
#ifdef GRAFT_SUBJECT_WITH_BITS  // whose tests compute the expected results themselves
                                 nullptr
#else
                                 blocks::Reference<&::callbacks::GRAFT_SUBJECT>::apply
#endif
};

const bool listed = (blocks::subjects().push_back(&subject), true);

}  // namespace
