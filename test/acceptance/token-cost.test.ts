import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { playSessions } from '../../bench/tokens/play-session.ts';
import { deed, ROOT } from '../fixtures/run-deed.ts';

const count = (text: string): number => encode(text).length;

test('the standard session of an agent stays within its tokens over each interface', async () => {
  const costs = await playSessions();
  expect(costs.map(({ name, bound }) => [name, bound])).toEqual([
    ['vybe with the Skill', 6000],
    ['deed with the Skill', 5000],
    ['MCP', 4000],
  ]);
  for (const cost of costs) expect(cost.total, JSON.stringify(cost)).toBeLessThanOrEqual(cost.bound);
});

test('the Skill takes at most 900 tokens, the index of all commands at most 2,000', () => {
  expect(count(readFileSync(join(ROOT, 'skills/deed/SKILL.md'), 'utf8'))).toBeLessThanOrEqual(900);
  const index = deed(['reference', '--index', '--compact']);
  expect(count(index.stdout)).toBeLessThanOrEqual(2000);
});
