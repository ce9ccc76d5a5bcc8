"""Callbacks that Numba compiles: every one is inlined in a kernel for a GPU that is not there."""

import math

import numpy as np
import pytest

import graft_cuda as graft

pytest.importorskip("numba.cuda", exc_type=ImportError)
pytestmark = pytest.mark.usefixtures("has_compiler")
STATE = np.dtype([("flag", "?"), ("gain", "f8"), ("w", "f4", (2, 2)), ("inner", [("n", "i2"), ("z", "c8")])])


def wave(x, y):
    return math.sin(x) * y if x > 0 else 0.0


@pytest.mark.parametrize(
    "function, signature, state",
    [
        (wave, "f32(f32, f32)", None),
        (lambda x: x * x, "f64(f64)", None),
        (lambda x, i: x + i, "f32(f32, index)", None),
        (lambda x: 2 * x, "i16(i16)", None),
        (lambda x, y: x > y, "bool(i8, u8)", None),
        (lambda x: not x, "bool(bool)", None),
        (lambda x: x // 3, "u64(i64)", None),
        (lambda z: z.real * z.real + z.imag * z.imag, "f32(c64)", None),
        (lambda x: complex(x / 32768.0, 0.0), "c64(i16)", None),
        (lambda z, w: z * w.conjugate(), "c128(c128, c128)", None),
        (lambda x, s: s * x, "f32(f32, state)", "f32"),
        (lambda s, x, i: s.gain * x + s.w[1][0] + s.inner.n + i if s.flag else 0.0, "f64(state, f32, index)", STATE),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_inlined(function, signature, state):
    callback = graft.numba_callback(function, signature, state=state)
    for architecture in ("sm_75", "sm_90"):
        report = graft.build(callback, architecture).report
        assert report.inlined, report
        assert report.route == "lto"


def test_reductions_and_ffts_take_them():
    add = graft.numba_callback(lambda a, b: a + b, "f32(f32, f32)")
    square = graft.numba_callback(lambda x: x * x, "f32(f32)")
    core, engine = graft._core, graft.default_engine()
    images = core.build_reduce(engine, core.ReduceCallbacks(square, add, None, None), "sm_90", {})
    request = graft._fft._request(
        64,
        graft.numba_callback(lambda x: complex(x / 32768.0, 0.0), "c64(i16)"),
        None,
        graft.numba_callback(lambda z: z.real * z.real + z.imag * z.imag, "f32(c64)"),
        None, "f32", "complex", "forward", "none", ("same", "same"), False, False, 0,
    )  # fmt: skip
    images += core.build_fft(engine, request, "sm_90", {})
    assert len(images) >= 2
    for image in images:
        assert graft.Report(image.report_text, image.report_json).inlined


def test_equal_names_in_one_kernel():
    def scaled(factor):
        def scale(x):
            return x * factor

        return graft.numba_callback(scale, "f32(f32)")

    assert graft.build(graft.chain(scaled(2.0), scaled(3.0)), "sm_90").report.inlined


def test_the_members_of_a_state_are_where_cpp_puts_them():
    callback = graft.numba_callback(lambda x, s: s.gain * x, "f64(f32, state)", state=STATE)
    state = graft._state.State([callback])
    values = {"flag": True, "gain": 2.5, "w": [[1, 2], [3, 4]], "inner": {"n": 5, "z": 6 + 7j}}
    signature = graft.build(callback, "sm_90").signature
    layout = state.members(signature.state).layout
    assert signature.state[2:] == (layout.size, layout.alignment)
    assert len(state.bytes_of(values, signature.state)) == layout.size


@pytest.mark.parametrize(
    "signature, state",
    [("f32", None), ("f32(f16)", None), ("float(float)", None), ("f32(f32, state)", None), ("f32(f32)", "f32"),
     ("f32(f32, state, state)", "f32"), ("state(f32)", "f32"), ("f32(f32, state)", "f16"), ("f32(f32; f32)", None)],
)  # fmt: skip
def test_signatures_that_are_refused(signature, state, refused):
    refused("UnsupportedParameter", graft.numba_callback, wave, signature, state=state)


def test_functions_that_numba_refuses(refused):
    error = refused("CompileFailed", graft.numba_callback, lambda x: x.missing, "f32(f32)")
    assert "missing" in error.log
    refused("CompileFailed", graft.numba_callback, wave, "f32(f32)")
    refused("CompileFailed", graft.numba_callback, lambda x: "text", "f32(f32)")


def test_there_is_no_kernel_for_the_host(refused):
    callback = graft.numba_callback(lambda x: x, "f32(f32)")
    refused("RouteUnavailable", graft.Transform, callback, device="host")
