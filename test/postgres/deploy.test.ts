import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { DEPLOY, interpolate, readCompose, readUnit, startCommand } from '../fixtures/deploy-files.ts';
import { createFleetBench, type FleetBench, type FleetHost } from '../fixtures/fleet-bench.ts';
import { landedFiles } from '../fixtures/item-history.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../fixtures/postgres-server.ts';
import { executable } from '../fixtures/run-deed.ts';
import { createCertificate, useCertificate } from '../fixtures/server-certificate.ts';
import { LONG } from '../fixtures/start-node.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { item } from '../fixtures/work-bench.ts';

const isRoot = process.getuid?.() === 0;
const UNITS = ['deed-worker@.service', 'deed-integrator@.service'];
const SYSTEMD = '/usr/bin/systemd-analyze';

describe('the unit files', () => {
  it.skipIf(!existsSync(SYSTEMD))('are accepted by systemd', () => {
    const folder = temporaryFolder('units');
    for (const name of UNITS) {
      const text = readFileSync(join(DEPLOY, 'systemd', name), 'utf8');
      writeFileSync(join(folder.path, name), text.replace('/usr/local/bin/deed', executable()[0]));
    }
    const paths = UNITS.map((name) => join(folder.path, name));
    expect(execFileSync(SYSTEMD, ['verify', '--man=no', ...paths], { encoding: 'utf8', stdio: 'pipe' })).toBe(
      '',
    );
    folder.dispose();
  });

  it('drain at a stop, keep secrets out of the command, and allow the namespaces that runs need', () => {
    for (const name of UNITS) {
      const settings = readUnit(name);
      expect(settings).toContainEqual(['KillMode', 'mixed']);
      expect(settings).toContainEqual(['NoNewPrivileges', 'yes']);
      expect(settings.find(([key]) => key === 'LoadCredential')?.[1]).toContain('store-password');
      expect(startCommand(name, 'build', {}).join(' ')).not.toMatch(/postgres:|password/u);
      const names = settings.map(([key]) => key);
      for (const forbidden of [
        'RestrictNamespaces',
        'ProtectKernelTunables',
        'ProtectProc',
        'SystemCallFilter',
      ])
        expect(names).not.toContain(forbidden);
    }
  });
});

describe('the compose file', () => {
  it('names only services, volumes and files that exist', () => {
    const { services, volumes } = readCompose();
    expect(Object.keys(services)).toEqual(['postgres', 'tables', 'roles', 'keys', 'worker', 'integrator']);
    const files = new Set([
      ...readdirSync(join(DEPLOY, 'compose')),
      ...readdirSync(join(DEPLOY, 'postgres')),
    ]);
    for (const [name, service] of Object.entries(services)) {
      for (const [needed, { condition }] of Object.entries(service.depends_on ?? {})) {
        expect(services, name).toHaveProperty(needed);
        expect(condition).toBe(needed === 'postgres' ? 'service_healthy' : 'service_completed_successfully');
      }
      for (const volume of service.volumes ?? []) {
        const [source = ''] = volume.split(':');
        if (source.startsWith('./')) expect(files, name).toContain(source.slice(2));
        else expect(volumes, name).toHaveProperty(source);
      }
    }
  });
});

