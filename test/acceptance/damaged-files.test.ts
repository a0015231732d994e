import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createDamagedHome,
  damageFile,
  DAMAGES,
  FOREIGN,
  replaceByForeign,
  replaceByPipe,
  type Damage,
  type DamagedHome,
  type Foreign,
} from '../fixtures/damaged-home.ts';
import { AGENT_CONFIG } from '../fixtures/damaged-home-parts.ts';
import type { Run } from '../fixtures/run-deed.ts';
import { LONG } from '../fixtures/start-node.ts';
import { item } from '../fixtures/work-bench.ts';

let home: DamagedHome;
/** The connection file of a killed "web", which the next "web" removes. */
let connection: { readonly path: string; readonly bytes: Buffer };
beforeAll(async () => {
  home = await createDamagedHome();
  const path = join(home.bench.home, home.kinds.get('web/http-*.json') ?? '');
  connection = { path, bytes: readFileSync(path) };
});
beforeEach(() => writeFileSync(connection.path, connection.bytes, { mode: 0o600 }));
afterAll(() => home.bench.dispose());

const MAX_MS = 60_000;
/** The whole table has about 5,000 calls. */
const MATRIX_MS = 3_600_000;

/** The commands that read files of the home, by a short name. */
const commands = (): Record<string, readonly string[]> => {
  const { run, waiting, job, session, agentSession } = home.ids;
  return {
    doctor: ['doctor'],
    'config list': ['config', 'list'],
    'audit verify': ['audit', 'verify'],
    'store check': ['store', 'check'],
    'task list': ['task', 'list'],
    'task create': ['task', 'create', '--title', 'y', '--dry-run'],
    'config set': ['config', 'set', 'list.limit', '7', '--request-id', 'request-1'],
    'work list': ['work', 'list'],
    'work show': ['work', 'show', run],
    'work show waiting': ['work', 'show', waiting],
    'work status': ['work', 'status', job],
    'work result': ['work', 'result', job],
    'work graph': ['work', 'graph', '--id', job],
    'work replay': ['work', 'replay', run],
    'work rollback': ['work', 'rollback', run, '--dry-run'],
    'work approve': ['work', 'approve', waiting, '--dry-run'],
    'work recover': ['work', 'recover', '--dry-run'],
    'work gc': ['work', 'gc', '--dry-run'],
    gc: ['gc', '--dry-run'],
    'receipt list': ['receipt', 'list'],
    'receipt show': ['receipt', 'show', run],
    'receipt verify': ['receipt', 'verify'],
    'receipt signers': ['receipt', 'signers'],
    'triage sessions': ['triage', 'sessions'],
    'triage status': ['triage', 'status', '--session', session],
    'triage export': ['triage', 'export', '--session', session],
    'triage protect list': ['triage', 'protect', 'list'],
    'agent sessions list': ['agent', 'sessions', 'list'],
    'agent sessions show': ['agent', 'sessions', 'show', agentSession],
    'agent sessions prune': ['agent', 'sessions', 'prune', '--dry-run'],
    'agent run': ['agent', 'run', '--resume', agentSession, 'More.', '--dry-run'],
    'agent tools': ['agent', 'tools', '--tools', 'remote', '--config', AGENT_CONFIG],
    'setup check': ['setup', '--check'],
    'setup undo': ['setup', 'undo', '--dry-run'],
    web: ['web', '--stop-after', '1s'],
    status: ['status'],
    overview: ['overview'],
  };
};

/** Settings and trust decide what a command may do, so none runs without them. */
const EDITED_FILES = /^(?:config|trust)\.json/u;

/** Commands that must succeed with any damaged file but their own: one damaged run or session does not hide the others. */
const LISTS: Readonly<Record<string, RegExp>> = {
  'work list': EDITED_FILES,
  'triage sessions': EDITED_FILES,
  'agent sessions list': EDITED_FILES,
  'receipt list': /^(?:(?:config|trust)\.json|runs\/chain\.jsonl|keys\/receipts\.pub\.pem)/u,
  'work recover': /^(?:(?:config|trust)\.json|confirm\.secret)/u,
  'work gc': /^(?:(?:config|trust)\.json|confirm\.secret)/u,
  'task list': /^(?:(?:config|trust)\.json|deed\.db)/u,
  overview: EDITED_FILES,
  gc: /^(?:(?:config|trust)\.json|confirm\.secret)/u,
  'agent sessions prune': /^(?:(?:config|trust)\.json|confirm\.secret)/u,
};

