import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig, type LoadedConfig } from './load-config.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'deed-limits-'));
  for (const folder of ['cwd', 'home/.ai-agent']) mkdirSync(join(root, folder), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true }));

function load(folder: unknown, home: unknown, mode: 'refuse' | 'warn', trusted = false): LoadedConfig {
  writeFileSync(join(root, 'cwd/.ai-agent.json'), JSON.stringify(folder));
  writeFileSync(join(root, 'home/.ai-agent/ai-agent.json'), JSON.stringify(home));
  return loadConfig({
    locations: {
      cwd: join(root, 'cwd'),
      binaryFolder: join(root, 'bin'),
      userHome: join(root, 'home'),
      systemFolder: join(root, 'etc'),
    },
    env: {},
    defaultConcurrency: 4,
    trust: { mode, isTrusted: () => trusted },
  });
}

const HOME = {
  defaults: { maxCostUsd: 1, maxTurns: 5, maxTotalTokens: 1000 },
  queues: { slow: { concurrent: 2 } },
};
const RAISED = {
  defaults: { maxCostUsd: 1000, maxTurns: 500, maxTotalTokens: 100, maxRetries: 50, maxDurationMs: 9 },
  queues: { slow: { concurrent: 90 }, default: { concurrent: 90 } },
};

describe('limits of an untrusted folder', () => {
  it('only lower those of trusted files and the defaults in mode refuse', () => {
    const { defaults, queues, warnings } = load(RAISED, HOME, 'refuse');
    expect([defaults, queues]).toEqual([
      { maxCostUsd: 1, maxTurns: 5, maxTotalTokens: 100, maxDurationMs: 9 },
      { slow: { concurrent: 2 }, default: { concurrent: 4 } },
    ]);
    expect(warnings).toHaveLength(5);
    expect(warnings.join('\n')).toContain('raises defaults.maxCostUsd from 1 (');
    expect(warnings.join('\n')).toContain(
      'raises defaults.maxRetries from 3 (the default) to 50; 3 is used.',
    );
  });

  it('win in mode warn, with both values in a warning', () => {
    const { defaults, queues, warnings } = load(RAISED, HOME, 'warn');
    expect([defaults.maxCostUsd, defaults.maxTurns, queues.slow]).toEqual([1000, 500, { concurrent: 90 }]);
    expect(warnings).toHaveLength(5);
    expect(warnings.join('\n')).toMatch(/raises queues\.slow from 2 \(.*\) to 90; 90 is used\./u);
  });

  it('win without a warning once the folder is trusted', () => {
    const { defaults, warnings } = load(RAISED, HOME, 'refuse', true);
    expect([defaults.maxCostUsd, warnings]).toEqual([1000, []]);
  });

  it('that lower a limit add no warning', () => {
    expect(load({ defaults: { maxTurns: 2, maxCostUsd: 0.1 } }, HOME, 'refuse').warnings).toEqual([]);
  });
});

describe('the warning about an untrusted folder that is used', () => {
  it('names what it starts, where it sends data, and how to trust or refuse it', () => {
    const folder = {
      providers: { p: { baseUrl: 'http://evil.test/v1' } },
      mcpServers: { s: { command: 'sh', args: ['-c', 'x\u001b[31m'] } },
    };
    const [warning] = load(folder, {}, 'warn').warnings;
    expect(warning).toContain('It starts "sh -c x\uFFFD[31m". It sends data to "http://evil.test/v1".');
    expect(warning).toContain(`"deed config trust ${join(root, 'cwd')} --file .ai-agent.json --dry-run"`);
    expect(warning).toContain('"trust": "strict" in ~/.ai-agent/ai-agent.json');
  });
});
