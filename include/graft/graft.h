/* The C interface of graft, for C programs and for bindings of other languages. It has no C++ in it: handles are
 * opaque, numbers have fixed sizes, and every error is a value. The C++ headers beside this one are the reference for
 * what a function does; docs/c.md is an introduction.
 *
 *     graft_callback* callback = NULL;
 *     graft_transform* relu = NULL;
 *     graft_error* error = graft_callback_from_source("__device__ float relu(float x) { return x > 0 ? x : 0; }", NULL,
 *                                                     &callback);
 *     if (!error) error = graft_transform_create(NULL, callback, NULL, &relu);
 *     if (!error) {
 *       graft_array in = {.pointer = x, .count = n, .type = GRAFT_F32};
 *       graft_array out = {.pointer = y, .count = n, .type = GRAFT_F32};
 *       error = graft_transform_execute(relu, stream, &in, 1, &out, 1, NULL);
 *     }
 *     if (error) fprintf(stderr, "%s\n", graft_error_text(error));
 *     graft_error_destroy(error);
 *
 * Errors. A function that can fail returns a graft_error*: null means success, anything else is an error that the
 * caller destroys. When it fails, a function sets its result (its last parameter) to null or zero and changes nothing
 * else. No exception leaves the library, not even if memory is exhausted. A null handle where one is needed is an
 * error, too.
 *
 * Ownership. Whatever a function returns through a parameter `graft_...** result` belongs to the caller, who destroys
 * it with the function of its type. All functions `graft_..._destroy` accept null. A `const char*` or `const void*`
 * that a function returns belongs to the handle that was asked, and is valid until this handle is destroyed. Handles
 * keep no pointer to arguments: texts, bytes, arrays of structs and other handles may be changed or destroyed after the
 * call. There are two exceptions. Arrays and `caller_info` of a launch on a stream must stay valid until the kernel has
 * run. An engine must not be destroyed while another thread makes something with it.
 *
 * Threads. Functions may be called from several threads at the same time, also with the same handle, except: a handle
 * must not be used while another thread destroys it, and graft_options, graft_engine_options, graft_callback and
 * graft_parameters handles must not be used while another thread changes them (functions with `set`, `add` or `bake` in
 * their names).
 *
 * Texts are UTF-8 and end with a zero byte. Structs are initialised with zeros; the members `reserved` must be zero, so
 * that a later version can give them a meaning. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <graft/export.hpp>
#include <graft/version.hpp>

#define GRAFT_CHECKED GRAFT_API __attribute__((warn_unused_result))

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Versions ---- */

/* The number is raised when a program that was compiled with an older graft.h would no longer work. Functions, numbers
 * and meanings of reserved members can be added without raising it. Before version 1.0 of graft it may change with each
 * minor version. */
#define GRAFT_ABI_VERSION 1

/* GRAFT_ABI_VERSION of the library. A binding compares it with the number for which it was written. */
GRAFT_API uint32_t graft_abi_version(void);

/* The library's version: "0.2.0". */
GRAFT_API const char* graft_version(void);

/* ---- Handles ---- */

typedef struct graft_error graft_error;                   /* why a call failed */
typedef struct graft_bytes graft_bytes;                   /* bytes or text that graft made */
typedef struct graft_engine_options graft_engine_options; /* graft::EngineOptions */
typedef struct graft_engine graft_engine;                 /* graft::Engine: tools, caches, threads */
typedef struct graft_options graft_options;               /* graft::Options: how a kernel is made */
typedef struct graft_callback graft_callback;             /* graft::Callback: source or binary */
typedef struct graft_parameters graft_parameters;         /* graft::Parameters: values of a formula's parameters */
typedef struct graft_transform graft_transform;           /* graft::Transform: a kernel that is ready to run */
typedef struct graft_image graft_image;                   /* graft::Image: a kernel's bytes for one architecture */
typedef struct graft_fft graft_fft;                       /* graft::Fft */
typedef struct graft_reduce graft_reduce;                 /* graft::Reduce */
typedef struct graft_kernel_code graft_kernel_code;       /* graft::KernelCode: kernels with slots for callbacks */
typedef struct graft_kernel graft_kernel;                 /* graft::Kernel: such a kernel that is ready to run */

/* ---- Errors ---- */

/* The codes of graft::ErrorCode, with its numbers; docs/errors.md has a section for each. */
typedef int32_t graft_code;
enum {
  GRAFT_OK = 0,
  GRAFT_COMPILE_FAILED = 1,
  GRAFT_NO_SUCH_ENTRY = 2,
  GRAFT_AMBIGUOUS_ENTRY = 3,
  GRAFT_UNSUPPORTED_PARAMETER = 4,
  GRAFT_SIGNATURE_MISMATCH = 5,
  GRAFT_LINK_FAILED = 6,
  GRAFT_TOOL_MISSING = 7,
  GRAFT_TOOL_TOO_OLD = 8,
  GRAFT_NO_DEVICE = 9,
  GRAFT_NOT_PREPARED = 10,
  GRAFT_COUNT_MISMATCH = 11,
  GRAFT_TYPE_MISMATCH = 12,
  GRAFT_MISALIGNED = 13,
  GRAFT_OVERLAP = 14,
  GRAFT_LAUNCH_FAILED = 15,
  GRAFT_INVALID_ARGUMENT = 16,
  GRAFT_ROUTE_UNAVAILABLE = 17,
  GRAFT_DRIVER_FAILED = 18,
  GRAFT_FILE_UNREADABLE = 19,
  GRAFT_NO_SUCH_SYMBOL = 20,
  GRAFT_IMAGE_REFUSED = 21,
  GRAFT_COMPILING_FORBIDDEN = 22,
  GRAFT_SYSTEM_FAILED = 23, /* also: memory is exhausted */
  GRAFT_CANCELLED = 24,
  GRAFT_SLOT_EMPTY = 25
};

