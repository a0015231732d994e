import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseChangelog } from '../../src/release/parse-changelog.ts';
import { createHome, deed, ROOT, type Run } from '../fixtures/run-deed.ts';

describe('changelog', () => {
  const entries = parseChangelog(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'));
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  let home: ReturnType<typeof createHome>;
  beforeAll(() => {
    home = createHome();
  });
  afterAll(() => home.dispose());
  const run = (...argv: string[]): Run => deed(['changelog', ...argv], { home: home.path });

  it('contains exactly the entries of CHANGELOG.md', () => {
    expect(run().envelope.data).toEqual({ current_version: version, since: null, entries });
  });

  it('lists only versions that are strictly newer than --since', () => {
    expect(run('--since', '0.0.0').envelope.data).toEqual({
      current_version: version,
      since: '0.0.0',
      entries,
    });
    expect(run('--since', version).envelope.data.entries).toEqual([]);
    expect(run('--since', '999.0.0').envelope.data.entries).toEqual([]);
  });

  it('rejects an invalid version', () => {
    const { code, envelope } = run('--since', 'yesterday');
    expect([code, envelope.error?.code, envelope.error?.details.field]).toEqual([2, 'E_VALIDATION', 'since']);
  });

  it('has field selection and a text format', () => {
    expect(run('--fields', 'current_version').envelope.data).toEqual({ current_version: version });
    const text = run('--format', 'text');
    expect(text.code).toBe(0);
    if (entries.length > 0) expect(text.stdout).toContain(entries[0]?.version);
    expect(run('--since', '999.0.0', '--format', 'text').stdout).toBe('No newer version.\n');
  });
});
