// The kernels of a transform. Each serves calls of one class of shapes:
//
//     flat     arrays of one dimension, and what lies in memory like one
//     rows     the outputs' rows are contiguous: a vector of elements of a row for each thread
//     scalar   arrays of any shape, one element for each thread
//
// A kernel's request names its class; that of the flat kernel is empty, as it was before there were others. A schedule
// has a method for each class, by which a job asks for the kernel (Options::any_shape).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "graft/signature.hpp"

namespace graft::elementwise {

enum class ShapeClass : std::uint8_t { Flat = 0, Scalar = 1, Rows = 2 };

// Returns what messages call the class: "flat".
const char* name(ShapeClass shapes);
// Returns the name of the method. That of the flat kernel is empty, as in a family with one kernel.
const char* method_of(ShapeClass shapes);

// The methods of a job that takes every shape (families::Job::methods).
std::vector<std::string> methods_for_any_shape();

base::Bytes request_of(ShapeClass shapes);
// Returns nothing if the bytes are no request.
std::optional<ShapeClass> class_of(std::span<const std::byte> request);

// Returns how many elements a thread of the kernel for rows handles: as many as fit into a word of the widest array, or
// one if elements of an array do not divide words.
int width_of_rows(const Signature& signature);

}  // namespace graft::elementwise