/* The name of a code: "CompileFailed". "Ok" for 0, "Unknown" for a number that is no code. */
GRAFT_API const char* graft_code_name(graft_code code);

/* An error is immutable. The functions accept null, which is success: code 0 and empty texts. */
GRAFT_API graft_code graft_error_code(const graft_error* error);
GRAFT_API const char* graft_error_text(const graft_error* error);    /* all of it, for people */
GRAFT_API const char* graft_error_message(const graft_error* error); /* what was wrong, and where */
GRAFT_API const char* graft_error_log(const graft_error* error);     /* the compiler's or linker's output, or "" */
GRAFT_API const char* graft_error_remedy(const graft_error* error);  /* what to do */

typedef int32_t graft_severity;
enum { GRAFT_SEVERITY_ERROR = 0, GRAFT_SEVERITY_WARNING = 1, GRAFT_SEVERITY_NOTE = 2 };

/* A message of a compiler about a place in the callback's source (graft::Diagnostic). */
typedef struct graft_diagnostic {
  const char* file; /* belongs to the error */
  const char* text; /* belongs to the error */
  int32_t line;     /* from 1; 0 if unknown */
  int32_t column;   /* from 1, in bytes; 0 if unknown */
  graft_severity severity;
} graft_diagnostic;

GRAFT_API size_t graft_error_diagnostic_count(const graft_error* error);
/* An `index` that is not less than the count gives empty texts and zeros. */
GRAFT_API graft_diagnostic graft_error_diagnostic(const graft_error* error, size_t index);
/* Of a mistake in a formula: what stands at the place ("foo"), and what was probably meant ("floor"). Empty for
 * messages of compilers, and the second also if graft has no idea. The texts belong to the error. */
GRAFT_API const char* graft_error_diagnostic_near(const graft_error* error, size_t index);
GRAFT_API const char* graft_error_diagnostic_suggestion(const graft_error* error, size_t index);

GRAFT_API void graft_error_destroy(graft_error* error);

/* ---- Bytes that graft made ---- */

/* A zero byte, which `size` does not count, follows the bytes, so that they can be read as a text. */
GRAFT_API const void* graft_bytes_data(const graft_bytes* bytes);
GRAFT_API size_t graft_bytes_size(const graft_bytes* bytes);
GRAFT_API void graft_bytes_destroy(graft_bytes* bytes);

/* ---- Element types ---- */

/* The type of an element or state (graft::ElementType) in one number: the size in bytes in the low 32 bits, then 16
 * bits for the alignment in bytes, then the kind. Types are compared as interchangeable() in element.hpp says. */
typedef uint64_t graft_type;
#define GRAFT_TYPE(kind, size, alignment) \
  ((kind)*UINT64_C(0x1000000000000) + (alignment)*UINT64_C(0x100000000) + (size)*UINT64_C(1))

#define GRAFT_BOOL GRAFT_TYPE(1, 1, 1)
#define GRAFT_I8 GRAFT_TYPE(2, 1, 1)
#define GRAFT_I16 GRAFT_TYPE(2, 2, 2)
#define GRAFT_I32 GRAFT_TYPE(2, 4, 4)
#define GRAFT_I64 GRAFT_TYPE(2, 8, 8)
#define GRAFT_U8 GRAFT_TYPE(3, 1, 1)
#define GRAFT_U16 GRAFT_TYPE(3, 2, 2)
#define GRAFT_U32 GRAFT_TYPE(3, 4, 4)
#define GRAFT_U64 GRAFT_TYPE(3, 8, 8)
#define GRAFT_F16 GRAFT_TYPE(4, 2, 2)
#define GRAFT_F32 GRAFT_TYPE(4, 4, 4)
#define GRAFT_F64 GRAFT_TYPE(4, 8, 8)
#define GRAFT_BF16 GRAFT_TYPE(5, 2, 2)
#define GRAFT_C32 GRAFT_TYPE(6, 4, 4) /* complex of half: real and imaginary part side by side */
#define GRAFT_C64 GRAFT_TYPE(6, 8, 8)
#define GRAFT_C128 GRAFT_TYPE(6, 16, 16)
#define GRAFT_ENUM8 GRAFT_TYPE(7, 1, 1)
#define GRAFT_ENUM16 GRAFT_TYPE(7, 2, 2)
#define GRAFT_ENUM32 GRAFT_TYPE(7, 4, 4)
#define GRAFT_ENUM64 GRAFT_TYPE(7, 8, 8)
#define GRAFT_BIT GRAFT_TYPE(9, 1, 1)                                /* an element of a bit array */
#define GRAFT_STRUCT(size, alignment) GRAFT_TYPE(0, size, alignment) /* a struct, union or vector type (float3) */

/* The type with this name, as graft::ElementType::named knows them: "f32", "float", "u8", "c64", "bit". */
GRAFT_CHECKED graft_error* graft_type_named(const char* name, graft_type* type);

/* ---- Engines ---- */

/* Options of an engine (engine.hpp says what each one means, and what applies if it is not set). */
typedef int32_t graft_engine_option;
enum {
  /* numbers */
  GRAFT_ENGINE_CACHE_POLICY = 1, /* a graft_cache_policy */
  GRAFT_ENGINE_CACHE_MAX_BYTES = 2,
  GRAFT_ENGINE_CACHE_EXACT_TOOLS = 3, /* 0 or 1 */
  GRAFT_ENGINE_CACHE_LOCK_WAIT_MS = 4,
  GRAFT_ENGINE_THREADS = 5,
  GRAFT_ENGINE_MAX_BUILDS = 6,
  GRAFT_ENGINE_MAX_UNUSED_IMAGE_BYTES = 7,
  /* texts */
  GRAFT_ENGINE_CACHE_FOLDER = 101,
  GRAFT_ENGINE_CACHE_LAYER = 102, /* each call adds a folder; "" adds none, and so switches GRAFT_CACHE_PATH off */
  GRAFT_ENGINE_CUDA_PATH = 103,
  GRAFT_ENGINE_HOST_COMPILER = 104,
  GRAFT_ENGINE_PROGRAM = 105,
  GRAFT_ENGINE_TUNING_FILE = 106 /* what graft tune measured on a GPU */
};

