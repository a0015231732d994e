import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ECHO, echoStep, runAgent } from '../../../test/fixtures/agent-session.ts';
import type { SessionSnapshot } from './session-snapshot.ts';
import { writeSnapshot } from './write-snapshot.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'snapshots-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const read = (path: string) => JSON.parse(gunzipSync(readFileSync(path)).toString()) as SessionSnapshot;

describe('a session snapshot', () => {
  it('is saved after every turn and at the end: one private, compressed, complete file per session', async () => {
    const turns: number[] = [];
    const { result } = await runAgent({
      steps: [echoStep('a'), echoStep('b'), { report: 'done' }],
      tools: [ECHO],
      ports: {
        saveSnapshot: (snapshot) => {
          turns.push(read(writeSnapshot(folder, snapshot)).turn);
        },
      },
    });
    expect(turns).toEqual([1, 2, 3]);
    expect(readdirSync(folder)).toEqual([`${result.txnId}.json.gz`]);
    const path = join(folder, `${result.txnId}.json.gz`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(read(path)).toMatchObject({
      version: 1,
      agentId: 'tester',
      txnId: result.txnId,
      conversation: result.conversation,
      accounting: result.accounting,
      result: { success: true, finalReport: { content: 'done' } },
    });
  });

  it('contains no secrets', async () => {
    const key = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789';
    let path = '';
    await runAgent({
      steps: [{ failure: { class: 'auth', message: `the key ${key} is invalid` } }],
      userPrompt: `my key is ${key}`,
      ports: {
        saveSnapshot: (snapshot) => {
          path = writeSnapshot(folder, snapshot);
        },
      },
    });
    expect(JSON.stringify(read(path))).not.toContain(key);
  });
});
