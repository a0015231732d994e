import { expect, it } from 'vitest';
import { createWebSignIn } from './web-sign-in.ts';

const HOUR_MS = 3_600_000;

function start() {
  const clock = { ms: 0 };
  let secret = '';
  const signIn = createWebSignIn({
    isPerson: true,
    people: [],
    now: () => clock.ms,
    onSecret: (next) => (secret = next),
  });
  const enter = (): string => {
    const redeemed = signIn.redeem(secret, '127.0.0.1');
    return redeemed.kind === 'accepted' ? redeemed.cookie : '';
  };
  return { clock, signIn, enter };
}

it('ends what a session receives when it signs out, and no other session', () => {
  const { signIn, enter } = start();
  const [first, second] = [enter(), enter()];
  const [mine, other] = [signIn.find(first)?.ended, signIn.find(second)?.ended];
  signIn.end(first);
  expect([mine?.aborted, other?.aborted, signIn.find(first)]).toEqual([true, false, undefined]);
});

it('ends a session that was not used for twelve hours, although a page is open', () => {
  const { clock, signIn, enter } = start();
  const ended = signIn.find(enter())?.ended;
  clock.ms = 12 * HOUR_MS;
  signIn.endIdle();
  expect(ended?.aborted).toBe(false);
  clock.ms += 1;
  signIn.endIdle();
  expect(ended?.aborted).toBe(true);
});

it('ends the oldest session when there are too many', () => {
  const { signIn, enter } = start();
  const oldest = signIn.find(enter())?.ended;
  for (let count = 0; count < 31; count += 1) enter();
  expect(oldest?.aborted).toBe(false);
  enter();
  expect(oldest?.aborted).toBe(true);
});
