import * as v from 'valibot';
import { omit } from '../../base/omit.ts';
import { described } from '../../base/schema.ts';
import { maskStored, rejectToken } from '../../base/secrets/mask-stored.ts';
import { canonicalJson, type JsonObject } from '../../base/json.ts';
import type { QueryRunner, TransactionHints } from '../../continuity/database/database.ts';
import { recallAnswer, writeOnce, type WriteKey } from '../../continuity/idempotency.ts';
import type { Scope, StorePorts } from '../../continuity/scope.ts';
import { databaseOf } from '../../app/locate-store.ts';
import { registerJournalWrite, type DescribeFile } from '../../app/journal/journal-writes.ts';
import { logStaged, stagedLogOf } from '../../app/journal/staged-log.ts';
import type { Change } from '../../contract/plan.ts';
import { defineWrite, type Command, type CommandContext } from '../../contract/command.ts';
import type { ParametersOf } from '../../contract/described-command.ts';
import type { Shape } from '../../contract/schema.ts';
import { refusedToken } from '../../contract/confirm-token.ts';
import type { ErrorCode } from '../../contract/generated.ts';
import { agentOf, openWriter, storePorts, withReader } from './open-store.ts';

export const STORE_PARAMETERS = {
  db_path: described(
    v.optional(v.pipe(v.string(), v.minLength(1))),
    'The database file (default: deed.db in the home folder)',
  ),
};

export const CALLER_PARAMETERS = {
  agent: described(
    v.optional(v.pipe(v.string(), v.minLength(1))),
    'The name of the calling agent (default: DEED_AGENT, or the detected agent host)',
  ),
  ...STORE_PARAMETERS,
};

const COMMON_FIELDS = {
  replayed: v.optional(v.literal(true)),
  payload_mismatch: v.optional(v.literal(true)),
  redacted: v.optional(v.array(v.object({ field: v.string(), kind: v.string() }))),
  _untrusted: v.optional(v.array(v.string())),
};

/** What a plan may read, inside and outside the transaction of the write. */
export interface ReadScope {
  readonly db: QueryRunner;
  readonly at: string;
  readonly agent: string;
  readonly claimSession?: string | null | undefined;
}

interface JournalWrite<S extends Shape, O extends v.ObjectEntries, X> {
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly params: S;
  readonly output: O;
  readonly untrusted?: readonly string[];
  readonly keyFields?: readonly string[];
  readonly examples: readonly string[];
  readonly errors?: readonly ErrorCode[];
  /** Lists the changes of the write, with the versions they are based on. Contract: reads only. */
  readonly changes: (params: ParametersOf<S>, scope: ReadScope, context: CommandContext) => Promise<Change[]>;
  /** Slow work outside the transaction, such as reading files; its result is passed to `apply`. */
  readonly prepare?: (params: ParametersOf<S>, describeFile: DescribeFile) => Promise<X>;
  /** Applies the write inside its transaction; other processes cannot write until it ends. */
  readonly apply: (
    params: ParametersOf<S>,
    scope: Scope,
    prepared: X,
  ) => Promise<v.InferOutput<v.ObjectSchema<O, undefined>>>;
  /** What is known about the transaction in advance; called only for databases that use it. */
  readonly hints?: (params: ParametersOf<S>, agent: string, nowMs: number) => TransactionHints;
  /** Runs after the transaction; not called for writes that a run stages. */
  readonly finish?: (context: CommandContext) => void;
}

type CommonParameters = { readonly agent?: string | undefined; readonly db_path?: string | undefined };

