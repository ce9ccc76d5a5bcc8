// Includes every public header of graft.
#pragma once

#include <graft/architecture.hpp>
#include <graft/arrays.hpp>
#include <graft/call_shapes.hpp>
#include <graft/callback.hpp>
#include <graft/dlpack_view.hpp>
#include <graft/element.hpp>
#include <graft/engine.hpp>
#include <graft/error.hpp>
#include <graft/fft.hpp>
#include <graft/formula.hpp>
#include <graft/image.hpp>
#include <graft/kernel.hpp>
#include <graft/kernel_spec.hpp>
#include <graft/log.hpp>
#include <graft/options.hpp>
#include <graft/pending.hpp>
#include <graft/precompile.hpp>
#include <graft/reduce.hpp>
#include <graft/report.hpp>
#include <graft/route.hpp>
#include <graft/signature.hpp>
#include <graft/transform.hpp>
#include <graft/tuning.hpp>
#include <graft/version.hpp>
#include <graft/view.hpp>
