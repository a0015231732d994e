import { describe, expect, it } from 'vitest';
import { schemaProblems } from '../fixtures/check-envelope.ts';
import { namespaceCommand } from '../fixtures/pid-namespace.ts';
import { createPtSandbox, type PtAnswer } from '../fixtures/pt-sandbox.ts';
import { deed, executable } from '../fixtures/run-deed.ts';

/**
 * Functions for scripts, besides those of the sandbox:
 * - `deed NAME args…` runs deed and stores its answer under the name;
 * - `preview args…` plans $ORPHANS, makes a dry run of apply and sets $TOKEN; `apply NAME args…` executes it with the same arguments.
 */
const FUNCTIONS = `
deed() { name=$1; shift; '${executable()[0]}' "$@" > "$OUT/$name.out" 2> "$OUT/$name.err"; echo $? > "$OUT/$name.code"; }
preview() { deed preview triage apply --session $SESSION "$@" --dry-run; TOKEN=$(jq -r .data.confirm_token "$OUT/preview.out"); }
apply() { name=$1; shift; deed $name triage apply --session $SESSION "$@" --confirm $TOKEN --dangerous; }
planned() { deed plan triage plan --window 60ms; SESSION=$(jq -r .data.session_id "$OUT/plan.out"); }
reversed() { echo $ORPHANS | tr ' ' '\\n' | tac | paste -sd,; }
`;

interface Item {
  readonly target: string;
  readonly ok: boolean;
  readonly error?: { readonly code: string; readonly retryable: boolean };
}

const itemsOf = (items: readonly Item[]): unknown[] =>
  items.map(({ ok, error }) => (error === undefined ? ok : [ok, error.code, error.retryable]));

// Each test runs in its own pid namespace and home.
describe.runIf(namespaceCommand !== null).concurrent('deed triage apply as a batch', () => {
  const runScript = async (script: string): Promise<Readonly<Record<string, PtAnswer>>> => {
    const sandbox = createPtSandbox();
    try {
      return await sandbox.run(`${FUNCTIONS}\n${script}`);
    } finally {
      sandbox.dispose();
    }
  };

  it('reports each target in input order with its own error, and is a success as a whole', async () => {
    const answers = await runScript(`
      orphans 3; planned
      preview --targets $(reversed) --max-kills 1
      apply applied --targets $(reversed) --max-kills 1
      record pids $(reversed)
      record left $(alive $ORPHANS)
    `);
    const pids = answers.pids?.stdout.trim().split(',') ?? [];
    const pidOf = (target: string): string => target.split(':')[0] ?? '';
    const { preview } = answers.preview?.json.data ?? {};
    expect([preview.action, preview.total, preview.targets.map(pidOf)]).toEqual(['apply', 3, pids]);
    const { code, json } = answers.applied ?? {};
    expect([code, json.ok]).toEqual([0, true]);
    expect(json.data.items.map(({ target }: Item) => pidOf(target))).toEqual(pids);
    // The order of execution is that of the plan, so any of them may be the one that was killed.
    expect(itemsOf(json.data.items).filter((item) => item !== true)).toEqual([
      [false, 'E_BUDGET_EXHAUSTED', true],
      [false, 'E_BUDGET_EXHAUSTED', true],
    ]);
    expect(json.data.summary).toMatchObject({ total: 3, succeeded: 1, failed: 2, skipped: 0, successful: 1 });
    expect(json.data.results.length).toBe(3);
    expect(answers.left?.stdout.trim().split(/\s+/u).length).toBe(2);
    const { output } = deed(['reference', '--schema', '--command', 'triage apply']).envelope.data
      .json_schemas['triage apply'] as { output: object };
    expect(schemaProblems(json.data, output)).toEqual([]);
  });

  it('stops at the first failure with --continue-on-error false, and can be resumed', async () => {
    const answers = await runScript(`
      orphans 3; planned
      choice="--recommended --max-kills 1 --continue-on-error false"
      preview $choice; apply stopped $choice
      deed status triage status --session $SESSION
      preview --resume --max-kills 9; apply resumed --resume --max-kills 9
      record left $(alive $ORPHANS)
    `);
    const { data, ok } = answers.stopped?.json ?? {};
    expect([ok, itemsOf(data.items)]).toEqual([true, [true, [false, 'E_BUDGET_EXHAUSTED', true]]]);
    expect(data.summary).toMatchObject({ total: 2, succeeded: 1, failed: 1, skipped: 1 });
    expect(data.skipped).toEqual([expect.stringMatching(/^\d+:\d+\.\d+$/u)]);
    expect(answers.status?.json.data.state).toBe('interrupted');
    expect(answers.resumed?.json.data.summary).toMatchObject({ total: 3, succeeded: 3, failed: 0 });
    expect(answers.left?.stdout.trim()).toBe('');
  });

  it('is a success when every item fails, and pt rejects the same plan with its exit code', async () => {
    const answers = await runScript(`
      orphans 1; planned
      preview --recommended --max-kills 0; apply applied --recommended --max-kills 0
      call pt agent apply --session $SESSION --recommended --max-kills 0 --yes
    `);
    expect([answers.applied?.code, itemsOf(answers.applied?.json.data.items)]).toEqual([
      0,
      [[false, 'E_BUDGET_EXHAUSTED', true]],
    ]);
    expect([answers.pt?.code, Object.keys(answers.pt?.json).toSorted()]).toEqual([
      5,
      ['error', 'generated_at', 'host_id', 'results', 'schema_version', 'session_id', 'summary'],
    ]);
    expect(Object.keys(answers.pt?.json.summary)).toEqual([
      'total',
      'successful',
      'skipped',
      'blocked',
      'failed',
      'memory_freed_mb',
    ]);
  });

  it('that is interrupted answers E_INTERRUPTED with the items so far', async () => {
    const answers = await runScript(`
      folder=$(mktemp -d); cd $folder
      ( true | setsid bash -c 'trap "" TERM; echo $$ > pid; exec -a mcp-server-demo sleep 1000' >/dev/null 2>&1 & )
      until [ -s pid ]; do sleep 0.02; done; stubborn=$(cat pid); cd /; rm -r $folder; running $stubborn sleep
      planned
      preview --recommended --grace 60s
      '${executable()[0]}' triage apply --session $SESSION --recommended --grace 60s --confirm $TOKEN --dangerous > "$OUT/applied.out" 2> "$OUT/applied.err" & run=$!
      until grep -q started "$HOME/.local/share/process_triage/sessions/$SESSION/outcomes.json" 2>/dev/null; do sleep 0.05; done
      kill -INT $run; wait $run; echo $? > "$OUT/applied.code"
      record left $(alive $stubborn)
    `);
    const { code, json } = answers.applied ?? {};
    expect([code, json.ok, json.error.code, json.error.details.items]).toEqual([
      130,
      false,
      'E_INTERRUPTED',
      [],
    ]);
    expect(json.error.details.skipped.length).toBe(1);
    expect(answers.left?.stdout.trim()).not.toBe('');
  });
});

it('describes apply as a dangerous batch', () => {
  const [command] = deed(['reference', '--command', 'triage apply']).envelope.data.commands;
  expect([command.dangerous, command.batch]).toMatchObject([
    true,
    { targets: 'targets', continue_on_error: true, atomic: false },
  ]);
});
