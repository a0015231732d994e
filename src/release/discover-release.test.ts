import { expect, test } from 'vitest';
import { respondsWith, disconnects, neverResponds, stalls } from '../../test/fixtures/release-server.ts';
import { failure, NEW, request, useUpdateMachine } from '../../test/fixtures/update-machine.ts';
import { previewUpdate } from './check-update.ts';
import { runUpdate } from './run-update.ts';

const bench = useUpdateMachine();

test('each failure of the server has its own code and changes nothing', async () => {
  const cases = [
    [respondsWith(429, { 'retry-after': '7' }), 'E_RATE_LIMITED'],
    [respondsWith(500), 'E_SERVER'],
    [respondsWith(401), 'E_AUTH'],
    [respondsWith(403), 'E_FORBIDDEN'],
    [respondsWith(404), 'E_NOT_FOUND'],
    [disconnects, 'E_NETWORK'],
  ] as const;
  for (const [path, stage] of [
    [NEW.latest, 'discover'],
    [NEW.archive, 'download'],
  ] as const) {
    for (const [behaviour, code] of cases) {
      bench.server.reset();
      bench.server.injectFailure(path, behaviour);
      const fault = await failure(runUpdate(request(), bench.machine.context()));
      expect([path, fault.code]).toEqual([path, code]);
      bench.machine.expectUnchanged(fault, stage);
      if (code === 'E_RATE_LIMITED') expect(fault.details.retry_after_ms).toBe(7000);
    }
  }
});

test('a server that stops sending is a timeout, before and during a response', async () => {
  for (const [behaviour, path] of [
    [neverResponds, NEW.latest],
    [stalls, NEW.archive],
  ] as const) {
    bench.server.reset();
    bench.server.injectFailure(path, behaviour);
    const fault = await failure(runUpdate(request(), bench.machine.context({ timeoutMs: 2000 })));
    expect(fault.code).toBe('E_TIMEOUT');
    bench.machine.expectUnchanged(fault, path === NEW.latest ? 'discover' : 'download');
    expect(fault.message).toContain('transient');
  }
});

test('a refused connection is a network failure', async () => {
  const fault = await failure(
    runUpdate(request(), bench.machine.context({ releaseUrl: 'http://127.0.0.1:9/releases' })),
  );
  expect(fault.code).toBe('E_NETWORK');
  bench.machine.expectUnchanged(fault, 'discover');
});

test('invalid release metadata is a failure of the server', async () => {
  bench.server.put(NEW.latest, '<html>');
  const fault = await failure(runUpdate(request(), bench.machine.context()));
  expect(fault.code).toBe('E_SERVER');
  bench.machine.expectUnchanged(fault, 'discover');
});

test('an http URL is rejected unless it is loopback', async () => {
  const fault = await failure(
    runUpdate(request(), bench.machine.context({ releaseUrl: 'http://example.com/releases' })),
  );
  expect(fault.code).toBe('E_CONFIG');
  bench.machine.expectUnchanged(fault, 'discover');
});

test('a redirect may lead to https or stay on loopback, and a redirect loop fails', async () => {
  bench.server.injectFailure(NEW.latest, respondsWith(302, { location: `${bench.server.url}/elsewhere` }));
  bench.server.put('elsewhere', bench.server.read(NEW.metadata));
  expect((await previewUpdate(request(), bench.machine.context())).plan.release.version).toBe('0.2.0');
  bench.server.injectFailure(NEW.latest, respondsWith(302, { location: 'http://example.com/release.json' }));
  expect((await failure(runUpdate(request(), bench.machine.context()))).code).toBe('E_CONFIG');
  bench.server.injectFailure(
    NEW.latest,
    respondsWith(302, { location: `${bench.server.url}/${NEW.latest}` }),
  );
  expect((await failure(runUpdate(request(), bench.machine.context()))).code).toBe('E_SERVER');
});
