#!/usr/bin/env bash
# Runs the fuzzers of BUILD for SECONDS each, one behind the other, from the corpus in the tree, which it leaves alone.
# The last line tells how it went. An input that breaks a reader stays in BUILD/failures.
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
total=0 failed=()
for format in "${formats[@]}"; do
  mkdir -- "$work/$format"
  corpus=("$here/corpus/$format")
  if [[ $format == detect ]]; then corpus=("$here"/corpus/*); fi
  if "$build/tests/fuzz/fuzz_$format" -max_total_time="$seconds" -max_len=1024 -timeout=10 -rss_limit_mb=2048 \
    -print_final_stats=1 -artifact_prefix="$build/failures/$format-" "$work/$format" "${corpus[@]}" \
    >"$work/log" 2>&1; then
    verdict=good
  else
    verdict=FAILED
    failed+=("$format")
    tail -n 40 -- "$work/log"
  fi
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/log")
  printf 'fuzz %-17s %9d executions, %s\n' "$format" "${runs:-0}" "$verdict"
  total=$((total + ${runs:-0}))
done

if ((${#failed[@]} > 0)); then
  printf 'fuzzing: FAILED: %s; the inputs are in %s\n' "${failed[*]}" "$build/failures"
  exit 1
fi
printf 'fuzzing: all good: %d readers, %d s each, %d executions\n' "${#formats[@]}" "$seconds" "$total"
