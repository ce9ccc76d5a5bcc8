// GRAFT_API marks what the shared library exports; every other symbol in it is hidden.
#pragma once

#define GRAFT_API __attribute__((visibility("default")))