typedef int32_t graft_cache_policy;
enum {
  GRAFT_CACHE_OFF = 0,
  GRAFT_CACHE_MEMORY_ONLY = 1,
  GRAFT_CACHE_READ_ONLY = 2,
  GRAFT_CACHE_READ_WRITE = 3,
  GRAFT_CACHE_FORBID_COMPILING = 4
};

GRAFT_CHECKED graft_error* graft_engine_options_create(graft_engine_options** result);
GRAFT_CHECKED graft_error* graft_engine_options_set(graft_engine_options* options, graft_engine_option which,
                                                    int64_t value);
GRAFT_CHECKED graft_error* graft_engine_options_set_text(graft_engine_options* options, graft_engine_option which,
                                                         const char* value);

/* An event of an engine (graft::LogEvent). The texts are valid only during the call. */
typedef struct graft_log_event {
  const char* text;     /* one sentence for people */
  const char* callback; /* the callback's name, or "" */
  double milliseconds;  /* how long it took, or 0 */
  int32_t kind;         /* the number of a graft::LogKind: log.hpp */
  int32_t severity;     /* 0: debug, 1: info, 2: warning */
} graft_log_event;
typedef void (*graft_log)(void* user, const graft_log_event* event);

/* Sets the function that the engine tells what it does, or none with a null `log`. It is called in the thread that does
 * the work, and from several threads at the same time, with `user` as it was given, as long as the engine exists or a
 * call of it runs. log.hpp says what it must not do. */
GRAFT_CHECKED graft_error* graft_engine_options_set_log(graft_engine_options* options, graft_log log, void* user);
GRAFT_API void graft_engine_options_destroy(graft_engine_options* options);

/* Wherever a function takes an engine, null means the engine of the process, graft::Engine::shared(), which reads the
 * environment (GRAFT_CACHE and others). `options` may be null. */
GRAFT_CHECKED graft_error* graft_engine_create(const graft_engine_options* options, graft_engine** result);
/* The counters since the engine was made, as a JSON object with the names of graft::Counters. */
GRAFT_CHECKED graft_error* graft_engine_counters(graft_engine* engine, graft_bytes** json);
/* Text for people: which toolkit, driver and host compiler were found. */
GRAFT_CHECKED graft_error* graft_engine_describe_tools(graft_engine* engine, graft_bytes** text);
/* Frees kernels and images that no handle uses. No launch of an unused kernel may be queued or captured in a graph. */
GRAFT_CHECKED graft_error* graft_engine_release_unused(graft_engine* engine, size_t* kernels_unloaded);
/* Kernels stay loaded. Transforms may outlive their engine, but cannot be prepared for new architectures then. */
GRAFT_API void graft_engine_destroy(graft_engine* engine);

/* ---- Options of a kernel ---- */

typedef int32_t graft_route;
enum {
  GRAFT_ROUTE_LTO = 0,
  GRAFT_ROUTE_PROGRAM = 1,
  GRAFT_ROUTE_PTX = 2,
  GRAFT_ROUTE_INDIRECT = 3,
  GRAFT_ROUTE_HOST = 4 /* taken only if GRAFT_OPTION_REQUIRED_ROUTE names it */
};

/* The members of graft::Options (options.hpp says what each one means). */
typedef int32_t graft_option;
enum {
  /* numbers; those that are 0 or 1 are marked */
  GRAFT_OPTION_FAST_MATH = 1,           /* 0 or 1 */
  GRAFT_OPTION_CONTRACTION = 2,         /* 0 or 1; if not set: 1 */
  GRAFT_OPTION_FLUSH_TO_ZERO = 3,       /* 0 or 1 */
  GRAFT_OPTION_PRECISE_DIVISION = 4,    /* 0 or 1; if not set: 1 */
  GRAFT_OPTION_PRECISE_SQUARE_ROOT = 5, /* 0 or 1; if not set: 1 */
  GRAFT_OPTION_MAX_REGISTERS = 6,
  GRAFT_OPTION_LINE_INFO = 7,    /* 0 or 1 */
  GRAFT_OPTION_CPP_STANDARD = 8, /* 17 or 20 */
  GRAFT_OPTION_SHARED_BYTES = 9,
  GRAFT_OPTION_ALLOW_THREAD_WORDS = 10, /* 0 or 1 */
  GRAFT_OPTION_REQUIRED_ROUTE = 11,     /* a graft_route */
  GRAFT_OPTION_FORBIDDEN_ROUTE = 12,    /* a graft_route; each call adds one */
  GRAFT_OPTION_DEVICE = 13,             /* a device ordinal; each call adds one */
  GRAFT_OPTION_VECTOR_WIDTH = 14,
  GRAFT_OPTION_VECTORS_PER_THREAD = 15,
  GRAFT_OPTION_BODY = 16, /* 0: vector, 1: rolled */
  GRAFT_OPTION_BLOCK_THREADS = 17,
  GRAFT_OPTION_PROGRAMMATIC_LAUNCH = 18,  /* 0 or 1 */
  GRAFT_OPTION_CLOSED = 19,               /* 0 or 1: the closed mode, for callbacks from people who are not trusted */
  GRAFT_OPTION_CLOSED_MAX_REGISTERS = 20, /* this and the next two switch the closed mode on */
  GRAFT_OPTION_CLOSED_TIME_MS = 21,
  GRAFT_OPTION_CLOSED_MEMORY = 22,
  GRAFT_OPTION_ANY_SHAPE = 23,      /* 0 or 1: transforms and reductions also take arrays of any shape on the GPU */
  GRAFT_OPTION_HOST_THREADS = 24,   /* of reductions on the host route; 0: one for each processor */
  GRAFT_OPTION_SHIPPED_TUNING = 25, /* 0 or 1: graft's own rules, also on a GPU that graft tune measured */
  /* texts */
  GRAFT_OPTION_ENTRY = 101,
  GRAFT_OPTION_ARCHITECTURE = 102,   /* "sm_90a", "90" */
  GRAFT_OPTION_INCLUDE_PATH = 103,   /* each call adds one */
  GRAFT_OPTION_COMPILER_OPTION = 104 /* each call adds one */
};

