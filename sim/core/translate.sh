#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# translate.sh TRANSLATOR PROGRAM.elf COMPILER FLAG...: the program as C++ (sim/core/translation.hpp), compiled, in the folder
# translations beside it, under the key by which a run finds it (sim/core/translation_file.hpp). That of an older program goes.
#
# PROGRAM.elf.translated is as old as the program that was translated: one that was linked meanwhile is newer.
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
folder=$(dirname -- "$program")/translations
name=$("$translator" --key "$work/program").so
mkdir -p -- "$folder"
chmod go-w -- "$work/library"
mv -f -- "$work/library" "$folder/$name"
find "$folder" -maxdepth 1 -name '*.so' ! -name "$name" -delete
: >"$program.translated"
touch -r "$work/program" -- "$program.translated"