/** Defines a write to the store: one transaction that also stores the answer for retries with the same request id. */
export function defineJournalWrite<const S extends Shape, const O extends v.ObjectEntries, X = undefined>(
  write: JournalWrite<S, O, X>,
): Command {
  const keyOf = (params: CommonParameters, context: CommandContext): WriteKey => ({
    agent: rejectToken('agent', agentOf(params, context)),
    claimSession: context.caller.session,
    requestId: rejectToken('request_id', context.requestId),
    command: write.path,
    params: omit(params, 'agent', 'db_path'),
    onPayloadMismatch: context.gate === 'token' ? 'reject' : 'replay',
  });
  const { changes, prepare, apply, hints, finish, output, params, ...rest } = write;
  const hintsOf = (values: unknown, { agent }: WriteKey, { now }: StorePorts): TransactionHints =>
    hints?.(values as ParametersOf<S>, agent, now()) ?? {};
  const all: Shape = { ...params, ...CALLER_PARAMETERS };
  const command = defineWrite({
    ...rest,
    errors: ['E_CONFLICT', 'E_TIMEOUT', 'E_DAMAGED', 'E_FORBIDDEN', ...(write.errors ?? [])],
    params: all,
    output: v.object({ ...output, ...COMMON_FIELDS }) as v.GenericSchema<unknown, JsonObject>,
    // Without a token, `run` follows directly and looks up the answer itself.
    recall: async (values, context) =>
      context.gate === 'token' || context.dryRun
        ? withReader(values as CommonParameters, context, (db) =>
            recallAnswer(db, keyOf(maskStored(values).value, context)),
          )
        : undefined,
    database: databaseOf,
    plan: async (values, context) => {
      // The preview shows what would be stored. A write that is rejected for a secret in a name gets no token.
      const { value: masked } = maskStored(values);
      keyOf(masked, context);
      return withReader(values as CommonParameters, context, async (db, at) => ({
        changes: await changes(
          masked as ParametersOf<S>,
          { db, at, agent: agentOf(values, context), claimSession: context.caller.session },
          context,
        ),
      }));
    },
    run: async (given, context, plan) => {
      const { value: values, redacted } = maskStored(given);
      const key = keyOf(values, context);
      const stagedLog = stagedLogOf(context, write.path, (values as CommonParameters).db_path);
      const { ports, tails } = recordTails(storePorts(context));
      const prepared = (await prepare?.(values as ParametersOf<S>, ports.describeFile)) as X;
      const store = await openWriter(values, context);
      const applyOnce = async (scope: Scope): Promise<JsonObject> => {
        if (plan.changes.length > 0)
          assertUnchanged(plan.changes, await changes(values as ParametersOf<S>, scope, context));
        const bound = stagedLog === undefined ? values : await bind(key, scope, context);
        const result = (await apply(bound as ParametersOf<S>, scope, prepared)) as unknown as JsonObject;
        if (stagedLog !== undefined) logStaged(stagedLog, key, scope.nowMs, tails);
        return redacted.length === 0 ? result : { ...result, redacted };
      };
      const answer = await writeOnce(store, key, ports, applyOnce, () => hintsOf(values, key, ports));
      if (stagedLog === undefined) finish?.(context);
      return answer;
    },
  });
  return registerJournalWrite(command, {
    prepare: async (values, describeFile) => prepare?.(values as ParametersOf<S>, describeFile),
    apply: async (values, scope, prepared) =>
      (await apply(values as ParametersOf<S>, scope, prepared as X)) as unknown as JsonObject,
  });
}

/** Loaded only inside a run. */
async function bind(
  key: WriteKey,
  { db, at }: Scope,
  context: CommandContext,
): Promise<Readonly<Record<string, unknown>>> {
  const { bindToRun } = await import('../../app/journal/bind-to-run.ts');
  const { boundsInRun } = await import('../../app/journal/run-bounds.ts');
  return bindToRun(db, { ...key, params: key.params as Record<string, unknown> }, boundsInRun(context), at);
}

/** Records the tails of the ids that a write creates, so that it can be repeated with the same ids. */
function recordTails(ports: StorePorts): { readonly ports: StorePorts; readonly tails: string[] } {
  const tails: string[] = [];
  const createTail = (nowMs: number): string => {
    const tail = ports.createTail(nowMs);
    tails.push(tail);
    return tail;
  };
  return { ports: { ...ports, createTail }, tails };
}

/** Rejects the write if the state differs from the plan. */
function assertUnchanged(planned: readonly Change[], found: readonly Change[]): void {
  const versions = (list: readonly Change[]): string =>
    canonicalJson(list.map(({ action, resource, id, version }) => [action, resource, id, version ?? null]));
  if (versions(planned) !== versions(found))
    throw refusedToken('changed', 'The store has changed since the dry run.');
}