GRAFT_CHECKED graft_error* graft_options_create(graft_options** result);
GRAFT_CHECKED graft_error* graft_options_set(graft_options* options, graft_option which, int64_t value);
GRAFT_CHECKED graft_error* graft_options_set_text(graft_options* options, graft_option which, const char* value);
/* A header in memory, which the callback includes by name. */
GRAFT_CHECKED graft_error* graft_options_add_header(graft_options* options, const char* name, const char* text);
/* A line `#define name value`. */
GRAFT_CHECKED graft_error* graft_options_add_define(graft_options* options, const char* name, const char* value);
struct graft_array;
/* An example of the shapes of calls, for which graft_transform_create makes the kernel that serves them best
 * (graft::Options::shapes). Extents and strides are copied; pointers may be null. */
GRAFT_CHECKED graft_error* graft_options_add_shapes(graft_options* options, const struct graft_array* in,
                                                    size_t in_count, const struct graft_array* out, size_t out_count);
/* Compiles a state into the kernel as a constant (graft::Options::bake). The bytes are copied. */
GRAFT_CHECKED graft_error* graft_options_bake(graft_options* options, const void* state, graft_type type);
GRAFT_API void graft_options_destroy(graft_options* options);

/* ---- Callbacks ---- */

typedef int32_t graft_form;
enum {
  GRAFT_FORM_SOURCE = 0,
  GRAFT_FORM_LTOIR = 1,
  GRAFT_FORM_FATBIN = 2,
  GRAFT_FORM_PTX = 3,
  GRAFT_FORM_OBJECT = 4,
  GRAFT_FORM_PACK = 6, /* as graft_precompile and `graft precompile` make it */
  GRAFT_FORM_NVVM = 7,
  GRAFT_FORM_NVVM_WITH_LIBDEVICE = 8
};

/* CUDA C++ source. `name` is a file name for messages; null means "callback.cu". */
GRAFT_CHECKED graft_error* graft_callback_from_source(const char* text, const char* name, graft_callback** result);
/* graft::formula: a formula that graft parses itself, safe for text of strangers on every route, with its variables
 * before it: "f32 x; f32 a, b => a * max(x, 0) + b". Of a mistake, graft_error_diagnostic has the column, and
 * graft_error_diagnostic_near and _suggestion the words. */
GRAFT_CHECKED graft_error* graft_callback_from_formula(const char* text, graft_callback** result);
/* graft::Callback::ready_made: a ready-made callback by name, "gray_bt601", or an instance of a template,
 * "hann<float>". Needs no file. */
GRAFT_CHECKED graft_error* graft_callback_from_ready_made(const char* name, graft_callback** result);
/* Bytes of a form. `name` is a name for messages; null means a name that fits the form. Binary forms other than packs
 * need a signature. */
GRAFT_CHECKED graft_error* graft_callback_from_bytes(graft_form form, const void* bytes, size_t size, const char* name,
                                                     graft_callback** result);
/* A file of any form, which graft finds by the content. */
GRAFT_CHECKED graft_error* graft_callback_from_file(const char* path, graft_callback** result);
/* graft::chain: c(b(a(x))) in one kernel, for the parts {a, b, c}. */
GRAFT_CHECKED graft_error* graft_callback_chain(const graft_callback* const* parts, size_t count,
                                                graft_callback** result);
/* graft::Stages. Each of load, op and store may be null. */
GRAFT_CHECKED graft_error* graft_callback_stages(const graft_callback* load, const graft_callback* op,
                                                 const graft_callback* store, graft_callback** result);

/* These change the callback: its entry function, or the callback that is meant of a pack of several; its declared
 * signature ("float(float, float)"), the folder in which its #include lines are resolved, and one more binary with
 * functions that it calls. */
GRAFT_CHECKED graft_error* graft_callback_set_entry(graft_callback* callback, const char* entry);
GRAFT_CHECKED graft_error* graft_callback_set_signature(graft_callback* callback, const char* signature);
GRAFT_CHECKED graft_error* graft_callback_set_folder(graft_callback* callback, const char* folder);
/* Makes a callback that is a template, a lambda with `auto` parameters or a chain of these the one for arrays of these
 * types: "f32, f32", or with the types of state and outputs "f32; Scale -> f64" (graft::types,
 * graft::GenericCallback::instance). Set the entry first if the source has several functions, and leave
 * GRAFT_OPTION_ENTRY unset then: it would replace the instance. Types of any other callback are not compared,
 * except where its text shows that they are others. */
GRAFT_CHECKED graft_error* graft_callback_set_types(graft_callback* callback, const char* types);
GRAFT_CHECKED graft_error* graft_callback_add_link_input(graft_callback* callback, const graft_callback* binary);
GRAFT_API void graft_callback_destroy(graft_callback* callback);

/* ---- Parameters of a formula ---- */

/* Values of a formula's parameters, which are set by name (graft::Parameters). `line` declares them in the order and
 * with the types of the formula: "f32 a, b". All values are zero at first. */
GRAFT_CHECKED graft_error* graft_parameters_create(const char* line, graft_parameters** result);
/* Set a value, converted to the parameter's type. It is an error if there is no such parameter, if its type is an
 * integer that does not hold the value, and to give a complex number for a real parameter. Nothing is compiled. */
GRAFT_CHECKED graft_error* graft_parameters_set(graft_parameters* parameters, const char* name, double value);
GRAFT_CHECKED graft_error* graft_parameters_set_integer(graft_parameters* parameters, const char* name, int64_t value);
GRAFT_CHECKED graft_error* graft_parameters_set_unsigned(graft_parameters* parameters, const char* name,
                                                         uint64_t value);
