import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { zstdDecompressSync } from 'node:zlib';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHome, deed, type Run } from '../fixtures/run-deed.ts';
import { vybe, type VybeRun } from '../fixtures/run-vybe.ts';

let home: ReturnType<typeof createHome>;
let pushes = 0;
beforeEach(() => {
  home = createHome();
  pushes = 0;
  for (let count = 0; count < 3; count += 1) expect(push().code).toBe(0);
});
afterEach(() => home.dispose());

const store = (): string => join(home.path, 'deed.db');
const run = (...argv: string[]): Run => deed(argv, { home: home.path });
function push(): VybeRun {
  pushes += 1;
  const json = JSON.stringify({ event: { kind: 'note', message: `message ${pushes}` } });
  return vybe(['push', '--agent', 'a', '--request-id', `r${pushes}`, '--json', json], { home: home.path });
}
const storeCheck = (): { status: string; fix: string } => {
  const { checks } = run('doctor').envelope.data as {
    checks: { check: string; status: string; fix: string }[];
  };
  return checks.find(({ check }) => check === 'store') ?? { status: 'none', fix: '' };
};
const removeStore = (): void => {
  for (const name of readdirSync(home.path).filter((file) => file.startsWith('deed.db')))
    rmSync(join(home.path, name));
};
/** Pushes while another process has the store open, which keeps the log; then the log is lost or replaced. */
const loseLog = (replace: (log: string) => void): void => {
  const other = new DatabaseSync(store());
  other.exec('SELECT count(*) FROM sqlite_schema');
  expect(push().code).toBe(0);
  const [file, log] = [store(), `${store()}-wal`];
  for (const name of [file, log]) copyFileSync(name, `${name}.old`);
  other.close();
  for (const name of [file, log, `${store()}-shm`]) rmSync(name, { force: true });
  copyFileSync(`${file}.old`, file);
  replace(log);
};
const restore = (...flags: string[]): Run => {
  const { envelope } = run('store', 'restore', ...flags, '--dry-run');
  if (!envelope.ok) return run('store', 'restore', ...flags, '--dry-run');
  return run('store', 'restore', ...flags, '--confirm', envelope.data.confirm_token as string, '--dangerous');
};
const messages = (): string[] =>
  (
    vybe(['events', 'list', '--all', '--asc'], { home: home.path }).answer.data.events as {
      message: string;
    }[]
  ).map(({ message }) => message);

it('a home without a store is not damaged', () => {
  const fresh = createHome();
  try {
    for (const flags of [[], ['--quick']])
      expect(deed(['store', 'check', ...flags], { home: fresh.path }).envelope.data).toMatchObject({
        sound: true,
      });
  } finally {
    fresh.dispose();
  }
});