interface Expected {
  /** Commands that report the damage as E_DAMAGED. */
  readonly reports: readonly string[];
  /** Damages that give another code: what is gone is unknown, or the rest is still valid. */
  readonly except?: Partial<Record<Damage, string>>;
}

const GONE = { removed: 'E_NOT_FOUND' } as const;

/** People edit these files, so they have no checksum; without one the defaults apply. */
const EDITED = { cut: 'E_CONFIG', emptied: 'E_CONFIG', flipped: 'any', removed: 'ok' } as const;

/** What each kind of file must lead to. */
const EXPECTED: Readonly<Record<string, Expected>> = {
  'runs/*/RECEIPT.json': {
    reports: ['work show', 'work result', 'work replay', 'work rollback', 'receipt show', 'receipt verify'],
  },
  'runs/*/capsule.json': { reports: ['receipt verify'] },
  'runs/*/replay.sh': { reports: ['receipt verify'] },
  'runs/*/changes.json': { reports: ['work show', 'work replay', 'work rollback', 'receipt verify'] },
  'runs/*/item.json': { reports: ['work show', 'work replay', 'work rollback', 'receipt verify'] },
  'runs/*/result.json': { reports: ['work show', 'work result', 'receipt verify'] },
  'runs/*/receipt.dsse.json': { reports: ['receipt show', 'receipt verify'] },
  'runs/*/draft.json': { reports: ['work show waiting'], except: GONE },
  'runs/*/state.json': { reports: ['work show waiting'] },
  'jobs/*/job.json': { reports: ['work status', 'work result', 'work graph'], except: GONE },
  'keys/receipts.head.json': { reports: ['receipt verify'] },
  'keys/receipts.pub.pem': { reports: ['receipt verify'] },
  // A file of a person, who copied the key: any 32 bytes are one.
  'keys/trusted/*': {
    reports: ['receipt signers'],
    except: { flipped: 'any', swapped: 'any', removed: 'ok' },
  },
  'runs/chain.jsonl': { reports: ['receipt verify'] },
  'work/manifests/*': { reports: ['work replay'] },
  'work/snapshots/*.json': { reports: ['work replay'], except: GONE },
  'work/objects/run-*.pack': { reports: ['work replay'] },
  // The middle may be content that another pack has too.
  'work/objects/snapshot-*.pack': { reports: ['work replay'], except: { flipped: 'any' } },
  'triage/sessions/*/manifest.json': { reports: ['triage status', 'triage export'], except: GONE },
  'triage/sessions/*/plan.json': { reports: ['triage status', 'triage export'], except: { removed: 'ok' } },
  'triage/sessions/*/snapshot.json': { reports: ['triage export'], except: { removed: 'ok' } },
  'triage/sessions/*/audit.jsonl': { reports: ['triage export'] },
  // Earlier versions wrote none.
  'triage/sessions/*/audit.count.json': { reports: ['triage export'], except: { removed: 'ok' } },
  'triage/seal.key': { reports: ['triage status'] },
  // A cut file ends like that of a killed process, and one line that is complete is enough for the list.
  'sessions/*.jsonl': {
    reports: ['agent sessions show', 'agent run'],
    except: { ...GONE, cut: 'any', emptied: 'any' },
  },
  // Without a stored sign-in, the server is called unauthenticated.
  'sign-ins/*.json': { reports: ['agent tools'], except: { removed: 'E_CONFIG' } },
  'triage/steering.json': { reports: ['triage protect list'], except: { removed: 'ok' } },
  'config.json': { reports: ['config list'], except: EDITED },
  'trust.json': { reports: ['config list'], except: EDITED },
  // Rows are compared with the newest backup; the middle may be free space, or newer than the backup.
  'deed.db': { reports: ['store check'], except: { flipped: 'any' } },
  'keys/marks.key': { reports: ['work replay'], except: { flipped: 'any', removed: 'ok' } },
  'audit/audit-*.jsonl': { reports: ['audit verify'] },
  'audit/chain.key': { reports: ['audit verify'] },
  'audit/head.json': { reports: ['audit verify'] },
  'setup.json': { reports: ['setup undo'], except: { removed: 'any' } },
  'confirm.secret': { reports: ['task create'], except: { flipped: 'any', removed: 'ok' } },
  'requests/*.json': {
    reports: ['config set'],
    except: { cut: 'E_CONFLICT', flipped: 'E_CONFLICT', emptied: 'E_CONFLICT', removed: 'any' },
  },
};

