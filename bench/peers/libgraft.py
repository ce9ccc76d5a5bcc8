"""graft's C interface (include/graft/graft.h) by ctypes, as far as the benchmarks of libgraft.so call it.

Handles are kept as long as the process runs.
"""

import ctypes

TYPES = {  # graft_type: size, alignment and kind in one number
    "i8": 0x0002000100000001,
    "i16": 0x0002000200000002,
    "i32": 0x0002000400000004,
    "i64": 0x0002000800000008,
    "f16": 0x0004000200000002,
    "f32": 0x0004000400000004,
    "f64": 0x0004000800000008,
    "c64": 0x0006000800000008,
}
ONE = ctypes.c_size_t(1)


class Array(ctypes.Structure):
    _fields_ = [
        ("pointer", ctypes.c_void_p),
        ("count", ctypes.c_size_t),
        ("type", ctypes.c_uint64),
        ("first_bit", ctypes.c_size_t),
        ("zeros", ctypes.c_void_p),
        ("keeps_rest", ctypes.c_uint32),
        ("rank", ctypes.c_uint32),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
    ]


class FftPlan(ctypes.Structure):
    _fields_ = [
        ("length", ctypes.c_int64),
        ("is_double", ctypes.c_int32),
        ("directions", ctypes.c_int32),
        ("scaling", ctypes.c_int32),
        ("has_strides", ctypes.c_int32),
        ("batch", ctypes.c_size_t),
        ("has_long_arrays", ctypes.c_int32),
        ("is_real", ctypes.c_int32),
        ("shape", ctypes.c_int64 * 3),
        ("storage_in", ctypes.c_int32),
        ("storage_out", ctypes.c_int32),
        ("inverse_load", ctypes.c_void_p),
        ("inverse_store", ctypes.c_void_p),
        ("has_inverse_callbacks", ctypes.c_int32),
        ("reserved", ctypes.c_int32),
        ("reserved_more", ctypes.c_uint64 * 3),
    ]


class FftLaunch(ctypes.Structure):
    _fields_ = [
        ("has_batch", ctypes.c_int32),
        ("reserved", ctypes.c_int32),
        ("batch", ctypes.c_size_t),
        ("in_stride", ctypes.c_size_t),
        ("in_distance", ctypes.c_size_t),
        ("out_stride", ctypes.c_size_t),
        ("out_distance", ctypes.c_size_t),
        ("workspace", ctypes.c_void_p),
        ("workspace_bytes", ctypes.c_size_t),
        ("state", ctypes.c_void_p),
        ("state_type", ctypes.c_uint64),
        ("load_info", ctypes.c_void_p),
        ("store_info", ctypes.c_void_p),
        ("axes", ctypes.c_int32 * 3),
        ("axis_count", ctypes.c_int32),
        ("reserved_more", ctypes.c_uint64 * 2),
    ]


class ReduceCallbacks(ctypes.Structure):
    _fields_ = [
        ("map", ctypes.c_void_p),
        ("combine", ctypes.c_void_p),
        ("finish", ctypes.c_void_p),
        ("initial", ctypes.c_void_p),
        ("initial_type", ctypes.c_uint64),
        ("reserved", ctypes.c_uint64 * 3),
    ]


def array(pointer, count, type_name, shape=None, strides=None):
    """Returns an Array. One with a shape is a view; its strides are in elements, and without them it is dense."""
    result = Array(pointer, count, TYPES[type_name])
    if shape is not None:
        numbers = ctypes.c_int64 * max(1, len(shape))
        result.rank, result.shape = len(shape), numbers(*shape)
        if strides is not None:
            result.strides = numbers(*strides)
    return result


class Library:
    """libgraft.so. Every function raises RuntimeError with graft's words."""

    def __init__(self, path):
        self._library = ctypes.CDLL(str(path))
        self._library.graft_error_text.restype = ctypes.c_char_p
        self._library.graft_error_text.argtypes = [ctypes.c_void_p]

    def bound(self, name, *arguments):
        """Returns a function of a call whose arguments are ready."""
        function = getattr(self._library, name)
        function.restype = ctypes.c_void_p
        text_of = self._library.graft_error_text

        def call():
            error = function(*arguments)
            if error:
                raise RuntimeError(text_of(error).decode())

        return call

    def made(self, name, *arguments):
        """Returns the handle that a function makes."""
        handle = ctypes.c_void_p()
        self.bound(name, *arguments, ctypes.byref(handle))()
        return handle

    def callback(self, text, entry=None):
        callback = self.made("graft_callback_from_source", text.encode(), None)
        if entry:
            self.bound("graft_callback_set_entry", callback, entry.encode())()
        return callback

    def transform(self, text):
        return self.made("graft_transform_create", None, self.callback(text), None)

    def fft(self, plan, load=None, store=None):
        """`load` and `store` are callbacks, or None."""
        return self.made("graft_fft_create", None, ctypes.byref(plan), load, None, store, None)

    def reduction(self, combine, map=None, finish=None):
        """The arguments are callbacks, or None."""
        callbacks = ReduceCallbacks(*(handle and handle.value for handle in (map, combine, finish)))
        return self.made("graft_reduce_create", None, ctypes.byref(callbacks), None)

    def transform_call(self, transform, stream, inputs, output):
        """Makes the kernel that serves these arrays best, and returns a function of the call."""
        taken = (Array * len(inputs))(*inputs)
        count = ctypes.c_size_t(len(inputs))
        self.bound("graft_transform_prepare_shapes", transform, taken, count, ctypes.byref(output), ONE)()
        return self.bound(
            "graft_transform_execute", transform, ctypes.c_void_p(stream), taken, count, ctypes.byref(output), ONE, None
        )

    def reduce_call(self, reduction, stream, taken, output):
        """Makes the kernel that serves these arrays best, and returns a function of the call."""
        shapes = ctypes.byref(taken), ONE, ctypes.byref(output), ONE
        self.bound("graft_reduce_prepare_shapes", reduction, *shapes)()
        return self.bound(
            "graft_reduce_execute", reduction, ctypes.c_void_p(stream), *shapes[:2], None, *shapes[2:], None
        )

    def fft_call(self, fft, stream, taken, output, launch=None):
        """Returns a function of a call of the forward FFT."""
        return self.bound(
            "graft_fft_execute",
            fft,
            ctypes.c_void_p(stream),
            ctypes.byref(taken),
            ONE,
            ctypes.byref(output),
            0,
            launch and ctypes.byref(launch),
        )