GRAFT_CHECKED graft_error* graft_parameters_set_complex(graft_parameters* parameters, const char* name, double real,
                                                        double imaginary);
/* The bytes for graft_launch::state, which the functions above change in place, and the type for
 * graft_launch::state_type. Null and 0 for null. */
GRAFT_API const void* graft_parameters_state(const graft_parameters* parameters);
GRAFT_API graft_type graft_parameters_state_type(const graft_parameters* parameters);
GRAFT_API void graft_parameters_destroy(graft_parameters* parameters);

/* ---- Building without a GPU ---- */

/* Builds the kernel for one architecture ("sm_90"); for the host route the architecture has no effect. `engine` and
 * `options` may be null. */
GRAFT_CHECKED graft_error* graft_image_build(graft_engine* engine, const graft_callback* callback,
                                             const char* architecture, const graft_options* options,
                                             graft_image** result);
/* A cubin, or for the host route a shared object; the bytes belong to the image. */
GRAFT_API const void* graft_image_data(const graft_image* image);
GRAFT_API size_t graft_image_size(const graft_image* image);
/* How the kernel was made: graft::Report::to_json. */
GRAFT_CHECKED graft_error* graft_image_report(const graft_image* image, graft_bytes** json);
GRAFT_API void graft_image_destroy(graft_image* image);

/* graft::PrecompileFormat. */
typedef int32_t graft_format;
enum {
  GRAFT_FORMAT_PACK = 0, /* for GRAFT_FORM_PACK */
  GRAFT_FORMAT_PACK_WITH_CUBINS = 1,
  GRAFT_FORMAT_LTOIR = 2,
  GRAFT_FORMAT_FATBIN = 3,
  GRAFT_FORMAT_PTX = 4,
  GRAFT_FORMAT_CUBIN = 5
};

/* Compiles a callback ahead of time, for `count` architectures. */
GRAFT_CHECKED graft_error* graft_precompile(graft_engine* engine, const graft_callback* callback,
                                            const char* const* architectures, size_t count, graft_format format,
                                            const graft_options* options, graft_bytes** result);
/* Compiles several callbacks into one pack (graft::precompile_several): `callbacks` and `names` have `callback_count`
 * pointers each. graft_callback_set_entry or GRAFT_OPTION_ENTRY chooses one of them by its name; a null name, or all if
 * `names` is null, means the name of the callback's function. */
GRAFT_CHECKED graft_error* graft_precompile_several(graft_engine* engine, const graft_callback* const* callbacks,
                                                    const char* const* names, size_t callback_count,
                                                    const char* const* architectures, size_t architecture_count,
                                                    graft_format format, const graft_options* options,
                                                    graft_bytes** result);

/* ---- Transforms ---- */

/* One array. Zeros in all other members are right unless `type` is GRAFT_BIT or the array is a view. */
typedef struct graft_array {
  void* pointer; /* device memory, or host memory for the host route; inputs are not written */
  size_t count;  /* elements */
  graft_type type;
  /* For bit arrays: the place of element 0, where place 0 is the lowest bit of the word at `pointer`; and for outputs:
   * whether the bits behind the last element keep their values (else they become zero), and null or a 64-bit counter to
   * which each launch adds the number of zeros that it stores. */
  size_t first_bit;
  void* zeros;
  uint32_t keeps_rest;
  /* For a view, an array of any shape (graft/view.hpp): its extents, of which there are `rank`, and null or as many
   * strides in elements; without strides the array is row-major and dense. A view of rank 0, whose `shape` is not null
   * either, is one element. `count` is not read. An array whose `shape` is null has one dimension of `count`
   * elements. */
  uint32_t rank;
  const int64_t* shape;
  const int64_t* strides;
} graft_array;

/* What a launch takes besides arrays. */
typedef struct graft_launch {
  const void* state; /* the state's bytes, which are copied before the call returns; null without one */
  graft_type state_type;
  size_t count;     /* the number of elements, for a callback without arrays only; else 0 */
  void* load_info;  /* the caller_info of a load callback */
  void* store_info; /* the caller_info of a store callback */
  uint64_t reserved[4];
} graft_launch;

/* Makes the kernel and loads it (graft::Transform::create). Blocks until the kernel is ready. `engine` and `options`
 * may be null. */
GRAFT_CHECKED graft_error* graft_transform_create(graft_engine* engine, const graft_callback* callback,
                                                  const graft_options* options, graft_transform** result);
/* Loads an image that graft_image_build made (graft::Transform::load). */
GRAFT_CHECKED graft_error* graft_transform_load(graft_engine* engine, const graft_image* image,
                                                const graft_options* options, graft_transform** result);

/* Queues one launch on `stream`, a CUstream or cudaStream_t of the current context (null: the default stream), and
 * returns. Checks everything first, and then allocates nothing: see graft::Transform::execute. `launch` may be null.
 * Inputs and outputs come in the order of the callback's parameters; there are at most 32 of each. */
GRAFT_CHECKED graft_error* graft_transform_execute(const graft_transform* transform, void* stream,
                                                   const graft_array* in, size_t in_count, const graft_array* out,
                                                   size_t out_count, const graft_launch* launch);
/* Runs a transform of the host route on host memory, and returns when it is done. */
GRAFT_CHECKED graft_error* graft_transform_execute_host(const graft_transform* transform, const graft_array* in,
                                                        size_t in_count, const graft_array* out, size_t out_count,
                                                        const graft_launch* launch);

/* Loads the kernel into the primary context of a device, or into the current context. */
GRAFT_CHECKED graft_error* graft_transform_prepare(graft_transform* transform, int32_t device);
GRAFT_CHECKED graft_error* graft_transform_prepare_current(graft_transform* transform);
/* Makes the kernel that serves calls with arrays of these shapes best, if it is not there yet. Pointers may be null:
 * see graft::Transform::prepare_shapes. */
