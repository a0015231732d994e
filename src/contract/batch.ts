import { chunksOf } from '../base/chunks-of.ts';
import { Fault } from '../base/fault.ts';
import type { JsonObject } from '../base/json.ts';
import type { Change } from './plan.ts';
import type { BatchCommand, CommandContext } from './command.ts';
import { codeRow, toFault } from './exit-code.ts';

/** A target with its planned change, or the fault that prevents one. */
export interface PlannedTarget {
  readonly target: string;
  readonly change: Change | Fault;
}

export interface BatchOptions {
  readonly continueOnError: boolean;
}

/** Plans the change of each target, in input order. */
export async function planBatch(
  command: BatchCommand,
  params: Readonly<Record<string, unknown>>,
  context: CommandContext,
): Promise<readonly PlannedTarget[]> {
  const changes = await command.plan(params, context);
  if (command.whole !== undefined) return changes.map(plannedById);
  const targets = (params[command.targets] as readonly unknown[]).map(String);
  if (changes.length !== targets.length) {
    throw new Error(`${command.path} planned ${changes.length} changes for ${targets.length} targets`);
  }
  return targets.map((target, index) => {
    const change = changes[index];
    return { target, change: change === undefined || change instanceof Error ? toFault(change) : change };
  });
}

function plannedById(change: Change | Error): PlannedTarget {
  if (change instanceof Error) throw change;
  return { target: change.id, change };
}

/** The preview of a batch: the action, every target, and those that cannot be resolved. */
export function previewBatch(command: BatchCommand, planned: readonly PlannedTarget[]): JsonObject {
  const unresolved = planned.flatMap(({ target, change }) =>
    change instanceof Fault ? [{ target, error: itemError(change) }] : [],
  );
  return {
    action: command.action,
    total: planned.length,
    targets: planned.map(({ target }) => target),
    changes: changesOf(planned).map((change) => ({ ...change })),
    ...(unresolved.length > 0 && { unresolved }),
  };
}

/**
 * Applies a batch in chunks of the command's size and reports every target in input order. Nothing is rolled back: a failed
 * chunk fails its own targets. With `continueOnError: false` the targets after the first failure are skipped.
 */
export async function applyBatch(
  command: BatchCommand,
  planned: readonly PlannedTarget[],
  params: Readonly<Record<string, unknown>>,
  context: CommandContext,
  options: BatchOptions,
): Promise<JsonObject> {
  if (command.whole !== undefined) return command.whole.apply(changesOf(planned), params, context, options);
  const items: JsonObject[] = [];
  for (const chunk of chunksOf(planned, command.chunkSize ?? 1)) {
    const stop = !options.continueOnError && items.some(({ ok }) => ok === false);
    if (stop || context.signal.aborted) break;
    items.push(...(await applyChunk(command, chunk, params, context)));
    context.progress(`${command.action}: ${items.length} of ${planned.length}`);
  }
  const failed = items.filter(({ ok }) => ok === false).length;
  const skipped = planned.slice(items.length).map(({ target }) => target);
  const result = {
    items,
    summary: {
      total: items.length,
      succeeded: items.length - failed,
      failed,
      ...(skipped.length > 0 && { skipped: skipped.length }),
    },
    ...(skipped.length > 0 && { skipped }),
  };
  if (context.signal.aborted && skipped.length > 0) {
    throw new Fault('E_INTERRUPTED', `Interrupted after ${items.length} of ${planned.length} targets.`, {
      hint: 'Run it again with --dry-run for the targets in details.skipped.',
      details: result,
    });
  }
  return result;
}

function changesOf(planned: readonly PlannedTarget[]): readonly Change[] {
  return planned.flatMap(({ change }) => (change instanceof Fault ? [] : [change]));
}

async function applyChunk(
  command: BatchCommand,
  chunk: readonly PlannedTarget[],
  params: Readonly<Record<string, unknown>>,
  context: CommandContext,
): Promise<JsonObject[]> {
  const changes = changesOf(chunk);
  const outcomes = await applyChanges(command, changes, params, context);
  const remaining = [...outcomes];
  return chunk.map(({ target, change }) => {
    const outcome = change instanceof Fault ? change : remaining.shift();
    if (outcome === undefined || outcome instanceof Error)
      return { target, ok: false, error: itemError(toFault(outcome)) };
    return { target, ok: true, ...outcome };
  });
}

async function applyChanges(
  command: BatchCommand,
  changes: readonly Change[],
  params: Readonly<Record<string, unknown>>,
  context: CommandContext,
): Promise<readonly (JsonObject | Error)[]> {
  if (changes.length === 0) return [];
  if (command.apply === undefined) throw new Error(`${command.path} has no way to apply its changes`);
  try {
    return await command.apply(changes, params, context);
  } catch (error) {
    return changes.map(() => toFault(error));
  }
}

function itemError(fault: Fault): JsonObject {
  return { code: fault.code, retryable: codeRow(fault.code).retryable, message: fault.message };
}
