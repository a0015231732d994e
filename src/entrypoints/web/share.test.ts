import { expect, it } from 'vitest';
import { createShare } from './share.ts';

it('bounds what one holder has open, and not what another one has', () => {
  const share = createShare(3);
  const [one, other] = [{}, {}];
  const release = share.take(one, 2);
  expect(release).toBeDefined();
  expect(share.take(one, 2)).toBeUndefined();
  expect(share.take(other, 3)).toBeDefined();
  expect(share.take(one)).toBeDefined();
  expect(share.take(one)).toBeUndefined();
});

it('gets back what was taken, once', () => {
  const share = createShare(2);
  const holder = {};
  const release = share.take(holder);
  share.take(holder);
  release?.();
  release?.();
  expect(share.take(holder)).toBeDefined();
  expect(share.take(holder)).toBeUndefined();
});
