import { expect, test } from 'vitest';
import { answers, hangsUp, isSilent, stalls } from '../../test/fixtures/release-server.ts';
import { failure, NEW, request, useUpdateMachine } from '../../test/fixtures/update-machine.ts';
import { previewUpdate } from './check-update.ts';
import { runUpdate } from './run-update.ts';

const bench = useUpdateMachine();

test('failures of the server keep their own codes and change nothing', async () => {
  const cases = [
    [answers(429, { 'retry-after': '7' }), 'E_RATE_LIMITED'],
    [answers(500), 'E_SERVER'],
    [answers(403), 'E_FORBIDDEN'],
    [answers(404), 'E_NOT_FOUND'],
    [hangsUp, 'E_NETWORK'],
  ] as const;
  for (const [path, stage] of [
    [NEW.latest, 'discover'],
    [NEW.archive, 'download'],
  ] as const) {
    for (const [behaviour, code] of cases) {
      bench.server.heal();
      bench.server.behave(path, behaviour);
      const fault = await failure(runUpdate(request(), bench.machine.context()));
      expect([path, fault.code]).toEqual([path, code]);
      bench.machine.expectOld(fault, stage);
      if (code === 'E_RATE_LIMITED') expect(fault.details.retry_after_ms).toBe(7000);
    }
  }
});

test('a server that falls silent is a timeout, before and in the middle of an answer', async () => {
  for (const [behaviour, path] of [
    [isSilent, NEW.latest],
    [stalls, NEW.archive],
  ] as const) {
    bench.server.heal();
    bench.server.behave(path, behaviour);
    const fault = await failure(runUpdate(request(), bench.machine.context({ timeoutMs: 600 })));
    expect(fault.code).toBe('E_TIMEOUT');
    bench.machine.expectOld(fault, path === NEW.latest ? 'discover' : 'download');
    expect(fault.message).toContain('transient');
  }
});

test('no server is a network failure', async () => {
  const fault = await failure(
    runUpdate(request(), bench.machine.context({ releaseUrl: 'http://127.0.0.1:9/releases' })),
  );
  expect(fault.code).toBe('E_NETWORK');
  bench.machine.expectOld(fault, 'discover');
});

test('an answer that describes no release is a failure of the server', async () => {
  bench.server.put(NEW.latest, '<html>');
  const fault = await failure(runUpdate(request(), bench.machine.context()));
  expect(fault.code).toBe('E_SERVER');
  bench.machine.expectOld(fault, 'discover');
});

test('a plain http address is refused unless it is this machine', async () => {
  const fault = await failure(
    runUpdate(request(), bench.machine.context({ releaseUrl: 'http://example.com/releases' })),
  );
  expect(fault.code).toBe('E_CONFIG');
  bench.machine.expectOld(fault, 'discover');
});

test('a redirect stays on this machine or goes to https, and not in circles', async () => {
  bench.server.behave(NEW.latest, answers(302, { location: `${bench.server.url}/elsewhere` }));
  bench.server.put('elsewhere', bench.server.read(NEW.metadata));
  expect((await previewUpdate(request(), bench.machine.context())).plan.release.version).toBe('0.2.0');
  bench.server.behave(NEW.latest, answers(302, { location: 'http://example.com/release.json' }));
  expect((await failure(runUpdate(request(), bench.machine.context()))).code).toBe('E_CONFIG');
  bench.server.behave(NEW.latest, answers(302, { location: `${bench.server.url}/${NEW.latest}` }));
  expect((await failure(runUpdate(request(), bench.machine.context()))).code).toBe('E_SERVER');
});
