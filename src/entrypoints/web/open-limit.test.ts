import { expect, it } from 'vitest';
import { createOpenLimit } from './open-limit.ts';

it('limits what each holder has open, independently of the others', () => {
  const limit = createOpenLimit(3);
  const [one, other] = [{}, {}];
  const release = limit.take(one, 2);
  expect(release).toBeDefined();
  expect(limit.take(one, 2)).toBeUndefined();
  expect(limit.take(other, 3)).toBeDefined();
  expect(limit.take(one)).toBeDefined();
  expect(limit.take(one)).toBeUndefined();
});

it('can take again what was released, and a release counts once', () => {
  const limit = createOpenLimit(2);
  const holder = {};
  const release = limit.take(holder);
  limit.take(holder);
  release?.();
  release?.();
  expect(limit.take(holder)).toBeDefined();
  expect(limit.take(holder)).toBeUndefined();
});
