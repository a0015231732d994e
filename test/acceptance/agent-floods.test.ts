import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { startFloodingServer, type Flood } from '../fixtures/flooding-server.ts';
import { createAgentFolder, startAiAgent } from '../fixtures/run-ai-agent.ts';
import { waitFor } from '../fixtures/run-deed.ts';
import { rowsOf } from '../fixtures/start-node.ts';

const MAX_RESIDENT_MB = 900;
const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const action of cleanUps.splice(0)) action();
});

describe.skipIf(process.platform !== 'linux')('a model endpoint that sends without end', () => {
  it.each<[Flood, boolean]>(
    rowsOf(
      [
        ['text', true],
        ['gzip', false],
        ['line', true],
        ['body', false],
        ['arguments', true],
      ],
      2,
    ),
  )('as %s ends with a failure report and bounded memory', { timeout: 120_000 }, async (flood, stream) => {
    const server = await startFloodingServer(flood);
    const folder = createAgentFolder();
    cleanUps.push(server.close, folder.dispose);
    const config = {
      providers: { p: { type: 'openai-compatible', apiKey: 'k', baseUrl: `${server.url}/v1` } },
      defaults: { maxRetries: 1, maxTurns: 1, stream },
    };
    const file = folder.write('agent.json', config);
    const child = startAiAgent(['a', 'b', '--models', 'p/m', '--config', file], { folder });
    let residentMb = 0;
    const watch = setInterval(() => {
      residentMb = Math.max(residentMb, peakMb(child.pid ?? 0));
    }, 20);
    const { code, stdout, stderr } = await waitFor(child);
    clearInterval(watch);
    expect([code, `${stdout}${stderr}`]).toEqual([1, expect.stringMatching(/more than \d+ bytes/u)]);
    expect(residentMb).toBeGreaterThan(10);
    expect(residentMb).toBeLessThan(MAX_RESIDENT_MB);
  });
});

function peakMb(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+)/u.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
