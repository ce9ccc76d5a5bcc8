#include "families/own_kernels.hpp"

#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "core/enumerators.hpp"
#include "core/fail.hpp"
#include "core/slots.hpp"

namespace graft::families {
namespace {

constexpr const char* kOwnKernels = "own";  // KernelSpec::family

class OwnCaller final : public Caller {
 public:
  explicit OwnCaller(std::string title) : title_(std::move(title)) {}
  std::string title() const override { return title_; }
  void call(const Arguments&, Runner&) const override {
    refuse(base::format("{} is a kernel of the application's own", title_), "Launch it by graft::Kernel.");
  }

 private:
  std::string title_;
};

constexpr base::Phrase kCWords[] = {
    {"Callback::with_entry", "graft_callback_set_entry"},
    {"KernelCode::with_entry", "graft_kernel_code_add_entry"},
    {"KernelCode::with_link_input", "graft_kernel_code_add_link_input"},
    {"KernelLaunch::shared_bytes", "graft_kernel_launch_config::shared_bytes"},
    {"KernelCode::precompile_for", "graft_kernel_code_precompile_for"},
    {"graft::Callback::pack", "graft_callback_from_bytes"},
    {"graft::KernelCallbacks({{\"metric\", callback}}, {{\"tile\", 8}})", "a graft_constant"},
    {"{\"metric\", callback}", "a graft_slot"},
    {"kernel.entry(\"name\").launch(...)", "graft_kernel_entry"},
    {"graft::Kernel", "graft_kernel_create"},
};

class OwnFamily final : public Family {
 public:
  std::string_view name() const noexcept override { return kOwnKernels; }
  Face face() const noexcept override { return {"a kernel of the application's own", "Make it by graft::Kernel."}; }
  bool has_elements() const noexcept override { return false; }
  std::string title(const Job& job) const override {
    return job.callbacks.empty() ? "a kernel" : job.callbacks.front().callback.composition()->parts.front()->name();
  }

  void check(const Callback::Composition& composition) const override {
    if (composition.kind != Callback::Composition::Slots) refuse_elements();
  }
  Choice choose(const Request&) const override { refuse_elements(); }
  std::optional<Code> code(const CodeRequest&) const override { return std::nullopt; }
  std::string host_text(const codegen::SourceProgram&) const override { refuse_elements(); }

  std::string objection_to(const KernelSpec& kernel) const override {
    if (!base::read_record<AskedKernels>(kernel.request)) return "its request cannot be read";
    const bool has_route = kernel.route == Route::Lto || kernel.route == Route::Program || kernel.route == Route::Ptx;
    return has_route ? "" : "own kernels have no such route";
  }
  std::string describe(const KernelSpec&) const override { return {}; }
  std::span<const base::Phrase> c_words() const override { return kCWords; }
  std::vector<std::string> words_on(std::span<const std::byte> request) const override {
    const std::optional<AskedKernels> asked = base::read_record<AskedKernels>(request);
    std::vector<std::string> words;
    if (!asked) return words;
    for (const std::string& entry : asked->entries) words.push_back("entry=" + entry);
    for (const std::string& slot : asked->slots) words.push_back("slot=" + slot);
    for (std::size_t i = 0; i < asked->optional_slots.size(); ++i)
      words.push_back(base::format("optional={} ({})", asked->optional_slots[i], asked->optional_constants[i]));
    for (const std::string& slot : asked->always_inlined) words.push_back("always_inlined=" + slot);
    for (const std::string& slot : asked->never_inlined) words.push_back("never_inlined=" + slot);
    for (const std::string& slot : asked->thread_word_slots) words.push_back("thread_words=" + slot);
    for (const std::string& header : asked->headers) words.push_back("header=" + header);
    for (std::size_t i = 0; i < asked->constants.size(); ++i)
      words.push_back(base::format("{}={}", asked->constants[i], static_cast<std::int64_t>(asked->values[i])));
    return words;
  }

  std::unique_ptr<const Caller> caller(const Job& job, const Schedule&,
                                       std::span<const KernelSpec* const>) const override {
    return std::make_unique<OwnCaller>(title(job));
  }

 private:
  [[noreturn]] static void refuse_elements() {
    refuse("a kernel of the application's own has slots, and no callback of elements", "Make it by graft::Kernel.");
  }
};

}  // namespace

const Family& own_kernels() {
  static const OwnFamily one;
  return one;
}

Job job_of_own_kernels(const KernelCode& code, const KernelCallbacks& callbacks) {
  AskedKernels asked{.entries = code.entries(), .defaults = code.defaults().size()};
  std::vector<Callback> filled;
  for (const std::vector<SlotCallback>& list : {callbacks.slots, code.defaults()})
    for (const SlotCallback& one : list) {
      if (one.slot.empty()) refuse("a callback has no slot", "Give the slot's name with it: {\"metric\", callback}.");
      asked.slots.push_back(one.slot);
      filled.push_back(one.callback);
    }
  for (const KernelCode::Optional& one : code.optionals()) {
    asked.optional_slots.push_back(one.slot);
    asked.optional_constants.push_back(one.constant);
  }
  for (const KernelCode::Wish& wish : code.wishes()) {
    check_enumerator(wish.inlining, Inlining::Never, "KernelCode::with_inlining");
    if (wish.inlining == Inlining::Always) asked.always_inlined.push_back(wish.slot);
    if (wish.inlining == Inlining::Never) asked.never_inlined.push_back(wish.slot);
  }
  for (const KernelConstant& constant : callbacks.constants) {
    if (std::ranges::find(asked.constants, constant.name) != asked.constants.end())
      refuse(base::format("the constant {} has two values", constant.name), "Give one value for each constant.");
    asked.constants.push_back(constant.name);
    asked.values.push_back(static_cast<std::uint64_t>(constant.value));
  }
  for (const KernelCode::Constant& constant : code.constants()) {
    asked.constants.push_back(constant.name);
    asked.values.push_back(static_cast<std::uint64_t>(constant.values.front()));
    ++asked.default_values;
    for (std::size_t i = 1; i < constant.values.size(); ++i) {
      asked.further_constants.push_back(constant.name);
      asked.further_values.push_back(static_cast<std::uint64_t>(constant.values[i]));
    }
  }
  asked.thread_word_slots = code.thread_words();
  for (const Header& header : code.headers()) asked.headers.push_back(header.name);
  return {.family = kOwnKernels,
          .request = base::write_record(asked),
          .callbacks = {{"", with_slots(code.code(), filled)}}};
}

Job job_of_callback_for_slot(const KernelCode& code, const SlotCallback& callback) {
  Job job = job_of_own_kernels(code, {callback});
  AskedKernels asked = base::read_record<AskedKernels>(job.request).value();
  asked.is_for_slot = true;
  job.request = base::write_record(asked);
  return job;
}

AskedKernels asked_of_pack(AskedKernels asked, std::vector<std::string> slots) {
  asked.entries.clear();
  asked.slots = std::move(slots);
  asked.defaults = asked.slots.size();
  asked.default_values = asked.constants.size();
  asked.further_constants.clear();
  asked.further_values.clear();
  return asked;
}

}  // namespace graft::families