describe('a store that lost its writes', () => {
  it.each([
    ['removed', removeStore],
    [
      'emptied',
      () => {
        removeStore();
        writeFileSync(store(), '', { mode: 0o600 });
      },
    ],
    [
      'replaced by an older copy',
      () => {
        copyFileSync(store(), `${store()}.old`);
        push();
        removeStoreFiles();
        copyFileSync(`${store()}.old`, store());
      },
    ],
    ['left by a killed process without its write-ahead log', () => loseLog(() => undefined)],
    [
      'left by a killed process with a cut write-ahead log',
      () => loseLog((log) => writeFileSync(log, readFileSync(`${log}.old`).subarray(0, 5000))),
    ],
  ])('and was %s is reported by doctor, store check and the next write', (_how, lose) => {
    lose();
    const check = storeCheck();
    expect([check.status, check.fix]).toEqual(['fail', expect.stringContaining('store restore')]);
    const checked = run('store', 'check');
    expect([checked.code, checked.envelope.error?.code]).toEqual([1, 'E_DAMAGED']);
    const { answer } = push();
    expect([answer.success, answer.error_code]).toEqual([false, 'E_DAMAGED']);
    expect(answer.suggested_action).toContain('--accept-loss');
  });

  it('is reported without its record, by the newest copy', () => {
    rmSync(join(home.path, 'stores'), { recursive: true });
    removeStore();
    expect(push().answer.error_code).toBe('E_DAMAGED');
    expect(run('store', 'check').envelope.error?.code).toBe('E_DAMAGED');
    expect(restore('--accept-loss').code).toBe(0);
    expect(push().code).toBe(0);
  });

  it('is reported after the home was moved', () => {
    const moved = join(home.path, 'moved');
    mkdirSync(moved, { mode: 0o700 });
    for (const name of ['stores', 'audit', 'audit.anchor'])
      cpSync(join(home.path, name), join(moved, name), { recursive: true });
    expect(deed(['store', 'check'], { home: moved }).envelope.error?.code).toBe('E_DAMAGED');
  });

  it('is reported to the agent at the start of its session', () => {
    const start = (): string => {
      const input = JSON.stringify({ session_id: 's1', cwd: '/src/app', source: 'startup' });
      const { code, stdout } = vybe(['hook', 'session-start'], { home: home.path, input });
      expect(code).toBe(0);
      const output = JSON.parse(stdout) as { hookSpecificOutput: { additionalContext: string } };
      return output.hookSpecificOutput.additionalContext;
    };
    expect(start()).toMatch(/^You continue recorded work/u);
    removeStore();
    const context = start();
    expect(context).toMatch(/^Tell the user .*deed store restore --dry-run.* has lost data: /u);
    expect(context).toContain('\n\nYou continue recorded work');
  });

  it('continues with --accept-loss, which lists the lost writes', () => {
    removeStore();
    const { code, envelope } = restore('--accept-loss');
    expect([code, envelope.data.from, envelope.data.missing_count]).toEqual([0, null, 3]);
    expect(envelope.data.missing.map((write: { request_id: string }) => write.request_id)).toEqual([
      'r3',
      'r2',
      'r1',
    ]);
    expect(push().code).toBe(0);
    expect(storeCheck().status).toBe('pass');
    expect(messages()).toEqual(['message 4']);
  });

  it('of another path is restored only from a file that is passed', () => {
    const [other, copy] = [join(home.path, 'other.db'), join(home.path, 'copy.db')];
    copyFileSync(join(home.path, 'backups', backups()[0] ?? ''), copy);
    expect(restore('--db-path', other).envelope.error?.code).toBe('E_NOT_FOUND');
    const { code, envelope } = restore('--db-path', other, '--from', copy);
    expect([code, envelope.data.path, envelope.data.kept_as]).toEqual([0, other, null]);
  });

  it('is restored from the newest automatic backup, and the answer lists what the backup lacks', () => {
    const [backup] = backups();
    expect(backup).toBeDefined();
    removeStore();
    const { code, envelope } = restore();
    expect([code, envelope.data.from]).toEqual([0, join(home.path, 'backups', backup ?? '')]);
    // The backup was made after the first write.
    expect(envelope.data.missing.map((write: { request_id: string }) => write.request_id)).toEqual([
      'r3',
      'r2',
    ]);
    expect(messages()).toEqual(['message 1']);
    expect([push().code, storeCheck().status]).toEqual([0, 'pass']);
  });

  it.each(['a pipe', 'a folder'])('is not restored from %s', (kind) => {
    const file = join(home.path, 'odd');
    if (kind === 'a pipe') spawnSync('mkfifo', [file]);
    else mkdirSync(file);
    expect(restore('--from', file).envelope.error?.code).toBe('E_VALIDATION');
    expect(run('task', 'list', '--db-path', file).envelope.error?.code).toBe('E_CONFIG');
  });

  it('is restored from a file with a write-ahead log, including what only the log contains', () => {
    const file = join(home.path, 'mine.db');
    const reader = new DatabaseSync(store(), { readOnly: true });
    reader.exec('BEGIN; SELECT count(*) FROM events');
    push();
    for (const suffix of ['', '-wal']) copyFileSync(`${store()}${suffix}`, `${file}${suffix}`);
    reader.close();
    expect(restore('--from', file).envelope.data.last_event_id).toBe('4');
    expect(push().code).toBe(0);
    expect(messages()).toHaveLength(5);
  });

  it('is not replaced while another process has it open', () => {
    const reader = new DatabaseSync(store(), { readOnly: true });
    reader.exec('BEGIN; SELECT count(*) FROM events');
    expect(restore().envelope.error).toMatchObject({ code: 'E_CONFLICT', details: { reason: 'in-use' } });
    reader.close();
    expect(messages()).toHaveLength(3);
    expect(restore().code).toBe(0);
  });

  it('is restored from a given file', () => {
    const file = join(home.path, 'mine.db');
    const preview = run('store', 'backup', '--to', file, '--dry-run');
    run('store', 'backup', '--to', file, '--confirm', preview.envelope.data.confirm_token as string);
    truncateSync(store(), 5000);
    const { code, envelope } = restore('--from', file);
    expect([code, envelope.data.missing_count]).toEqual([0, 0]);
    expect(existsSync(envelope.data.kept_as as string)).toBe(true);
    expect(messages()).toEqual(['message 1', 'message 2', 'message 3']);
    expect(restore('--from', join(home.path, 'missing.db')).envelope.error?.code).toBe('E_NOT_FOUND');
  });

  function removeStoreFiles(): void {
    for (const name of ['deed.db', 'deed.db-wal', 'deed.db-shm'])
      rmSync(join(home.path, name), { force: true });
  }
});

