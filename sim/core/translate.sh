#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# translate.sh TRANSLATOR PROGRAM.elf COMPILER FLAG...: PROGRAM.elf.so, the program as C++ (sim/core/translation.hpp), compiled.
#
# The library is as old as the program that it translates: one that was linked meanwhile is newer.
set -euo pipefail
translator=$1 program=$2
compile=("${@:3}")

work=$(mktemp -d -- "$program.XXXXXX")
trap 'rm -rf -- "$work"' EXIT
cp -p -- "$program" "$work/program"
"$translator" "$work/program" "$work" 4
jobs=()
for source in "$work"/*.cpp; do
  "${compile[@]}" -c "$source" -o "${source%.cpp}.o" &
  jobs+=($!)
done
for job in "${jobs[@]}"; do wait "$job"; done
"${compile[@]}" -shared "$work"/*.o -o "$work/library"
touch -r "$work/program" -- "$work/library"
mv -f -- "$work/library" "$program.so"
