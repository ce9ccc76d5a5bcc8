/* Applies a formula to arrays through graft's C interface: out[i] = a * x[i] + y[i]. This is C99, and needs no CUDA
 * header. It runs on the CPU, by graft's host route, so that it works on every machine; with a GPU, leave the required
 * route out, pass device memory, and call graft_transform_execute with a stream.
 *
 *     saxpy [FORMULA]      prints a line for each of two states, or the error of a formula that does not compile
 */
#include <stdio.h>
#include <stdlib.h>

#include <graft/graft.h>

// [run]
struct scale {
  float a;
};

/* Makes the kernel of a callback for the CPU. */
static graft_error* make(const char* source, graft_transform** transform) {
  graft_callback* callback = NULL;
  graft_options* options = NULL;
  graft_error* error = graft_callback_from_source(source, "formula.cu", &callback);
  if (!error) error = graft_options_create(&options);
  if (!error) error = graft_options_set(options, GRAFT_OPTION_REQUIRED_ROUTE, GRAFT_ROUTE_HOST);
  if (!error) error = graft_transform_create(NULL, callback, options, transform);
  graft_options_destroy(options);
  graft_callback_destroy(callback);
  return error;
}

/* Runs the kernel on four elements, and prints the results. */
static graft_error* run(const graft_transform* transform, float a) {
  const struct scale state = {a};
  float x[4] = {1, 2, 3, 4}, y[4] = {10, 20, 30, 40}, sums[4] = {0};
  const graft_array in[2] = {{.pointer = x, .count = 4, .type = GRAFT_F32},
                             {.pointer = y, .count = 4, .type = GRAFT_F32}};
  const graft_array out = {.pointer = sums, .count = 4, .type = GRAFT_F32};
  const graft_launch launch = {.state = &state, .state_type = GRAFT_STRUCT(sizeof state, sizeof(float))};
  graft_error* error = graft_transform_execute_host(transform, in, 2, &out, 1, &launch);
  if (!error) printf("a = %g: %g %g %g %g\n", a, sums[0], sums[1], sums[2], sums[3]);
  return error;
}
// [/run]

int main(int argc, char** argv) {
  char source[1024];
  const char* const formula = argc > 1 ? argv[1] : "s.a * x + y";
  const int length = snprintf(source, sizeof source,
                              "struct Scale { float a; };\n"
                              "__device__ float formula(float x, float y, const Scale& s) { return %s; }\n",
                              formula);
  if (length < 0 || (size_t)length >= sizeof source) {
    fprintf(stderr, "the formula is too long\n");
    return EXIT_FAILURE;
  }
  if (graft_abi_version() != GRAFT_ABI_VERSION) {
    fprintf(stderr, "libgraft %s has another interface than this program\n", graft_version());
    return EXIT_FAILURE;
  }

  graft_transform* transform = NULL;
  graft_error* error = make(source, &transform);
  if (!error) error = run(transform, 2);
  if (!error) error = run(transform, -1);
  graft_transform_destroy(transform);
  if (!error) return EXIT_SUCCESS;
  fprintf(stderr, "%s: %s\n", graft_code_name(graft_error_code(error)), graft_error_text(error));
  graft_error_destroy(error);
  return EXIT_FAILURE;
}
