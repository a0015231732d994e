import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, deed } from '../fixtures/run-deed.ts';

describe('the list of past calls', () => {
  let home: ReturnType<typeof createHome>;
  const list = (...argv: string[]): unknown[][] => {
    const { items } = deed(['audit', 'list', ...argv], { home: home.path }).envelope.data as {
      items: { command: string; agent: string | null; code: string | null }[];
    };
    return items.map(({ command, agent, code }) => [command, agent, code]);
  };
  beforeAll(() => {
    home = createHome();
    deed(['context'], { home: home.path, env: { AI_AGENT: 'anna' } });
    deed(['config', 'get', 'nope'], { home: home.path, env: { CLAUDECODE: '1' } });
    deed(['config', 'get', 'list.limit'], { home: home.path });
  });
  afterAll(() => home.dispose());

  it('is newest first', () => {
    expect(list()).toEqual([
      ['config get', null, null],
      ['config get', 'claude-code', 'E_NOT_FOUND'],
      ['context', 'anna', null],
    ]);
  });

  it('can be filtered by agent, command, or failure', () => {
    expect(list('--agent', 'anna')).toEqual([['context', 'anna', null]]);
    expect(list('--command', 'context')).toEqual([['context', 'anna', null]]);
    expect(list('--failed')).toEqual([['config get', 'claude-code', 'E_NOT_FOUND']]);
    expect(list('--agent', 'unknown')).toEqual([]);
  });
});
