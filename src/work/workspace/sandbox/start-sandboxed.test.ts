import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSandboxed } from './start-sandboxed.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'deed-sandboxed-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const NO_TOOLS = {
  kind: 'bubblewrap',
  shell: '/bin/sh',
  mount: 'mount',
  umount: '',
  unshare: 'unshare',
  pivotRoot: '',
  mkdir: '',
  setpriv: '',
  ip: '',
} as const;

/** Starts a command with a script in place of bubblewrap, which fails before the command runs. */
function startWith(name: string, script: string): Promise<unknown> {
  const bwrap = join(folder, name);
  writeFileSync(bwrap, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const started = startSandboxed(
    { ...NO_TOOLS, bwrap },
    {
      argv: ['true'],
      env: { PATH: '/usr/bin:/bin' },
      folder,
      mounts: [],
      plan: {
        tree: { source: folder, at: folder },
        binds: [],
        temporary: folder,
        scratch: { host: folder, inside: folder },
        hidden: [],
        sockets: [],
        kernelControls: [],
        writePaths: [],
        readPaths: [],
        network: true,
        cwd: folder,
      },
      root: true,
    },
  );
  started.stdout.resume();
  return started.ended;
}

test.each([
  ['prints a reason', 'echo "bwrap: no permission" >&2; exit 1', 'bwrap: no permission'],
  ['prints nothing', 'exit 3', 'it exited with code 3 without an error message.'],
  ['is killed', 'kill -9 $$', 'signal SIGKILL terminated it without an error message.'],
  [
    'has created a namespace',
    `echo '{ "child-pid": 1 }' >&4; exit 1`,
    'it exited with code 1 without an error message.',
  ],
])('a sandbox that %s before it is set up fails with a reason', async (name, script, reason) => {
  await expect(startWith(name, script)).rejects.toMatchObject({
    code: 'E_IO',
    message: `The sandbox could not be set up: ${reason}`,
  });
});
