import * as v from 'valibot';
import { described } from '../../base/schema.ts';
import { canonicalJson, type JsonObject } from '../../base/json.ts';
import type { Session } from '../../continuity/database/database.ts';
import { recallAnswer, writeOnce, type RequestKey } from '../../continuity/idempotency.ts';
import type { Scope, StorePorts } from '../../continuity/scope.ts';
import { databaseOf } from '../../app/locate-store.ts';
import { markJournalWrite, type DescribeFile } from '../../app/journal/journal-writes.ts';
import { logStaged, stageOf } from '../../app/journal/stage-log.ts';
import type { Change } from '../../contract/plan.ts';
import { defineWrite, type Command, type CommandContext } from '../../contract/command.ts';
import type { ParametersOf } from '../../contract/described-command.ts';
import type { Shape } from '../../contract/schema.ts';
import { refused } from '../../contract/confirm-token.ts';
import type { ErrorCode } from '../../contract/generated.ts';
import { agentOf, openWriter, storePorts, withReader } from './open-store.ts';

/** Which database a command uses. */
export const STORE_PARAMETERS = {
  db_path: described(
    v.optional(v.pipe(v.string(), v.minLength(1))),
    'The database file (default: deed.db in the home folder)',
  ),
};

export const AGENT_PARAMETERS = {
  agent: described(
    v.optional(v.pipe(v.string(), v.minLength(1))),
    'The agent that calls (default: DEED_AGENT, or the agent host that is detected)',
  ),
  ...STORE_PARAMETERS,
};

const REPLAY_FIELDS = {
  replayed: v.optional(v.literal(true)),
  payload_mismatch: v.optional(v.literal(true)),
  _untrusted: v.optional(v.array(v.string())),
};

/** What a plan may look at; the same inside the transaction of the write and before it. */
export interface Look {
  readonly session: Session;
  readonly at: string;
  readonly agent: string;
}

interface JournalWrite<S extends Shape, O extends v.ObjectEntries, X> {
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly params: S;
  readonly output: O;
  readonly untrusted?: readonly string[];
  readonly examples: readonly string[];
  readonly errors?: readonly ErrorCode[];
  /** Lists what the write would change, with the versions it rests on. Contract: reads only. */
  readonly changes: (params: ParametersOf<S>, look: Look, context: CommandContext) => Promise<Change[]>;
  /** What takes time and needs no transaction, such as reading files; its result is handed to `apply`. */
  readonly prepare?: (params: ParametersOf<S>, describeFile: DescribeFile) => Promise<X>;
  /** Does the write inside its transaction; others cannot write until it ends. */
  readonly apply: (
    params: ParametersOf<S>,
    scope: Scope,
    prepared: X,
  ) => Promise<v.InferOutput<v.ObjectSchema<O, undefined>>>;
  /** Runs after the transaction of a write to the store itself; what a run stages is not finished here. */
  readonly finish?: (context: CommandContext) => void;
}

type Everywhere = { readonly agent?: string | undefined; readonly db_path?: string | undefined };

/** Defines a write on the store: one transaction that also keeps the answer for a retry with the same request id. */
export function defineJournalWrite<const S extends Shape, const O extends v.ObjectEntries, X = undefined>(
  write: JournalWrite<S, O, X>,
): Command {
  const keyOf = (params: Everywhere, context: CommandContext): RequestKey => {
    const { agent: _agent, db_path: _path, ...payload } = params;
    return {
      agent: agentOf(params, context),
      requestId: context.requestId,
      command: write.path,
      params: payload,
      otherPayload: context.gate === 'token' ? 'refuse' : 'tell',
    };
  };
  const { changes, prepare, apply, finish, output, params, ...rest } = write;
  const all: Shape = { ...params, ...AGENT_PARAMETERS };
  const command = defineWrite({
    ...rest,
    errors: ['E_CONFLICT', 'E_TIMEOUT', 'E_INTEGRITY', 'E_FORBIDDEN', ...(write.errors ?? [])],
    params: all,
    output: v.object({ ...output, ...REPLAY_FIELDS }) as v.GenericSchema<unknown, JsonObject>,
    // Without a token nothing comes between the call and `run`, which looks for the answer itself.
    recall: async (given, context) =>
      context.gate === 'token'
        ? withReader(given as Everywhere, context, (session) => recallAnswer(session, keyOf(given, context)))
        : undefined,
    database: databaseOf,
    plan: (given, context) =>
      withReader(given as Everywhere, context, async (session, at) => ({
        changes: await changes(
          given as ParametersOf<S>,
          { session, at, agent: agentOf(given, context) },
          context,
        ),
      })),
    run: async (given, context, plan) => {
      const key = keyOf(given, context);
      const stage = stageOf(context, write.path, (given as Everywhere).db_path);
      const { ports, drawn } = recordDraws(storePorts(context));
      const prepared = (await prepare?.(given as ParametersOf<S>, ports.describeFile)) as X;
      const answer = await writeOnce(openWriter(given, context), key, ports, async (scope) => {
        if (plan.changes.length > 0)
          assertSame(plan.changes, await changes(given as ParametersOf<S>, scope, context));
        const result = (await apply(given as ParametersOf<S>, scope, prepared)) as unknown as JsonObject;
        if (stage !== undefined) logStaged(stage, key, scope.nowMs, drawn);
        return result;
      });
      if (stage === undefined) finish?.(context);
      return answer;
    },
  });
  return markJournalWrite(command, {
    prepare: async (given, describeFile) => prepare?.(given as ParametersOf<S>, describeFile),
    apply: async (given, scope, prepared) =>
      (await apply(given as ParametersOf<S>, scope, prepared as X)) as unknown as JsonObject,
  });
}

/** Remembers the random words of a write, so that it can be done over again with the same ids. */
function recordDraws(ports: StorePorts): { readonly ports: StorePorts; readonly drawn: string[] } {
  const drawn: string[] = [];
  const randomHex = (bytes: number): string => {
    const word = ports.randomHex(bytes);
    drawn.push(word);
    return word;
  };
  return { ports: { ...ports, randomHex }, drawn };
}

/** The write happens only to what the plan saw. */
function assertSame(planned: readonly Change[], found: readonly Change[]): void {
  const marks = (list: readonly Change[]): string =>
    canonicalJson(list.map(({ action, resource, id, version }) => [action, resource, id, version ?? null]));
  if (marks(planned) !== marks(found)) throw refused('changed', 'The store changed since the plan was made.');
}
