import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { confirmed, createHome, deed } from '../fixtures/run-deed.ts';

describe('a write', () => {
  let home: ReturnType<typeof createHome>;
  beforeAll(() => {
    home = createHome();
  });
  afterAll(() => home.dispose());

  it('without a token is rejected with exit 5 and changes nothing', () => {
    const run = deed(['config', 'set', 'list.limit', '7'], { home: home.path, ownProcess: true });
    expect(run.code).toBe(5);
    expect(run.envelope.error?.code).toBe('E_CONFIRMATION_REQUIRED');
    expect(
      deed(['config', 'get', 'list.limit'], { home: home.path, ownProcess: true }).envelope.data.value,
    ).toBe(50);
  });

  it('succeeds with the token of a dry run', () => {
    const run = confirmed(['config', 'set', 'list.limit', '7'], { home: home.path, ownProcess: true });
    expect(run.envelope.data).toEqual({ key: 'list.limit', value: 7, previous: null });
    expect(
      deed(['config', 'get', 'list.limit'], { home: home.path, ownProcess: true }).envelope.data.source,
    ).toBe('home');
  });
});
