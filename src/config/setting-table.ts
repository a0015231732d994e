import * as v from 'valibot';
import { int, number, record, strictObject } from '../base/schema.ts';
import type { JsonObject } from '../base/json.ts';
import { isSafeTransport } from '../base/safe-transport.ts';

export type SettingValue = string | number | boolean | readonly string[] | JsonObject;

/** One setting. `scope` names where a user can set it: only in the home, or also in a trusted folder. */
export interface Setting {
  /** Creates the schema of its values. A function, because most calls find no setting that is set, and so need no schema. */
  readonly schema: () => v.GenericSchema;
  readonly defaultValue: SettingValue;
  readonly scope: 'home' | 'folder';
  readonly description: string;
}

export type SettingTable = Readonly<Record<string, Setting>>;

/** Checks the parsed URL: the text of `http://localhost:x@example.com` starts like a loopback URL. */
const httpsOrLoopback = (): v.GenericSchema =>
  v.pipe(
    v.string(),
    v.check((text) => {
      const url = URL.parse(text);
      return url !== null && isSafeTransport(url);
    }),
  );

/** A whole number in a range. */
const integer =
  (min: number, max = Number.MAX_SAFE_INTEGER) =>
  (): v.GenericSchema =>
    v.pipe(int(), v.minValue(min), v.maxValue(max));

const globs = (): v.GenericSchema => v.optional(v.array(v.string()));

/** Settings of every tool built on the kernel. */
export const STANDARD_SETTINGS: SettingTable = {
  'list.limit': {
    schema: integer(1, 1000),
    defaultValue: 50,
    scope: 'folder',
    description: 'Rows on a page without --limit',
  },
};

