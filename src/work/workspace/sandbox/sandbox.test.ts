import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createWorkTree, readTree, runIn, type WorkTree } from '../../../../test/fixtures/work-tree.ts';
import { listSandboxes, type SandboxKind } from '../../../../test/fixtures/workspace-modes.ts';
import { identifyProcess, isSameProcessAlive } from '../../../system/process-identity.ts';
import { listDescendants } from '../../../system/process-tree.ts';
import { takeSnapshot } from '../take-snapshot.ts';
import { openWorkspace } from '../open-workspace.ts';
import type { Workspace } from '../workspace.ts';
import { LONG } from '../../../../test/fixtures/start-node.ts';

const cleanUp: (() => void)[] = [];
const runCleanUp = (): void => {
  for (const clean of cleanUp.splice(0).toReversed()) clean();
};

async function prepare({ isolation, mode }: SandboxKind): Promise<{ tree: WorkTree; workspace: Workspace }> {
  const tree = createWorkTree({ 'a.txt': 'one\n' }, { only: isolation });
  cleanUp.push(() => tree.dispose());
  for (const [path, content] of Object.entries({
    '.ssh/id_ed25519': 'PRIVATE',
    '.aws/credentials': 'AWSKEY',
    '.netrc': 'TOKEN',
  })) {
    mkdirSync(dirname(join(tree.context.accountHome, path)), { recursive: true });
    writeFileSync(join(tree.context.accountHome, path), content);
  }
  mkdirSync(tree.context.deedHome, { recursive: true });
  writeFileSync(join(tree.context.deedHome, 'confirm.secret'), 'DEEDSECRET');
  // Tests run programs on this Node; a checkout below /tmp would be hidden by the sandbox's private /tmp.
  const tools = join(tree.context.accountHome, 'tools');
  mkdirSync(tools);
  const policy = { network: true, readPaths: [dirname(process.execPath), tools] };
  const workspace = await tree.open('hostile', { mode, policy });
  return { tree, workspace };
}

const isLong = process.env.DEED_TEST_LONG === '1';
/** Enough to meet a moment at which something was unmounted. */
const STARTS = isLong ? 100 : 10;

/** Landlock gives commands no view of their own; `escape.test.ts` covers it. */
const MOUNTED = (await listSandboxes()).filter(({ isolation }) => isolation !== 'landlock');
const hasOverlays = MOUNTED.some(({ mode }) => mode === 'overlay');
/** Where overlays work, copies are left to the long suite. */
const SANDBOXES = MOUNTED.filter(({ mode }) => isLong || !hasOverlays || mode === 'overlay');

