// The cells of the matrix in docs/matrix.md: every form in which a callback can be given, for every shape of callback.
#pragma once

#include <array>
#include <string_view>

#include "graft/graft.hpp"

namespace graft::test {

struct FormOfCallback {
  std::string_view name;
  Form form;
  PrecompileFormat made_by = PrecompileFormat::Pack;  // the format, for compiled forms
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

// Objects and finished kernels are made for this architecture, all other compiled forms for sm_75. Throws Error when a
// shape cannot be made in this form.
Callback callback_of(const FormOfCallback& form, Shape shape, Architecture architecture);

}  // namespace graft::test
