/**
 * Measures the server of the web pages with many browsers on one running job: node bench/web-clients.ts [clients] [seconds]
 * Each client listens to the changes, follows the log, and reads the job again when it changed, as the page does. Exits 1 when the
 * server uses a whole core.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { callWeb, ownHeaders, signIn, startWeb, type WebServer } from '../test/fixtures/web-server.ts';
import { createStory, storyItem } from '../test/fixtures/web-story.ts';

const [clients = 100, seconds = 20] = process.argv.slice(2).map(Number);
const TICKS_PER_SECOND = 100;
const MIN_READ_MS = 1000;

const bench = createStory();
const plan = bench.plan([storyItem('suite', 'Run the whole suite.')]);
const started = bench.confirmed('work', 'run', plan, '--detach');
const job = String(started.envelope.data.job_id);
const server = await startWeb({ home: bench.home, cwd: bench.tree });
const { pid } = server;
const cookie = await signIn(server);
let reads = 0;
let lines = 0;
const open = await Promise.all(Array.from({ length: clients }, () => openClient(server, cookie)));
await delay(2000);
const before = cpuTicks(pid);
await delay(seconds * 1000);
const cores = (cpuTicks(pid) - before) / TICKS_PER_SECOND / seconds;
const megabytes = Number(/VmRSS:\s+(\d+)/u.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
console.log(
  `${clients} clients, ${seconds} s: ${cores.toFixed(2)} cores, ${megabytes.toFixed(0)} MB, ${reads} reads, ${lines} parts of logs`,
);
for (const close of open) close();
writeFileSync(join(bench.gate, 'finish'), '');
await server.stop();
bench.dispose();
process.exitCode = cores < 1 ? 0 : 1;

async function openClient(web: WebServer, session: string): Promise<() => void> {
  const read = (): Promise<unknown> =>
    callWeb(web, session, { command: 'work status', parameters: { id: job, detail: true } });
  await read();
  let isWaiting = false;
  const onChange = async (): Promise<void> => {
    if (isWaiting) return;
    isWaiting = true;
    await delay(MIN_READ_MS);
    isWaiting = false;
    reads += 1;
    await read();
  };
  const events = await follow(web, session, '/api/events', undefined, () => void onChange());
  const log = { command: 'work log', parameters: { id: job, follow: true, tail: 100 } };
  const output = await follow(web, session, '/api/call', log, () => (lines += 1));
  return () => {
    events.destroy();
    output.destroy();
  };
}

function follow(
  web: WebServer,
  session: string,
  path: string,
  body: object | undefined,
  onData: () => void,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { ...(body === undefined ? {} : ownHeaders(web)), cookie: session };
    const method = body === undefined ? 'GET' : 'POST';
    const sent = request(
      { host: '127.0.0.1', port: web.port, path, method, headers, agent: false },
      (answer) => {
        answer.on('data', onData).on('error', () => undefined);
        resolve(answer);
      },
    );
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function cpuTicks(id: number): number {
  const fields = readFileSync(`/proc/${id}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return Number(fields[11]) + Number(fields[12]);
}
