import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startAgentApi, type AgentApi } from '../fixtures/agent-api.ts';
import { installAgents } from '../fixtures/agent-programs.ts';
import { publishBuild } from '../fixtures/npm-packages.ts';
import { startNpmRegistry, type NpmRegistry } from '../fixtures/npm-registry.ts';
import { giveToOrdinaryAccount, ordinaryAccount } from '../fixtures/ordinary-account.ts';
import { orphanScript } from '../fixtures/orphans.ts';
import { namespaceCommand } from '../fixtures/pid-namespace.ts';
import { executable, waitFor, type Run } from '../fixtures/run-deed.ts';
import { LONG } from '../fixtures/start-node.ts';
import { allowAnyAge } from '../fixtures/triage-environment.ts';

const canRun = LONG && ordinaryAccount !== null && namespaceCommand !== null;
const DEVICES = ['null', 'urandom'];
const isRoot = process.getuid?.() === 0;
const FIX = "printf 'tea\\ncoffee\\n' > menu.txt";
const PLAN = `- { id: coffee, agent_id: AGENT, description: Put coffee on the menu, test_command: grep -q coffee menu.txt }`;

/** The first hour of a new user with an ordinary account, from the packed packages and with the real coding agents. */
describe.skipIf(!canRun)('a new user', () => {
  let registry: NpmRegistry;
  let api: AgentApi;
  let programs = '';
  const folder = mkdtempSync(join(tmpdir(), 'deed-hour-'));
  beforeAll(async () => {
    chmodSync(folder, 0o755);
    registry = await startNpmRegistry();
    api = await startAgentApi();
    await publishBuild(registry, join(folder, 'packages'));
    programs = await installAgents('@anthropic-ai/claude-code', '@openai/codex');
  }, 600_000);
  afterAll(async () => {
    await registry?.close();
    await api?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const account = (name: string): string => {
    const home = join(folder, name);
    for (const path of [home, join(home, 'shop')]) {
      mkdirSync(path);
      giveToOrdinaryAccount(path);
    }
    return home;
  };
  const shell = (home: string, prefix: string) => {
    const env = {
      HOME: home,
      PATH: `${join(prefix, 'bin')}:${join(programs, 'node_modules/.bin')}:${process.env.PATH}`,
      npm_config_prefix: prefix,
      npm_config_registry: registry.url,
      npm_config_cache: join(home, '.npm'),
      ANTHROPIC_BASE_URL: api.url,
      ANTHROPIC_API_KEY: 'a-key-for-tests',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CODEX_API_KEY: 'a-key-for-tests',
    };
    return async (script: string, wrapper: readonly string[] = []): Promise<Run> => {
      const [program, ...argv] = [...wrapper, 'bash', '-c', `${script}\nexit $?`];
      const user = isRoot && wrapper.length === 0 ? ordinaryAccount : {};
      const child = spawn(program, argv, { cwd: join(home, 'shop'), env, ...user, timeout: 240_000 });
      child.stdin?.end();
      const run = await waitFor(child);
      expect([script, run.code, run.code === 0 ? '' : run.stdout + run.stderr]).toEqual([script, 0, '']);
      return run;
    };
  };

  const hosts = [
    { agent: 'claude', session: () => 'claude -p' },
    {
      agent: 'codex',
      session: () =>
        `codex exec --skip-git-repo-check --dangerously-bypass-hook-trust -m test-model -c 'openai_base_url="${api.url}/v1"'`,
    },
  ];
  it.each(hosts)(
    'with $agent installs, has the next session told what was done, runs a plan and cleans up',
    async ({ agent, session }) => {
      const home = account(agent);
      const run = shell(home, join(home, '.npm-global'));
      const confirmed = (command: string): Promise<Run> =>
        run(
          `${command} --confirm "$(${command} --dry-run | sed -n 's/.*"confirm_token": *"\\([^"]*\\)".*/\\1/p')"`,
        );
      const start = performance.now();
      await run('npm install --global deed-cli');
      await confirmed(`deed setup --hosts ${agent}`);
      const talk = async (prompt: string, answer: string): Promise<string> => {
        const before = api.requests.length;
        api.script({ say: answer });
        await run(`${session()} '${prompt}'`);
        return JSON.stringify(api.requests.slice(before));
      };
      await talk('Paint the fence heron-green.', 'Primed. The second coat is left.');
      const second = await talk('What is next?', 'The second coat.');
      const seconds = Math.round((performance.now() - start) / 1000);
      process.stderr.write(`${agent}: ${seconds} s from npm install to a remembered session\n`);
      for (const told of ['heron-green', 'The second coat is left']) expect(second).toContain(told);

      await run('git init -q && echo tea > menu.txt && git add .');
      writeFileSync(join(home, 'plan.yaml'), PLAN.replace('AGENT', agent));
      if (agent === 'codex') {
        const value = { codex: { kind: 'codex', args: session().split(' ').slice(3).map(unquote) } };
        await confirmed(`deed config set work.agents '${JSON.stringify(value)}'`);
      }
      api.script({ run: FIX }, { say: 'Done.' });
      await confirmed('deed work run ../plan.yaml');
      expect(readFileSync(join(home, 'shop/menu.txt'), 'utf8')).toContain('coffee');
      await run('deed receipt verify');

      const user = ['--reuid', String(ordinaryAccount?.uid), '--regid', String(ordinaryAccount?.gid)];
      const asUser = isRoot ? ['setpriv', ...user, '--clear-groups'] : [];
      // A process whose owner has just ended is only for review, until it is ten minutes old.
      allowAnyAge(join(home, '.deed'));
      for (const name of ['config.json', 'triage-parameters.json'])
        giveToOrdinaryAccount(join(home, '.deed', name));
      const cleaned = await run(
        `pid=$(${orphanScript(1)}); cd ~
        session=$(deed triage plan --only kill --fields session_id,candidates | tee plan.json | sed -n 's/.*"session_id": *"\\([^"]*\\)".*/\\1/p' | head -1)
        grep -q "\\"pid\\": *$pid" plan.json || { cat plan.json; exit 9; }
        apply="deed triage apply --session $session --recommended"
        token=$($apply --dry-run | sed -n 's/.*"confirm_token": *"\\([^"]*\\)".*/\\1/p')
        $apply --confirm "$token" --dangerous && ! kill -0 $pid 2>/dev/null && echo ended`,
        [...(namespaceCommand ?? []), ...asUser],
      );
      expect(cleaned.stdout).toContain('ended');
      await confirmed('deed setup undo');
      await run('npm uninstall --global deed-cli');
      expect(existsSync(join(home, '.npm-global/bin/deed'))).toBe(false);
    },
    600_000,
  );

  it('with only the executable, a shell and git in a bare root gets answers that say what is missing', () => {
    const root = join(folder, 'root');
    const place = (path: string, as = path): void => {
      mkdirSync(dirname(join(root, as)), { recursive: true });
      copyFileSync(path, join(root, as));
      for (const [library = ''] of spawnSync('ldd', [path], { encoding: 'utf8' }).stdout.matchAll(
        /\/[^ )]+/gu,
      ))
        if (!existsSync(join(root, library))) place(library);
    };
    for (const name of ['tmp', 'proc', 'dev', 'home/ada']) mkdirSync(join(root, name), { recursive: true });
    for (const name of ['tmp', 'home/ada']) chmodSync(join(root, name), 0o777);
    place(executable()[0], '/usr/bin/deed');
    place('/bin/sh', '/bin/sh');
    place('/usr/bin/git');
    const bare = (command: string): string => {
      const [program = '', ...flags] = namespaceCommand ?? [];
      const mounts = [
        ...DEVICES.map((name) => `mount --bind /dev/${name} ${root}/dev/${name}`),
        `mount -t proc proc ${root}/proc`,
      ];
      const script = `${mounts.join(' && ')} && exec "$0" "$@"`;
      const user = `${ordinaryAccount?.uid}:${ordinaryAccount?.gid}`;
      const enter = ['sh', '-c', script, '/usr/sbin/chroot', `--userspec=${user}`, root];
      const { stdout, stderr } = spawnSync(
        program,
        [...flags, '--mount', ...enter, '/bin/sh', '-c', `cd /home/ada; ${command}`],
        { env: { HOME: '/home/ada', PATH: '/usr/bin:/bin' }, encoding: 'utf8', timeout: 120_000 },
      );
      return stdout + stderr;
    };
    for (const name of DEVICES) writeFileSync(join(root, 'dev', name), '');
    expect(bare('deed doctor --format text')).toContain('deed works on this machine');
    expect(bare('deed setup --hosts claude --dry-run --format text')).toContain(
      'Create a link: sudo ln -s /usr/bin/deed /usr/bin/vybe',
    );
    const demo = bare('deed demo --format text');
    expect(demo.match(/There is no sed, tr, wc, awk on this machine/gu), demo).toHaveLength(4);
    expect(demo).toContain('There is no sed, mv, sleep on this machine');
    expect(demo).toContain('7/7');
    symlinkSync('deed', join(root, 'usr/bin/vybe'));
    expect(bare('deed setup --hosts claude --dry-run --format text')).toContain('.claude/settings.json');
  }, 300_000);
});

const unquote = (word: string): string => word.replaceAll("'", '');
