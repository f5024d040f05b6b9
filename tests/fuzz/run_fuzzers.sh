#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the fuzzers of BUILD for SECONDS each, one on each processor, from the corpus in the tree, which it leaves alone.
# They are told in the order of their names, and the last line tells how it went. An input that breaks a reader stays in BUILD/failures.
#
#   run_fuzzers.sh BUILD SECONDS [FORMAT...]
set -euo pipefail

build=$1
seconds=$2
shift 2
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
formats=("$@")
if ((${#formats[@]} == 0)); then
  for program in "$build"/tests/fuzz/fuzz_*; do
    # fuzz_drive reads no traces: README.md.
    if [[ -x $program && -f $program && $program != */fuzz_drive ]]; then formats+=("${program##*/fuzz_}"); fi
  done
fi

work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
mkdir -p -- "$build/failures"
# What was freed is checked for a while only: to keep more of it costs most of the time.
export ASAN_OPTIONS=quarantine_size_mb=4

# run_one FORMAT: leaves FORMAT.log, and FORMAT.failed where the fuzzer has found something.
run_one() {
  local format=$1 corpus=("$here/corpus/$1")
  mkdir -- "$work/$format"
  if [[ $format == detect ]]; then corpus=("$here"/corpus/*); fi
  "$build/tests/fuzz/fuzz_$format" -max_total_time="$seconds" -max_len=1024 -timeout=10 -rss_limit_mb=2048 \
    -print_final_stats=1 -artifact_prefix="$build/failures/$format-" "$work/$format" "${corpus[@]}" \
    >"$work/$format.log" 2>&1 || : >"$work/$format.failed"
}

for format in "${formats[@]}"; do
  while (($(jobs -rp | wc -l) >= $(nproc))); do wait -n; done
  run_one "$format" &
done
wait

total=0 failed=()
for format in "${formats[@]}"; do
  verdict=good
  if [[ -e $work/$format.failed ]]; then
    verdict=FAILED
    failed+=("$format")
    tail -n 40 -- "$work/$format.log"
  fi
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/$format.log")
  printf 'fuzz %-17s %9d executions, %s\n' "$format" "${runs:-0}" "$verdict"
  total=$((total + ${runs:-0}))
done

if ((${#failed[@]} > 0)); then
  printf 'fuzzing: FAILED: %s; the inputs are in %s\n' "${failed[*]}" "$build/failures"
  exit 1
fi
printf 'fuzzing: all good: %d readers, %d s each, %d executions\n' "${#formats[@]}" "$seconds" "$total"
