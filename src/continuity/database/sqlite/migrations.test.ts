import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MIGRATIONS, STORE_SCHEMA_VERSION } from './migrations.ts';

/** The SHA-256 of each released step. A change of one would leave existing stores without it; add a new step instead. */
const RELEASED = [
  '57bd7f489cbf7f36dd3d4d0d23d81f198fe341c93ecc89194acc766c1cf0286a',
  '8f0626baaf09d81b371fa5f6a2e33040a131f491a5dea9264bfe16be2215625a',
];

test('released migration steps are unchanged', () => {
  const digests = MIGRATIONS.map((step) => createHash('sha256').update(JSON.stringify(step)).digest('hex'));
  expect(digests.slice(0, RELEASED.length)).toEqual(RELEASED);
});

test('the page about upgrading names the schema of this version', () => {
  const page = readFileSync(new URL('../../../../docs/upgrading.md', import.meta.url), 'utf8');
  expect(page).toContain(`**The store** has schema ${STORE_SCHEMA_VERSION}.`);
  expect(page.replaceAll(/\s+/gu, ' ')).toContain(`0.1.0 rejects a store of schema ${STORE_SCHEMA_VERSION} `);
});
