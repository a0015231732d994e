import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportPem } from '../../src/work/receipt/signing-key.ts';
import { envelopeProblems, schemaProblems } from '../fixtures/check-envelope.ts';
import { idProblems, idSchemaProblems } from '../fixtures/id-problems.ts';
import { createKey, trustKeys } from '../fixtures/keyring.ts';
import { startOrphans } from '../fixtures/orphans.ts';
import { allowAnyAge } from '../fixtures/triage-environment.ts';
import { isAlive } from '../fixtures/real-processes.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { confirmed, createHome, deed, deedAsync, VERSION, type Run } from '../fixtures/run-deed.ts';
import { LONG } from '../fixtures/start-node.ts';

interface CommandRow {
  readonly path: string;
  readonly type: 'read' | 'write';
  readonly gate: string;
  readonly streaming?: string;
  readonly errors: string[];
  readonly examples: string[];
  readonly output_schema: string;
  readonly formats: string[];
  readonly params: { readonly flag: string }[];
}

/**
 * For every command, a call that must succeed and one that must fail with this code. `again` succeeds after `good` was called; the long
 * suite uses it.
 */
const CALLS: Readonly<Record<string, { good: string[]; again?: string[]; bad: string[]; code: string }>> = {
  overview: { good: [], bad: ['--nope'], code: 'E_USAGE' },
  reference: { good: ['--schema'], bad: ['--command', 'nope'], code: 'E_NOT_FOUND' },
  context: { good: [], bad: ['--fields', 'nope'], code: 'E_VALIDATION' },
  doctor: { good: [], bad: ['--nope'], code: 'E_USAGE' },
  changelog: { good: ['--since', '0.0.1'], bad: ['--since', 'x'], code: 'E_VALIDATION' },
  completion: { good: ['bash'], bad: ['tcsh'], code: 'E_VALIDATION' },
  man: { good: [], bad: ['--nope'], code: 'E_USAGE' },
  'audit list': { good: ['--limit', '2'], bad: ['--limit', '0'], code: 'E_VALIDATION' },
  'audit export': { good: [], bad: ['--since', 'x'], code: 'E_VALIDATION' },
  'audit verify': { good: [], bad: ['--fields', 'x'], code: 'E_VALIDATION' },
  'config get': { good: ['list.limit'], bad: ['list.limti'], code: 'E_NOT_FOUND' },
  'config list': { good: [], bad: ['--cursor', 'x'], code: 'E_VALIDATION' },
  'config set': { good: ['list.limit', '9'], bad: ['list.limit', 'many'], code: 'E_VALIDATION' },
  'config unset': { good: ['--keys', 'list.limit'], bad: ['--keys', ','], code: 'E_VALIDATION' },
  'config trust': { good: ['.'], bad: ['/nonexistent'], code: 'E_NOT_FOUND' },
  'audit retire': { good: ['--before', '2020-01'], bad: ['--before', 'soon'], code: 'E_VALIDATION' },
  resume: { good: ['--agent', 'a'], bad: ['--limit', '0'], code: 'E_VALIDATION' },
  brief: { good: ['--agent', 'a'], bad: ['--focus', 'nope'], code: 'E_NOT_FOUND' },
  push: {
    good: ['--event', '{"kind":"progress","message":"x"}'],
    bad: ['--task-id', 'nope', '--event', '{"kind":"p","message":"x"}'],
    code: 'E_NOT_FOUND',
  },
  status: { good: ['--check'], bad: ['--agent', 'user:x'], code: 'E_VALIDATION' },
  'task create': { good: ['--title', 'a title'], bad: ['--priority', '1'], code: 'E_VALIDATION' },
  'task begin': { good: ['--id', '$TASK'], bad: ['--id', 'nope'], code: 'E_NOT_FOUND' },
  'task heartbeat': { good: ['--id', '$HELD'], bad: ['--id', 'nope'], code: 'E_NOT_FOUND' },
  'task get': { good: ['$TASK'], bad: ['nope'], code: 'E_NOT_FOUND' },
  'task list': { good: ['--limit', '2'], bad: ['--status', 'odd'], code: 'E_VALIDATION' },
  'task next': { good: [], bad: ['--fields', 'odd'], code: 'E_VALIDATION' },
  'task take': { good: ['--project-id', 'queue'], bad: ['--lease', '25h'], code: 'E_VALIDATION' },
  'task edit': {
    good: ['--id', '$OTHER', '--title', 'Another title'],
    bad: ['--id', 'nope', '--title', 'x'],
    code: 'E_NOT_FOUND',
  },
  'task set-status': {
    good: ['--id', '$OTHER', '--status', 'blocked'],
    bad: ['--id', 'nope', '--status', 'pending'],
    code: 'E_NOT_FOUND',
  },
  'task set-priority': {
    good: ['--id', '$OTHER', '--priority', '4'],
    bad: ['--id', 'nope', '--priority', '1'],
    code: 'E_NOT_FOUND',
  },
  'task complete': {
    good: ['--id', '$DONE', '--outcome', 'done', '--summary', 'x'],
    bad: ['--id', 'nope', '--outcome', 'done', '--summary', 'x'],
    code: 'E_NOT_FOUND',
  },
  'task add-dep': {
    good: ['--id', '$OTHER', '--depends-on', '$FREE'],
    bad: ['--id', 'nope', '--depends-on', '$FREE'],
    code: 'E_NOT_FOUND',
  },
  'task remove-dep': {
    good: ['--id', '$OTHER', '--depends-on', '$FREE'],
    bad: ['--id', 'nope', '--depends-on', '$OTHER'],
    code: 'E_NOT_FOUND',
  },
  'task delete': {
    good: ['--id', '$GONE'],
    again: ['--id', '$FREE'],
    bad: ['--id', 'nope'],
    code: 'E_NOT_FOUND',
  },
  'memory set': {
    good: ['--key', 'k', '--value', 'v'],
    bad: ['--key', 'k', '--value', 'v', '--scope', 'task'],
    code: 'E_VALIDATION',
  },
  'memory get': { good: ['--key', 'kept'], bad: ['--key', 'nope'], code: 'E_NOT_FOUND' },
  'memory list': { good: [], bad: ['--scope', 'odd'], code: 'E_VALIDATION' },
  'memory search': { good: ['word'], bad: ['***'], code: 'E_VALIDATION' },
  'memory history': { good: ['--key', 'kept'], bad: ['--scope', 'odd', '--key', 'k'], code: 'E_VALIDATION' },
  'memory confirm': { good: ['--key', 'kept'], bad: ['--key', 'nope'], code: 'E_NOT_FOUND' },
  'memory delete': {
    good: ['--key', 'k'],
    again: ['--key', 'kept'],
    bad: ['--key', 'nope'],
    code: 'E_NOT_FOUND',
  },
  'memory gc': { good: [], bad: ['--limit', '0'], code: 'E_VALIDATION' },
  'events list': { good: ['--all'], bad: ['--since-id', '-1'], code: 'E_VALIDATION' },
  'artifacts list': {
    good: ['--task-id', '$TASK'],
    bad: ['--cursor', 'x', '--task-id', '$TASK'],
    code: 'E_VALIDATION',
  },
  'store backup': {
    good: ['--to', 'backup.db'],
    again: ['--to', 'other.db'],
    bad: ['--to', '.deed.json'],
    code: 'E_CONFLICT',
  },
  'store check': { good: [], bad: ['--fields', 'odd'], code: 'E_VALIDATION' },
  'store copy': {
    good: ['--to', 'copy.db'],
    again: ['--to', 'other.db'],
    bad: ['--to', 'postgres://deed:secret@localhost/deed'],
    code: 'E_VALIDATION',
  },
  'store export': {
    good: ['--to', 'store.ndjson'],
    again: ['--to', 'other.ndjson'],
    bad: ['--to', '.deed.json'],
    code: 'E_CONFLICT',
  },
  'store import': {
    good: ['--from', '$EXPORT', '--db-path', 'imported.db'],
    again: ['--from', '$EXPORT', '--db-path', 'third.db'],
    bad: ['--from', 'nope'],
    code: 'E_NOT_FOUND',
  },
  'store restore': { good: ['--accept-loss'], bad: ['--from', 'missing.db'], code: 'E_NOT_FOUND' },
  'store upgrade': { good: [], bad: ['--db-path', '.deed.json'], code: 'E_DAMAGED' },
  'store use': { good: ['home'], bad: ['deed.db'], code: 'E_VALIDATION' },
  'store vacuum': { good: [], bad: ['--db-path', 'missing.db'], code: 'E_NOT_FOUND' },
  'hook install': { good: ['--claude'], bad: ['--odd'], code: 'E_USAGE' },
  'hook uninstall': { good: ['--claude'], bad: ['--odd'], code: 'E_USAGE' },
  loop: {
    good: ['--command', 'true', '--max-tasks', '1', '--cooldown', '0s', '--project-dir', 'nothing'],
    bad: ['--command', '"open'],
    code: 'E_VALIDATION',
  },
  'loop stats': { good: [], bad: ['--last', '0'], code: 'E_VALIDATION' },
  'agent costs': { good: [], bad: ['--since', 'monday'], code: 'E_VALIDATION' },
  'agent login': { good: ['remote', '--config', 'agent.json'], bad: ['nope'], code: 'E_NOT_FOUND' },
  'agent run': {
    good: ['Be terse.', 'Say hello.', '--models', 'script/any', '--config', 'agent.json'],
    bad: ['Be terse.', 'Say hello.', '--models', 'unknown/any'],
    code: 'E_CONFIG',
  },
  'agent sessions list': { good: ['--status', 'failed'], bad: ['--status', 'nope'], code: 'E_VALIDATION' },
  'agent sessions prune': { good: ['--keep-days', '7'], bad: ['--keep-days', '-1'], code: 'E_VALIDATION' },
  'agent sessions show': {
    good: ['$AGENT_SESSION'],
    bad: ['ffffffffffffffffffffffffffffffff'],
    code: 'E_NOT_FOUND',
  },
  'agent tools': { good: ['--config', 'agent.json'], bad: ['--tools', 'nope'], code: 'E_NOT_FOUND' },
  'agent validate': {
    good: ['Be terse.', 'Say hello.', '--models', 'script/any', '--config', 'agent.json'],
    bad: ['Be terse.'],
    code: 'E_USAGE',
  },
  'worker start': { good: [], bad: ['--jobs', '0'], code: 'E_VALIDATION' },
  'worker list': { good: [], bad: [], code: 'E_CONFIG' },
  'worker drain': { good: ['nope'], bad: ['nope'], code: 'E_CONFIG' },
  'integrator start': { good: [], bad: ['--queue', 'A b'], code: 'E_VALIDATION' },
  'work run': { good: ['$PLAN', '--root', '$TREE'], bad: ['nope.yaml'], code: 'E_NOT_FOUND' },
  'work status': { good: ['$JOB'], bad: ['nope'], code: 'E_NOT_FOUND' },
  'work result': { good: ['$JOB'], bad: ['nope'], code: 'E_NOT_FOUND' },
  'work cancel': { good: ['$RUNNING'], again: ['$RUNNING2'], bad: ['nope'], code: 'E_NOT_FOUND' },
  'work fleet': { good: [], bad: ['--all', '--limit', '0'], code: 'E_VALIDATION' },
  'work list': { good: ['--limit', '2'], bad: ['--status', 'odd'], code: 'E_VALIDATION' },
  'work show': { good: ['$RUN'], bad: ['nope'], code: 'E_NOT_FOUND' },
  'work log': { good: ['$RUN'], bad: ['nope'], code: 'E_NOT_FOUND' },
  'work diff': { good: ['$RUN'], bad: ['nope'], code: 'E_NOT_FOUND' },
  'work graph': { good: ['$PLAN'], bad: ['nope.yaml'], code: 'E_NOT_FOUND' },
  'work replay': { good: ['$RUN'], bad: ['nope'], code: 'E_NOT_FOUND' },
  'work approve': { good: ['$WAITS'], again: ['$WAITS3'], bad: ['nope'], code: 'E_NOT_FOUND' },
  'work reject': { good: ['$WAITS2'], again: ['$WAITS3'], bad: ['nope'], code: 'E_NOT_FOUND' },
  'work revise': {
    good: ['$REVISED', '--comment', 'shorter'],
    again: ['$REVISED2', '--comment', 'shorter'],
    bad: ['nope', '--comment', 'x'],
    code: 'E_NOT_FOUND',
  },
  'work rollback': { good: ['$RUN2'], again: ['$RUN'], bad: ['nope'], code: 'E_NOT_FOUND' },
  'work commit': { good: ['$RUN3'], again: ['$RUN4'], bad: ['nope'], code: 'E_NOT_FOUND' },
  'work blame': { good: ['$FILE'], bad: ['nope'], code: 'E_NOT_FOUND' },
  'work recover': { good: [], bad: ['--odd'], code: 'E_USAGE' },
  'work gc': { good: [], bad: ['--keep-days', '-1'], code: 'E_VALIDATION' },
  'receipt show': { good: ['$RUN'], bad: ['nope'], code: 'E_NOT_FOUND' },
  'receipt export': { good: ['$RUN'], bad: ['nope'], code: 'E_NOT_FOUND' },
  'receipt list': { good: [], bad: ['--cursor', 'x'], code: 'E_VALIDATION' },
  'receipt verify': { good: ['$RUN'], bad: ['nope'], code: 'E_NOT_FOUND' },
  'receipt trust': {
    good: ['build.pub.pem', '--name', 'build'],
    bad: ['nope', '--name', 'build'],
    code: 'E_NOT_FOUND',
  },
  'receipt untrust': { good: ['kept'], again: ['kept2'], bad: ['nope'], code: 'E_NOT_FOUND' },
  'receipt signers': { good: [], bad: ['--odd'], code: 'E_USAGE' },
  'triage snapshot': { good: ['--window', '50ms'], bad: ['--window', 'soon'], code: 'E_VALIDATION' },
  'triage plan': { good: ['--session', '$SESSION'], bad: ['--session', 'nope'], code: 'E_NOT_FOUND' },
  'triage explain': {
    good: ['$LEFT', '--session', '$SESSION'],
    bad: ['999999999', '--session', '$SESSION'],
    code: 'E_NOT_FOUND',
  },
  'triage apply': {
    good: ['--session', '$SESSION', '--targets', '$LEFT'],
    bad: ['--session', '$SESSION', '--dry-run'],
    code: 'E_USAGE',
  },
  'triage verify': { good: ['--session', '$APPLIED'], bad: ['--session', 'nope'], code: 'E_NOT_FOUND' },
  'triage diff': {
    good: ['--session', '$SESSION', '--against', '$APPLIED'],
    bad: ['--session', 'sess-20200101-000000-abcdef'],
    code: 'E_SESSION_EXPIRED',
  },
  'triage status': { good: ['--session', '$SESSION'], bad: ['--session', 'nope'], code: 'E_NOT_FOUND' },
  'triage sessions': { good: ['--limit', '1'], bad: ['--limit', '0'], code: 'E_VALIDATION' },
  'triage export': { good: ['--session', '$SESSION'], bad: ['--session', 'nope'], code: 'E_NOT_FOUND' },
  'triage report': { good: ['--session', '$SESSION'], bad: ['--session', 'nope'], code: 'E_NOT_FOUND' },
  'triage capabilities': { good: [], bad: ['--odd'], code: 'E_USAGE' },
  'triage watch': {
    good: ['--rounds', '1', '--window', '50ms'],
    bad: ['--interval', 'often'],
    code: 'E_VALIDATION',
  },
  'triage fleet': { good: [], bad: [], code: 'E_CONFIG' },
  'triage protect list': { good: [], bad: ['--odd'], code: 'E_USAGE' },
  'triage protect add': { good: ['my-server'], bad: ['*'], code: 'E_VALIDATION' },
  'triage protect remove': {
    good: ['kept-server'],
    again: ['kept-server2'],
    bad: ['sshd*'],
    code: 'E_PROTECTED',
  },
  'triage feedback': {
    good: ['$LEFT', '--keep', '--session', '$SESSION'],
    bad: ['$LEFT', '--keep', '--gone'],
    code: 'E_USAGE',
  },
  setup: { good: ['--hosts', 'cursor'], bad: ['--hosts', 'vim'], code: 'E_VALIDATION' },
  'setup undo': { good: ['--hosts', 'cursor'], bad: ['--hosts', 'vim'], code: 'E_VALIDATION' },
  gc: { good: [], bad: ['--odd'], code: 'E_USAGE' },
  'mcp serve': { good: [], bad: ['--transport', 'tcp'], code: 'E_VALIDATION' },
  web: { good: ['--stop-after', '1s'], bad: ['--address', '0.0.0.0'], code: 'E_FORBIDDEN' },
  demo: { good: [], bad: ['--folder', '.deed.json'], code: 'E_CONFLICT' },
  update: { good: ['--target-version', VERSION], bad: ['--target-version', 'x'], code: 'E_VALIDATION' },
};

