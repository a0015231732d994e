import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createHome, executable } from '../fixtures/run-deed.ts';
import { vybeEnvironment, type VybeAnswer } from '../fixtures/run-vybe.ts';

const home = createHome();
afterAll(() => home.dispose());

/** The commands of a section of the README, with their continuation lines. */
function commandsOf(title: string): string[] {
  const text = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const block = /```console\n([\s\S]+?)```/u.exec(text.slice(text.indexOf(`## ${title}`)))?.[1] ?? '';
  return [...block.matchAll(/^\$ (.+(?:\n {4}.+)*)/gmu)].map(([, command]) => command ?? '');
}

it('the commands of the README have the documented results', () => {
  const bin = join(home.path, 'bin');
  mkdirSync(bin);
  const program = executable('vybe').map((word) => `'${word}'`);
  writeFileSync(join(bin, 'vybe'), `#!/bin/sh\nexec ${program.join(' ')} "$@"\n`, { mode: 0o755 });
  const commands = commandsOf('One agent is killed, another continues');
  expect(commands).toHaveLength(7);
  // Only the lease of ten minutes is shortened: the last heartbeat of ada sets it to one second.
  const shorten = 'vybe task heartbeat --agent ada --request-id ada-3 --id "$TASK" --lease 1s >&2; sleep 1.1';
  const script = commands
    .map((command) => (command.includes('resume') ? `${shorten}\n${command}` : command))
    .join('\n');
  const environment = vybeEnvironment({ home: home.path });
  const { stdout, stderr } = spawnSync('bash', ['-c', script], {
    env: { ...environment, PATH: `${bin}:${environment.PATH}` },
    encoding: 'utf8',
  });
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as VybeAnswer);
  expect([answers.map(({ success }) => success), stderr.includes('not found')]).toEqual([
    [true, true, false, true, true, true],
    false,
  ]);
  const [, , refused, resumed, , completed] = answers;
  expect([refused?.error_code, refused?.error]).toEqual([
    'E_CONFLICT',
    expect.stringContaining('claimed by ada'),
  ]);
  expect(resumed?.data.prompt).toContain('lexer done, grammar half way');
  expect(resumed?.data.prompt).toContain('expressions are left to do');
  expect(completed?.data.task.status).toBe('completed');
});
