import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { LONG } from '../../../test/fixtures/start-node.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const SUITE = join(ROOT, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const SCENARIOS = ['initialize', 'tools_call', 'sse-retry'];

/** Runs the official MCP conformance suite. OAuth and elicitation scenarios are left out, because the client supports neither. */
describe('the MCP conformance suite', () => {
  // It depends only on the version of the suite.
  it.runIf(LONG)('has no other scenario that the client must pass', () => {
    const list = spawnSync(process.execPath, [SUITE, 'list'], { encoding: 'utf8' }).stdout;
    const ofClients = list.slice(list.indexOf('Client scenarios'));
    const names = [...ofClients.matchAll(/^ {2}- (\S+)/gmu)].map(([, name = '']) => name);
    expect(names.filter((name) => !/^(?:auth\/|elicitation-)/u.test(name))).toEqual(SCENARIOS);
  });

  // The suite checks reconnect times, which a busy machine can delay; a faulty client fails every retry.
  it.each(LONG ? SCENARIOS : ['tools_call'])(
    'passes: %s',
    { retry: 4, timeout: 60_000 },
    async (scenario) => {
      const folder = mkdtempSync(join(tmpdir(), 'deed-conformance-'));
      const client = `${process.execPath} ${join(ROOT, 'test/fixtures/processes/mcp-conformance-client.ts')}`;
      const argv = [SUITE, 'client', '--command', client, '--scenario', scenario, '-o', folder];
      const child = spawn(process.execPath, argv, { cwd: folder });
      let output = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
      const code = await new Promise((resolve) => {
        child.on('close', resolve);
      });
      rmSync(folder, { recursive: true });
      expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
      expect(output).toMatch(/Passed: [1-9]\d*\/\d+, 0 failed/u);
    },
  );
});
