import * as v from 'valibot';
import { int, number, record, strictObject } from '../base/schema.ts';
import type { JsonObject } from '../base/json.ts';
import { isSafeTransport } from '../base/safe-transport.ts';

export type SettingValue = string | number | boolean | readonly string[] | JsonObject;

/** One setting. `scope` says where it may be given: only at home, or also in a folder that was trusted. */
export interface Setting {
  /** What a value must be. */
  readonly schema: v.GenericSchema;
  readonly defaultValue: SettingValue;
  readonly scope: 'home' | 'folder';
  readonly description: string;
}

export type SettingTable = Readonly<Record<string, Setting>>;

/** Asked of the parsed address: written out, `http://localhost:x@example.com` begins like one of this machine. */
const httpsOrLoopback = v.pipe(
  v.string(),
  v.check((text) => {
    const url = URL.parse(text);
    return url !== null && isSafeTransport(url);
  }),
);

const globs = v.optional(v.array(v.string()));

/** Settings that every tool on the kernel has. */
export const STANDARD_SETTINGS: SettingTable = {
  'list.limit': {
    schema: v.pipe(int(), v.minValue(1), v.maxValue(1000)),
    defaultValue: 50,
    scope: 'folder',
    description: 'Rows on a page when --limit is not given',
  },
};

const UPDATE_SETTINGS: SettingTable = {
  'update.notices': {
    schema: v.boolean(),
    defaultValue: true,
    scope: 'home',
    description: 'Tell of a newer version in meta.notices',
  },
  'update.release_url': {
    schema: httpsOrLoopback,
    defaultValue: 'https://github.com/deed-cli/deed/releases',
    scope: 'home',
    description:
      'Where the standalone executable finds its releases: an https address, or http on this machine',
  },
  'update.skill_folders': {
    schema: v.array(v.pipe(v.string(), v.minLength(1))),
    defaultValue: [],
    scope: 'home',
    description: 'More skill folders to keep in step with an update',
  },
  'update.timeout_ms': {
    schema: v.pipe(int(), v.minValue(100), v.maxValue(600_000)),
    defaultValue: 30_000,
    scope: 'home',
    description: 'How long a release server may be silent before an update gives up',
  },
};

const TRIAGE_SETTINGS: SettingTable = {
  'triage.parameters_file': {
    schema: v.string(),
    defaultValue: '',
    scope: 'home',
    description: 'A JSON file with changes to the parameters of triage',
  },
  'triage.retention_days': {
    schema: v.pipe(number(), v.gtValue(0), v.maxValue(365)),
    defaultValue: 7,
    scope: 'home',
    description: 'How long sessions of triage are kept',
  },
  'triage.kills_per_day': {
    schema: v.pipe(int(), v.minValue(0), v.maxValue(100_000)),
    defaultValue: 500,
    scope: 'home',
    description: 'How many process trees triage may end within a day',
  },
};

const WORK_SETTINGS: SettingTable = {
  'work.agents': {
    schema: record(record(v.unknown())),
    defaultValue: {},
    scope: 'folder',
    description:
      'Which program each agent of a work item is: {"agent-1":{"kind":"command","argv":["./agent.sh"]}}',
  },
  'work.deltas': {
    schema: strictObject({ quality: globs, rules: globs, projections: globs }),
    defaultValue: {},
    scope: 'folder',
    description:
      'Globs that say which changes count as tests, rules and projections, in place of the built-in ones',
  },
  'work.disk_bytes': {
    schema: v.pipe(int(), v.minValue(1)),
    defaultValue: 2_147_483_648,
    scope: 'home',
    description: 'How much a run may write before it is stopped',
  },
  'work.workspace': {
    schema: v.picklist(['best', 'copy']),
    defaultValue: 'best',
    scope: 'home',
    description: 'Where runs happen: an overlay and a sandbox if this machine can (best), or always a copy',
  },
};

/** Every setting of deed. What decides over the program itself can be set at home only. */
export const DEED_SETTINGS: SettingTable = {
  ...STANDARD_SETTINGS,
  ...UPDATE_SETTINGS,
  ...TRIAGE_SETTINGS,
  ...WORK_SETTINGS,
};
