import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rowsOf } from '../fixtures/start-node.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { createBench, item, type WorkBench } from '../fixtures/work-bench.ts';

/** A program as npm installs it: a link to a script whose package needs the one next to it. */
const SCRIPT = `#!/usr/bin/env agent-shell
. "$(dirname "$(readlink -f "$0")")/../../agent-linux/lib.sh"
`;

describe('a program in a folder that the sandbox replaces', () => {
  const tools = temporaryFolder('tools');
  const benches: WorkBench[] = [];
  const at = (...names: string[]): string => join(tools.path, ...names);
  const place = (path: string, content: string): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    chmodSync(path, 0o755);
  };
  const open = (agent: object, settings: object = {}, path = '/usr/bin:/bin'): WorkBench => {
    const bench = createBench(
      { 'work.agents': { it: { kind: 'command', ...agent } }, ...settings },
      { ownHome: true, env: { PATH: `${at('shells')}:${path}` } },
    );
    benches.push(bench);
    return bench;
  };
  const run = (bench: WorkBench) => bench.work(item('x', 'hi', { agent_id: 'it' })).envelope;
  const preview = (bench: WorkBench) =>
    bench.deed(['work', 'run', bench.plan(item('x', 'hi', { agent_id: 'it' })), '--dry-run']).envelope;
  beforeAll(() => {
    place(at('p/node_modules/@a/agent/bin/agent.sh'), SCRIPT);
    place(at('p/node_modules/@a/agent-linux/lib.sh'), 'cat > seen.txt\n');
    place(at('p/notes.txt'), 'private');
    place(at('shells/agent-shell'), '#!/bin/sh\nexec /bin/sh "$@"\n');
    mkdirSync(at('p/node_modules/.bin'));
    symlinkSync('../@a/agent/bin/agent.sh', at('p/node_modules/.bin/agent'));
  });
  afterAll(() => {
    for (const bench of benches) bench.dispose();
    tools.dispose();
  });

  it.each(rowsOf(['bubblewrap', 'namespace']))(
    'is shown with its interpreter and the packages around it, but nothing else (%s)',
    (isolation) => {
      const bench = open(
        { argv: [at('p/node_modules/.bin/agent')] },
        { 'work.isolation': isolation, 'work.allow_program_approval': true },
      );
      expect(run(bench).error).toBeUndefined();
      expect(bench.read('seen.txt')).toBe('hi');
      const [{ after }] = preview(bench).data.preview.changes;
      expect(after.read_paths).toContain(at('p/node_modules'));
      expect(after.read_paths).not.toContain(at('p'));
    },
  );

  it('is found in a folder of PATH, also behind env', () => {
    const bench = open({ argv: ['env', 'X=1', 'agent'] }, {}, `${at('p/node_modules/.bin')}:/usr/bin:/bin`);
    expect(run(bench).error).toBeUndefined();
    expect(bench.read('seen.txt')).toBe('hi');
  });

  it('is refused before a run if it is a link that cannot be shown, with the ways out', () => {
    const link = at('agent-link');
    symlinkSync('p/node_modules/@a/agent/bin/agent.sh', link);
    const { error } = preview(open({ argv: [link] }));
    expect(error).toMatchObject({
      code: 'E_CONFIG',
      message: `A program of agent "it" is not visible in the sandbox: ${link}.`,
      details: { agent: 'it', program: link, reason: 'hidden' },
    });
    const real = at('p/node_modules/@a/agent/bin/agent.sh');
    expect(error?.details.hint).toContain(
      `set argv of the agent in work.agents to ${real}, or add ${tools.path}`,
    );
    for (const way of [{ argv: [real] }, { argv: [link], read_paths: [tools.path] }])
      expect(preview(open(way)).error).toBeUndefined();
    rmSync(link);
  });

  it('is refused in the home of deed, which no run can read', () => {
    const bench = open({ argv: [at('state')] });
    const program = join(bench.home, 'agent');
    place(program, '#!/bin/sh\n');
    const config = { 'work.agents': { it: { kind: 'command', argv: [program] } } };
    writeFileSync(join(bench.home, 'config.json'), JSON.stringify(config));
    expect(preview(bench).error).toMatchObject({
      code: 'E_CONFIG',
      details: { program, hint: expect.stringContaining('Install the program elsewhere') },
    });
  });
});
