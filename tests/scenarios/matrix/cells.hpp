// The forms, shapes and routes of the tables in docs/tables/matrix.md. A form is how a user gives a callback, such as
// source or PTX. A shape is what the page calls a kind of callback, such as one with a state. Each table cell combines
// a form, a shape and a route.
#pragma once

#include <array>
#include <string_view>

#include "graft/graft.hpp"

namespace graft::test {

struct FormOfCallback {
  std::string_view name;
  Form form;
  PrecompileFormat made_by = PrecompileFormat::Pack;  // for compiled forms, the format that graft::precompile writes
};
inline constexpr std::array kForms = {
    FormOfCallback{"source", Form::Source},
    FormOfCallback{"LTO-IR", Form::LtoIr, PrecompileFormat::LtoIr},
    FormOfCallback{"fatbin", Form::Fatbin, PrecompileFormat::Fatbin},
    FormOfCallback{"PTX", Form::Ptx, PrecompileFormat::Ptx},
    FormOfCallback{"object", Form::Object, PrecompileFormat::Cubin},
    FormOfCallback{"NVVM IR", Form::Nvvm},
    FormOfCallback{"pack", Form::Pack, PrecompileFormat::Pack},
    FormOfCallback{"pack with cubins", Form::Pack, PrecompileFormat::PackWithCubins},
};

enum class Shape { Value, Index, State, Outputs, Selective, Struct, Stages, Chain };
inline constexpr std::array kShapes = {Shape::Value,     Shape::Index,  Shape::State,  Shape::Outputs,
                                       Shape::Selective, Shape::Struct, Shape::Stages, Shape::Chain};
std::string_view name(Shape shape);

inline constexpr std::array kRoutes = {Route::Lto, Route::Program, Route::Ptx, Route::Indirect, Route::Host};
Options on_route(Route route);

// The number of cells on GPU routes that say "yes". matrix_test compares it with the page, and the test on a GPU, where
// the page may be missing, with the number of kernels that it ran.
inline constexpr int kCellsOnGpus = 160;

// Makes the callback for one form and shape. Objects and finished kernels are compiled for `architecture`, and all
// other compiled forms for sm_75. Throws Error if the shape cannot be made in this form.
Callback callback_of(const FormOfCallback& form, Shape shape, Architecture architecture);

}  // namespace graft::test
