import { quoteForShell } from '../../base/quote-for-shell.ts';
import type { RunDraft } from '../run/run-draft.ts';
import type { WorkContext } from '../work-context.ts';

/** Renders the script that replays a run in a scratch folder and compares the resulting hash. */
export function renderReplayScript(draft: RunDraft, context: WorkContext): string {
  return `#!/usr/bin/env bash
# Replay of the work item ${draft.item.id} (${draft.item.agent_id}), run ${draft.runId}.
# It restores the state before the run in a scratch folder, runs the agent again there without network access, and compares
# the resulting hash. Nothing outside that folder changes.
set -euo pipefail

export DEED_HOME=\${DEED_HOME:-${quoteForShell(context.home)}}
deed=(${context.program.map(quoteForShell).join(' ')})
[ -z "\${DEED:-}" ] || deed=("$DEED")
expected=${quoteForShell(draft.afterHash)}

read -r actual grade < <("\${deed[@]}" work replay --id ${quoteForShell(draft.runId)} --format raw) || true
if [ "\${actual:-}" != "$expected" ]; then
  echo "ERROR: Hash mismatch" >&2
  exit 1
fi
echo "✅ Replay successful: hash verified"
echo "grade: $grade" >&2
`;
}
