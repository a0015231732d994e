import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { dynamicTool, isStepCount, jsonSchema, streamText, type ToolSet } from 'ai';
import { spawn } from 'node:child_process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openAgent } from '../src/agent/open-agent.ts';
import { openEventFile } from '../src/app/agent/event-file.ts';
import { McpServerPool } from '../src/agent/tools/mcp-server-pool.ts';
import { sleep } from '../src/base/sleep.ts';
import { ROOT } from '../scripts/build-constants.ts';
import type { Report } from './report.ts';

const SERVER = ['node_modules/@modelcontextprotocol/server-everything/dist/index.js'].map(
  (path) => `${ROOT}${path}`,
);
const BARE = 'the AI SDK alone';
const OURS = 'a session';
const OBSERVED = 'a session with events and telemetry';
const TURNS = 20;
const SESSIONS = 100;
const SESSION_TURNS = 4;
const IDLE = 200;

/** The overhead of a session over a bare loop of the AI SDK with the same requests and the same tool calls. */
export async function agentSession(): Promise<readonly Report[]> {
  const model = spawn(process.execPath, [`${ROOT}bench/agent-model-server.ts`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const port = await new Promise<number>((resolve) => {
      model.stdout.once('data', (text: Buffer) => resolve(Number(text.toString())));
    });
    const baseUrl = `http://127.0.0.1:${port}/v1`;
    const bare = await bareLoop(baseUrl);
    const ours = sessions(baseUrl);
    try {
      return await compareSessions(bare, ours, baseUrl);
    } finally {
      await ours.close();
      await bare.close();
    }
  } finally {
    model.kill();
  }
}

async function compareSessions(
  bare: Awaited<ReturnType<typeof bareLoop>>,
  ours: ReturnType<typeof sessions>,
  baseUrl: string,
): Promise<readonly Report[]> {
  const one = await compare(
    [
      { name: BARE, run: () => bare.run(TURNS) },
      { name: OURS, run: () => ours.run(TURNS) },
    ],
    ROUNDS,
  );
  const observed = await compare(
    [
      { name: BARE, run: () => bare.run(TURNS) },
      { name: OBSERVED, run: () => ours.run(TURNS, new URL(baseUrl).origin) },
    ],
    ROUNDS,
  );
  const many = await compare(
    [
      {
        name: BARE,
        run: () => Promise.all(Array.from({ length: SESSIONS }, () => bare.run(SESSION_TURNS))),
      },
      {
        name: OURS,
        run: () => Promise.all(Array.from({ length: SESSIONS }, () => ours.run(SESSION_TURNS))),
      },
    ],
    MANY_ROUNDS,
  );
  const idleKilobytes = await idleSession(baseUrl);
  return [
    {
      title: `A session of ${TURNS} turns with three parallel tool calls each`,
      note: `Ratio to a loop of the AI SDK with the same provider, model server and MCP server; ${ROUNDS} rounds in turn. An idle session holds ${idleKilobytes.toFixed(0)} kB.`,
      rows: [
        { name: 'wall', milliseconds: one.wall, ratio: one.wallRatio, target: 1.3 },
        { name: 'CPU', milliseconds: one.cpu, ratio: one.cpuRatio, target: 1.3 },
        {
          name: 'wall, events and telemetry',
          milliseconds: observed.wall,
          ratio: observed.wallRatio,
          target: 1.5,
        },
        {
          name: 'CPU, events and telemetry',
          milliseconds: observed.cpu,
          ratio: observed.cpuRatio,
          target: 1.5,
        },
      ],
    },
    {
      title: `${SESSIONS} sessions of ${SESSION_TURNS} turns in one process`,
      note: 'Ratio to as many loops of the AI SDK; 1.25 is 0.8 of their throughput.',
      rows: [{ name: 'wall', milliseconds: many.wall, ratio: many.wallRatio, target: 1.25 }],
    },
  ];
}

const ROUNDS = 15;
const MANY_ROUNDS = 5;
const WARM_UP = 2;

interface Comparison {
  readonly wall: number;
  readonly cpu: number;
  readonly wallRatio: number;
  readonly cpuRatio: number;
}

/** Runs two cases in turn and returns the ratios of each round, in wall time and in CPU time of this process. */
async function compare(
  cases: readonly { name: string; run: () => Promise<unknown> }[],
  rounds: number,
): Promise<Comparison> {
  const samples = cases.map(() => ({ wall: [] as number[], cpu: [] as number[] }));
  for (let round = -WARM_UP; round < rounds; round += 1) {
    for (const [index, { run }] of cases.entries()) {
      const [startedAt, cpuBefore] = [performance.now(), process.cpuUsage()];
      await run();
      const { user, system } = process.cpuUsage(cpuBefore);
      if (round < 0) continue;
      samples[index]?.wall.push(performance.now() - startedAt);
      samples[index]?.cpu.push((user + system) / 1000);
    }
  }
  const [base, own] = samples;
  const ratio = (kind: 'wall' | 'cpu'): number =>
    median((own?.[kind] ?? []).map((value, round) => value / (base?.[kind][round] ?? Number.NaN)));
  return {
    wall: median(own?.wall ?? []),
    cpu: median(own?.cpu ?? []),
    wallRatio: ratio('wall'),
    cpuRatio: ratio('cpu'),
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

interface Runner {
  /** With an address, events are written to a file and telemetry is sent to it. */
  readonly run: (turns: number, telemetry?: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

async function bareLoop(baseURL: string): Promise<Runner> {
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [...SERVER], stderr: 'ignore' }),
  );
  const listed = await client.listTools();
  const tools: ToolSet = Object.fromEntries(
    listed.tools.map(({ name, description, inputSchema }) => [
      name,
      dynamicTool({
        description: description ?? '',
        inputSchema: jsonSchema(inputSchema as never),
        execute: (args) => client.callTool({ name, arguments: args as Record<string, unknown> }),
      }),
    ]),
  );
  const provider = createOpenAICompatible({ name: 'bench', baseURL, includeUsage: true });
  return {
    run: async (turns) => {
      const { text, steps } = streamText({
        model: provider.chatModel(String(turns)),
        system: 'You are a bench.',
        prompt: 'Go.',
        tools,
        stopWhen: isStepCount(turns),
        maxRetries: 0,
      });
      const [answer, taken] = [await text, await steps];
      if (answer !== 'Done.' || taken.length !== turns) throw new Error(`the loop ended with ${answer}`);
    },
    close: () => client.close(),
  };
}

function sessionOptions(baseUrl: string, turns: number): Omit<Parameters<typeof openAgent>[0], 'pool'> {
  return {
    systemPrompt: 'You are a bench.',
    userPrompt: 'Go.',
    cwd: ROOT,
    env: process.env,
    settings: { models: [`p/${turns}`], tools: ['every'], maxTurns: turns, toolingTransport: 'native' },
    config: {
      providers: { p: { type: 'openai-compatible', baseUrl } },
      mcpServers: { every: { command: process.execPath, args: [...SERVER] } },
      queues: { default: { concurrent: 64 } },
      defaults: { toolResponseMaxBytes: 100_000 },
    },
  };
}

function sessions(baseUrl: string): Runner {
  const pool = new McpServerPool({ env: process.env, cwd: ROOT, fetch, version: '1', sleep });
  // Keeps the shared server running between runs, as the bare loop does.
  const { config } = sessionOptions(baseUrl, 1);
  const lease = pool.lease('every', config?.mcpServers?.every ?? {});
  return {
    run: async (turns, telemetry) => {
      const env = { ...process.env, ...(telemetry && { OTEL_EXPORTER_OTLP_ENDPOINT: telemetry }) };
      const agent = await openAgent({ ...sessionOptions(baseUrl, turns), env, pool });
      const events = telemetry === undefined ? undefined : openEventFile('/dev/null', ROOT, () => undefined);
      const session = agent.createSession({ ...(events && { onEvent: events.write }) });
      const { success, turns: taken, error } = await session.run();
      await events?.close();
      if (!success || taken !== turns) throw new Error(`the session ended after ${taken} turns: ${error}`);
    },
    close: () => lease.release(),
  };
}

/** The heap size in kilobytes of a session that waits for its model. */
async function idleSession(baseUrl: string): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const silent = ((_url: unknown, init?: RequestInit) =>
    new Promise((_resolve, reject) => {
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error), { once: true });
    })) as typeof fetch;
  const stop = new AbortController();
  const running: Promise<unknown>[] = [];
  const start = async (): Promise<void> => {
    const options = sessionOptions(baseUrl, 1);
    const agent = await openAgent({
      ...options,
      settings: { ...options.settings, tools: [] },
      fetch: silent,
    });
    running.push(agent.createSession({ signal: stop.signal }).run());
  };
  await start();
  await new Promise((resolve) => setTimeout(resolve, 200));
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let index = 0; index < IDLE; index += 1) await start();
  await new Promise((resolve) => setTimeout(resolve, 500));
  collect();
  const after = process.memoryUsage().heapUsed;
  stop.abort(new Error('done'));
  await Promise.all(running);
  return (after - before) / IDLE / 1024;
}
