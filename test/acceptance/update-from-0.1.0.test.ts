import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { arch, platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PLATFORM_PACKAGE, publishBuild } from '../fixtures/npm-packages.ts';
import { startNpmRegistry, type NpmRegistry } from '../fixtures/npm-registry.ts';
import { nodeCommand, unpackProgram } from '../fixtures/release-0.1.0.ts';
import { deedAsync } from '../fixtures/run-deed.ts';
import { LONG } from '../fixtures/start-node.ts';
import { createUpdateBench, type UpdateBench } from '../fixtures/update-bench.ts';

const OLD = '0.1.0';
const NEW = '0.2.0';

describe('the update command of 0.1.0', () => {
  describe.runIf(LONG)('in the standalone executable', () => {
    let bench: UpdateBench;
    beforeAll(async () => {
      bench = await createUpdateBench({ released: true });
    });
    afterAll(() => bench.dispose());

    it('verifies the release, replaces itself with it and syncs the Skill', async () => {
      await bench.publishWhole();
      const machine = bench.install();
      expect(machine.version()).toBe(OLD);
      const { code, envelope } = await machine.run(['update']);
      expect([code, envelope.error]).toEqual([0, undefined]);
      expect(envelope.data).toMatchObject({
        status: 'updated',
        previous_version: OLD,
        current_version: NEW,
        install_method: 'standalone',
        binary_replaced: true,
        signature_status: 'verified',
        verification: {
          archive: `deed-${NEW}-${platform()}-${arch()}.tar.gz`,
          signer_identity: bench.authority.identityOf(NEW),
        },
        skill_sync_status: 'synced',
      });
      expect([machine.version(), machine.skill(), machine.leftovers()]).toEqual([NEW, 'the new Skill', []]);
      // The new program works with the home of the old one.
      expect((await machine.run(['audit', 'verify'])).envelope.data).toMatchObject({ valid: true });
      expect((await machine.run(['update'])).envelope.data).toMatchObject({ status: 'up_to_date' });
    });

    it('rejects a release with the signature of another tag', async () => {
      await bench.publishSmall();
      const machine = bench.install();
      const { paths, server, authority } = bench;
      server.put(paths.bundle, await authority.sign(server.read(paths.checksums), '0.1.9'));
      const { envelope } = await machine.run(['update']);
      expect([envelope.error?.code, machine.version()]).toEqual(['E_INTEGRITY', OLD]);
    });
  });

  describe.runIf(LONG)('in an npm install', () => {
    let registry: NpmRegistry;
    let root = '';
    beforeAll(async () => {
      registry = await startNpmRegistry();
    });
    afterAll(() => registry.close());
    beforeEach(() => {
      root = realpathSync(mkdtempSync(join(tmpdir(), 'deed-npm-0.1.0-')));
      mkdirSync(join(root, 'home'));
      writeFileSync(join(root, 'home/config.json'), '{"update.release_url":"http://127.0.0.1:9/releases"}');
    });
    afterEach(() => rmSync(root, { recursive: true, force: true }));

    it('installs the new package with npm and syncs its Skill', async () => {
      // npm copies the package several times, and the executable has more than 100 MB.
      await publishBuild(registry, join(root, 'packages'), 'script');
      const packageRoot = join(root, 'prefix/lib/node_modules/deed-cli');
      unpackProgram(packageRoot);
      const options = { home: join(root, 'home'), env: { npm_config_registry: registry.url } };
      const executable = nodeCommand(packageRoot);
      const version = ['--version', '--format', 'raw'];
      expect((await deedAsync(version, { ...options, executable })).stdout.trim()).toBe(OLD);
      const { envelope } = await deedAsync(['update'], { ...options, executable });
      expect([envelope.error, envelope.data?.install_method]).toEqual([undefined, 'npm-global']);
      expect(envelope.data).toMatchObject({
        status: 'updated',
        previous_version: OLD,
        current_version: NEW,
        binary_replaced: true,
        skill_sync_status: 'synced',
      });
      const started = await deedAsync(version, { ...options, executable: [join(root, 'prefix/bin/deed')] });
      expect(started.stdout.trim()).toBe(NEW);
      expect(registry.requests).toContain(`${PLATFORM_PACKAGE}@${NEW}`);
      // All programs of the package are those of the new version.
      expect(readdirSync(join(root, 'prefix/bin')).sort()).toEqual(
        ['ai-agent', 'deed', 'deed-cli', 'pt', 'vybe'].sort(),
      );
      // Hooks that 0.1.0 installed contain the path of its script.
      const hook = await deedAsync(['hook', 'session-start'], {
        ...options,
        executable: nodeCommand(packageRoot, 'vybe'),
        input: JSON.stringify({ session_id: 's', cwd: root }),
      });
      expect([hook.code, hook.stdout]).toEqual([0, expect.stringContaining('SessionStart')]);
      const skill = readFileSync(join(root, 'home/.agents/skills/deed/SKILL.md'), 'utf8');
      expect(skill).toBe(readFileSync(join(packageRoot, 'skills/deed/SKILL.md'), 'utf8'));
    });
  });
});
