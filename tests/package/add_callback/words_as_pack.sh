#!/bin/sh
# Stands in for the program `graft`. Writes its arguments, one per line, to the file that the last argument names.
for last; do :; done
printf '%s\n' "$@" >"$last"
