#!/usr/bin/env bash
# Checks graft's shared library: it must not depend on CUDA libraries, because it opens them at run time, and it must
# not export names outside of graft::.
#
#   check_library.sh libgraft.so
set -euo pipefail
library=$1

needed=$(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
shown=$(nm -DC --defined-only "$library" | cut -d' ' -f3-)
[[ $needed == *libstdc++* && $shown == *graft::Transform::create* ]] || {
  echo "readelf or nm cannot read $library"
  exit 1
}

failed=0
if grep -E '^lib(cu|nv)' <<<"$needed"; then
  echo "^ CUDA libraries that $library depends on; it must open them at run time instead"
  failed=1
fi
if grep -v -E '^((typeinfo( name)?|vtable) for )?graft::' <<<"$shown"; then
  echo "^ names exported by $library that are not in graft::"
  failed=1
fi
exit $failed
