"""Device memory in the form that suits a peer: a torch tensor, a CuPy array, or a typed device pointer.

A "holder" is one of these forms. Each function imports only the packages of the holder that the caller names. In the
measurement of a first call, no peer then finds libraries that another peer's packages have already opened.
"""


class Plain:
    """A device pointer with a type and size, usable by every package that reads __cuda_array_interface__."""

    def __init__(self, pointer, size, dtype, owner=None):
        import numpy

        self.pointer, self.size, self.shape = pointer, size, (size,)
        self.dtype = numpy.dtype(dtype)
        self.owner = owner  # keeps the memory alive
        self.__cuda_array_interface__ = {
            "data": (pointer, False),
            "shape": self.shape,
            "strides": None,
            "typestr": self.dtype.str,
            "version": 3,
        }

    def data_ptr(self):
        return self.pointer


def _checked(answer):
    """Returns the values in `answer` (the result of a cuda.bindings call) after its error code; raises for an error."""
    code, *values = answer
    if int(code) != 0:
        raise RuntimeError(f"CUDA error {code}")
    return values[0] if values else None


def _plain_empty(size, dtype):
    import numpy
    from cuda.bindings import runtime

    return Plain(int(_checked(runtime.cudaMalloc(size * numpy.dtype(dtype).itemsize))), size, dtype)


def _plain_upload(values):
    from cuda.bindings import runtime

    array = _plain_empty(values.size, values.dtype)
    kind = runtime.cudaMemcpyKind.cudaMemcpyHostToDevice
    _checked(runtime.cudaMemcpy(array.pointer, values.ctypes.data, values.nbytes, kind))
    return array


def _plain_download(array):
    import numpy
    from cuda.bindings import runtime

    values = numpy.empty(array.size, array.dtype)
    kind = runtime.cudaMemcpyKind.cudaMemcpyDeviceToHost
    _checked(runtime.cudaMemcpy(values.ctypes.data, array.pointer, values.nbytes, kind))
    return values


def synchronise(holder):
    if holder == "torch":
        import torch

        torch.cuda.synchronize()
    elif holder == "cupy":
        import cupy

        cupy.cuda.runtime.deviceSynchronize()
    else:
        from cuda.bindings import runtime

        _checked(runtime.cudaDeviceSynchronize())


def upload(holder, values):
    """Copies a NumPy array to a new device array in the form that `holder` names."""
    if holder == "torch":
        import torch

        return torch.from_numpy(values).cuda()
    if holder == "cupy":
        import cupy

        return cupy.asarray(values)
    return _plain_upload(values)


def empty_like(holder, array):
    if holder == "torch":
        import torch

        return torch.empty_like(array)
    if holder == "cupy":
        import cupy

        return cupy.empty_like(array)
    return _plain_empty(array.size, array.dtype)


def download(holder, array):
    if holder == "torch":
        return array.cpu().numpy()
    if holder == "cupy":
        return array.get()
    return _plain_download(array)


def view_of_tensor(holder, tensor):
    """Returns the memory of a torch tensor as an array of another holder, without a copy."""
    if holder == "torch":
        return tensor
    if holder == "cupy":
        import cupy

        return cupy.asarray(tensor)
    return Plain(tensor.data_ptr(), tensor.numel(), str(tensor.dtype).removeprefix("torch."), tensor)


def copy_on_device(destination, source, size_in_bytes):
    """Queues cudaMemcpyAsync between two pointers on the legacy default stream."""
    from cuda.bindings import runtime

    kind = runtime.cudaMemcpyKind.cudaMemcpyDeviceToDevice
    _checked(runtime.cudaMemcpyAsync(destination, source, size_in_bytes, kind, 0))
