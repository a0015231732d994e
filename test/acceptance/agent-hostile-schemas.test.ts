import { describe, expect } from 'vitest';
import { agentTest as test } from '../fixtures/agent-test.ts';
import { aiAgent, mcpServer } from '../fixtures/run-ai-agent.ts';

describe('a tool server with a pattern that backtracks exponentially', () => {
  test('does not block the executable, and its arguments are checked', async ({ folder }) => {
    const call = (x: string) => ({ toolCalls: [{ name: 'every__echo', arguments: { x } }] });
    folder.write('script.json', { steps: [call(`${'a'.repeat(60)}!`), call('aaa'), { report: 'Done.' }] });
    const config = folder.write('agent.json', {
      providers: { scripted: { type: 'script', file: 'script.json' } },
      mcpServers: { every: mcpServer('faulty', 'hostile-schema') },
    });
    const argv = ['a', 'b', '--models', 'scripted/any', '--tools', 'every', '--config', config, '--verbose'];
    const start = performance.now();
    const { code, stdout, stderr } = await aiAgent(argv, { folder });
    expect([code, stdout.trim()]).toEqual([0, 'Done.']);
    // Of the two calls only the valid one reached the server.
    expect(stderr.match(/✓ every__echo/gu)).toHaveLength(1);
    // With backtracking this takes years.
    expect(performance.now() - start).toBeLessThan(60_000);
  });
});