/** An agent without network access: its model is scripted, and its tool is never called. */
const AGENT_CONFIG = JSON.stringify({
  providers: { script: { type: 'script', file: 'hello.json' } },
  restTools: { find: { description: 'Finds', url: 'http://127.0.0.1:1/' } },
  mcpServers: { remote: { url: 'http://127.0.0.1:1/mcp', enabled: false } },
});

const reference = deed(['reference', '--schema']).envelope.data as {
  commands: CommandRow[];
  global_flags: Record<string, { flag: string }[]>;
  schemas: Record<string, { shape: string; fields: string[]; untrusted_fields: string[] }>;
  json_schemas: Record<string, { input: object; output: object }>;
  release_readiness: Record<string, unknown>;
};

const gated = new Set(['confirm', 'dangerous']);

/** The others need a store on Postgres; test/postgres/fleet.test.ts has their success and the schemas of their answers. */
const isLocal = ({ path }: CommandRow): boolean =>
  !/^(?:worker |integrator |work fleet|triage fleet)/u.test(path);

describe('every leaf command', () => {
  let home: ReturnType<typeof createHome>;
  let cwd: string;
  let tree: ReturnType<typeof temporaryFolder>;
  /** Values of the placeholders in the calls. */
  const made: Record<string, string> = {};
  const run = (words: readonly string[]): Promise<Run> =>
    deedAsync(
      words.map((word) => made[word] ?? word),
      { home: home.path, cwd },
    );
  /** A stream, and a call that starts processes itself, needs its own process. */
  const runShortly = async ({ path, streaming }: CommandRow, words: readonly string[]): Promise<Run> =>
    streaming || ['agent run', 'loop', 'mcp serve', 'update', 'web'].includes(path)
      ? run(words)
      : deed(
          words.map((word) => made[word] ?? word),
          { home: home.path, cwd },
        );
  /** The demo takes several seconds and uses its own home, so it runs in the background. */
  let demo: Promise<Run>;
  beforeAll(() => {
    home = createHome();
    demo = run(['demo', ...(CALLS.demo?.good ?? [])]);
    tree = temporaryFolder('tree');
    cwd = join(home.path, 'project');
    mkdirSync(cwd);
    writeFileSync(join(cwd, '.deed.json'), '{"list.limit": 3}');
    writeFileSync(join(cwd, 'agent.json'), AGENT_CONFIG);
    writeFileSync(join(cwd, 'build.pub.pem'), exportPem(createKey().publicKey));
    trustKeys(home.path, [['kept', 'worker', createKey()]]);
    if (LONG) trustKeys(home.path, [['kept2', 'worker', createKey()]]);
    writeFileSync(join(cwd, 'hello.json'), '{"steps": [{"report": "Hello."}]}');
    Object.assign(
      made,
      fillStore(home.path, cwd),
      fillSessions(home.path, cwd),
      fillWork(home.path, tree.path),
      fillTriage(home.path),
    );
  });
  afterAll(() => {
    for (const id of [made.$RUNNING, made.$RUNNING2])
      if (id !== undefined) confirmed(['work', 'cancel', id], { home: home.path, cwd });
    endProcesses();
    home.dispose();
    tree.dispose();
  });

  it('has a row in this suite', () => {
    expect(Object.keys(CALLS)).toEqual(reference.commands.map(({ path }) => path));
  });

  it.each(reference.commands.filter(isLocal))(
    '$path: succeeds with output that matches its schema',
    async (command) => {
      const argv = [...command.path.split(' '), ...(CALLS[command.path]?.good ?? [])];
      if (command.path === 'demo') return expectStream(await demo, command);
      if (command.streaming) return expectStream(await run(argv), command);
      if (command.gate === 'confirm' || command.gate === 'dangerous') {
        const preview = await runShortly(command, [...argv, '--dry-run']);
        expect(envelopeProblems(preview)).toEqual([]);
        expect(idProblems(preview.envelope.data)).toEqual([]);
        const marked = (reference.schemas[command.output_schema]?.untrusted_fields.length ?? 0) > 0;
        expect(Object.keys(preview.envelope.data)).toEqual([
          'preview',
          'confirm_token',
          'expires_at',
          ...(marked ? ['_untrusted'] : []),
        ]);
        // It needs a person with a browser; agent-login.test.ts completes it.
        if (command.path === 'agent login') return undefined;
        argv.push('--confirm', preview.envelope.data.confirm_token);
        if (command.gate === 'dangerous') argv.push('--dangerous');
      }
      const answer = await runShortly(command, argv);
      expect(envelopeProblems(answer)).toEqual([]);
      expect(answer.envelope.error).toBeUndefined();
      // The descriptions of commands contain parameters that are named like ids.
      if (command.path !== 'reference') expect(idProblems(answer.envelope.data)).toEqual([]);
      expect(
        schemaProblems(answer.envelope.data, reference.json_schemas[command.path]?.output ?? {}),
      ).toEqual([]);
      return undefined;
    },
  );

  it.each(reference.commands)('$path: declares every id as a string', ({ path }) => {
    const { output } = reference.json_schemas[path] ?? {};
    expect(output).toBeDefined();
    expect(idSchemaProblems(output)).toEqual([]);
  });

  it.concurrent.each(reference.commands)('$path: fails with a code that it declares', async (command) => {
    const answer = await runShortly(command, [
      ...command.path.split(' '),
      ...(CALLS[command.path]?.bad ?? []),
    ]);
    const lines = answer.stdout.trim().split('\n');
    const error =
      command.streaming && lines.length > 1 ? JSON.parse(lines[0] ?? '').error : answer.envelope.error;
    if (!command.streaming || lines.length === 1) expect(envelopeProblems(answer)).toEqual([]);
    expect(error.code).toBe(CALLS[command.path]?.code);
    expect(idProblems(error.details)).toEqual([]);
    expect(command.errors).toContain(error.code);
  });

  // The text of the demo is checked in its own test.
  const withText = reference.commands.filter((command) => isLocal(command) && command.path !== 'demo');
  it.runIf(LONG).concurrent.each(withText)('$path: has a text format', async (command) => {
    const argv = [
      ...command.path.split(' '),
      ...(CALLS[command.path]?.again ?? CALLS[command.path]?.good ?? []),
    ];
    const answer = await runShortly(command, [
      ...argv,
      '--format',
      'text',
      ...(gated.has(command.gate) ? ['--dry-run'] : []),
    ]);
    expect(answer.code).toBe(0);
    expect(answer.stdout).not.toContain('\u001B');
    expect(answer.stdout.trim()).not.toBe('');
  });

  it.each(reference.commands)('$path: has output fields and examples', (command) => {
    const schema = reference.schemas[command.output_schema];
    expect(schema?.fields.length).toBeGreaterThan(0);
    expect(command.examples.length).toBeGreaterThan(0);
    for (const example of command.examples) expect(example.startsWith(command.path)).toBe(true);
    if (command.gate === 'confirm' || command.gate === 'dangerous') {
      expect(command.examples.some((example) => example.includes('--dry-run'))).toBe(true);
      expect(command.examples.some((example) => example.includes('--confirm'))).toBe(true);
    }
  });

  it('has no parameter with the name of a global flag', () => {
    const globals = new Set(
      Object.values(reference.global_flags).flatMap((flags) => flags.map(({ flag }) => flag)),
    );
    const clashes = reference.commands.flatMap(({ path, params }) =>
      params.filter(({ flag }) => globals.has(flag)).map(({ flag }) => `${path} ${flag}`),
    );
    expect(globals.size).toBeGreaterThan(5);
    expect(clashes).toEqual([]);
  });

  it('reports release_readiness with nine members, and doctor agrees', async () => {
    expect(Object.keys(reference.release_readiness)).toEqual([
      'level',
      'fcc_required',
      'fcc_status',
      'mock_upstream_required',
      'mock_upstream_status',
      'live_smoke_required_for_stable',
      'live_smoke_status',
      'reason',
      'required_evidence',
    ]);
    const { checks } = (await run(['doctor'])).envelope.data as {
      checks: { check: string; status: string; message: string }[];
    };
    const check = checks.find(({ check }) => check === 'release_readiness');
    expect(check?.message).toContain(String(reference.release_readiness.level));
    expect(check?.status).toBe(
      { stable: 'pass', beta: 'warn', unpublishable: 'fail' }[String(reference.release_readiness.level)],
    );
  });
});

