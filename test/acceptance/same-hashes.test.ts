import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTool } from '../../src/app/create-tool.ts';
import { locateHome } from '../../src/contract/home.ts';
import { verifyAudit } from '../../src/contract/verify-audit.ts';
import { processSystem } from '../../src/entrypoints/cli/process-system.ts';
import { confirmed, createHome, deed } from '../fixtures/run-deed.ts';

/** The executable and the source use different hash implementations, which must agree. */
describe('the hashes of the executable', () => {
  let home: ReturnType<typeof createHome>;
  beforeAll(() => {
    home = createHome();
  });
  afterAll(() => home.dispose());

  it('match those of the source: an audit log of the executable verifies with the source', async () => {
    deed(['context'], { home: home.path });
    deed(['no-such-command', '\u00e9\u{1f600}'], { home: home.path });
    expect(confirmed(['config', 'set', 'list.limit', '7'], { home: home.path }).code).toBe(0);
    const tool = createTool({ name: 'deed', version: '0.0.0', description: 'a test' });
    const place = locateHome(tool, { ...processSystem(), env: { DEED_HOME: home.path } });
    expect(await verifyAudit(place)).toMatchObject({ lines: 5, retired: [], problems: [] });
  });
});
