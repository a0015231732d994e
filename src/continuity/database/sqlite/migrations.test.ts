import { expect, test } from 'vitest';
import { migrations, SCHEMA_VERSION } from './migrations.ts';

test('the version of the schema is the number of its steps', () => {
  expect(SCHEMA_VERSION).toBe(migrations().length);
});
