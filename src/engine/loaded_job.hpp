// A LoadedJob holds the kernels of a job, loaded for each architecture and ready in each context that was prepared, and
// executes calls of the job. It is what a graft::Transform and the classes of other families consist of.
//
// The kernels of an architecture, or of a GPU that was measured, are a Loaded, and a context in which they are ready is
// a Prepared. Both are in lists that only grow and whose newest element comes first. So execute walks them without a
// lock, while prepare() or add_methods() adds further kernels. execute allocates no memory, except a few bytes when a
// call that uses a workspace is captured, of which the graph then owns a share (launch/device_memory.hpp), and the
// workspace of a stream by its first call that needs one (launch/stream_memory.hpp).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/image_data.hpp"
#include "engine/engine_impl.hpp"
#include "engine/job_kernels.hpp"
#include "families/call.hpp"
#include "graft/options.hpp"
#include "launch/device.hpp"
#include "launch/device_memory.hpp"
#include "launch/kernel.hpp"
#include "launch/stream_memory.hpp"

namespace graft {

// All functions are thread-safe.
class LoadedJob {
 public:
  // `options` are as TakenOptions returned them. The reference to the engine is weak, because the engine keeps jobs.
  LoadedJob(const std::shared_ptr<Engine::Impl>& engine, engine::JobKernels kernels, Options options);
  ~LoadedJob();
  LoadedJob(const LoadedJob&) = delete;
  LoadedJob& operator=(const LoadedJob&) = delete;

  // Loads the kernels of the host route, or calls prepare_devices(). Call it once, before anything else.
  void prepare_chosen();
  // Prepares the devices that the options name or, if they name none, the current context.
  void prepare_devices();
  // Prepares `context`, which must be current. Builds and loads kernels first if there are none for its architecture.
  void prepare(const launch::CurrentContext& context);
  // Makes the workspace of a stream of the current context, if calls need one. Throws Error as execute does.
  void prepare_stream(CUstream_st* stream) const;
  // Makes further methods of the schedule ready, in the current context, or on the host. Other contexts get them by
  // prepare(). Calls that run meanwhile are not disturbed.
  void add_methods(const std::vector<std::string>& names);
  // Adds methods that prepare() then makes ready, of a job that nobody uses yet. Returns whether one of them is new.
  bool want_methods(const std::vector<std::string>& names);

  // Returns the method that serves such calls best, and throws what it throws (families::Caller::method_for).
  std::string method_for(const families::Arguments& arguments) const;

  // Returns how such calls are served in the current context, or on the host (families::Caller::describe).
  std::string describe(const families::Arguments& arguments) const;

  // Queues the launches of a call in the current context. Throws Error: InvalidArgument if the job is on the host,
  // NotPrepared, and what the family's Caller throws.
  void execute(CUstream_st* stream, const families::Arguments& arguments) const;
  // Runs a call on the host. Throws Error: InvalidArgument if the job is not on the host, SystemFailed, and what the
  // family's Caller throws.
  void execute_on_host(const families::Arguments& arguments) const;

  // The kernels of one architecture or of one GPU that was measured, or of the host.
  struct Loaded {
    std::optional<Architecture> architecture;
    std::shared_ptr<const format::TuningFile> tuning;  // with which the kernels were made; null: the rules'
    families::Schedule schedule;
    std::vector<std::shared_ptr<launch::Kernel>> kernels;  // those of the schedule
    std::vector<base::Bytes> constants;                    // of the kernels, for the host
    std::unique_ptr<const families::Caller> caller;
    const Loaded* next;
  };

  // One entry function of one kernel, in one context.
  struct Target {
    CUfunction function;
    const launch::Kernel* kernel;
    void* constants;
  };

  struct Prepared {
    launch::ContextIdentity context;
    const families::Caller* caller;
    std::vector<Target> targets;       // the entries of the first kernel, then those of the second, ...
    std::vector<std::uint32_t> first;  // the place in `targets` of each kernel's first entry
    const Loaded* loaded;
    std::size_t workspace_bytes;
    std::shared_ptr<launch::DeviceMemory> workspace;   // null if it has no bytes
    std::shared_ptr<launch::StreamMemory> of_streams;  // the workspaces of streams; null if they have no bytes
    const Prepared* next;

    const Target& target(const families::Launch& launch) const { return targets[first[launch.kernel] + launch.entry]; }
  };

  // Returns the kernels that are ready in the current context. Throws Error as execute does.
  const Prepared& here() const;
  // Returns whether nothing is left to prepare for an equal request: the current context is ready, and the options name
  // no devices; or the job is on the host. Makes one driver call.
  bool is_ready_here() const noexcept;
  // Throws Error(InvalidArgument) if the job is on the host.
  void require_gpu() const;

  // What a workspace for calls of this size needs, in bytes, on each device that was prepared.
  std::size_t workspace_bytes(std::uint64_t capacity) const;

  const families::Job& job() const noexcept { return kernels_.job(); }
  const Options& options() const noexcept { return options_; }
  // The images and reports of the kernels that prepare_chosen() loaded first, in the schedule's order.
  const std::vector<Image>& images() const noexcept { return images_; }
  const std::vector<Report>& reports() const noexcept { return reports_; }

 private:
  std::vector<std::string> methods_with(const std::vector<std::string>& names) const;
  bool is_on_host() const noexcept { return first_ != nullptr && !first_->architecture; }
  // Where kernels run: an architecture and, if it was measured, a GPU of it; or the host.
  struct Place {
    std::optional<Architecture> architecture = {};
    std::shared_ptr<const format::TuningFile> tuning = {};
  };
  Place place_of(const launch::CurrentContext& context) const;
  const Loaded* find(const Place& place) const noexcept;
  const Prepared* prepared_in(launch::ContextIdentity context) const noexcept;
  const Loaded* with(const Place& place, const std::vector<std::string>& methods);
  const Loaded* add(const Place& place, const std::vector<std::string>& methods);
  std::shared_ptr<launch::Kernel> load(const engine::JobKernels::Planned& planned, std::size_t i, const Place& place,
                                       Milliseconds& time) const;
  void prepare_loaded(const Loaded& loaded);
  std::shared_ptr<launch::DeviceMemory> allocate_workspace(const Loaded& loaded, std::size_t bytes) const;
  std::shared_ptr<Engine::Impl> engine() const;
  void write_reports();
  [[noreturn]] void fail_not_prepared(launch::ContextIdentity context) const;

  std::weak_ptr<Engine::Impl> engine_;
  engine::JobKernels kernels_;
  Options options_;
  std::mutex mutex_;                  // held by functions that add to the lists
  std::vector<std::string> methods_;  // as Job::methods, with those that add_methods() added
  std::atomic<const Loaded*> loaded_{nullptr};
  std::atomic<const Prepared*> prepared_{nullptr};
  const Loaded* first_ = nullptr;         // what prepare_chosen() loaded first
  std::vector<Milliseconds> load_times_;  // of the kernels of first_
  std::vector<Image> images_;
  std::vector<Report> reports_;
};

}  // namespace graft
