/* Applies a formula that the user types, through graft's C interface. graft parses the formula itself, so the text may
 * be a stranger's, on the CPU too. Its parameters are set by name, and a mistake in it is data: the program marks the
 * place. This is C99, and needs no CUDA header.
 *
 *     calculator [FORMULA]   a formula of the input x and the parameters a and b; prints its values for x = 1, 2, 3, 4
 */
#include <stdio.h>
#include <stdlib.h>

#include <graft/graft.h>

// [formula]
/* Makes the kernel of a formula for the CPU. */
static graft_error* make(const char* formula, graft_transform** transform) {
  graft_callback* callback = NULL;
  graft_options* options = NULL;
  graft_error* error = graft_callback_from_formula(formula, &callback);
  if (!error) error = graft_options_create(&options);
  if (!error) error = graft_options_set(options, GRAFT_OPTION_REQUIRED_ROUTE, GRAFT_ROUTE_HOST);
  if (!error) error = graft_transform_create(NULL, callback, options, transform);
  graft_options_destroy(options);
  graft_callback_destroy(callback);
  return error;
}

/* Runs the kernel on four elements, and prints the results. */
static graft_error* run(const graft_transform* transform) {
  float x[4] = {1, 2, 3, 4}, y[4] = {0};
  const graft_array in = {.pointer = x, .count = 4, .type = GRAFT_F32};
  const graft_array out = {.pointer = y, .count = 4, .type = GRAFT_F32};
  graft_parameters* values = NULL;
  graft_error* error = graft_parameters_create("f32 a, b", &values);
  if (!error) error = graft_parameters_set(values, "a", 0.5);
  if (!error) error = graft_parameters_set_integer(values, "b", 10);
  const graft_launch launch = {.state = graft_parameters_state(values),
                               .state_type = graft_parameters_state_type(values)};
  if (!error) error = graft_transform_execute_host(transform, &in, 1, &out, 1, &launch);
  if (!error) printf("%g %g %g %g\n", y[0], y[1], y[2], y[3]);
  graft_parameters_destroy(values);
  return error;
}

/* Shows a mistake below the formula. */
static void show(const char* formula, const graft_error* error) {
  const graft_diagnostic mistake = graft_error_diagnostic(error, 0);
  const char* const suggestion = graft_error_diagnostic_suggestion(error, 0);
  if (mistake.column == 0) {
    fprintf(stderr, "%s\n", graft_error_text(error));
    return;
  }
  fprintf(stderr, "%s\n%*s\n%s\n", formula, (int)mistake.column, "^", mistake.text);
  if (suggestion[0] != '\0') fprintf(stderr, "replace %s by %s\n", graft_error_diagnostic_near(error, 0), suggestion);
}
// [/formula]

int main(int argc, char** argv) {
  char formula[1024];
  const int length =
      snprintf(formula, sizeof formula, "f32 x; f32 a, b => %s", argc > 1 ? argv[1] : "a * max(x, 3) + b");
  if (length < 0 || (size_t)length >= sizeof formula) {
    fprintf(stderr, "the formula is too long\n");
    return EXIT_FAILURE;
  }

  graft_transform* transform = NULL;
  graft_error* error = make(formula, &transform);
  if (!error) error = run(transform);
  graft_transform_destroy(transform);
  if (!error) return EXIT_SUCCESS;
  show(formula, error);
  graft_error_destroy(error);
  return EXIT_FAILURE;
}
