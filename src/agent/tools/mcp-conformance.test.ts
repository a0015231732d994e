import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** The protocol's own judge. The scenarios on OAuth and on elicitation are for clients that offer them; ours does neither. */
describe('the conformance suite of the protocol', () => {
  // It also judges how late the client comes back; a busy machine delays that now and then, a client in the wrong does every time.
  it.each(['initialize', 'tools_call', 'sse-retry'])(
    'has nothing to say against our client: %s',
    { retry: 4, timeout: 60_000 },
    async (scenario) => {
      const folder = mkdtempSync(join(tmpdir(), 'deed-conformance-'));
      const client = `${process.execPath} ${join(ROOT, 'test/fixtures/processes/mcp-conformance-client.ts')}`;
      const judge = join(ROOT, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
      const argv = [judge, 'client', '--command', client, '--scenario', scenario, '-o', folder];
      const child = spawn(process.execPath, argv, { cwd: folder });
      let said = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
      const code = await new Promise((resolve) => {
        child.on('close', resolve);
      });
      rmSync(folder, { recursive: true });
      expect({ code, said: code === 0 ? '' : said }).toEqual({ code: 0, said: '' });
      expect(said).toMatch(/Passed: [1-9]\d*\/\d+, 0 failed/u);
    },
  );
});
