import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { namespaceCommand } from '../fixtures/pid-namespace.ts';
import { createPtSandbox } from '../fixtures/pt-sandbox.ts';
import { LONG } from '../fixtures/start-node.ts';

const hasJq = spawnSync('jq', ['--version']).status === 0;
if (!hasJq) console.warn('Skipped tests: the workflow scripts require jq, which is not installed.');

/** The workflow scripts of the contract; those with an endless loop are terminated by their second sleep. */
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

// The contract's script reads its own stdin; here the input is a file.
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

// Each test runs in its own pid namespace and home.
describe.runIf(namespaceCommand !== null && hasJq).concurrent('a workflow script of the contract', () => {
  /**
   * Runs a workflow script some times, with a sleep command that does not wait: its first call starts another orphan, its second ends the
   * script. Returns the answers of pt and the orphans that are still running.
   */
  async function runWorkflow(
    workflow: string,
    times = 1,
  ): Promise<{ answers: Record<string, never>[]; running: string }> {
    const sandbox = createPtSandbox();
    try {
      writeFileSync(join(sandbox.home, 'workflow.sh'), workflow);
      const recorded = await sandbox.run(`
        orphans 2; FIRST=$ORPHANS
        mkdir "$HOME/shim"
        declare -f orphans > "$HOME/shim/orphans.sh"
        cat > "$HOME/shim/sleep" <<'END'
#!/bin/bash
PATH=$REAL_PATH
if [ -e "$HOME/shim/once" ]; then kill $PPID; exit; fi
touch "$HOME/shim/once"; . "$HOME/shim/orphans.sh"; orphans 1; echo $ORPHANS > "$HOME/shim/second"
END
        chmod +x "$HOME/shim/sleep"
        cd "$HOME"
        for round in $(seq ${times}); do
          REAL_PATH=$PATH PATH="$HOME/shim:$PATH" bash workflow.sh >> answers.ndjson 2>> errors
        done
        record running "$(alive $FIRST $(cat "$HOME/shim/second" 2>/dev/null))"
      `);
      const running = recorded.running?.stdout.trim() ?? '';
      const lines = readFileSync(join(sandbox.home, 'answers.ndjson'), 'utf8').trim().split('\n');
      return { answers: lines.map((line) => JSON.parse(line) as Record<string, never>), running };
    } finally {
      sandbox.dispose();
    }
  }

  it('cleans up once, and finds nothing the second time', async () => {
    const { answers, running } = await runWorkflow(ONE_SHOT, 2);
    expect(running).toBe('');
    const [applied, verified, again, nothing] = answers as unknown as Record<
      string,
      Record<string, unknown>
    >[];
    expect(applied?.summary).toMatchObject({ total: 2, successful: 2, skipped: 0, failed: 0 });
    expect(verified?.verification).toMatchObject({ overall_status: 'success', confirmed: 2, total: 2 });
    expect(again?.summary).toMatchObject({ total: 0 });
    expect(nothing?.verification).toMatchObject({ overall_status: 'success', total: 0 });
  });

  it('cleans up in a loop, including new orphans', async () => {
    const { answers, running } = await runWorkflow(MONITORED);
    expect(running).toBe('');
    const applied = answers.filter((answer) => 'results' in answer) as unknown as {
      summary: { successful: number };
    }[];
    expect(applied.map(({ summary }) => summary.successful)).toEqual([2, 1]);
  });

  it.runIf(LONG)('shows only candidates that are new since the last round', async () => {
    const { answers, running } = await runWorkflow(DIFFERENTIAL);
    expect(running.split('\n').length).toBe(3);
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