const STORE_SETTINGS: SettingTable = {
  'store.backups': {
    schema: integer(0, 100),
    defaultValue: 7,
    scope: 'home',
    description:
      'Number of compressed daily copies of the store that are kept in backups/ of the home, together up to 256 MB; 0 disables the copies',
  },
  'store.url': {
    schema: () => v.pipe(v.string(), v.regex(/^(?:postgres(?:ql)?:\/\/[^:@/?#]+@\S+)?$/u)),
    defaultValue: '',
    scope: 'home',
    description: 'The URL of a store on Postgres, without a password; empty for the file in the home',
  },
};

const UPDATE_SETTINGS: SettingTable = {
  'update.notices': {
    schema: () => v.boolean(),
    defaultValue: true,
    scope: 'home',
    description: 'Report a newer version in meta.notices',
  },
  'update.release_url': {
    schema: httpsOrLoopback,
    defaultValue: 'https://github.com/deed-cli/deed/releases',
    scope: 'home',
    description: 'Where the standalone executable finds its releases: an https URL, or http on this machine',
  },
  'update.skill_folders': {
    schema: () => v.array(v.pipe(v.string(), v.minLength(1))),
    defaultValue: [],
    scope: 'home',
    description: 'Additional skill folders that an update syncs',
  },
  'update.timeout_ms': {
    schema: integer(100, 600_000),
    defaultValue: 30_000,
    scope: 'home',
    description: 'How long an update waits for data from a release server',
  },
};

const TRIAGE_SETTINGS: SettingTable = {
  'triage.parameters_file': {
    schema: () => v.string(),
    defaultValue: '',
    scope: 'home',
    description: 'A JSON file that overrides triage parameters',
  },
  'triage.retention_days': {
    schema: () => v.pipe(number(), v.gtValue(0), v.maxValue(365)),
    defaultValue: 7,
    scope: 'home',
    description: 'How many days triage sessions are kept',
  },
  'triage.kills_per_day': {
    schema: integer(0, 100_000),
    defaultValue: 500,
    scope: 'home',
    description: 'How many process trees triage may kill per day',
  },
};

const days = integer(1, 36_500);

const RETENTION_SETTINGS: SettingTable = {
  'retention.audit_months': {
    schema: integer(0, 1200),
    defaultValue: 2,
    scope: 'home',
    description: 'How many full months of the audit log stay as they are; gc compresses older ones',
  },
  'retention.events_days': {
    schema: days,
    defaultValue: 365,
    scope: 'home',
    description: 'How many days events are kept; the events of open tasks stay',
  },
  'retention.memory_versions': {
    schema: integer(0, 100_000),
    defaultValue: 10,
    scope: 'home',
    description: 'How many superseded versions of a memory are kept; pinned ones stay',
  },
  'retention.sessions_days': {
    schema: days,
    defaultValue: 30,
    scope: 'home',
    description: 'How many days agent sessions are kept',
  },
  'retention.sessions_bytes': {
    schema: integer(0),
    defaultValue: 268_435_456,
    scope: 'home',
    description: 'How many bytes agent sessions may take; the oldest are deleted first',
  },
  'retention.accounting_days': {
    schema: days,
    defaultValue: 730,
    scope: 'home',
    description: 'How many days the accounting of agents is kept',
  },
  'retention.runs_days': {
    schema: days,
    defaultValue: 365,
    scope: 'home',
    description: 'How many days logs and records of runs and jobs are kept; receipts stay',
  },
  'retention.replay_days': {
    schema: days,
    defaultValue: 30,
    scope: 'home',
    description: 'How many days the data for replays and rollbacks is kept',
  },
  'retention.item_refs_days': {
    // Other homes can copy a job from the shared store for 14 days, and then need its refs.
    schema: integer(15, 36_500),
    defaultValue: 30,
    scope: 'home',
    description: 'How many days an integrator keeps the refs of ended jobs in the remote; the ledger stays',
  },
  'retention.replay_bytes': {
    schema: integer(0),
    defaultValue: 268_435_456,
    scope: 'home',
    description:
      'How many bytes the stored states of trees, which replays need, may take; the oldest are deleted first',
  },
};

const WORK_SETTINGS: SettingTable = {
  'work.agents': {
    // A string is valid only as `$schema`, which editors read; the check of the agents rejects others.
    schema: () => record(v.union([record(v.unknown()), v.string()])),
    defaultValue: {},
    scope: 'folder',
    description:
      'The agents of work items by name, in addition to the built-in claude and codex: {"agent-1":{"kind":"command","argv":["./agent.sh"]}}',
  },
  'work.deltas': {
    schema: () => strictObject({ quality: globs(), rules: globs(), projections: globs() }),
    defaultValue: {},
    scope: 'folder',
    description:
      'Globs for changes that count as tests, rules and projections; they replace the built-in ones',
  },
  'work.disk_bytes': {
    schema: integer(1),
    defaultValue: 2_147_483_648,
    scope: 'home',
    description: 'How many bytes a run may write before it is stopped',
  },
  'work.allow_unsandboxed': {
    schema: () => v.boolean(),
    defaultValue: false,
    scope: 'home',
    description:
      'Whether runs may continue unsandboxed, on a copy of the tree, if this machine cannot confine their commands',
  },
  'work.allow_program_approval': {
    schema: () => v.boolean(),
    defaultValue: false,
    scope: 'home',
    description:
      'Whether a program without a terminal may approve and reject runs; their receipts then name a program, not a person',
  },
  'work.isolation': {
    schema: () => v.picklist(['best', 'bubblewrap', 'namespace', 'landlock']),
    defaultValue: 'best',
    scope: 'home',
    description:
      'How commands of runs are confined: the best way that this machine supports, or only the given one',
  },
  'work.workspace': {
    schema: () => v.picklist(['best', 'copy']),
    defaultValue: 'best',
    scope: 'home',
    description:
      'The workspace of runs: an overlay in a sandbox if this machine supports it (best), or always a copy',
  },
};

/** Every setting of deed. Settings that control the program itself can be set only in the home. */
export const DEED_SETTINGS: SettingTable = {
  ...STANDARD_SETTINGS,
  ...STORE_SETTINGS,
  ...UPDATE_SETTINGS,
  ...TRIAGE_SETTINGS,
  ...WORK_SETTINGS,
  ...RETENTION_SETTINGS,
};
