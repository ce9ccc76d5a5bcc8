"""FFTs against numpy.fft: kinds, shapes, axes, and callbacks at load, between and store."""

import numpy as np
import pytest

import graft_cuda as graft

RANDOM = np.random.default_rng(7)
C = np.arange(12, dtype=np.complex64).reshape(3, 4)


def complex_numbers(*shape, dtype=np.complex128):
    return (RANDOM.standard_normal(shape) + 1j * RANDOM.standard_normal(shape)).astype(dtype)


def close(result, expected, bound):
    assert result.shape == expected.shape
    return np.linalg.norm(result - expected) <= bound * max(np.linalg.norm(expected), 1)


@pytest.mark.parametrize("length", [1, 2, 60, 97, 1024])
def test_forward_and_inverse(length):
    fft = graft.Fft(length, precision="f64", scaling="by length", device="host")
    x = complex_numbers(3, length)
    y = fft(x)
    assert y.dtype == np.complex128
    assert close(y, np.fft.fft(x), 1e-14)
    assert close(fft(y, inverse=True), x, 1e-14)


def test_single_precision_and_several_dimensions():
    fft = graft.Fft((6, 10), device="host")
    x = complex_numbers(2, 6, 10, dtype=np.complex64)
    y = fft(x)
    assert y.dtype == np.complex64
    assert close(y, np.fft.fft2(x), 1e-6)


@pytest.mark.parametrize("length", [8, 9, 30])
def test_real_numbers(length):
    fft = graft.Fft(length, kind="real", precision="f64", scaling="by length", device="host")
    x = RANDOM.standard_normal((2, length))
    y = fft(x)
    assert y.dtype == np.complex128 and close(y, np.fft.rfft(x), 1e-14)
    back = fft(y, inverse=True)
    assert back.dtype == np.float64 and close(back, x, 1e-14)


def test_any_axis():
    fft = graft.Fft(6, precision="f64", has_strides=True, device="host")
    x = complex_numbers(4, 6, 5)
    assert close(fft(x, axes=1), np.fft.fft(x, axis=1), 1e-14)
    out = np.zeros((5, 6, 4), np.complex128).T
    fft(x, axes=[-2], out=out)
    assert close(out, np.fft.fft(x, axis=1), 1e-14)


def test_callbacks_at_load_and_store():
    fft = graft.Fft(
        16,
        load="struct Gain { float g; };"
        "__device__ float2 sample(short x, const Gain& s) { return make_float2(s.g * x / 32768.0f, 0); }",
        store="__device__ float power(float2 z) { return z.x * z.x + z.y * z.y; }",
        directions="forward",
        device="host",
    )
    x = RANDOM.integers(-30000, 30000, (4, 16)).astype(np.int16)
    y = fft(x, g=2.0)
    assert y.dtype == np.float32
    assert close(y, np.abs(np.fft.fft(2.0 * x / 32768)) ** 2, 1e-5)


def test_a_callback_between():
    low = graft.Fft(
        32,
        between="struct Band { unsigned long long limit; };"
        "__device__ float2 low(float2 z, graft::Index k, const Band& s) {"
        " unsigned long long at = k; return at <= s.limit || 32 - at <= s.limit ? z : make_float2(0, 0); }",
        scaling="by length",
        device="host",
    )
    x = complex_numbers(2, 32, dtype=np.complex64)
    spectrum = np.fft.fft(x)
    spectrum[:, 4:-3] = 0
    assert close(low(x, limit=3), np.fft.ifft(spectrum), 1e-5)


def test_halves():
    fft = graft.Fft(8, kind="real", storage=("f16", "same"), directions="forward", device="host")
    x = RANDOM.standard_normal(8).astype(np.float16)
    assert close(fft(x), np.fft.rfft(x.astype(np.float32)), 1e-6)


def test_what_is_refused(refused):
    fft = graft.Fft(8, device="host")
    refused("InvalidArgument", graft.Fft, 0, device="host")
    refused("InvalidArgument", graft.Fft, 8, kind="sine", device="host")
    refused("TypeMismatch", fft, np.zeros(8))
    refused("InvalidArgument", fft, np.zeros(9, np.complex64))
    refused("InvalidArgument", fft, np.zeros((8, 4), np.complex64), axes=5)
    refused("InvalidArgument", fft)
    real = graft.Fft(8, kind="real", device="host")
    refused("InvalidArgument", real, np.zeros((2, 8), np.float32), axes=5)
    refused("InvalidArgument", real, np.float32(3).reshape(()))
    refused("InvalidArgument", real, np.zeros(8, np.float32), axes="x")
    refused("InvalidArgument", graft.Fft, "x", device="host")
    wide = graft.Fft(np.int64(8), has_strides=True, device="host")
    x = complex_numbers(8, 2, dtype=np.complex64)
    assert close(wide(x, axes=np.int64(0)), np.fft.fft(x, axis=0), 1e-6)


def test_the_type_of_a_result_is_that_of_its_direction():
    power = "__device__ float power(float2 z) { return z.x * z.x + z.y * z.y; }"
    fft = graft.Fft(97, store=power, inverse=(None, None), device="host")
    x = complex_numbers(2, 97, dtype=np.complex64)
    spectrum = fft(x)
    assert spectrum.dtype == np.float32 and close(spectrum, np.abs(np.fft.fft(x)) ** 2, 1e-5)
    back = fft(x, inverse=True)
    assert back.dtype == np.complex64 and close(back, np.fft.ifft(x) * 97, 1e-5)


def test_built_without_a_gpu(has_compiler, refused):
    # As the constructor does, because callbacks of one direction do not fit the other.
    assert graft.precompile_fft(64, ["sm_90"], kind="real", load="__device__ float half(float x) { return x / 2; }")
    pack = graft.precompile_fft(64, ["sm_90"], directions="forward")
    assert len(pack) > 1000
    refused("ImageRefused", graft.Fft.load, pack[:100])


@pytest.mark.parametrize("kind, x", [("complex", C), ("real", C.real.copy())], ids=["complex", "real"])
@pytest.mark.parametrize("axes", [5, -3, 2**40, -(2**40), 2**70, [2**70], (0, 1), (), [], "0", 1.0], ids=str)
def test_axes_that_there_are_not(axes, kind, x, refused):
    fft = graft.Fft(4, kind=kind, device="host", has_strides=True)
    for words in ({}, {"out": np.zeros(fft(x).shape, C.dtype)}):
        message = refused("InvalidArgument", fft, x, axes=axes, **words).message
        assert "ax" in message, message
    assert np.allclose(fft(x, axes=None), fft(x, axes=-1)) and np.allclose(fft(x, axes=[1]), fft(x))


def test_streams_that_there_are_not(refused):
    fft = graft.Fft(4, device="host")
    for stream in (1, 2**40):
        assert "host memory" in refused("InvalidArgument", fft, C, stream=stream).message
    for stream in (2**63, 2**70, -1, -(2**70), 1.5):
        assert "stream" in refused("InvalidArgument", fft, C, stream=stream).message

    class Stream:
        def __cuda_stream__(self):
            return 0, 2**70

    same = graft.Transform("[](float x) { return x; }", device="host")
    for call in (lambda stream: fft(C, stream=stream), lambda stream: same(C.real.copy(), stream=stream)):
        assert "address" in refused("InvalidArgument", call, Stream()).message
