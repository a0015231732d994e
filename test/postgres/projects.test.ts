import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findPostgres } from '../fixtures/postgres-server.ts';
import { confirmed, deed, type Run } from '../fixtures/run-deed.ts';
import { placeRepository } from '../fixtures/repository-template.ts';
import { vybe } from '../fixtures/run-vybe.ts';
import { seedProbe } from '../fixtures/saved-probe.ts';
import { newPostgresUrl } from '../fixtures/store-environment.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { item, shells } from '../fixtures/work-bench.ts';
import { LONG } from '../fixtures/start-node.ts';

/** A machine: a home and a clone of its own. */
interface Machine {
  readonly home: string;
  readonly clone: string;
  readonly read: (...argv: string[]) => Run;
  readonly write: (...argv: string[]) => Run;
  readonly hook: (event: string, input: object) => string;
  readonly git: (...argv: string[]) => string;
}

describe.skipIf(findPostgres() === undefined)('two clones with a shared store', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let one: Machine;
  let two: Machine;
  beforeAll(() => {
    folder = temporaryFolder('clones');
    const url = newPostgresUrl();
    placeRepository(join(folder.path, 'origin'), { 'a.txt': 'one\n' });
    one = createMachine(join(folder.path, 'one'), url);
    two = createMachine(join(folder.path, 'two'), url);
  });
  afterAll(() => folder.dispose());

  function createMachine(path: string, url: string): Machine {
    const [home, clone] = [join(path, 'home'), join(path, 'app')];
    mkdirSync(home, { recursive: true, mode: 0o700 });
    writeFileSync(join(home, 'config.json'), JSON.stringify({ 'work.agents': shells() }));
    seedProbe(join(home, 'work'));
    execFileSync('git', ['clone', '-q', join(folder.path, 'origin'), clone]);
    const options = { home, cwd: clone, env: { VYBE_DB_PATH: '' } };
    const machine = {
      home,
      clone,
      read: (...argv: string[]) => deed(argv, options),
      write: (...argv: string[]) => confirmed(argv, options),
      hook: (event: string, input: object) =>
        vybe(['hook', event], {
          ...options,
          input: JSON.stringify({ session_id: path, cwd: clone, ...input }),
        }).stdout,
      git: (...argv: string[]) => execFileSync('git', argv, { cwd: clone, encoding: 'utf8' }),
    };
    expect(machine.write('store', 'use', url).envelope.ok).toBe(true);
    return machine;
  }
  const nameOf = ({ git }: Machine): string => git('config', '--get', 'remote.origin.url').trim();
  const plan = (machine: Machine, value: unknown): string => {
    writeFileSync(join(machine.home, 'plan.json'), JSON.stringify(value));
    return join(machine.home, 'plan.json');
  };

  it('have one project: runs, tasks, memory and sessions of one are those of the other', () => {
    const project = nameOf(one);
    const run = one.write('work', 'run', plan(one, item('edit', 'echo two > a.txt; exit 3')));
    expect(run.envelope.ok).toBe(false);
    const { items: tasks } = two.read('task', 'list').envelope.data;
    expect(tasks).toMatchObject([{ title: expect.stringContaining('edit') as string, project_id: project }]);
    expect(tasks[0].status).toBe('blocked');

    one.hook('prompt', { prompt: 'use tabs in this repository' });
    one.write(
      'memory',
      'set',
      '--scope',
      'project',
      '--scope-id',
      project,
      '--key',
      'deploy',
      '--value',
      'make ship',
    );
    expect(two.hook('session-start', {})).toContain('make ship');
    expect(two.read('events', 'list', '--all').envelope.data.items).toContainEqual(
      expect.objectContaining({ kind: 'user_prompt', project_id: project }),
    );

    one.write('task', 'create', '--title', 'from one', '--project-id', project);
    const ready = two.read('work', 'run', '--from-tasks', '--agent', 'agent-1', '--dry-run');
    expect(JSON.stringify(ready.envelope.data)).toContain('from one');
  });

  it.runIf(LONG)('show a run its journal under the same name', () => {
    const project = nameOf(two);
    const script = `'${deedPath()}' memory set --scope project --scope-id '${project}' --key k --value seen --request-id r1 --dry-run > out.json`;
    const run = two.write('work', 'run', plan(two, item('note', script)));
    expect(run.envelope.ok, run.stdout).toBe(true);
    expect(execFileSync('cat', [join(two.clone, 'out.json')], { encoding: 'utf8' })).toContain(
      'confirm_token',
    );
  });

  it("have the name that git's setting deed.project says", () => {
    for (const machine of [one, two]) machine.git('config', 'deed.project', 'acme/app');
    one.write(
      'memory',
      'set',
      '--scope',
      'project',
      '--scope-id',
      'acme/app',
      '--key',
      'named',
      '--value',
      'by setting',
    );
    expect(two.hook('session-start', {})).toContain('by setting');
  });
});

function deedPath(): string {
  return join(import.meta.dirname, '../../dist/bin/deed');
}
