import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { withTmpdirInMemory } from './memory-folder.ts';

const SHOW = 'echo "$TMPDIR"; stat -f -c %T "$TMPDIR"; touch "$TMPDIR/kept"';
const step = withTmpdirInMemory({ name: 'show', command: ['sh', '-c', SHOW] });

it.skipIf(process.getuid?.() !== 0 || step.command[0] === 'sh')(
  'the temporary files of a step are in memory, and none of them remain',
  () => {
    const [program, ...args] = step.command;
    const { stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
    const [folder = '', type] = stdout.split('\n');
    expect(type, stderr).toBe('tmpfs');
    expect(readdirSync(folder)).toEqual([]);
  },
);
