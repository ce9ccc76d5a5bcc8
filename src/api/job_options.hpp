// Options of jobs that can have several callbacks.
#pragma once

#include <memory>
#include <utility>

#include "base/format.hpp"
#include "core/fail.hpp"
#include "engine/engine_impl.hpp"
#include "engine/job_kernels.hpp"
#include "engine/taken_options.hpp"
#include "families/registry.hpp"

namespace graft {

// Returns the options as the engine takes them. Throws Error(InvalidArgument) for options that such jobs do not have,
// and what engine::TakenOptions throws.
inline Options options_of_job(Engine& engine, const engine::JobKernels& kernels, const Options& options) {
  if (!options.entry.empty())
    refuse(base::format("Options::entry names one function, but {} can have several callbacks",
                        families::of(kernels.job().family).face().job),
           "Name the entry function of each callback with Callback::with_entry.");
  return engine::TakenOptions(kernels.callbacks(), options, &Engine::Impl::of(engine)->logger()).get();
}

// Makes the Impl of a public class: of an engine, the kernels and the taken options.
template <class Impl>
std::shared_ptr<Impl> load_job(Engine& engine, engine::JobKernels kernels, const Options& options) {
  Options taken = options_of_job(engine, kernels, options);
  return std::make_shared<Impl>(Engine::Impl::of(engine), std::move(kernels), std::move(taken));
}

}  // namespace graft
