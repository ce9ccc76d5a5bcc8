/* Errors of the C interface in tests that are C: the text of the last one. */
#pragma once

#include <graft/graft.h>
#include <stdio.h>

static char text[4096];

/* Keeps the error's text and destroys the error. Returns whether there was one. */
static int failed(graft_error* error) {
  if (!error) return 0;
  snprintf(text, sizeof text, "%s", graft_error_text(error));
  graft_error_destroy(error);
  return 1;
}