describe('a store with a changed byte in old data', () => {
  it('is reported, and does not replace the intact backups', () => {
    const bytes = readFileSync(store());
    const at = bytes.indexOf('message 1');
    expect(at).toBeGreaterThan(0);
    bytes[at] = 'M'.charCodeAt(0);
    writeFileSync(store(), bytes);
    const { code, envelope } = run('store', 'check');
    expect([code, envelope.error?.code]).toEqual([1, 'E_DAMAGED']);
    expect(envelope.error?.message).toContain('row 1 of events differs from the backup');
    makeDue();
    const { stderr } = push();
    expect(stderr).toContain('not backed up');
    expect(backups()).toHaveLength(1);
  });
});

describe('automatic backups', () => {
  it('are ordered by what they contain, not by the clock', () => {
    const [first = ''] = backups();
    const early = join(home.path, 'backups', first.replace(/-\d{8}T/u, '-20990101T'));
    renameSync(join(home.path, 'backups', first), early);
    makeDue();
    push();
    const { envelope } = run('store', 'restore', '--dry-run');
    const { after } = envelope.data.preview.changes[0];
    expect([after.from === early, after.last_event_id]).toEqual([false, '4']);
  });

  it('that are damaged are not used, and the next one replaces them', () => {
    makeDue();
    push();
    const [first = '', second = ''] = backups();
    truncateSync(join(home.path, 'backups', second), 600);
    expect(run('store', 'check').code).toBe(0);
    const { envelope } = run('store', 'restore', '--dry-run');
    expect(envelope.data.preview.changes[0].after.from).toBe(join(home.path, 'backups', first));
    makeDue();
    expect(push().stderr).toBe('');
    expect(backups().filter((name) => name.endsWith('.damaged.db.zst'))).toHaveLength(1);
    expect(backups()).toHaveLength(3);
  });

  it('are those of the home, not of another store', () => {
    const other = join(home.path, 'other.db');
    rmSync(join(home.path, 'backups'), { recursive: true });
    const json = JSON.stringify({ event: { kind: 'note', message: 'elsewhere' } });
    const env = { VYBE_DB_PATH: other };
    vybe(['push', '--agent', 'a', '--request-id', 'o1', '--json', json], { home: home.path, env });
    expect(existsSync(join(home.path, 'backups'))).toBe(false);
    push();
    expect([run('store', 'check').code, backups().length]).toEqual([0, 1]);
  });

  it('are made once a day, and the setting limits their number', () => {
    expect(backups()).toHaveLength(1);
    for (let day = 0; day < 3; day += 1) {
      makeDue();
      push();
    }
    expect(backups()).toHaveLength(4);
    const { envelope } = run('config', 'set', 'store.backups', '2', '--dry-run');
    run('config', 'set', 'store.backups', '2', '--confirm', envelope.data.confirm_token as string);
    makeDue();
    push();
    expect(backups()).toHaveLength(2);
    push();
    expect(backups()).toHaveLength(2);
  });

  it('take 256 MB together, and the newest one stays', () => {
    for (let day = 0; day < 2; day += 1) {
      makeDue();
      push();
    }
    const [first = '', second = '', third = ''] = backups();
    for (const name of [first, second]) truncateSync(join(home.path, 'backups', name), 200 * 1024 ** 2);
    makeDue();
    push();
    expect(backups()).toEqual([second, third, expect.any(String)]);
    // A store above four gigabytes is not copied.
    truncateSync(store(), 5 * 1024 ** 3);
    makeDue();
    push();
    expect(backups()).toHaveLength(3);
    const { checks } = run('doctor').envelope.data;
    const found = checks.find(({ check: name }: { check: string }) => name === 'store');
    expect([found.status, found.message]).toEqual([
      'warn',
      expect.stringContaining(`/backups/${backups()[2]}`),
    ]);
  });

  it('are compressed, and copies of earlier versions are read too', () => {
    const [copy = ''] = backups();
    const packed = join(home.path, 'backups', copy);
    expect(statSync(packed).size).toBeLessThan(statSync(store()).size / 5);
    const earlier = packed.replace(/\.zst$/u, '');
    writeFileSync(earlier, unpack(readFileSync(packed)), { mode: 0o600 });
    rmSync(packed);
    removeStore();
    const { code, envelope } = restore();
    expect([code, envelope.data.from]).toEqual([0, earlier]);
    expect(messages()).toEqual(['message 1']);
    makeDue();
    expect([push().stderr, run('store', 'check').code]).toEqual(['', 0]);
    expect(readdirSync(join(home.path, 'backups')).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('that are all damaged are reported as damaged, with what to do', () => {
    const copy = join(home.path, 'backups', backups()[0] ?? '');
    const bytes = readFileSync(copy);
    bytes[400] = (bytes[400] ?? 0) ^ 4;
    writeFileSync(copy, bytes);
    for (const flags of [[], ['--from', copy]]) {
      const { error } = restore(...flags).envelope;
      expect([error?.code, error?.details]).toEqual([
        'E_DAMAGED',
        expect.objectContaining({ path: copy, hint: expect.stringContaining('--from') }),
      ]);
    }
  });

  it('of a large store are made by another process, and the next call makes one that was not finished', async () => {
    enlarge();
    makeDue();
    expect(push().stderr).toBe('');
    while (backups().length < 2) await sleep(50);
    while (existsSync(join(home.path, 'backups', 'problem'))) await sleep(50);
    expect(restore().envelope.data.last_event_id).toBe('4');
    // A process that was killed leaves the note that it began.
    const note = join(home.path, 'backups', 'problem');
    writeFileSync(note, '');
    const before = new Date(Date.now() - 2 * 60 * 60 * 1000);
    utimesSync(note, before, before);
    expect(storeCheck().status).toBe('warn');
    makeDue();
    push();
    expect([backups().length, existsSync(note), storeCheck().status]).toEqual([3, false, 'pass']);
  });

  it('are neither made nor removed by the process that copies, if it is started by hand', () => {
    makeDue();
    push();
    const before = backups();
    expect(before).toHaveLength(2);
    for (const argv of [[], ['0', '0'], ['x', 'y']]) {
      const { code } = deed(['__copy-store', ...argv], { home: home.path, ownProcess: true });
      expect(code).toBe(0);
      expect(backups()).toEqual(before);
    }
  });

  it('of a large store that is damaged are not made, which doctor and the next day report', async () => {
    enlarge();
    const bytes = readFileSync(store());
    bytes[bytes.indexOf('message 1')] = 'M'.charCodeAt(0);
    writeFileSync(store(), bytes);
    makeDue();
    push();
    const note = join(home.path, 'backups', 'problem');
    while (!existsSync(note) || readFileSync(note, 'utf8') === '') await sleep(50);
    expect(run('doctor').stdout).toContain('row 1 of events differs from the backup');
    makeDue();
    expect(push().stderr).toContain('row 1 of events differs from the backup');
    expect(backups()).toHaveLength(1);
  });
});

/** Makes the store larger than what a call copies itself. */
function enlarge(): void {
  const connection = new DatabaseSync(store());
  connection.exec(
    'CREATE TABLE large (bytes BLOB); INSERT INTO large VALUES (zeroblob(20000000)); PRAGMA wal_checkpoint(TRUNCATE)',
  );
  connection.close();
}

/** Decompresses a copy without the program: the lengths are in skippable frames. */
function unpack(bytes: Buffer): Buffer {
  const frame = bytes.subarray(16, 16 + bytes.readUInt32LE(8));
  return zstdDecompressSync(frame);
}

function backups(): string[] {
  return readdirSync(join(home.path, 'backups'))
    .filter((name) => /\.db(?:\.zst)?$/u.test(name))
    .sort();
}

/** Moves the last backup to two days ago. */
function makeDue(): void {
  const before = new Date(Date.now() - 2 * 24 * 60 * 60 * 1000);
  utimesSync(join(home.path, 'backups', 'pruned'), before, before);
}
