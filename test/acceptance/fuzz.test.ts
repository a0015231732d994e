import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readPromptFile } from '../../src/agent/prompt-file/read-prompt-file.ts';
import { createLlm } from '../../src/agent/providers/create-llm.ts';
import { parseContainerLeniently } from '../../src/agent/tools/parse-json-leniently.ts';
import { parseTags } from '../../src/agent/transport/parse-tags.ts';
import { Fault } from '../../src/base/fault.ts';
import { parseHookInput } from '../../src/continuity/hooks/hook-input.ts';
import { issueToken, parseToken, verifyToken } from '../../src/contract/confirm-token.ts';
import { parseChecksums } from '../../src/release/parse-checksums.ts';
import { readTar, TarError } from '../../src/release/read-tar.ts';
import { parseReleaseMetadata } from '../../src/release/release-metadata.ts';
import { parsePlan } from '../../src/work/item/parse-plan.ts';
import { takeSnapshot } from '../../src/work/workspace/take-snapshot.ts';
import { parseHead, parseManifest, renderManifest } from '../../src/work/workspace/manifest.ts';
import { ARCHIVES, CORPUS } from '../fixtures/fuzz-corpus.ts';
import { fuzz, FUZZ_TIMEOUT } from '../fixtures/fuzz.ts';
import { createHome, deed } from '../fixtures/run-deed.ts';
import { createWorkTree } from '../fixtures/work-tree.ts';

const scratch = mkdtempSync(join(tmpdir(), 'deed-fuzz-'));
const home = createHome();
afterAll(() => {
  rmSync(scratch, { recursive: true, force: true });
  home.dispose();
});

/** Each derived input starts a process, and those of a short run are always the same, so there are only a few. */
const STARTS = 5;

const bytes = (texts: readonly string[]): Buffer[] => texts.map((text) => Buffer.from(text));

/** Accepts only errors that say what is wrong with the input. */
async function onlyFaults(action: () => unknown): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (!(error instanceof Fault) && !(error instanceof TarError)) throw error;
  }
}

const KEY = new Uint8Array(32);
const TOKEN = issueToken({}, KEY, 0).token;
const ORIGIN = 'https://example.test/release.json';

