import { spawnSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAgentFolder, mcpServer, type AgentFolder } from '../fixtures/run-ai-agent.ts';
import { executable } from '../fixtures/run-deed.ts';

const hasScript = spawnSync('script', ['--version']).status === 0;

/** The output of a running agent on a terminal. */
describe.runIf(hasScript)('on a terminal', () => {
  let folder: AgentFolder;
  beforeEach(() => {
    folder = createAgentFolder();
    folder.write('script.json', {
      steps: [
        {
          toolCalls: [
            { name: 'tool__echo', arguments: { word: 'hi' } },
            { name: 'tool__error', arguments: {} },
          ],
        },
        { report: 'Done \u001B]0;owned\u0007\u001B[31mred\u001B[0m.' },
      ],
    });
    folder.write('.ai-agent.json', {
      providers: { scripted: { type: 'script', file: 'script.json' } },
      mcpServers: { tool: mcpServer('faulty') },
    });
  });
  afterEach(() => folder.dispose());

  const runOnTerminal = (...flags: string[]): string => {
    const argv = [
      ...executable('ai-agent'),
      'Be terse.',
      'Go.',
      '--models',
      'scripted/any',
      '--tools',
      'tool',
      ...flags,
    ];
    const words = argv.map((word) => `'${word}'`).join(' ');
    return spawnSync('script', ['-qec', words, '/dev/null'], {
      cwd: folder.path,
      env: { PATH: process.env.PATH, HOME: folder.home, TERM: 'xterm' },
      encoding: 'utf8',
    }).stdout;
  };

  it('shows transient lines in place, results in colour, and the report without control characters', () => {
    const output = runOnTerminal();
    expect(output).toContain('\r\u001B[K');
    expect(output).toContain('\u001B[2m→ tool__echo {"word":"hi"}\u001B[0m');
    expect(output).toContain('\u001B[32m✓ tool__echo');
    expect(output).toContain('\u001B[31m✗ tool__error');
    expect(output).toContain('no such city\u001B[0m');
    expect(output).toMatch(/2 turns, \d+ tool calls/u);
    expect(output).toContain('Done \uFFFD]0;owned\uFFFD\uFFFD[31mred');
  });

  it('keeps colours, but no other control characters, in a report of format tty', () => {
    expect(runOnTerminal('--format', 'tty')).toContain('Done \uFFFD]0;owned\uFFFD\u001B[31mred\u001B[0m.');
  });
});
