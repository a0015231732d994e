/** The calls of the 0.1.0 program that create the content of the 0.1.0 home for the tests; see make-home-fixture.ts. */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { HOME_FIXTURE_PLAN } from '../test/fixtures/release-0.1.0.ts';

// eslint-disable-next-line typescript/no-explicit-any -- answers of any shape
type Answer = any;
interface CallOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly exit?: number;
}

/** An installation of 0.1.0. */
export interface FixtureMachine {
  readonly at: (...names: string[]) => string;
  readonly write: (path: string, content: string) => void;
  readonly git: (...args: string[]) => void;
  /** Runs a program of 0.1.0 in the tree with a fixed date; throws unless it exits with the expected code. */
  readonly run: (
    program: 'deed' | 'vybe' | 'pt' | 'ai-agent',
    day: string,
    argv: readonly string[],
    options?: CallOptions,
  ) => Answer;
}

const SEPTEMBER = '2026-09-28T09:00:00Z';
const OCTOBER = '2026-10-02T09:00:00Z';
/** The id of a triage session contains the time, and an old session is rejected, so this one is dated in the future. */
const FAR_FUTURE = '2099-01-01T00:00:00Z';

export function fillHome(machine: FixtureMachine): void {
  createTree(machine);
  configure(machine);
  const task = fillStore(machine);
  runWork(machine);
  runAgent(machine);
  keepTriageSession(machine);
  machine.run('vybe', OCTOBER, ['resume', '--agent', 'claude-app', '--request-id', 'resume-1']);
  machine.run('deed', OCTOBER, ['task', 'get', '--id', task]);
}

/** A write under deed: dry run, then confirm. */
function confirmed(machine: FixtureMachine, day: string, argv: readonly string[], exit = 0): Answer {
  const { data } = machine.run('deed', day, [...argv, '--dry-run']);
  return machine.run('deed', day, [...argv, '--confirm', data.confirm_token as string], { exit });
}

function createTree({ git, write }: FixtureMachine): void {
  git('init', '-q', '-b', 'main', '--template=');
  write('app/a.txt', 'one\n');
  write('app/b.txt', 'two\n');
  write('app/.deed.json', '{"list.limit":25}\n');
  write('app/agents/fix.ai', '---\nmodels: play/any\ntoolingTransport: native\n---\nYou fix texts.\n');
  git('add', '-A');
  git('commit', '-qm', 'first');
}

function configure(machine: FixtureMachine): void {
  const steps = [
    {
      toolCalls: [
        {
          name: 'workspace__edit',
          arguments: { path: 'b.txt', old_text: 'two', new_text: 'three' },
        },
      ],
    },
    { report: 'Done.' },
  ];
  machine.write('user/play.json', JSON.stringify({ steps }));
  machine.write(
    'user/.ai-agent/ai-agent.json',
    JSON.stringify({ providers: { play: { type: 'script', file: machine.at('user/play.json') } } }),
  );
  confirmed(machine, SEPTEMBER, [
    'config',
    'set',
    'work.agents',
    JSON.stringify({ shell: { kind: 'command', argv: ['/bin/sh', '-s'] } }),
  ]);
  confirmed(machine, SEPTEMBER, ['config', 'set', 'update.notices', 'false', '--request-id', 'setting-1']);
  confirmed(machine, SEPTEMBER, ['config', 'trust', '.']);
  confirmed(machine, SEPTEMBER, ['hook', 'install', '--claude', '--opencode']);
}

function fillStore(machine: FixtureMachine): string {
  let requests = 0;
  const vybe = (...argv: string[]): Answer =>
    machine.run('vybe', SEPTEMBER, [
      ...argv,
      '--agent',
      'claude-app',
      '--request-id',
      `store-${(requests += 1)}`,
    ]).data;
  const [parser, tests, docs] = ['Write the parser', 'Test the parser', 'Describe the parser'].map(
    (title, index) =>
      vybe('task', 'create', '--title', title, '--project-id', '/srv/app', '--priority', `${3 - index}`).task
        .id as string,
  ) as [string, string, string];
  vybe('task', 'add-dep', '--id', tests, '--depends-on', parser);
  vybe('task', 'add-dep', '--id', docs, '--depends-on', parser, '--kind', 'related');
  vybe('task', 'add-dep', '--id', docs, '--depends-on', tests, '--kind', 'discovered-from');
  vybe('task', 'begin', '--id', parser);
  const scopes: [string, string | undefined][] = [
    ['global', undefined],
    ['project', '/srv/app'],
    ['task', parser],
    ['agent', 'claude-app'],
  ];
  for (const [scope, id] of scopes) {
    const where = ['--scope', scope, ...(id === undefined ? [] : ['--scope-id', id])];
    vybe('memory', 'set', '--key', `${scope}-fact`, '--value', `known in ${scope}`, ...where);
    vybe('memory', 'set', '--key', `${scope}-lesson`, '--value', '{"n":1}', '--kind', 'lesson', ...where);
    confirmed(machine, SEPTEMBER, [
      'memory',
      'set',
      '--key',
      `${scope}-directive`,
      '--value',
      'run the tests',
      '--kind',
      'directive',
      ...where,
    ]);
  }
  vybe('memory', 'set', '--key', 'global-fact', '--value', 'known better', '--pin');
  vybe('memory', 'set', '--key', 'short', '--value', 'gone soon', '--expires-in', '1h');
  machine.write('user/out/parser.txt', 'the parser\n');
  vybe(
    'push',
    '--json',
    JSON.stringify({
      task_id: parser,
      event: { kind: 'progress', message: 'parser done', metadata: { lines: 120 } },
      memories: [{ key: 'entry', value: 'parse()', scope: 'task', scope_id: parser }],
      artifacts: [{ file_path: machine.at('user/out/parser.txt') }],
      task_status: { status: 'completed', summary: 'the parser parses' },
    }),
  );
  return parser;
}

/** One run per outcome: promoted, denied by a limit, failed tests, and one of a built-in agent, which has a recording. */
function runWork(machine: FixtureMachine): void {
  for (const { exit, ...item } of HOME_FIXTURE_PLAN) {
    machine.write('scratch/plan.json', JSON.stringify(item));
    confirmed(machine, OCTOBER, ['work', 'run', machine.at('scratch/plan.json')], exit);
  }
}

/** An agent session: a snapshot and accounting records. */
function runAgent(machine: FixtureMachine): void {
  machine.write('user/play.json', JSON.stringify({ steps: [{ report: 'The tests first.' }] }));
  const argv = ['agent', 'run', 'You plan days.', 'What now?', '--models', 'play/any'];
  confirmed(machine, OCTOBER, argv);
}

function keepTriageSession(machine: FixtureMachine): void {
  const sleeper = spawn('/bin/sleep', ['600'], { stdio: 'ignore' });
  try {
    // Its audit records would have the future date of the session, so they are written elsewhere.
    const env = { DEED_HOME: machine.at('scratch/other-home') };
    machine.run('pt', FAR_FUTURE, ['agent', 'plan', '--window', '100ms'], { env });
  } finally {
    sleeper.kill();
  }
  rmSync(machine.at('scratch/other-home'), { recursive: true, force: true });
}