/** Kinds that are written again or left out without an error: markers, caches, logs that nothing is read from, and second records. */
const WITHOUT_REPORT: ReadonlySet<string> = new Set([
  'accounting.jsonl',
  // Only its existence counts: the audit log cannot be removed as a whole without it.
  'audit.anchor',
  'backups/deed-*.db.zst',
  'backups/pruned',
  'jobs/*/lock',
  'mcp/http-*.json',
  'pruned',
  'requests/pruned',
  'retention.json',
  'runs/*/output.ndjson',
  // Only its existence counts, and "work recover" looks at all runs.
  'runs/open/*',
  'runs/open/complete-since',
  'stores/*',
  // Written by a plan only if the machine has a candidate; a damaged one counts as an exhausted budget.
  'triage/budget.json',
  'triage/first-session',
  'triage/last-look.json',
  'web/http-*.json',
  'work/objects/run-*.rollback.pack',
  'work/probe.json',
  'work/trees/*/epoch.json',
  'work/trees/*/journals/*.done',
  'work/trees/*/journals/*.rollback.done',
  'work/trees/*/stats',
  'work/workspaces/*/workspace.json',
]);

/** Keys and their files, which doctor checks before they are used. */
const DOCTOR: Readonly<Record<string, string>> = {
  'keys/receipts.key.pem': 'receipts',
  'keys/receipts.pub.pem': 'receipts',
  'keys/receipts.head.json': 'receipts',
  'triage/seal.key': 'triage_key',
};

function codeOf(run: Run): string {
  const { ok, error } = run.envelope;
  return ok ? 'ok' : (error?.code ?? '');
}

/** What is wrong with an answer, for any damage. */
function problemOf(name: string, kind: string, run: ReturnType<DamagedHome['ask']>): string | undefined {
  const code = codeOf(run);
  if (run.took > MAX_MS) return `${run.took} ms`;
  if (code === 'E_UNKNOWN') return run.envelope.error?.message ?? code;
  if (code !== 'ok' && LISTS[name]?.test(kind) === false) return `${code}, but the rest can be listed`;
  const details: Record<string, unknown> = run.envelope.error?.details ?? {};
  if (code === 'E_DAMAGED' && !details.hint) return 'no hint';
  const isNamed = details.path !== undefined || details.problems !== undefined || details.paths !== undefined;
  return code === 'E_DAMAGED' && !isNamed ? `no path: ${run.envelope.error?.message}` : undefined;
}

/** Damages a file, asks commands, and restores it; returns everything that is wrong. */
function check(kind: string, file: string, damage: Damage): readonly string[] {
  const restore = damageFile(home.bench.home, file, damage);
  if (restore === undefined) return [];
  try {
    const all = commands();
    const { reports = [], except = {} } = EXPECTED[kind] ?? {};
    const asked = LONG
      ? Object.keys(all)
      : [...reports, ...(DOCTOR[kind] ? ['doctor'] : []), ...listOf(kind)];
    const row: string[] = [];
    const wrong = [...new Set(asked)].flatMap((name) => {
      const run = home.ask(...(all[name] ?? []));
      row.push(`${name}=${codeOf(run)}`);
      const expected = reports.includes(name) ? (except[damage] ?? 'E_DAMAGED') : 'any';
      const problem =
        problemOf(name, kind, run) ??
        (expected !== 'any' && codeOf(run) !== expected
          ? `${codeOf(run)} instead of ${expected}`
          : undefined) ??
        (name === 'doctor' ? doctorProblem(kind, run) : undefined);
      return problem === undefined ? [] : [`${kind} ${damage}: ${name}: ${problem}`];
    });
    if (LONG)
      console.log(`${kind} | ${damage} | ${row.filter((cell) => !cell.endsWith('=ok')).join(' ') || '—'}`);
    return wrong;
  } finally {
    restore();
  }
}