GRAFT_CHECKED graft_error* graft_transform_prepare_shapes(graft_transform* transform, const graft_array* in,
                                                          size_t in_count, const graft_array* out, size_t out_count);

/* What the callback takes: the number of input and output arrays and their types, and the state's type. The type is 0
 * if there is no such array or state. */
GRAFT_API size_t graft_transform_input_count(const graft_transform* transform);
GRAFT_API size_t graft_transform_output_count(const graft_transform* transform);
GRAFT_API graft_type graft_transform_input_type(const graft_transform* transform, size_t index);
GRAFT_API graft_type graft_transform_output_type(const graft_transform* transform, size_t index);
GRAFT_API graft_type graft_transform_state_type(const graft_transform* transform);

/* How the kernel was made: graft::Report::to_json. */
GRAFT_CHECKED graft_error* graft_transform_report(const graft_transform* transform, graft_bytes** json);
/* The image of the kernel for the first device. */
GRAFT_CHECKED graft_error* graft_transform_image(const graft_transform* transform, graft_image** result);
/* The address and size of the callback's __device__ or __constant__ variable with this name, in the current context. */
GRAFT_CHECKED graft_error* graft_transform_symbol(const graft_transform* transform, const char* name, void** pointer,
                                                  size_t* bytes);
/* The kernel stays loaded, also while launches are queued. */
GRAFT_API void graft_transform_destroy(graft_transform* transform);

/* ---- FFTs (fft.hpp) ---- */

typedef int32_t graft_direction;
enum { GRAFT_FORWARD = 0, GRAFT_INVERSE = 1 };

typedef struct graft_fft_plan {
  int64_t length;          /* of one dimension; 0 if there is a shape */
  int32_t is_double;       /* 0: float2, 1: double2 */
  int32_t directions;      /* the directions that are prepared: 0: both, 1: forward, 2: inverse */
  int32_t scaling;         /* 0: none, 1: inverse FFTs by 1/N, 2: all by 1/sqrt(N), for N points in all */
  int32_t has_strides;     /* 0 or 1: whether launches may have strides other than 1 */
  size_t batch;            /* the largest batch for which the workspace is allocated, or 0 */
  int32_t has_long_arrays; /* 0 or 1: whether arrays may have more than 2^32 elements */
  int32_t is_real;         /* 0 or 1: an FFT of real numbers (graft::FftKind) */
  int64_t shape[3];        /* of 1 to 3 dimensions, the slowest first; the others are 0 */
  int32_t storage_in;      /* what the input holds: 0: numbers of the precision, 1: halves, 2: bfloat16 */
  int32_t storage_out;     /* the same of the output */
  /* Load and store callbacks of the inverse direction (FftCallbacks::inverse), if has_inverse_callbacks is 1. Either
   * may be null. If it is 0, both directions have the same. */
  const graft_callback* inverse_load;
  const graft_callback* inverse_store;
  int32_t has_inverse_callbacks; /* 0 or 1 */
  int32_t reserved;
  uint64_t reserved_more[3];
} graft_fft_plan;

/* All numbers may be 0: a stride of 0 is 1, a distance of 0 means that the FFTs follow each other. */
typedef struct graft_fft_launch {
  int32_t has_batch; /* 0 or 1: whether `batch` counts; else there are as many FFTs as the arrays have room for */
  int32_t reserved;
  size_t batch;
  size_t in_stride, in_distance;
  size_t out_stride, out_distance;
  void* workspace; /* null: the workspace that create allocated */
  size_t workspace_bytes;
  const void* state;
  graft_type state_type;
  void* load_info;
  void* store_info;
  int32_t axes[3];    /* of views: the axes that are transformed (FftLaunch::axes) */
  int32_t axis_count; /* 0: the last axes */
  uint64_t reserved_more[2];
} graft_fft_launch;

/* Plans, compiles and loads an FFT (graft::Fft::create). Each of load, between and store may be null; so may `engine`
 * and `options`. */
GRAFT_CHECKED graft_error* graft_fft_create(graft_engine* engine, const graft_fft_plan* plan,
                                            const graft_callback* load, const graft_callback* between,
                                            const graft_callback* store, const graft_options* options,
                                            graft_fft** result);
/* Compiles an FFT ahead of time, as a pack (GRAFT_FORMAT_PACK or GRAFT_FORMAT_PACK_WITH_CUBINS); loads such a pack. */
GRAFT_CHECKED graft_error* graft_fft_precompile(graft_engine* engine, const graft_fft_plan* plan,
                                                const graft_callback* load, const graft_callback* between,
                                                const graft_callback* store, const char* const* architectures,
                                                size_t count, graft_format format, const graft_options* options,
                                                graft_bytes** result);
GRAFT_CHECKED graft_error* graft_fft_load(graft_engine* engine, const void* pack, size_t size, size_t batch,
                                          const graft_options* options, graft_fft** result);
/* As graft_transform_execute and graft_transform_execute_host; there is one output. `launch` may be null. */
GRAFT_CHECKED graft_error* graft_fft_execute(const graft_fft* fft, void* stream, const graft_array* in, size_t in_count,
                                             const graft_array* out, graft_direction direction,
                                             const graft_fft_launch* launch);
GRAFT_CHECKED graft_error* graft_fft_execute_host(const graft_fft* fft, const graft_array* in, size_t in_count,
                                                  const graft_array* out, graft_direction direction,
                                                  const graft_fft_launch* launch);
GRAFT_CHECKED graft_error* graft_fft_prepare(graft_fft* fft, int32_t device);
GRAFT_CHECKED graft_error* graft_fft_prepare_current(graft_fft* fft);
/* The workspace, in bytes, that a launch with this batch needs. SIZE_MAX if it is larger than any memory. */
GRAFT_API size_t graft_fft_workspace_bytes(const graft_fft* fft, size_t batch);
/* The reports of all kernels, as a JSON array. */
GRAFT_CHECKED graft_error* graft_fft_report(const graft_fft* fft, graft_bytes** json);
GRAFT_API void graft_fft_destroy(graft_fft* fft);

