#!/usr/bin/env bash
# Checks graft's shared library: it must not depend on CUDA libraries, because it opens them at run time, and it must
# export exactly the functions that graft.h declares, and no other name outside of graft::.
#
#   check_library.sh libgraft.so graft.h
set -euo pipefail
library=$1
header=$2

needed=$(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
shown=$(nm -DC --defined-only "$library" | cut -d' ' -f3-)
[[ $needed == *libstdc++* && $shown == *graft::Transform::create* ]] || {
  echo "readelf or nm cannot read $library"
  exit 1
}
declared=$(grep -oE '\bgraft_[a-z_]+\(' "$header" | tr -d '(' | sort -u)
[[ $declared == *graft_transform_execute* ]] || {
  echo "$header declares no functions"
  exit 1
}

failed=0
if grep -E '^lib(cu|nv)' <<<"$needed"; then
  echo "^ CUDA libraries that $library depends on; it must open them at run time instead"
  failed=1
fi
if grep -v -E '^((typeinfo( name)?|vtable) for )?graft::|^graft_' <<<"$shown"; then
  echo "^ names exported by $library that are not in graft::"
  failed=1
fi
if ! diff <(grep '^graft_' <<<"$shown" | sort) - <<<"$declared"; then
  echo "^ exported by $library (<) or declared in $header (>) only"
  failed=1
fi
exit $failed
