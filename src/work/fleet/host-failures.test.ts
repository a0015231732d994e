import { expect, it } from 'vitest';
import { Fault } from '../../base/fault.ts';
import { createHostFailures } from './host-failures.ts';

it('a host that fails takes items less and less often, until it handles one', () => {
  let nowMs = 0;
  const hostFailures = createHostFailures(() => nowMs);
  const full = new Fault('E_IO', 'Could not write (ENOSPC).', { details: { reason: 'ENOSPC' } });
  const pauses = Array.from({ length: 5 }, () => {
    expect(hostFailures.ended(full)).toBe(true);
    const pauseMs = hostFailures.pauseMs();
    nowMs += pauseMs;
    return pauseMs / 1000;
  });
  expect(pauses).toEqual([5, 20, 80, 300, 300]);
  expect([hostFailures.ended(), hostFailures.pauseMs()]).toEqual([false, 0]);
  hostFailures.ended(full);
  expect(hostFailures.pauseMs()).toBe(5000);
});

it('an unreachable remote, a full disk of the database and a damaged ref are not failures of the host', () => {
  const hostFailures = createHostFailures(() => 0);
  for (const error of [
    new Fault('E_NETWORK', 'away'),
    new Fault('E_IO', 'full'),
    new Fault('E_DAMAGED', 'ref'),
  ])
    expect([hostFailures.ended(error), hostFailures.pauseMs()]).toEqual([false, 0]);
});
