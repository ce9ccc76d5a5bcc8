// What `graft bench` measures: a loaded transform, or a loaded job of a family. Its arrays consist of items: elements,
// or what the family has in place of them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "cli/commands/build_options.hpp"
#include "graft/arrays.hpp"
#include "graft/element.hpp"
#include "graft/image.hpp"
#include "graft/options.hpp"

struct CUstream_st;

namespace graft::cli {

struct BenchArray {
  ElementType type;
  std::uint64_t per_item = 1;  // elements
  bool is_read = true;         // false for an output that is only written
  bool is_output = false;

  std::size_t bytes(std::uint64_t items) const;
};

class Subject {
 public:
  virtual ~Subject() = default;

  // The arrays, inputs first, in the order of execute.
  const std::vector<BenchArray>& arrays() const noexcept { return arrays_; }
  // Whether the result of an item depends on the item alone, and not on its place.
  bool items_are_alike() const noexcept { return items_are_alike_; }
  // Whether results are sums of many elements, whose rounding errors belong to the largest one.
  virtual bool makes_sums() const noexcept = 0;
  virtual std::string word() const = 0;  // what items are called: "elements"

  // Returns a function that calls execute with arrays of so many items, on the stream, or for a subject that was loaded
  // for the host, there. The function throws what execute throws, and must not outlive the subject.
  virtual std::function<void()> call(CUstream_st* stream, const std::vector<std::byte*>& pointers,
                                     std::uint64_t items) const = 0;

  // The bytes that a call reads and writes.
  std::uint64_t bytes(std::uint64_t items) const;
  // The largest array.
  std::size_t largest_array(std::uint64_t items) const;

 protected:
  Subject(const Signature& signature, std::uint64_t per_input, std::uint64_t per_output);

  std::vector<ArrayRef> refs(const std::vector<std::byte*>& pointers, std::uint64_t items, bool outputs) const;

 private:
  std::vector<BenchArray> arrays_;
  bool items_are_alike_;
};

// Loads a transform on the device, or an image of the host route on the host. Throws Error, also UnsupportedParameter
// for a callback whose arrays graft does not know (load and store callbacks, callbacks without arrays).
std::unique_ptr<const Subject> transform_subject(const Image& image, int device, const base::Bytes& state);

// For loading images in place of creating them: the device and the architecture, or nothing for the host route.
Options loading_options(const Image& image, int device);

// Throws Error(UnsupportedParameter) for a callback whose arrays graft does not know.
void require_known_arrays(const Image& image);

// How jobs of a family are measured.
class JobBench {
 public:
  virtual ~JobBench() = default;
  // Adds options that the command line leaves open, so that the job has one way to be called. Throws
  // CLI::ValidationError.
  virtual void complete(BuildRequest& request) const = 0;
  // The number of items of the first row of the table.
  virtual std::uint64_t first_count() const noexcept = 0;
  // Loads the job's kernels, for calls of at most so many items. Throws Error.
  virtual std::unique_ptr<const Subject> load(const BuildRequest& request, const std::vector<Image>& images, int device,
                                              std::uint64_t most_items, const base::Bytes& state) const = 0;
};

}  // namespace graft::cli