let left: readonly number[] = [];

/** Starts two orphaned processes, plans for both, and kills one. No other process of this machine is a target. */
function fillTriage(home: string): Record<string, string> {
  allowAnyAge(home);
  left = startOrphans(2);
  const [first = 0, second = 0] = left;
  const plan = (): string => deed(['triage', 'plan'], { home }).envelope.data.session_id as string;
  const applied = plan();
  const apply = ['triage', 'apply', '--session', applied, '--targets', String(second)];
  const { confirm_token } = deed([...apply, '--dry-run'], { home }).envelope.data as {
    confirm_token: string;
  };
  deed([...apply, '--confirm', confirm_token, '--dangerous'], { home });
  for (const name of ['kept-server', ...(LONG ? ['kept-server2'] : [])])
    confirmed(['triage', 'protect', 'add', name], { home });
  return { $SESSION: plan(), $APPLIED: applied, $LEFT: String(first) };
}

function endProcesses(): void {
  for (const pid of left) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
}

/** Creates the tasks and memory that the calls use. */
function fillStore(home: string, cwd: string): Record<string, string> {
  const write = (...argv: string[]): Run => confirmed(argv, { home, cwd });
  const task = (title: string): string =>
    write('task', 'create', '--title', title).envelope.data.task.id as string;
  const names = ['$TASK', '$HELD', '$OTHER', '$DONE', '$FREE', '$GONE'];
  const made = Object.fromEntries(names.map((name) => [name, task(name)]));
  write('task', 'begin', '--id', made.$HELD ?? '');
  write('push', '--task-id', made.$TASK ?? '', '--artifacts', '{"file_path":".deed.json"}');
  write('memory', 'set', '--key', 'kept', '--value', 'a word');
  write('store', 'export', '--to', 'given.ndjson');
  return { ...made, $EXPORT: 'given.ndjson' };
}

