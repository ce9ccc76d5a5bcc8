// The version of these headers, by the rules of semantic versioning. CHANGELOG.md says what changed.
#pragma once

#define GRAFT_VERSION_MAJOR 0
#define GRAFT_VERSION_MINOR 2
#define GRAFT_VERSION_PATCH 0
#define GRAFT_VERSION_STRING "0.2.0"
