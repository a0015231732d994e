import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { confirmed, createHome, deed, startDeed } from '../fixtures/run-deed.ts';
import { killNow, LONG } from '../fixtures/start-node.ts';

let home: ReturnType<typeof createHome>;
beforeAll(() => {
  home = createHome();
  confirmed(['config', 'set', 'list.limit', '1'], { home: home.path });
});
afterAll(() => home.dispose());

describe('a write that is killed at any moment', () => {
  it(
    'leaves the old or the new state and a valid audit log, and the next write succeeds',
    { timeout: 600_000 },
    async () => {
      const rounds = LONG ? 200 : 6;
      // Measure one write, so that the kills are spread over its duration.
      const started = performance.now();
      confirmed(['config', 'set', 'list.limit', '2'], { home: home.path, ownProcess: true });
      const longest = (performance.now() - started) / 2 + 5;
      let previous = 2;
      for (let round = 0; round < rounds; round += 1) {
        const next = 10 + round;
        const set = ['config', 'set', 'list.limit', String(next)];
        const { confirm_token } = deed([...set, '--dry-run'], { home: home.path }).envelope.data as {
          confirm_token: string;
        };
        const child = startDeed([...set, '--confirm', confirm_token], { home: home.path });
        await new Promise((resolve) => setTimeout(resolve, (longest * round) / rounds));
        await killNow(child);
        const { 'list.limit': value } = JSON.parse(readFileSync(join(home.path, 'config.json'), 'utf8')) as {
          'list.limit': number;
        };
        expect([previous, next]).toContain(value);
        const after = deed(['config', 'get', 'list.limit'], { home: home.path });
        expect([after.code, after.envelope.data.value, after.stderr]).toEqual([0, value, '']);
        previous = value;
      }
      const verified = deed(['audit', 'verify'], { home: home.path });
      expect([verified.code, verified.envelope.data?.valid]).toEqual([0, true]);
      expect(confirmed(['config', 'set', 'list.limit', '3'], { home: home.path }).code).toBe(0);
    },
  );
});