/* ---- Reductions (reduce.hpp) ---- */

typedef struct graft_reduce_callbacks {
  const graft_callback* map; /* may be null */
  const graft_callback* combine;
  const graft_callback* finish; /* may be null */
  const void* initial;          /* the accumulator of results without elements, which is copied; null: none */
  graft_type initial_type;
  uint64_t reserved[3];
} graft_reduce_callbacks;

/* A part of the elements of a reduction (graft::ReduceShard). */
typedef struct graft_reduce_shard {
  uint64_t elements; /* of the whole reduction */
  uint64_t begin;    /* the first element of the part */
  uint64_t count;    /* elements of the part */
  uint64_t first_chunk;
  uint64_t chunks; /* the accumulators of the part */
  uint64_t all_chunks;
} graft_reduce_shard;

/* Compiles and loads a reduction (graft::Reduce::create). `engine` and `options` may be null. */
GRAFT_CHECKED graft_error* graft_reduce_create(graft_engine* engine, const graft_reduce_callbacks* callbacks,
                                               const graft_options* options, graft_reduce** result);
/* Compiles a reduction ahead of time, as a pack (GRAFT_FORMAT_PACK or GRAFT_FORMAT_PACK_WITH_CUBINS), with all kernels
 * if GRAFT_OPTION_ANY_SHAPE is set; loads such a pack. */
GRAFT_CHECKED graft_error* graft_reduce_precompile(graft_engine* engine, const graft_reduce_callbacks* callbacks,
                                                   const char* const* architectures, size_t count, graft_format format,
                                                   const graft_options* options, graft_bytes** result);
GRAFT_CHECKED graft_error* graft_reduce_load(graft_engine* engine, const void* pack, size_t size,
                                             const graft_options* options, graft_reduce** result);
/* As graft_transform_execute and graft_transform_execute_host. Outputs have the extent 1 in the dimensions that are
 * reduced, or one element. With `offsets`, an array of integers, segments are reduced
 * (graft::Reduce::execute_segments); it may be null. Only the state of `launch` is looked at,
 * which may be null; its other members are zero. */
GRAFT_CHECKED graft_error* graft_reduce_execute(const graft_reduce* reduce, void* stream, const graft_array* in,
                                                size_t in_count, const graft_array* offsets, const graft_array* out,
                                                size_t out_count, const graft_launch* launch);
GRAFT_CHECKED graft_error* graft_reduce_execute_host(const graft_reduce* reduce, const graft_array* in, size_t in_count,
                                                     const graft_array* offsets, const graft_array* out,
                                                     size_t out_count, const graft_launch* launch);
/* A reduction over several devices or machines: a part of the elements; the accumulators of a part, which has
 * graft_reduce_accumulator_bytes() for each of its chunks at `to`; the results of the accumulators of all parts. */
GRAFT_CHECKED graft_error* graft_reduce_cut(const graft_reduce* reduce, uint64_t elements, uint32_t part,
                                            uint32_t parts, graft_reduce_shard* result);
GRAFT_API size_t graft_reduce_accumulator_bytes(const graft_reduce* reduce);
GRAFT_CHECKED graft_error* graft_reduce_partials(const graft_reduce* reduce, void* stream, const graft_array* in,
                                                 size_t in_count, const graft_reduce_shard* shard, void* to,
                                                 const graft_launch* launch);
GRAFT_CHECKED graft_error* graft_reduce_partials_host(const graft_reduce* reduce, const graft_array* in,
                                                      size_t in_count, const graft_reduce_shard* shard, void* to,
                                                      const graft_launch* launch);
GRAFT_CHECKED graft_error* graft_reduce_finish(const graft_reduce* reduce, void* stream, const void* partials,
                                               uint64_t elements, const graft_array* out, size_t out_count,
                                               const graft_launch* launch);
GRAFT_CHECKED graft_error* graft_reduce_finish_host(const graft_reduce* reduce, const void* partials, uint64_t elements,
                                                    const graft_array* out, size_t out_count,
                                                    const graft_launch* launch);
GRAFT_CHECKED graft_error* graft_reduce_prepare(graft_reduce* reduce, int32_t device);
GRAFT_CHECKED graft_error* graft_reduce_prepare_current(graft_reduce* reduce);
/* Makes the workspace of a stream, before it is captured. */
GRAFT_CHECKED graft_error* graft_reduce_prepare_stream(const graft_reduce* reduce, void* stream);
/* Makes the kernel that serves calls with arrays of these shapes best, or those for segments. */
GRAFT_CHECKED graft_error* graft_reduce_prepare_shapes(graft_reduce* reduce, const graft_array* in, size_t in_count,
                                                       const graft_array* out, size_t out_count);
GRAFT_CHECKED graft_error* graft_reduce_prepare_segments(graft_reduce* reduce);
GRAFT_CHECKED graft_error* graft_reduce_report(const graft_reduce* reduce, graft_bytes** json);
GRAFT_API void graft_reduce_destroy(graft_reduce* reduce);

/* ---- Kernels of the application's own (kernel.hpp) ---- */

/* The code of one or several kernels: source, and bytes (GRAFT_FORM_SOURCE, _LTOIR, _FATBIN, _PTX, _OBJECT or _PACK),
 * and a file. */
GRAFT_CHECKED graft_error* graft_kernel_code_from_source(const char* text, const char* name,
                                                         graft_kernel_code** result);
GRAFT_CHECKED graft_error* graft_kernel_code_from_bytes(graft_form form, const void* bytes, size_t size,
                                                        const char* name, graft_kernel_code** result);
GRAFT_CHECKED graft_error* graft_kernel_code_from_file(const char* path, graft_kernel_code** result);

/* These change the code, as the functions with_... of graft::KernelCode: one more instance of a template; the callback
 * that fills a slot by default; the constant that says whether an optional slot is filled; how the callbacks of a slot
 * are inlined (0: automatically, 1: always, 2: never); the value of a constant, and behind it values to compile ahead;
 * a header for code and callbacks; thread words in the callbacks of a slot; the folder of #include lines. */