describe.each(SANDBOXES)('a hostile command in $isolation, $mode', (sandbox) => {
  const { mode } = sandbox;
  /** For tests that do not depend on the changes in the workspace. */
  let shared: { tree: WorkTree; workspace: Workspace };
  let disposeShared = (): void => undefined;
  beforeAll(async () => {
    shared = await prepare(sandbox);
    const own = cleanUp.splice(0);
    disposeShared = () => own.forEach((clean) => clean());
  });
  afterEach(runCleanUp);
  afterAll(() => disposeShared());

  it.runIf(LONG && process.getuid?.() === 0)('starts while another program mounts and unmounts', async () => {
    const folder = join(shared.tree.context.accountHome, 'mounted');
    const script = 'while mkdir "$0" && mount -t tmpfs none "$0" && umount "$0" && rmdir "$0"; do :; done';
    const other = spawn('sh', ['-c', script, folder]);
    cleanUp.push(() => spawnSync('umount', [folder]));
    cleanUp.push(() => other.kill('SIGKILL'));
    for (let start = 0; start < STARTS; start += 1)
      expect(await runIn(shared.workspace, 'true')).toMatchObject({ exitCode: 0 });
  });

  it('cannot remount the machine writable, nor write outside the tree and its /tmp', async () => {
    const { tree, workspace } = shared;
    const outside = dirname(tree.root);
    const marker = `deed-escape-${Date.now()}`;
    const { stdout } = await runIn(
      workspace,
      `try() { if sh -c "$1" >/dev/null 2>&1; then echo "ESCAPED: $1"; fi; }
       try 'mount -o remount,rw /'
       try 'mount -o remount,bind,rw /etc'
       try 'mount --bind /tmp /etc'
       try 'umount ${tree.root}'
       try 'unshare -m true'
       try 'unshare -Urm mount -o remount,rw /'
       try 'unshare -Urm mount -o remount,bind,rw /'
       try 'unshare -Urm umount -l ${tree.root}'
       try 'touch /etc/${marker}'
       try 'touch /usr/${marker}'
       try 'touch /${marker}'
       try 'mknod disk b 259 0 && head -c1 disk'
       try 'chroot / true'
       try 'nsenter -t 1 -m true && touch /etc/${marker}'
       try 'touch /proc/1/root/etc/${marker}'
       try 'echo x > /sys/kernel/uevent_helper'
       ls /sys/fs/cgroup >/dev/null 2>&1; mkdir /sys/fs/cgroup/${marker} 2>/dev/null && echo "ESCAPED: cgroup"
       touch ${outside}/${marker} ../${marker} ${tree.context.accountHome}/${marker} 2>/dev/null
       touch /tmp/private inside && echo written`,
    );
    expect(stdout).toBe('written\n');
    for (const folder of ['/etc', '/usr', '', outside, dirname(outside), tree.context.accountHome, '/tmp'])
      expect(existsSync(`${folder}/${marker}`)).toBe(false);
    expect(existsSync('/tmp/private')).toBe(false);
    expect(readTree(tree.root)).toEqual({ 'a.txt': '644 one\n' });
  });

  it('sees nothing of a deed home that is also the account home, including credentials', async () => {
    const { tree } = await prepare(sandbox);
    const { accountHome } = tree.context;
    writeFileSync(join(accountHome, 'confirm.secret'), 'DEEDSECRET');
    const context = { ...tree.context, folder: join(accountHome, 'work'), deedHome: accountHome };
    const snapshot = await takeSnapshot(context, tree.root);
    const workspace = await openWorkspace(context, {
      runId: 'same-home',
      snapshot,
      mode,
      policy: { network: true },
    });
    expect(workspace).toMatchObject({ sandboxed: true, mode });
    const { stdout } = await runIn(
      workspace,
      `find ${accountHome}; cat ${accountHome}/.ssh/id_ed25519; true`,
    );
    expect(stdout).toBe(`${accountHome}\n`);
    await workspace.discard();
  });

  it('cannot change kernel settings, even as root', async () => {
    const { workspace } = shared;
    const before = readFileSync('/proc/sys/kernel/core_pattern', 'utf8');
    // It writes the current value, so that a failed test does not harm this machine.
    const { stdout } = await runIn(
      workspace,
      `cp /proc/sys/kernel/core_pattern /tmp/p
       { cat /tmp/p > /proc/sys/kernel/core_pattern; } 2>/dev/null && echo ESCAPED core_pattern
       { echo > /proc/sysrq-trigger; } 2>/dev/null && echo ESCAPED sysrq
       { echo 1 > /proc/irq/default_smp_affinity; } 2>/dev/null && echo ESCAPED irq
       { echo base=0 > /proc/mtrr; } 2>/dev/null && echo ESCAPED mtrr
       find /proc -maxdepth 1 -type f -writable | grep . && echo WRITABLE
       find /proc/sys -type f -writable 2>/dev/null | grep . && echo WRITABLE
       echo end`,
    );
    expect(stdout).toBe('end\n');
    expect(readFileSync('/proc/sys/kernel/core_pattern', 'utf8')).toBe(before);
  });

  it('sees no credentials and no data of deed', async () => {
    const { tree, workspace } = shared;
    const home = tree.context.accountHome;
    const { stdout } = await runIn(
      workspace,
      `cat ${home}/.ssh/id_ed25519 ${home}/.aws/credentials ${home}/.netrc ${tree.context.deedHome}/confirm.secret 2>/dev/null
       ls -A ${home}/.ssh ${tree.context.deedHome} ${home}/.aws
       cat /etc/shadow /etc/gshadow 2>/dev/null
       touch ${home}/.ssh/authorized_keys 2>/dev/null && echo ESCAPED
       env | grep -i secret; echo end`,
    );
    expect(
      stdout
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith(home) && !line.startsWith(tree.context.deedHome)),
    ).toEqual(['end']);
  });

  it('cannot connect to sockets of the machine, in the tree or elsewhere', async () => {
    const { tree, workspace } = await prepare(sandbox);
    const { listening, dispose } = await listen([
      join(tree.root, 'in-tree.sock'),
      join(tree.context.accountHome, 'docker.sock'),
      join(tree.context.accountHome, 'tools/in-shown-folder.sock'),
    ]);
    cleanUp.push(dispose);
    const connect = `for (const path of process.argv.slice(1))
      require("net").connect(path).on("connect", function () { console.log("ESCAPED", path); this.destroy(); }).on("error", () => {})`;
    const { stdout } = await runIn(
      workspace,
      `"${process.execPath}" -e '${connect}' ${listening.join(' ')} || echo failed; echo end; ls /run`,
    );
    await runIn(workspace, 'rm -f in-tree.sock; true');
    await runIn(workspace, 'true');
    expect((await workspace.diff()).changes).toEqual([]);
    expect(stdout).toBe(
      'end\ndeed\n'.replace('deed\n', mode === 'overlay' ? 'deed\n' : 'deed\ndeed-objects\n'),
    );
  });

  it('cannot see or signal processes outside', async () => {
    const { workspace } = shared;
    const victim = spawn('sleep', ['300'], { stdio: 'ignore' });
    cleanUp.push(() => void victim.kill('SIGKILL'));
    await once(victim, 'spawn');
    const { stdout } = await runIn(
      workspace,
      `kill -9 ${victim.pid} 2>/dev/null && echo ESCAPED; cat /proc/${victim.pid}/cmdline 2>/dev/null; kill -9 -1 2>/dev/null; echo end`,
    );
    expect(stdout).not.toContain('ESCAPED');
    expect(stdout).not.toContain('300');
    expect(identifyProcess(victim.pid ?? 0)).toBeDefined();
  });

  it('cannot write through links that point outside the tree', async () => {
    const { tree, workspace } = await prepare(sandbox);
    const target = join(dirname(tree.root), 'target');
    mkdirSync(target);
    chmodSync(target, 0o777);
    symlinkSync(target, join(tree.root, 'out'));
    const again = await tree.open('linked', { mode });
    await runIn(
      again,
      `echo x > out/file; ln -s ${target} own; echo x > own/file; ln -s /etc etc; echo x > etc/deed-x`,
    );
    expect(readTree(target)).toEqual({});
    const { changes } = await again.diff();
    expect(changes.map(({ path, type }) => `${type} ${path}`)).toEqual(['symlink etc', 'symlink own']);
    await workspace.discard();
  });

  it('has no network when it is disabled', async () => {
    const { workspace } = shared;
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    cleanUp.push(() => void server.close());
    const { port } = server.address() as { port: number };
    const connect = `"${process.execPath}" -e 'require("net").connect(${port},"127.0.0.1").on("connect",()=>{console.log("connected");process.exit()}).on("error",()=>console.log("refused"))'`;
    expect((await runIn(workspace, connect, { network: false })).stdout).toBe('refused\n');
    expect((await runIn(workspace, connect, { network: true })).stdout).toBe('connected\n');
  });

  it('is killed with all its processes, even detached ones that ignore signals', async () => {
    const { workspace } = shared;
    const started = workspace.spawn(
      [
        'sh',
        '-c',
        `trap '' TERM HUP INT; (setsid sh -c "trap '' TERM; while :; do sleep 1; done" &) ; echo up; while :; do sleep 1; done`,
      ],
      { env: { PATH: process.env.PATH ?? '' } },
    );
    started.stderr.resume();
    await once(started.stdout, 'data');
    const family = listDescendants(started.pid ?? 0);
    expect(family.length).toBeGreaterThan(2);
    started.kill();
    await started.ended;
    expect(family.filter(isSameProcessAlive)).toEqual([]);
  });

  it('terminates the processes it left running when it exits', async () => {
    const { workspace } = shared;
    const started = workspace.spawn(['sh', '-c', 'setsid sleep 300 & sleep 0.2; echo up'], {
      env: { PATH: process.env.PATH ?? '' },
    });
    started.stderr.resume();
    const family: ReturnType<typeof listDescendants>[number][] = [];
    started.stdout.on('data', () => family.push(...listDescendants(started.pid ?? 0)));
    await started.ended;
    expect(family.filter(isSameProcessAlive)).toEqual([]);
  });

  it('exits with 127 if it does not exist, and with 126 if it is not executable', async () => {
    const { tree, workspace } = shared;
    const env = { PATH: '/usr/bin:/bin' };
    const missing = workspace.spawn(['no-such-command-here'], { env });
    missing.stdout.resume();
    expect((await missing.ended).exitCode).toBe(127);
    const plain = workspace.spawn(['./a.txt'], { env });
    plain.stdout.resume();
    expect((await plain.ended).exitCode).toBe(126);
    expect(readTree(tree.root)).toEqual({ 'a.txt': '644 one\n' });
  });

  it('cannot start in a folder outside the tree', async () => {
    const { workspace } = shared;
    expect(() => workspace.spawn(['true'], { env: {}, cwd: '../..' })).toThrow(
      expect.objectContaining({ code: 'E_VALIDATION' }),
    );
  });

  it('cannot write a file larger than the limit', async () => {
    const { workspace } = shared;
    const started = workspace.spawn(['sh', '-c', 'head -c 3000000 /dev/zero > big; wc -c < big'], {
      env: { PATH: process.env.PATH ?? '' },
      maxFileBytes: 1_000_000,
    });
    let output = '';
    started.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    started.stderr.resume();
    await started.ended;
    expect(Number(output)).toBeLessThanOrEqual(1_000_448);
    expect(workspace.writtenBytes()).toBeGreaterThan(500_000);
  });

  it('can write to allowed folders, and to its own /tmp in place of the TMPDIR of the caller', async () => {
    const env = { ...process.env, TMPDIR: '/home/hidden' };
    const tree = createWorkTree({}, { only: sandbox.isolation, env });
    cleanUp.push(() => tree.dispose());
    const state = join(tree.context.accountHome, '.agent');
    mkdirSync(state);
    const workspace = await tree.open('allowed', { mode, policy: { network: true, writePaths: [state] } });
    await runIn(workspace, `echo state > ${state}/file; echo scratch > ${workspace.scratch.inside}/note`);
    expect(readTree(state)).toEqual({ file: '644 state\n' });
    expect(readFileSync(join(workspace.scratch.host, 'note'), 'utf8')).toBe('scratch\n');
    const makeTemporary = async (TMPDIR: string): Promise<string> =>
      dirname((await runIn(workspace, 'mktemp', { env: { TMPDIR } })).stdout);
    // The caller's own, and one that an item sets.
    expect([await makeTemporary(env.TMPDIR), await makeTemporary(state)]).toEqual(['/tmp', state]);
    expect((await workspace.diff()).changes).toEqual([]);
  });
});

async function listen(
  paths: readonly string[],
): Promise<{ listening: readonly string[]; dispose: () => void }> {
  const servers: Server[] = [];
  for (const path of paths) {
    const server = createServer((socket) => socket.end());
    server.listen(path);
    await once(server, 'listening');
    servers.push(server);
  }
  return { listening: paths, dispose: () => servers.forEach((server) => void server.close()) };
}
