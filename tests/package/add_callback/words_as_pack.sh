#!/bin/sh
# Stands in for the program `graft`. Writes its arguments, one per line, to the file that the last argument names, and a
# rule without prerequisites to the file behind --depfile.
for last; do :; done
printf '%s\n' "$@" >"$last"
while [ "$1" != --depfile ]; do shift; done
printf '%s:\n' "$last" >"$2"
