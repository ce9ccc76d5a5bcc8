// cuda_runtime.h for the host route, and the headers that it includes for device code. It is empty, because
// graft/host.h already declares what device code may use of it, as NVRTC does before the first line of a text.
#pragma once
