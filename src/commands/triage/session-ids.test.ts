import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEED, runInProcess } from '../../../test/fixtures/run-in-process.ts';
import type { Run } from '../../../test/fixtures/run-deed.ts';
import { temporaryFolder } from '../../../test/fixtures/temporary-folder.ts';

const folder = temporaryFolder('session-ids');
afterAll(() => folder.dispose());

const deed = (...argv: string[]): Promise<Run> => runInProcess(argv, DEED, { home: folder.path });

describe('a prefix of the id of a triage session', () => {
  const data = join(folder.path, '.local/share/process_triage');
  const SESSIONS = [
    'sess-29991116-120000-abc123',
    'sess-29991116-120000-abd456',
    'sess-29991117-080000-000000',
  ];
  beforeAll(() => {
    for (const id of SESSIONS) {
      mkdirSync(join(data, 'sessions', id), { recursive: true, mode: 0o700 });
      writeFileSync(join(data, 'sessions', id, 'manifest.json'), '{}');
    }
  });

  it.each([
    ['sess-29991117', SESSIONS[2]],
    ['29991116-120000-abd', SESSIONS[1]],
  ])('%s selects the session', async (given, id) => {
    for (const argv of [
      ['status', '--session', given],
      ['plan', '--since', given],
      ['diff', '--session', given],
    ]) {
      const { error } = (await deed('triage', ...argv)).envelope;
      // These sessions have no valid documents, and the error names the one that was opened.
      expect(error?.message).toContain(id);
    }
  });

  it('that is ambiguous lists its candidates, and an unknown or short one is rejected', async () => {
    const call = async (given: string) => (await deed('triage', 'status', '--session', given)).envelope.error;
    expect(await call('sess-29991116')).toMatchObject({
      code: 'E_VALIDATION',
      details: { field: 'session', candidates: [{ id: SESSIONS[1] }, { id: SESSIONS[0] }] },
    });
    expect([(await call('29991'))?.code, (await call('29980101'))?.code]).toEqual([
      'E_VALIDATION',
      'E_NOT_FOUND',
    ]);
  });
});
