import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installPackage, type InstalledPackage } from '../fixtures/installed-package.ts';
import { LONG } from '../fixtures/start-node.ts';

/** The library in a project without an executable, unless a test adds one. */
describe('deed-cli/work and the executable', () => {
  let project: InstalledPackage;
  let home = '';
  beforeAll(async () => {
    project = await installPackage();
    home = join(project.path, 'home');
    mkdirSync(join(project.path, 'tree'));
    for (const argv of [
      ['init', '-q'],
      ['-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-q', '--allow-empty', '-m', 'first'],
    ])
      spawnSync('git', argv, { cwd: join(project.path, 'tree') });
  });
  afterAll(() => project.dispose());

  const execute = (item: object, options: object = {}): Record<string, string> => {
    const agents = { shell: { kind: 'command', argv: ['/bin/sh', '-s'] } };
    const program = `
      import { executeWorkItem } from 'deed-cli/work';
      const print = ({ code, message, proof_script, status }) => console.log(JSON.stringify({ code, message, proof_script, status }));
      await executeWorkItem(${JSON.stringify(item)}, ${JSON.stringify({ root: 'tree', home, agents, ...options })}).then(print, print);`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: project.path,
      env: { PATH: '/usr/bin:/bin', HOME: project.path },
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    return JSON.parse(stdout) as Record<string, string>;
  };
  const scriptOf = (id: string, options?: object): string => {
    const { status, proof_script: script = '' } = execute(
      { id, agent_id: 'shell', description: `echo ${id} > ${id}` },
      options,
    );
    expect(status).toBe('success');
    return readFileSync(script, 'utf8');
  };

  it('rejects an agent that needs the executable if it is missing, before anything runs', () => {
    const { code, message } = execute({ id: 'a', agent_id: 'agents/fix.ai', description: 'Fix it' });
    expect({ code, message }).toEqual({
      code: 'E_CONFIG',
      message: 'Agent "agents/fix.ai" needs the deed executable, which was not found.',
    });
    expect(existsSync(join(home, 'runs'))).toBe(false);
  });

  it('runs a command without the executable; the replay script then searches the PATH', () => {
    expect(scriptOf('without')).toContain('\ndeed=(deed)\n');
  });

  it('uses the executable that the caller passes', () => {
    expect(scriptOf('named', { deed: '/opt/deed' })).toContain('\ndeed=(/opt/deed)\n');
  });

  // src/app/locate-deed.test.ts finds it too.
  it.runIf(LONG)('uses the executable of the platform package', () => {
    const name = `@deed-cli/${process.platform}-${process.arch}`;
    const folder = join(project.path, 'node_modules', name);
    mkdirSync(join(folder, 'bin'), { recursive: true });
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version: '0.0.0' }));
    writeFileSync(join(folder, 'bin/deed'), '#!/bin/sh\n');
    chmodSync(join(folder, 'bin/deed'), 0o755);
    expect(scriptOf('installed')).toContain(`\ndeed=(${join(folder, 'bin/deed')})\n`);
  });
});
