#!/usr/bin/env bash
# The step of action.yml that runs a plan: exports the receipt of each run, and writes outputs and summary. Exits like `deed work run`.
set -euo pipefail

receipts="${RUNNER_TEMP:-/tmp}/deed-receipts"
mkdir -p "$receipts"
echo "receipts=$receipts" >> "$GITHUB_OUTPUT"

plan=(work run "$DEED_PLAN")
if [ -n "${DEED_BRANCH:-}" ]; then plan+=(--branch "$DEED_BRANCH"); fi

token=$(deed "${plan[@]}" --dry-run --fields confirm_token --compact | sed -n 's/.*"confirm_token":"\([^"]*\)".*/\1/p')
[ -n "$token" ] || { deed "${plan[@]}" --dry-run --format text; exit 2; }

before=$(deed work list --limit 1 --format raw)
code=0
deed "${plan[@]}" --confirm "$token" --format text 2>&1 | tee "$receipts/log.txt" || code=${PIPESTATUS[0]}
# Progress is in the log of the step.
grep -vE '^deed: (job|level|run|tests)\.' "$receipts/log.txt" > "$receipts/summary.txt" || true
rm "$receipts/log.txt"

# The newest runs come first; those of this job are all that are newer than the last one before it.
for run in $(deed work list --limit 1000 --format raw); do
  [ "$run" != "$before" ] || break
  deed receipt export "$run" --format raw > "$receipts/$run.json" || rm -f "$receipts/$run.json"
done
first=$(ls "$receipts"/run_*.json 2>/dev/null | head -1 || true)
if [ -n "$first" ]; then
  deed receipt export "$(basename "$first" .json)" --as key --format raw > "$receipts/key.pem"
fi
echo "job=$(sed -n 's/^Job \([^ ]*\).*/\1/p' "$receipts/summary.txt" | head -1)" >> "$GITHUB_OUTPUT"

{
  echo '### deed work run'
  echo '```'
  # A line of an agent cannot close the block.
  sed 's/```/`` `/g' "$receipts/summary.txt"
  echo '```'
  echo "Receipts: $(ls "$receipts"/run_*.json 2>/dev/null | wc -l), signed; verify one with \`deed receipt verify --file <receipt> --key key.pem\`."
} >> "$GITHUB_STEP_SUMMARY"
exit "$code"