/** The connection file first, before a command removes it, and the audit log last, because all commands append to it. */
function inOrder(kinds: readonly string[]): readonly string[] {
  const rankOf = (kind: string): number => Number(kind.startsWith('audit')) - Number(kind.startsWith('web'));
  return [...kinds].sort((a, b) => rankOf(a) - rankOf(b));
}

/** In the short version, the list that shows files of this kind. */
function listOf(kind: string): readonly string[] {
  if (kind.startsWith('triage/')) return ['triage sessions'];
  return /^(?:runs|jobs|keys)\//u.test(kind) ? ['work list'] : [];
}

function doctorProblem(kind: string, run: Run): string | undefined {
  const name = DOCTOR[kind];
  if (name === undefined) return undefined;
  const found = run.envelope.data.checks.find(({ check: own }: { check: string }) => own === name);
  return found?.status === 'fail' && found.fix ? undefined : `does not report ${name}`;
}

/** Commands that waited without end for a named pipe in the place of a file of this kind. */
const WAITED: Readonly<Record<string, readonly string[]>> = {
  'audit/audit-*.jsonl': ['audit verify'],
  'keys/marks.key': ['doctor', 'work replay'],
  'runs/*/output.ndjson': ['work log'],
  'runs/*/receipt.dsse.json': ['work recover'],
  'stores/*': ['doctor', 'store check'],
  'work/manifests/*': ['work replay'],
};

/** Every command refuses a home in which one of these files is a link: others could have placed it. */
const NEVER_A_LINK = new Set(['confirm.secret', 'deed.db', 'audit/chain.key', 'audit/head.json']);

/** A manifest has no maximum size, so a large one is read to its end, which takes seconds; the long suite does that. */
const isSlow = (kind: string, foreign: Foreign): boolean =>
  !LONG && kind === 'work/manifests/*' && foreign === 'large';

/** Commands that report a folder, a loop of links or a very large file in the place of a file of this kind. */
const REPLACED: Readonly<Record<string, readonly string[]>> = {
  // Recovery repairs them.
  'keys/receipts.head.json': [],
  'keys/receipts.key.pem': [],
  'keys/receipts.pub.pem': [],
  'runs/*/receipt.dsse.json': [],
  'runs/*/RECEIPT.json': ['work show', 'receipt show', 'receipt verify'],
  'runs/*/changes.json': ['receipt verify'],
  'runs/*/state.json': ['work show waiting'],
  'work/manifests/*': ['work replay'],
  'work/objects/run-*.pack': ['work replay'],
};