describe.runIf(LONG && findPostgres() !== undefined)('a deployed fleet', () => {
  let server: PostgresServer | undefined;
  let bench: FleetBench | undefined;
  const cleanup: (() => void)[] = [];
  afterEach(async () => {
    await bench?.dispose();
    server?.dispose();
    for (const each of cleanup.splice(0).toReversed()) each();
  });

  it('is set up and served by the commands of the compose file', async () => {
    server = startPostgres();
    const passwords = { OWNER_PASSWORD: 'owner1', WORKER_PASSWORD: 'worker1', INTEGRATOR_PASSWORD: 'lands1' };
    server.sql(`CREATE ROLE deed_owner LOGIN CREATEROLE PASSWORD 'owner1'`);
    server.sql('CREATE DATABASE deed OWNER deed_owner');
    const rules = join(server.folder, 'data/pg_hba.conf');
    writeFileSync(rules, `local all owner trust\nlocal all all scram-sha-256\n`);
    server.stop();
    server.start();
    bench = createFleetBench(undefined, `postgres://deed_runs@localhost/deed?host=${server.folder}`);
    const here = bench;
    const { services } = readCompose();
    const variables = { ...passwords, REPOSITORY: bench.remote };
    const programs = [dirname(executable()[0]), findPostgres() ?? '', process.env.PATH ?? ''].join(':');
    const folder = join(bench.folder, 'deploy');
    const trusted = join(bench.folder, 'trusted');
    mkdirSync(folder);
    mkdirSync(trusted, { mode: 0o700 });
    for (const path of ['postgres/roles.sql', 'compose/logins.sql'])
      copyFileSync(join(DEPLOY, path), join(folder, path.split('/')[1] ?? ''));
    /** What a container of a service would run, with a home of its own and the paths of this machine. */
    const containerOf = (name: string) => {
      const { entrypoint = [], command = [], environment = {} } = services[name] ?? {};
      const socket = (text: string): string =>
        text
          .replaceAll('/var/run/postgresql', server?.folder ?? '')
          .replaceAll('/deploy/', `${folder}/`)
          .replaceAll('/trusted', trusted);
      const host = here.untrusted(name, { 'store.url': '' });
      const home = join(here.folder, name, 'container');
      mkdirSync(home);
      const env = Object.fromEntries(
        Object.entries(environment).map(([key, value]) => [key, socket(interpolate(value, variables))]),
      );
      const [program = '', ...argv] = [...entrypoint, ...command].map((word) =>
        socket(interpolate(word, variables)),
      );
      const options = { cwd: home, env: { ...env, PATH: programs, HOME: home, DEED_HOME: host.home } };
      return { program, argv, options };
    };
    for (const name of ['tables', 'roles']) {
      const { program, argv, options } = containerOf(name);
      execFileSync(program, argv, { ...options, stdio: 'pipe' });
    }
    const started = ['worker', 'integrator'].map((name) => {
      const { program, argv, options } = containerOf(name);
      const child = spawn(program, argv, { ...options, stdio: 'ignore' });
      return { child, ended: new Promise((resolve) => child.once('exit', resolve)) };
    });
    const password = join(bench.folder, 'password');
    writeFileSync(password, 'worker1', { mode: 0o600 });
    const caller = bench.host('caller', { 'store.url': `${bench.url}&password_file=${password}` });
    // The clones of the containers have no name of their own for the project.
    caller.git('config', '--unset', 'deed.project');
    const submitted = await caller.writeAsync(
      'work',
      'run',
      caller.plan(item('x', 'echo x > x.txt')),
      '--on',
      'default',
    );
    for (const { child } of started) child.kill('SIGTERM');
    expect(await Promise.all(started.map(({ ended }) => ended))).toEqual([130, 130]);
    expect(submitted.envelope.ok, submitted.stdout).toBe(true);
    expect(bench.git('show', 'main:x.txt')).toBe('x\n');
  });

  it.skipIf(!isRoot)(
    'runs the commands of the units on three hosts with networks of their own, one of which is cut off for a while',
    async () => {
      const networks = [1, 2, 3, 4].map(createNetwork);
      const addresses = networks.map(({ gateway }) => gateway);
      const port = 5432;
      server = startPostgres(undefined, [`listen_addresses=${addresses.join(',')}`], port);
      createCertificate(server.folder, 'ca', addresses.map((address) => `IP:${address}`).join(','));
      useCertificate(server, 'ca');
      writeFileSync(
        join(server.folder, 'data/pg_hba.conf'),
        'local all owner trust\nhostssl all all 10.213.0.0/16 scram-sha-256\n',
      );
      bench = createFleetBench(undefined, server.urlOf('deed'));
      const owner = bench.host('owner');
      expect(owner.write('store', 'upgrade').envelope.ok).toBe(true);
      expect(owner.read('worker', 'list').envelope.ok).toBe(true);
      server.runFile(join(DEPLOY, 'postgres/roles.sql'), 'deed');
      server.sql(`CREATE ROLE runs LOGIN PASSWORD 'geheim' IN ROLE deed_worker`);
      server.sql(`CREATE ROLE lands LOGIN PASSWORD 'geheim' IN ROLE deed_integrator`);
      server.stop();
      server.start();
      const certificate = join(server.folder, 'ca.pem');
      const units = [
        'deed-worker@.service',
        'deed-worker@.service',
        'deed-worker@.service',
        'deed-integrator@.service',
      ];
      const started = units.map((unit, index) => {
        const { name, gateway } = networks[index] as (typeof networks)[number];
        const host = (bench as FleetBench).host(name, { 'store.url': '' });
        const credential = join(host.home, 'store-password');
        writeFileSync(credential, 'geheim', { mode: 0o400 });
        const user = unit.includes('worker') ? 'runs' : 'lands';
        const parameters = new URLSearchParams({ password_file: credential, sslrootcert: certificate });
        const environment = {
          VYBE_DB_PATH: `postgres://${user}@${gateway}:${port}/postgres?${String(parameters)}`,
          DEED_WORKER_OPTIONS: '--jobs 1 --labels linux',
        };
        const command = ['ip', 'netns', 'exec', name, ...startCommand(unit, 'build', environment)];
        return startIn(host, command, environment);
      });
      const plan = Array.from({ length: 12 }, (_, index) =>
        item(`i${index}`, `sleep 1; echo ${index} > i${index}.txt`, {
          dependencies: index < 3 ? [] : [`i${index - 3}`],
        }),
      );
      const running = owner.writeAsync('work', 'run', owner.plan(plan), '--on', 'build');
      await pause(4000);
      networks[0]?.cut();
      await pause(15_000);
      networks[0]?.heal();
      const run = await running;
      const output = started.map(({ text }) => text()).join('\n');
      expect(run.envelope.ok, `${run.stdout}\n${output}`).toBe(true);
      const names = landedFiles(bench);
      expect(names.filter((name) => name.startsWith('i')).length).toBe(plan.length);
      for (const { child } of started) child.kill('SIGTERM');
      expect(await Promise.all(started.map(({ ended }) => ended))).toEqual([130, 130, 130, 130]);
    },
    300_000,
  );

  function startIn(host: FleetHost, [program = '', ...argv]: readonly string[], env: Record<string, string>) {
    const child = spawn(program, argv, {
      cwd: host.clone,
      env: { PATH: process.env.PATH, HOME: host.home, DEED_HOME: host.home, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let output = '';
    child.stderr.setEncoding('utf8').on('data', (part: string) => (output += part));
    cleanup.push(() => child.kill('SIGKILL'));
    return {
      child,
      text: () => output,
      ended: new Promise<number | null>((resolve) => child.once('exit', resolve)),
    };
  }

  /** A network namespace with one connection to this one. */
  function createNetwork(index: number) {
    const [name, inside, outside] = [`deed-test-${index}`, `deedi${index}`, `deedo${index}`];
    const gateway = `10.213.${index}.1`;
    const ip = (...argv: string[]): Buffer => execFileSync('ip', argv, { stdio: 'pipe' });
    ip('netns', 'add', name);
    cleanup.push(() => ip('netns', 'delete', name));
    ip('link', 'add', outside, 'type', 'veth', 'peer', 'name', inside, 'netns', name);
    ip('address', 'add', `${gateway}/30`, 'dev', outside);
    ip('link', 'set', outside, 'up');
    ip('-n', name, 'address', 'add', `10.213.${index}.2/30`, 'dev', inside);
    ip('-n', name, 'link', 'set', inside, 'up');
    ip('-n', name, 'link', 'set', 'lo', 'up');
    return {
      name,
      gateway,
      cut: () => void ip('link', 'set', outside, 'down'),
      heal: () => void ip('link', 'set', outside, 'up'),
    };
  }
});
