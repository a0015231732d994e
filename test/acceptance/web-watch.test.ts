import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, type Run } from '../fixtures/run-deed.ts';
import { startWeb, type WebServer } from '../fixtures/web-server.ts';
import { createBench, item, resultsOf, type WorkBench } from '../fixtures/work-bench.ts';

/** Where an answer names the page of its job. */
const watchOf = ({ envelope }: Run): unknown => (envelope.data ?? envelope.error?.details)?.watch;
const jobOf = ({ envelope }: Run): string => (envelope.data ?? envelope.error?.details)?.job_id;

describe('the address of a job, while deed web is running', () => {
  let bench: WorkBench;
  let server: WebServer | undefined;
  beforeAll(() => {
    bench = createBench();
  });
  afterAll(async () => {
    await server?.stop();
    bench.dispose();
  });
  const start = async (...flags: string[]): Promise<WebServer> =>
    startWeb({ home: bench.home, cwd: bench.tree, flags });
  /** The address is on standard error at the start, and in the answer. */
  const expectAddress = (run: Run, { url }: WebServer): void => {
    const page = `${url}/jobs/${jobOf(run)}`;
    expect([watchOf(run), run.stderr.includes(`watch it: ${page}`)]).toEqual([page, true]);
  };

  it('is in every answer of work run and work revise, also with a link file of its own', async () => {
    server = await start('--link-file', join(bench.home, 'link.json'));
    const waiting = bench.work([item('waits', 'echo 1 > one.txt', { approval: true })], '--jobs', '2');
    expect(waiting.envelope.error?.code).toBe('E_HUMAN_REQUIRED');
    expectAddress(waiting, server);
    expectAddress(bench.work([item('done', 'echo 2 > two.txt')]), server);
    const failed = bench.work([item('fails', 'exit 3')]);
    expect(failed.envelope.error?.code).toBe('E_AGENT_FAILED');
    expectAddress(failed, server);
    const detached = bench.work([item('detached', 'echo 3 > three.txt')], '--detach');
    expectAddress(detached, server);
    await bench.ended(jobOf(detached));
    const [run] = resultsOf(failed) as { run_id: string }[];
    const revise = ['work', 'revise', run?.run_id ?? '', '--comment', 'Again.'];
    expectAddress(bench.confirmed(...revise), server);
    expectAddress(bench.confirmed('work', 'run', '--resume', jobOf(waiting)), server);
    const streamed = bench.work([item('streamed', 'echo 4 > four.txt')], '--stream');
    expect(streamed.stdout).toContain(`"watch":"${server.url}/jobs/`);
  });

  it('has no secret, and the file that tells it neither', () => {
    const [file = ''] = globSync(join(bench.home, 'web/http-*.json'));
    const secret = new URL(server?.link() ?? '').hash.slice(1);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      url: server?.url,
      pid: server?.pid,
      started_at: expect.any(String),
      space: expect.any(String),
    });
    expect(readFileSync(file, 'utf8')).not.toContain(secret);
  });

  it('is that of a server where people can decide, if there are several', async () => {
    const reader = await start('--read-only');
    expectAddress(bench.work([item('a', 'true')]), server as WebServer);
    await server?.stop();
    server = undefined;
    expectAddress(bench.work([item('b', 'true')]), reader);
    await reader.stop();
    expect(globSync(join(bench.home, 'web/*'))).toEqual([]);
  });

  it('names the host of the certificate', async () => {
    const [cert, key] = [join(bench.home, 'cert.pem'), join(bench.home, 'key.pem')];
    const self = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=deed', '-addext'];
    const names = 'subjectAltName=DNS:localhost,IP:127.0.0.1';
    execFileSync('openssl', [...self, names, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    const tls = ['--address', '0.0.0.0', '--tls-cert', cert, '--tls-key', key, '--people', 'alice'];
    const secure = await start(...tls);
    expect(secure.url).toBe(`https://localhost:${secure.port}`);
    expectAddress(bench.work([item('c', 'true')]), secure);
    await secure.stop();
  });

  it('is not told of a server of another home, nor of one that ended, even if its pid is used again', async () => {
    const home = createHome();
    const other = await startWeb({ home: home.path, cwd: home.path });
    const killed = await start();
    const [file = ''] = globSync(join(bench.home, 'web/http-*.json'));
    process.kill(killed.pid, 'SIGKILL');
    await killed.stop();
    const none = bench.work([item('d', 'true')]);
    expect([watchOf(none), none.stderr.includes('watch it')]).toEqual([undefined, false]);
    const left = JSON.parse(readFileSync(file, 'utf8')) as object;
    writeFileSync(file, JSON.stringify({ ...left, pid: process.pid }));
    expect(watchOf(bench.work([item('e', 'true')]))).toBeUndefined();
    await other.stop();
    home.dispose();
  });
});