describe('damaged files of the home', () => {
  it(
    'that are named pipes keep no command waiting',
    () => {
      const all: ReturnType<typeof commands> = { ...commands(), 'work log': ['work', 'log', home.ids.run] };
      const kinds = inOrder(LONG ? [...home.kinds.keys()] : Object.keys(WAITED));
      const wrong = kinds.flatMap((kind) => {
        const restore = replaceByPipe(home.bench.home, home.kinds.get(kind) ?? '');
        try {
          return (LONG ? Object.keys(all) : (WAITED[kind] ?? [])).flatMap((name) => {
            const run = home.askBounded(...(all[name] ?? []));
            const isWrong = run.took > MAX_MS || run.stdout.includes('E_UNKNOWN');
            return isWrong ? [`${kind}: ${name}: ${run.stdout} after ${run.took} ms`] : [];
          });
        } finally {
          restore();
        }
      });
      expect(wrong).toEqual([]);
    },
    MATRIX_MS,
  );

  it(
    'that are folders, loops of links or very large are damaged like changed ones, and the rest stays usable',
    () => {
      const all: ReturnType<typeof commands> = {
        ...commands(),
        'work diff': ['work', 'diff', home.ids.run],
      };
      const kinds = inOrder(LONG ? [...home.kinds.keys()] : Object.keys(REPLACED));
      // Each kind is asked for by every list, each time with another of the three damages.
      const rotating = ['work list', 'work gc', 'overview'];
      const wrong = kinds.flatMap((kind, index) =>
        FOREIGN.flatMap((foreign, at) => {
          if (isSlow(kind, foreign)) return [];
          const restore = replaceByForeign(home.bench.home, home.kinds.get(kind) ?? '', foreign);
          try {
            const reports = REPLACED[kind] ?? [];
            const lists = ['work recover', rotating[(index + at) % rotating.length] ?? ''].filter(
              (name) => LISTS[name]?.test(kind) === false,
            );
            return [...new Set([...(LONG ? Object.keys(all) : lists), ...reports])].flatMap((name) => {
              // Only a large file needs bounded memory.
              const run = (foreign === 'large' ? home.askBounded : home.ask)(...(all[name] ?? []));
              const code = codeOf(run);
              if (foreign === 'loop' && NEVER_A_LINK.has(kind) && code === 'E_CONFIG') return [];
              const problem =
                problemOf(name, kind, run) ??
                (reports.includes(name) && code !== 'E_DAMAGED' ? `${code} instead of E_DAMAGED` : undefined);
              return problem === undefined ? [] : [`${kind} ${foreign}: ${name}: ${problem}`];
            });
          } finally {
            restore();
          }
        }),
      );
      expect(wrong).toEqual([]);
    },
    MATRIX_MS,
  );

  it('that contain the content of a change are named by its diff', () => {
    const pack = home.kinds.get('work/objects/run-*.pack') ?? '';
    const restore = damageFile(home.bench.home, pack, 'cut');
    const { files } = home.ask('work', 'diff', home.ids.run).envelope.data;
    expect(files.map(({ omitted }: { omitted?: string }) => omitted ?? '').join()).toContain(
      `${home.bench.home}/${pack} is damaged`,
    );
    restore?.();
  });

  it('that are an audit log full of zeros cost a call little time', () => {
    const restore = replaceByForeign(home.bench.home, home.kinds.get('audit/audit-*.jsonl') ?? '', 'large');
    // It took half a minute of processor time and 3 GB.
    expect(home.askBounded('config', 'list').took).toBeLessThan(15_000);
    expect(codeOf(home.askBounded('audit', 'verify'))).toBe('E_DAMAGED');
    restore();
  });

  it('that are the log of a run are reported, even if each line still parses', () => {
    const path = join(home.bench.home, 'runs', home.ids.run, 'output.ndjson');
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.toString('utf8').replace(/("at":"\d{3})\d/u, '$18'));
    expect(readFileSync(path).equals(bytes)).toBe(false);
    expect(home.ask('work', 'log', home.ids.run).stdout).toContain('E_DAMAGED');
    writeFileSync(path, bytes);
  });

  it('of a waiting run do not hide it from the overview', () => {
    const restore = damageFile(home.bench.home, `runs/${home.ids.waiting}/state.json`, 'cut');
    const { waiting } = home.ask('overview').envelope.data;
    expect(waiting).toContainEqual(
      expect.objectContaining({ id: home.ids.waiting, command: `deed work show ${home.ids.waiting}` }),
    );
    restore?.();
  });

  it('of a job do not stop the overview, which names the job', () => {
    const { job } = home.ids;
    const restore = damageFile(home.bench.home, `jobs/${job}/job.json`, 'cut');
    const { waiting } = home.ask('overview').envelope.data;
    expect(waiting).toContainEqual(
      expect.objectContaining({ kind: 'job', id: job, command: `deed work status --id ${job}` }),
    );
    restore?.();
  });

  it('that are the log of a triage session are reported, even if only whole lines are missing', () => {
    const name = home.kinds.get('triage/sessions/*/audit.jsonl') ?? '';
    const path = join(home.bench.home, name);
    const bytes = readFileSync(path);
    const lines = bytes.toString('utf8').trimEnd().split('\n');
    for (const kept of [lines.slice(0, -1), []]) {
      writeFileSync(path, kept.map((line) => `${line}\n`).join(''));
      expect(codeOf(home.ask('triage', 'export', '--session', home.ids.session))).toBe('E_DAMAGED');
    }
    writeFileSync(path, bytes);
  });

  it(
    'of every kind lead to a code and a hint, in bounded time and memory, and the rest stays usable',
    () => {
      expect([...home.kinds.keys()].filter((kind) => kind in EXPECTED).sort()).toEqual(
        Object.keys(EXPECTED).sort(),
      );
      const unlisted = [...home.kinds.keys()].filter(
        (kind) => !(kind in EXPECTED) && !(kind in DOCTOR) && !WITHOUT_REPORT.has(kind),
      );
      expect(unlisted).toEqual([]);
      const wrong = inOrder([...home.kinds.keys()]).flatMap((kind, index) => {
        const file = home.kinds.get(kind) ?? '';
        const isChecked = kind in EXPECTED || kind in DOCTOR;
        const damages = LONG
          ? DAMAGES
          : DAMAGES.filter((_, at) => isChecked && at === index % DAMAGES.length);
        return damages.flatMap((damage) => check(kind, file, damage));
      });
      expect(wrong).toEqual([]);
    },
    MATRIX_MS,
  );

  it('appear in lists as damaged, with what is known about them', () => {
    for (const name of ['RECEIPT.json', 'item.json']) {
      const restore = damageFile(home.bench.home, `runs/${home.ids.run}/${name}`, 'cut');
      const { items } = home.bench.deed(['work', 'list', '--status', 'damaged']).envelope.data;
      expect(items).toMatchObject([{ run_id: home.ids.run, status: 'damaged', root: home.bench.tree }]);
      expect(items[0].problem).toContain(`${home.ids.run}/${name}`);
      const { damaged } = home.bench.confirmed('work', 'recover').envelope.data;
      expect(damaged).toMatchObject([{ run_id: home.ids.run }]);
      // What a run needs is unknown without its receipt, so nothing is deleted.
      const damaged_runs = name === 'RECEIPT.json' ? 1 : 0;
      expect(home.bench.confirmed('work', 'gc').envelope.data).toMatchObject({ damaged_runs, packs: 0 });
      restore?.();
    }
    expect(home.ask('work', 'replay', home.ids.run).envelope.data).toMatchObject({ grade: 'exact' });
  });

  it('of the chain of receipts are rebuilt by recovery', () => {
    for (const damage of LONG
      ? (['cut', 'flipped', 'emptied', 'removed'] as const)
      : (['flipped', 'removed'] as const)) {
      damageFile(home.bench.home, 'runs/chain.jsonl', damage);
      const { repaired } = home.bench.confirmed('work', 'recover').envelope.data;
      expect([damage, repaired]).toMatchObject([damage, [{ path: `${home.bench.home}/runs/chain.jsonl` }]]);
      expect(codeOf(home.ask('receipt', 'verify'))).toBe('ok');
    }
  });
});

it('a damaged key of the marks of runs is reported by doctor, with what its removal means', () => {
  const restore = damageFile(home.bench.home, 'keys/marks.key', 'cut');
  const { checks } = home.ask('doctor').envelope.data;
  const found = checks.find(({ check: name }: { check: string }) => name === 'receipts');
  expect([found.status, found.fix]).toEqual(['fail', expect.stringContaining('no longer recognised')]);
  restore?.();
});

describe('a damaged signing key', () => {
  const KEYS = 'keys/receipts.key.pem';

  it('signs nothing: the run is refused before it starts', () => {
    const restore = damageFile(home.bench.home, KEYS, 'flipped');
    const refused = home.bench.work(item('unsigned', 'printf z > z.txt'));
    expect(refused.envelope.error).toMatchObject({ code: 'E_DAMAGED' });
    expect('z.txt' in home.bench.readTree()).toBe(false);
    restore?.();
    expect(codeOf(home.ask('receipt', 'verify'))).toBe('ok');
  });

  it('is replaced by recovery, and the receipts that it signed stay valid', () => {
    for (const damage of LONG ? (['flipped', 'removed'] as const) : (['flipped'] as const)) {
      damageFile(home.bench.home, KEYS, damage);
      const { repaired } = home.bench.confirmed('work', 'recover').envelope.data;
      expect(repaired).toMatchObject([{ path: `${home.bench.home}/${KEYS}` }]);
      expect(home.bench.work(item(`after-${damage}`, `printf z > ${damage}.txt`)).code).toBe(0);
      expect(codeOf(home.ask('receipt', 'verify'))).toBe('ok');
      expect(codeOf(home.ask('receipt', 'show', home.ids.run))).toBe('ok');
    }
    damageFile(home.bench.home, 'keys/receipts.pub.pem', 'removed');
    expect(home.bench.confirmed('work', 'recover').envelope.data.repaired).toHaveLength(1);
    expect(codeOf(home.ask('receipt', 'verify'))).toBe('ok');
  });
});