describe('parsers of outside input answer every input with a value or a fault', () => {
  it.each<[string, readonly Buffer[], (input: Buffer) => unknown]>([
    ['plan files', bytes(CORPUS.plan), (input) => parsePlan(input.toString('utf8'))],
    ['release checksums', bytes(CORPUS.checksums), (input) => parseChecksums(input.toString('utf8'))],
    [
      'release metadata',
      bytes(CORPUS.metadata),
      (input) => parseReleaseMetadata(input.toString('utf8'), ORIGIN),
    ],
    ['archives', ARCHIVES, (input) => readTar(input, { files: 100, pathBytes: 1000 })],
    ['hook input', bytes(CORPUS.hook), (input) => parseHookInput(input.toString('utf8'))],
    ['tool arguments', bytes(CORPUS.json), (input) => parseContainerLeniently(input.toString('utf8'))],
    ['tags of a model', bytes(CORPUS.tags), (input) => parseTags(input.toString('utf8'), 'n')],
  ])('%s', FUZZ_TIMEOUT, async (_what, corpus, parse) => {
    const tried = await fuzz({ corpus, rounds: 500, check: (input) => onlyFaults(() => parse(input)) });
    expect(tried).toBeGreaterThan(corpus.length);
  });

  it('manifests of trees', FUZZ_TIMEOUT, async () => {
    const heads = ['d 755 0 -', `f 644 3 ${'a'.repeat(64)}`, `l 777 1 ${'b'.repeat(64)}`];
    const corpus = [
      renderManifest({ paths: ['d', 'd/f', 'l'], heads }),
      renderManifest({ paths: [], heads: [] }),
    ];
    const check = (input: Buffer): Promise<void> =>
      onlyFaults(() => {
        for (const head of parseManifest(input).heads) parseHead(head);
      });
    expect(await fuzz({ corpus, rounds: 2000, check })).toBeGreaterThan(100);
  });

  it('git trees: damaged index, configuration and HEAD', FUZZ_TIMEOUT, async () => {
    const tree = createWorkTree();
    const started = join(scratch, 'started');
    const places = ['index', 'config', 'HEAD'].map((name) => join(tree.root, '.git', name));
    const originals = places.map((place) => readFileSync(place));
    const hostile = `[core]\n\tfsmonitor = touch ${started}\n[filter "x"]\n\tclean = touch ${started}\n`;
    // The first byte chooses the file.
    const corpus = [...originals, Buffer.concat([originals[1] ?? Buffer.alloc(0), Buffer.from(hostile)])].map(
      (content, index) => Buffer.concat([Buffer.from([index < places.length ? index : 1]), content]),
    );
    const check = async (input: Buffer): Promise<void> => {
      const chosen = (input[0] ?? 0) % places.length;
      writeFileSync(places[chosen] ?? '', input.subarray(1));
      try {
        await onlyFaults(() => takeSnapshot(tree.context, tree.root));
      } finally {
        writeFileSync(places[chosen] ?? '', originals[chosen] ?? '');
      }
      if (existsSync(started)) throw new Error('A program of the repository was started.');
    };
    expect(await fuzz({ corpus, rounds: 8, check })).toBeGreaterThan(corpus.length);
    tree.dispose();
  });

  it('prompt files', FUZZ_TIMEOUT, async () => {
    const file = join(scratch, 'fuzz.ai');
    const check = (input: Buffer): Promise<void> => {
      writeFileSync(file, input);
      return onlyFaults(() => readPromptFile(file, scratch));
    };
    expect(await fuzz({ corpus: bytes(CORPUS.prompt), rounds: 300, check })).toBeGreaterThan(100);
  });

  it('confirm tokens: no other token is valid', FUZZ_TIMEOUT, async () => {
    const check = async (input: Buffer): Promise<void> => {
      const text = input.toString('utf8');
      if (text === TOKEN) return;
      let accepted = true;
      await onlyFaults(() => {
        accepted = false;
        verifyToken(parseToken(text), {}, KEY, 1);
        accepted = true;
      });
      if (accepted) throw new Error('A forged token was accepted.');
    };
    expect(await fuzz({ corpus: bytes([TOKEN]), rounds: 5000, check })).toBeGreaterThan(100);
  });

  it('streams of a model', FUZZ_TIMEOUT, async () => {
    const provider = { family: 'openai-compatible', baseUrl: 'http://m.test/v1', headers: {} } as never;
    const check = async (input: Buffer): Promise<void> => {
      const respond = async (): Promise<Response> =>
        new Response(new Uint8Array(input), { headers: { 'content-type': 'text/event-stream' } });
      const llm = createLlm({ p: provider }, { fetch: respond, clock: { now: Date.now } });
      // Contract of the port: it never throws.
      await llm.attempt({
        provider: 'p',
        model: 'm',
        messages: [],
        tools: [],
        parameters: {},
        stream: true,
        signal: new AbortController().signal,
        onDelta: () => undefined,
      } as never);
    };
    expect(await fuzz({ corpus: bytes(CORPUS.stream), rounds: 100, check })).toBeGreaterThan(100);
  });
});

describe('the executable answers every input with one envelope and no stack trace', () => {
  const check = (run: ReturnType<typeof deed>): void => {
    if (run.code === null) throw new Error(`killed: ${run.stderr}`);
    if (/\n\s+at .*\(.*:\d+:\d+\)/u.test(run.stdout + run.stderr)) throw new Error(run.stderr);
  };

  it('arguments', FUZZ_TIMEOUT, async () => {
    const attempt = (input: Buffer): void => {
      // A NUL byte cannot be passed to a program.
      const argv = input.toString('utf8').replaceAll('\0', '').split(' ');
      if (argv.some((text) => /^(?:update|demo|loop|mcp|hook|work|watch|triage|agent)$/u.test(text))) return;
      const run = deed(argv, { home: home.path, cwd: scratch });
      check(run);
      if (run.code !== 0) expect(run.stdout === '' || JSON.parse(run.stdout)).toBeTruthy();
    };
    const corpus = bytes(CORPUS.argv);
    expect(await fuzz({ corpus, rounds: STARTS, check: attempt })).toBeGreaterThan(corpus.length);
  });

  it('JSON-RPC on standard input', FUZZ_TIMEOUT, async () => {
    const attempt = (input: Buffer): void => {
      const run = deed(['mcp', 'serve'], { home: home.path, cwd: scratch, input });
      check(run);
      if (run.code !== 0) throw new Error(`exit code ${run.code}: ${run.stdout}`);
    };
    const corpus = bytes(CORPUS.rpc);
    expect(await fuzz({ corpus, rounds: STARTS, check: attempt })).toBeGreaterThan(corpus.length);
  });
});
