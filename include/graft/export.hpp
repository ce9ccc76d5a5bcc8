// Which names the shared library shows: only those marked GRAFT_API.
#pragma once

#define GRAFT_API __attribute__((visibility("default")))
