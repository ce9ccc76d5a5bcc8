#!/bin/sh
# Stands for `graft`: writes its words, one a line, into the file that the last one names.
for last; do :; done
printf '%s\n' "$@" >"$last"