/** Runs a scripted agent, whose session is stored. */
function fillSessions(home: string, cwd: string): Record<string, string> {
  const call = ['agent', 'run', ...(CALLS['agent run']?.good ?? [])];
  return { $AGENT_SESSION: confirmed(call, { home, cwd }).envelope.data.session_id as string };
}

/** Creates a tree, an agent that runs its item as a shell script, and runs in every state that the calls need. */
function fillWork(home: string, cwd: string): Record<string, string> {
  const git = (...args: string[]): unknown =>
    execFileSync('git', args, { cwd, env: { PATH: process.env.PATH, HOME: home } });
  git('init', '-q', '.');
  git('config', 'user.name', 'a');
  git('config', 'user.email', 'a@example.org');
  git('commit', '-q', '--allow-empty', '-m', 'first');
  const agents = {
    'agent-1': { kind: 'command', argv: ['/bin/sh', '-s'] },
    fixed: { kind: 'command', argv: ['/bin/sh', '-c', 'echo > fixed'] },
  };
  confirmed(['config', 'set', 'work.agents', JSON.stringify(agents)], { home, cwd });
  confirmed(['config', 'set', 'work.allow_program_approval', 'true'], { home, cwd });
  const plan = (name: string, more: object = {}): string => {
    writeFileSync(
      join(home, `${name}.json`),
      JSON.stringify({ id: name, agent_id: 'agent-1', description: `echo > ${name}`, ...more }),
    );
    return join(home, `${name}.json`);
  };
  const work = (name: string, more: object = {}): Run =>
    confirmed(['work', 'run', plan(name, more)], { home, cwd });
  const waits = (name: string): string =>
    work(name, { approval: true }).envelope.error?.details.run_id as string;
  const revised = (name: string): string =>
    work(name, { agent_id: 'fixed' }).envelope.data.results[0].run_id as string;
  /** A detached job that runs until it is cancelled. */
  const runs = (name: string): string => {
    const file = plan(name, { description: 'sleep 300' });
    return confirmed(['work', 'run', file, '--detach'], { home, cwd }).envelope.data.job_id as string;
  };
  const first = work('done').envelope.data;
  const made = {
    $TREE: cwd,
    $FILE: join(cwd, 'third'),
    $PLAN: plan('again'),
    $JOB: first.job_id as string,
    $RUN: first.results[0].run_id as string,
    $RUN2: work('other').envelope.data.results[0].run_id as string,
    $RUN3: work('third').envelope.data.results[0].run_id as string,
    $RUNNING: runs('runs'),
    $REVISED: revised('revised'),
    $WAITS: waits('waits'),
    $WAITS2: waits('waits2'),
  };
  const again: Record<string, string> = LONG
    ? {
        $RUN4: work('fourth').envelope.data.results[0].run_id as string,
        $RUNNING2: runs('runs2'),
        $REVISED2: revised('revised2'),
        $WAITS3: waits('waits3'),
      }
    : {};
  for (const id of [made.$RUNNING, ...(again.$RUNNING2 === undefined ? [] : [again.$RUNNING2])])
    while (deed(['work', 'status', id], { home, cwd }).envelope.data.status !== 'running');
  return { ...made, ...again };
}

function expectStream(answer: Run, command: CommandRow): void {
  const lines = answer.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const items = lines.slice(0, -1);
  expect(items.length).toBeGreaterThan(0);
  for (const line of items) {
    expect(Object.keys(line)).toEqual(['ok', 'schema_version', 'type', 'data']);
    expect(idProblems(line.data)).toEqual([]);
    expect(schemaProblems(line.data, reference.json_schemas[command.path]?.output ?? {})).toEqual([]);
  }
  expect(lines.at(-1)).toEqual({
    ok: true,
    schema_version: '1.0',
    type: 'summary',
    data: { count: items.length, complete: true },
  });
}
