import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { namespaceCommand } from '../fixtures/pid-namespace.ts';
import { createScene, type Scene } from '../fixtures/pt-scene.ts';

const hasJq = spawnSync('jq', ['--version']).status === 0;
if (!hasJq) console.warn('Left out: jq is not installed, and the workflow scripts use it.');

/** The workflow scripts of the contract; those that loop for ever are ended by their second sleep. */
const ONE_SHOT = `
SESSION=$(pt agent snapshot --format json | jq -r .session_id)
pt agent plan --session $SESSION --format json > plan.json
pt agent apply --session $SESSION --recommended --yes
pt agent verify --session $SESSION
`;

const MONITORED = `
while true; do
  SESSION=$(pt agent plan --format json | jq -r .session_id)
  KILLS=$(pt agent plan --session $SESSION --only kill --format json | jq '.candidates | length')
  if [ "$KILLS" -gt 0 ]; then
    pt agent apply --session $SESSION --recommended --yes
    pt agent verify --session $SESSION
  fi
  sleep 300
done
`;

// The contract's line reads the script's own input; here what it reads is named.
const DIFFERENTIAL = `
LAST_SESSION=""
while true; do
  if [ -n "$LAST_SESSION" ]; then
    pt agent plan --since $LAST_SESSION --format json | tee answer.json
  else
    pt agent plan --format json | tee answer.json
  fi
  LAST_SESSION=$(jq -r .session_id < answer.json)
  sleep 60
done
`;

describe.runIf(namespaceCommand !== null && hasJq)('a workflow script of the contract', () => {
  let scene: Scene;
  beforeEach(() => {
    scene = createScene();
  });
  afterEach(() => scene.dispose());

  /** Runs a script with a sleep that does not wait, leaves something new behind, and ends the script at its second call. */
  function follow(workflow: string, times = 1): { answers: Record<string, never>[]; left: string } {
    writeFileSync(join(scene.home, 'workflow.sh'), workflow);
    const played = scene.play(`
      leave 2; FIRST=$LEFT
      mkdir "$HOME/shim"
      declare -f leave > "$HOME/shim/leave.sh"
      cat > "$HOME/shim/sleep" <<'END'
#!/bin/bash
PATH=$REAL_PATH
if [ -e "$HOME/shim/once" ]; then kill $PPID; exit; fi
touch "$HOME/shim/once"; . "$HOME/shim/leave.sh"; leave 1; echo $LEFT > "$HOME/shim/second"
END
      chmod +x "$HOME/shim/sleep"
      cd "$HOME"
      for round in $(seq ${times}); do
        REAL_PATH=$PATH PATH="$HOME/shim:$PATH" bash workflow.sh >> answers.ndjson 2>> errors
      done
      tell left "$(alive $FIRST $(cat "$HOME/shim/second" 2>/dev/null))"
    `);
    const left = played.left?.stdout.trim() ?? '';
    const lines = readFileSync(join(scene.home, 'answers.ndjson'), 'utf8').trim().split('\n');
    return { answers: lines.map((line) => JSON.parse(line) as Record<string, never>), left };
  }

  it('cleans up in one go, and a second time finds nothing to do', () => {
    const { answers, left } = follow(ONE_SHOT, 2);
    expect(left).toBe('');
    const [applied, verified, again, nothing] = answers as unknown as Record<
      string,
      Record<string, unknown>
    >[];
    expect(applied?.summary).toMatchObject({ total: 2, successful: 2, skipped: 0, failed: 0 });
    expect(verified?.verification).toMatchObject({ overall_status: 'success', confirmed: 2, total: 2 });
    expect(again?.summary).toMatchObject({ total: 0 });
    expect(nothing?.verification).toMatchObject({ overall_status: 'success', total: 0 });
  });

  it('watches, and cleans up what appears meanwhile', () => {
    const { answers, left } = follow(MONITORED);
    expect(left).toBe('');
    const applied = answers.filter((answer) => 'results' in answer) as unknown as {
      summary: { successful: number };
    }[];
    expect(applied.map(({ summary }) => summary.successful)).toEqual([2, 1]);
  });

  it('shows only what is new since the last round', () => {
    const { answers, left } = follow(DIFFERENTIAL);
    expect(left.split('\n').length).toBe(3);
    const [first, second] = answers as unknown as {
      candidates: { pid: number }[];
      since?: Record<string, unknown>;
      summary: { candidates_found: number };
    }[];
    expect(first?.candidates.length).toBe(2);
    expect(second?.candidates.length).toBe(1);
    expect(second?.summary.candidates_found).toBe(3);
    expect(second?.since).toMatchObject({
      new_candidates: 1,
      changed_candidates: 0,
      unchanged_candidates: 2,
      gone: [],
    });
  });
});
