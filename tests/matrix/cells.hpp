// The cells of the matrix: every form that a callback comes in, each of every shape that a callback has.
#pragma once

#include <array>
#include <string_view>

#include "graft/graft.hpp"

namespace graft::test {

struct FormOfCallback {
  std::string_view name;
  Form form;
  PrecompileFormat made_by = PrecompileFormat::Pack;  // the compiled ones
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

enum class Shape { Value, Index, State, Outputs, Struct, Stages, Chain };
inline constexpr std::array kShapes = {Shape::Value,  Shape::Index,  Shape::State, Shape::Outputs,
                                       Shape::Struct, Shape::Stages, Shape::Chain};
std::string_view name(Shape shape);

inline constexpr std::array kRoutes = {Route::Lto, Route::Program, Route::Ptx, Route::Indirect, Route::Host};
Options on_route(Route route);

// Objects and finished kernels are made for this architecture, and what can be older for 75. Throws Error where a form
// cannot be made of a shape.
Callback callback_of(const FormOfCallback& form, Shape shape, Architecture architecture);

}  // namespace graft::test
