#!/usr/bin/env bash
# Says what is wrong with a shared library of graft: CUDA libraries that it needs (it opens them at run time instead), or
# names that it shows outside graft::.
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
  echo "^ needed from CUDA; $library must open them at run time"
  failed=1
fi
if grep -v -E '^((typeinfo( name)?|vtable) for )?graft::' <<<"$shown"; then
  echo "^ shown by $library, and not in graft::"
  failed=1
fi
exit $failed