GRAFT_CHECKED graft_error* graft_kernel_code_add_entry(graft_kernel_code* code, const char* entry);
GRAFT_CHECKED graft_error* graft_kernel_code_set_default(graft_kernel_code* code, const char* slot,
                                                         const graft_callback* callback);
GRAFT_CHECKED graft_error* graft_kernel_code_set_optional(graft_kernel_code* code, const char* slot,
                                                          const char* constant);
GRAFT_CHECKED graft_error* graft_kernel_code_set_inlining(graft_kernel_code* code, const char* slot, int32_t inlining);
GRAFT_CHECKED graft_error* graft_kernel_code_set_constant(graft_kernel_code* code, const char* constant,
                                                          const int64_t* values, size_t count);
GRAFT_CHECKED graft_error* graft_kernel_code_add_header(graft_kernel_code* code, const char* name, const char* text);
GRAFT_CHECKED graft_error* graft_kernel_code_allow_thread_words(graft_kernel_code* code, const char* slot);
GRAFT_CHECKED graft_error* graft_kernel_code_set_folder(graft_kernel_code* code, const char* folder);
/* Device code that the kernels call (graft::KernelCode::with_link_input), as bytes of a callback's form. */
GRAFT_CHECKED graft_error* graft_kernel_code_add_link_input(graft_kernel_code* code, const graft_callback* binary);

/* The code's kernels, slots and constants as JSON: {"entries": [{"name", "symbol", "parameters": [bytes],
 * "types": [text]}], "slots": [{"name", "declaration", "symbol"}], "constants": [name]}. Needs no GPU. */
GRAFT_CHECKED graft_error* graft_kernel_code_describe(graft_engine* engine, const graft_kernel_code* code,
                                                      const char* architecture, const graft_options* options,
                                                      graft_bytes** json);
GRAFT_API void graft_kernel_code_destroy(graft_kernel_code* code);

typedef struct graft_slot {
  const char* name; /* "lib::metric" */
  const graft_callback* callback;
} graft_slot;

typedef struct graft_constant {
  const char* name;
  int64_t value;
} graft_constant;

/* Compile ahead of time: the code, for graft_kernel_code_from_bytes(GRAFT_FORM_PACK, ...); or a callback for one slot
 * of it, for graft_callback_from_bytes(GRAFT_FORM_PACK, ...). */
GRAFT_CHECKED graft_error* graft_kernel_code_precompile(graft_engine* engine, const graft_kernel_code* code,
                                                        const char* const* architectures, size_t count,
                                                        graft_format format, const graft_options* options,
                                                        graft_bytes** result);
GRAFT_CHECKED graft_error* graft_kernel_code_precompile_for(graft_engine* engine, const graft_kernel_code* code,
                                                            const graft_slot* slot, const char* const* architectures,
                                                            size_t count, const graft_options* options,
                                                            graft_bytes** result);

/* Links the callbacks into the kernels for one architecture, without a GPU. */
GRAFT_CHECKED graft_error* graft_kernel_build(graft_engine* engine, const graft_kernel_code* code,
                                              const graft_slot* slots, size_t slot_count,
                                              const graft_constant* constants, size_t constant_count,
                                              const char* architecture, const graft_options* options,
                                              graft_image** result);
/* Links and loads them (graft::Kernel::create). `engine` and `options` may be null. */
GRAFT_CHECKED graft_error* graft_kernel_create(graft_engine* engine, const graft_kernel_code* code,
                                               const graft_slot* slots, size_t slot_count,
                                               const graft_constant* constants, size_t constant_count,
                                               const graft_options* options, graft_kernel** result);
/* A further handle, whose launches are those of this entry. */
GRAFT_CHECKED graft_error* graft_kernel_entry(const graft_kernel* kernel, const char* name, graft_kernel** result);

typedef struct graft_kernel_launch_config {
  uint32_t grid[3];    /* thread blocks; 0 in the second and third is 1 */
  uint32_t block[3];   /* threads of each; 0 in the second and third is 1 */
  uint32_t cluster[3]; /* 0 in the first: no cluster */
  uint32_t shared_bytes;
  int32_t is_cooperative; /* 0 or 1 */
  int32_t reserved;
  void* stream;
  uint64_t reserved_more[4];
} graft_kernel_launch_config;

/* Queues one launch. arguments[i] points to argument i, which has sizes[i] bytes; number and sizes are checked. */
GRAFT_CHECKED graft_error* graft_kernel_launch(const graft_kernel* kernel, const graft_kernel_launch_config* how,
                                               const void* const* arguments, const size_t* sizes, size_t count);
/* The CUfunction of the current context, and the CUkernel (cudaKernel_t) that serves every context. */
GRAFT_CHECKED graft_error* graft_kernel_function(const graft_kernel* kernel, void** function);
GRAFT_CHECKED graft_error* graft_kernel_handle(const graft_kernel* kernel, void** handle);
/* How many thread blocks of this many threads a multiprocessor runs at the same time. */
GRAFT_CHECKED graft_error* graft_kernel_blocks_per_multiprocessor(const graft_kernel* kernel, uint32_t threads,
                                                                  size_t shared_bytes, int32_t* blocks);
GRAFT_CHECKED graft_error* graft_kernel_symbol(const graft_kernel* kernel, const char* name, void** pointer,
                                               size_t* bytes);
GRAFT_CHECKED graft_error* graft_kernel_prepare(graft_kernel* kernel, int32_t device);
GRAFT_CHECKED graft_error* graft_kernel_prepare_current(graft_kernel* kernel);
GRAFT_CHECKED graft_error* graft_kernel_report(const graft_kernel* kernel, graft_bytes** json);
GRAFT_API void graft_kernel_destroy(graft_kernel* kernel);

#ifdef __cplusplus
} /* extern "C" */
#endif
