import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { failure, request, useUpdateMachine } from '../../test/fixtures/update-machine.ts';
import { checkUpdate } from './check-update.ts';
import { runUpdate } from './run-update.ts';
import type { UpdateContext } from './update-context.ts';

const bench = useUpdateMachine();

/** Where each manager keeps the program, and what it links to it. */
const LAYOUTS = {
  homebrew: {
    program: 'brew',
    executable: 'brew/Cellar/deed/0.1.0/bin/deed',
    installed: 'brew/opt/deed',
    command: 'brew upgrade deed',
    // An upgrade adds a folder and changes the link.
    install:
      'mkdir -p $R/brew/Cellar/deed/0.2.0/share/deed/skills && ln -sfn ../Cellar/deed/0.2.0 $R/brew/opt/deed',
    skill: 'brew/Cellar/deed/0.2.0/share/deed/skills/deed',
  },
  pnpm: {
    program: 'pnpm',
    executable: 'pnpm/global/5/.pnpm/deed-cli@0.1.0/node_modules/deed-cli/dist/bin/deed',
    installed: 'pnpm/global/5/node_modules/deed-cli',
    command: 'pnpm add --global deed-cli@0.2.0',
    install:
      'test "$PNPM_HOME" = $R/pnpm && case $PATH in $R/pnpm:*) ;; *) exit 3;; esac && mkdir -p $R/new && ln -sfn $R/new $R/pnpm/global/5/node_modules/deed-cli',
    skill: 'new/skills/deed',
  },
  bun: {
    program: 'bun',
    executable: 'b/install/global/node_modules/deed-cli/dist/bin/deed',
    installed: 'b/install/global/node_modules/deed-cli',
    command: 'bun add --global deed-cli@0.2.0',
    install: 'test "$BUN_INSTALL" = $R/b',
    skill: 'b/install/global/node_modules/deed-cli/skills/deed',
  },
  yarn: {
    program: 'yarn',
    executable: 'yarn/global/node_modules/deed-cli/dist/bin/deed',
    installed: 'yarn/global/node_modules/deed-cli',
    command: 'yarn global add deed-cli@0.2.0',
    install: 'true',
    skill: 'yarn/global/node_modules/deed-cli/skills/deed',
  },
} as const;

type Name = keyof typeof LAYOUTS;

/** Installs 0.1.0 in the layout of a manager, with a script instead of the manager. */
function install(name: Name, script?: string): UpdateContext {
  const { root } = bench.machine;
  const { program, executable, installed, install: upgrade, skill } = LAYOUTS[name];
  const at = (path: string, text = ''): string => {
    const full = join(root, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
    chmodSync(full, 0o755);
    return full;
  };
  const path = at(executable, '#!/bin/sh\necho 0.1.0\n');
  const packageRoot = dirname(dirname(name === 'homebrew' ? path : dirname(path)));
  if (name !== 'homebrew') at(join(packageRoot.slice(root.length), 'package.json'), MANIFEST('0.1.0'));
  if (!existsSync(join(root, installed))) {
    mkdirSync(dirname(join(root, installed)), { recursive: true });
    symlinkSync(packageRoot, join(root, installed));
  }
  const install = [
    `R=${root}`,
    upgrade,
    ...(name === 'homebrew' ? [] : [`echo '${MANIFEST('0.2.0')}' > $R/${installed}/package.json`]),
    `mkdir -p $R/${skill} && echo the new Skill > $R/${skill}/SKILL.md`,
  ].join('\n');
  at(
    `managers/${program}`,
    `#!/bin/sh\nset -e\necho "${program} $*" >> ${root}/calls\n${script ?? install}\n`,
  );
  return bench.machine.context({ executable: path, env: { PATH: `${root}/managers:/usr/bin:/bin` } });
}

const MANIFEST = (version: string): string => JSON.stringify({ name: 'deed-cli', version });
const calls = (): string => readFileSync(join(bench.machine.root, 'calls'), 'utf8');

describe.each(Object.keys(LAYOUTS) as Name[])('an install with %s', (name) => {
  it('is updated by its manager, and the Skill of the new version is synced', async () => {
    const context = install(name);
    const { status, run, plan } = await runUpdate(request(), context);
    expect([status, plan.command]).toEqual(['updated', LAYOUTS[name].command]);
    expect(run).toMatchObject({
      installMethod: name,
      previousVersion: '0.1.0',
      currentVersion: '0.2.0',
      binaryReplaced: true,
      skillSyncStatus: 'synced',
    });
    expect([calls(), bench.machine.skill()]).toEqual([`${LAYOUTS[name].command}\n`, 'the new Skill\n']);
    // The files of the manager are its own.
    expect(readFileSync(context.executable, 'utf8')).toContain('echo 0.1.0');
  });

  it('stays as it is when the manager fails, and the error has its output', async () => {
    const fault = await failure(runUpdate(request(), install(name, 'echo no network >&2; exit 7')));
    expect([fault.code, fault.message]).toEqual([
      'E_IO',
      expect.stringContaining(`${name} could not install 0.2.0 (exit code 7).`),
    ]);
    expect(fault.details).toMatchObject({
      stage: 'replace',
      current_version: '0.1.0',
      binary_replaced: false,
      command: LAYOUTS[name].command,
      output: 'no network\n',
      _untrusted: ['output'],
    });
  });

  it('is not reported as updated when the manager changed nothing', async () => {
    const fault = await failure(runUpdate(request(), install(name, 'true')));
    expect([fault.code, fault.details.current_version, fault.details.found_version]).toEqual([
      'E_IO',
      '0.1.0',
      '0.1.0',
    ]);
  });

  it('is recommended the command of deed', async () => {
    expect((await checkUpdate(request(), install(name))).notice?.recommended_command).toBe('deed update');
    expect(existsSync(join(bench.machine.root, 'calls'))).toBe(false);
  });
});

it('Homebrew cannot install a version of choice', async () => {
  const fault = await failure(runUpdate(request('0.2.0'), install('homebrew')));
  expect([fault.code, fault.message]).toEqual([
    'E_CONFIG',
    expect.stringContaining('only the newest version'),
  ]);
  expect(existsSync(join(bench.machine.root, 'calls'))).toBe(false);
});

it('a manager that is not installed is named', async () => {
  const context = { ...install('bun'), env: { PATH: '/nonexistent' } };
  const fault = await failure(runUpdate(request(), context));
  expect([fault.code, fault.message]).toEqual(['E_CONFIG', expect.stringContaining('bun')]);
});
