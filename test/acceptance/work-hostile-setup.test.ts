import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBench, item, type WorkBench } from '../fixtures/work-bench.ts';
import { workspaceCapabilities } from '../fixtures/workspace-modes.ts';
import { rowsOf } from '../fixtures/start-node.ts';

/** A setup command runs code of the repository before deed prepares the files of the agent, in folders that both can write. */
describe.runIf(workspaceCapabilities.sandboxed)('a setup command that', () => {
  let bench: WorkBench;
  let victim = '';
  beforeAll(() => {
    const argv = ['/bin/sh', '-s'];
    const env = { ANTHROPIC_API_KEY: 'a-key-for-tests' };
    bench = createBench(
      {
        'work.agents': { shell: { kind: 'command', argv }, claude: { kind: 'claude', argv } },
      },
      { ownHome: true, env },
    );
    const account = join(dirname(bench.home), 'account');
    mkdirSync(join(account, '.claude'));
    writeFileSync(join(account, '.claude/.credentials.json'), '{"token":"a-sign-in"}', { mode: 0o600 });
    victim = join(dirname(bench.home), 'victim');
    mkdirSync(victim);
    writeFileSync(join(victim, 'file'), 'unchanged\n');
  });
  afterAll(() => bench.dispose());

  it.each(
    rowsOf(
      [
        ['links the file of the item to another file', `ln -s $VICTIM/file /run/deed/item.json`],
        ['makes the file of the item a folder', 'mkdir -p /run/deed/item.json/full'],
        ['makes the file of events a pipe', 'mkfifo /run/deed/events.ndjson'],
        ['links the file of events to another file', `ln -s $VICTIM/file /run/deed/events.ndjson`],
      ],
      2,
    ),
  )('%s changes nothing outside, and the agent gets its item', (_, script) => {
    const run = bench.work(
      item('x', 'cat "$DEED_ITEM" > item.txt', {
        agent_id: 'shell',
        setup_command: script.replaceAll('$VICTIM', victim),
      }),
    );
    expect(run.envelope.error).toBeUndefined();
    expect(JSON.parse(bench.read('item.txt'))).toMatchObject({ id: 'x' });
    expect([readFileSync(join(victim, 'file'), 'utf8'), readdirSync(victim)]).toEqual([
      'unchanged\n',
      ['file'],
    ]);
  });

  it.each(
    rowsOf([
      ['the folder of the agent', 'rm -rf ~/.claude; ln -s $VICTIM ~/.claude'],
      ['its sign-in', 'mkdir -p ~/.claude; ln -s $VICTIM/file ~/.claude/.credentials.json'],
    ]),
  )('links %s to another place gets no sign-in there', (_, script) => {
    const result = '{"type":"result","is_error":false,"result":"done"}';
    bench.work(
      item('x', `echo '${result}'; date +%N > time.txt`, {
        agent_id: 'claude',
        setup_command: script.replaceAll('$VICTIM', victim),
      }),
    );
    expect([readFileSync(join(victim, 'file'), 'utf8'), readdirSync(victim)]).toEqual([
      'unchanged\n',
      ['file'],
    ]);
    expect(existsSync(join(bench.tree, 'time.txt'))).toBe(true);
  });
});
