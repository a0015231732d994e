import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { writeTar } from '../../scripts/write-tar.ts';
import { publish } from '../../test/fixtures/release-server.ts';
import { createSigstoreAuthority } from '../../test/fixtures/sigstore-authority.ts';
import {
  failure,
  HERE,
  NEW,
  program,
  request,
  useUpdateMachine,
} from '../../test/fixtures/update-machine.ts';
import { runUpdate } from './run-update.ts';
import type { UpdateStage } from './update-run.ts';

const bench = useUpdateMachine();

test('what does not verify is refused, and the message forbids a retry', async () => {
  const forger = await createSigstoreAuthority();
  const cases: [string, UpdateStage, () => void | Promise<void>][] = [
    ['no bundle', 'verify_signature', () => bench.server.remove(NEW.bundle)],
    ['a bundle that is none', 'verify_signature', () => bench.server.put(NEW.bundle, '{}')],
    [
      'a foreign signer',
      'verify_signature',
      async () => bench.server.put(NEW.bundle, await forger.sign(bench.server.read(NEW.checksums), '0.2.0')),
    ],
    [
      'another tag',
      'verify_signature',
      async () =>
        bench.server.put(NEW.bundle, await bench.authority.sign(bench.server.read(NEW.checksums), '0.1.9')),
    ],
    [
      'changed checksums',
      'verify_signature',
      () => bench.server.put(NEW.checksums, `${bench.server.read(NEW.checksums).toString()}\n`),
    ],
    ['another archive', 'verify_checksum', () => bench.server.put(NEW.archive, gzipSync('other'))],
    [
      'another version in the metadata',
      'discover',
      () => bench.server.put(NEW.metadata, '{"version":"0.2.1"}'),
    ],
  ];
  for (const [name, stage, spoil] of cases) {
    await bench.machine.offer('0.2.0');
    await spoil();
    const fault = await failure(
      runUpdate(request(stage === 'discover' ? '0.2.0' : undefined), bench.machine.context()),
    );
    expect([name, fault.code]).toEqual([name, 'E_INTEGRITY']);
    expect(fault.message).toContain('do NOT retry');
    bench.machine.expectOld(fault, stage);
  }
});

test('a signed archive with an evil path is refused before anything is written', async () => {
  const members = ['deed', 'skills/deed/SKILL.md', '../../evil'].map((path) => ({
    path,
    mode: 0o755,
    content: program('0.2.0'),
  }));
  await publish(
    bench.server,
    { version: '0.2.0', ...HERE, content: gzipSync(writeTar(members)) },
    bench.authority,
  );
  const fault = await failure(runUpdate(request(), bench.machine.context()));
  expect(fault.code).toBe('E_INTEGRITY');
  bench.machine.expectOld(fault, 'verify_checksum');
});
