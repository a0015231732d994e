import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { writeTar } from '../../scripts/write-tar.ts';
import { publish, type ReleaseServer } from '../../test/fixtures/release-server.ts';
import { createSigstoreAuthority, type SigstoreAuthority } from '../../test/fixtures/sigstore-authority.ts';
import {
  createUpdateMachine,
  failure,
  HERE,
  NEW,
  program,
  startUpdateServices,
  type UpdateMachine,
} from '../../test/fixtures/update-machine.ts';
import { runUpdate } from './run-update.ts';
import type { UpdateStage } from './update-run.ts';

let server: ReleaseServer;
let authority: SigstoreAuthority;
let machine: UpdateMachine;
beforeAll(async () => {
  ({ server, authority } = await startUpdateServices());
});
afterAll(() => server.close());
beforeEach(async () => {
  machine = await createUpdateMachine(server, authority);
});
afterEach(() => machine.dispose());

const request = (targetVersion?: string) => ({ runningVersion: '0.1.0', targetVersion });

test('what does not verify is refused, and the message forbids a retry', async () => {
  const forger = await createSigstoreAuthority();
  const cases: [string, UpdateStage, () => void | Promise<void>][] = [
    ['no bundle', 'verify_signature', () => server.remove(NEW.bundle)],
    ['a bundle that is none', 'verify_signature', () => server.put(NEW.bundle, '{}')],
    [
      'a foreign signer',
      'verify_signature',
      async () => server.put(NEW.bundle, await forger.sign(server.read(NEW.checksums), '0.2.0')),
    ],
    [
      'another tag',
      'verify_signature',
      async () => server.put(NEW.bundle, await authority.sign(server.read(NEW.checksums), '0.1.9')),
    ],
    [
      'changed checksums',
      'verify_signature',
      () => server.put(NEW.checksums, `${server.read(NEW.checksums).toString()}\n`),
    ],
    ['another archive', 'verify_checksum', () => server.put(NEW.archive, gzipSync('other'))],
    ['another version in the metadata', 'discover', () => server.put(NEW.metadata, '{"version":"0.2.1"}')],
  ];
  for (const [name, stage, spoil] of cases) {
    await machine.offer('0.2.0');
    await spoil();
    const fault = await failure(
      runUpdate(request(stage === 'discover' ? '0.2.0' : undefined), machine.world()),
    );
    expect([name, fault.code]).toEqual([name, 'E_INTEGRITY']);
    expect(fault.message).toContain('do NOT retry');
    machine.expectOld(fault, stage);
  }
});

test('a signed archive with an evil path is refused before anything is written', async () => {
  const members = ['deed', 'skills/deed/SKILL.md', '../../evil'].map((path) => ({
    path,
    mode: 0o755,
    content: program('0.2.0'),
  }));
  await publish(server, { version: '0.2.0', ...HERE, content: gzipSync(writeTar(members)) }, authority);
  const fault = await failure(runUpdate(request(), machine.world()));
  expect(fault.code).toBe('E_INTEGRITY');
  machine.expectOld(fault, 'verify_checksum');
});
