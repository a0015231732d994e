import { isoTime } from '../../base/clock.ts';
import { sha256 } from '../../system/digest.ts';
import { Fault } from '../../base/fault.ts';
import type { Assessment } from '../assessment.ts';
import {
  changeSteering,
  type FeedbackEntry,
  type ProtectedEntry,
  type Steering,
} from '../steering/steering.ts';
import type { TriageContext } from './triage-context.ts';

/** Returns the names that users protected, and how many are built in or come from the parameters file. */
export function listProtected({ steering, parameters }: TriageContext): {
  readonly protected: readonly ProtectedEntry[];
  readonly built_in: readonly string[];
} {
  const added = new Set(steering.protected.map(({ name }) => name));
  return {
    protected: steering.protected,
    built_in: parameters.names.protected.filter((name) => !added.has(name)),
  };
}

/** Identifies the decisions that a change was planned on. */
export function steeringVersion(steering: Steering): string {
  return sha256(JSON.stringify(steering)).slice(0, 16);
}

/** Adds a protected name; a name that is already protected keeps its entry. */
export async function addProtected(
  { environment }: TriageContext,
  name: string,
  reason: string | undefined,
): Promise<void> {
  const entry = { name, reason: reason ?? null, added_at: isoTime(environment.now()) };
  await changeSteering(environment.dataRoot, (current) =>
    current.protected.some((entry) => entry.name === name)
      ? current
      : { ...current, protected: [...current.protected, entry] },
  );
}

/** Removes a name that a user protected; built-in names cannot be removed. */
export async function removeProtected(context: TriageContext, name: string): Promise<void> {
  requireProtected(context, name);
  await changeSteering(context.environment.dataRoot, (current) => ({
    ...current,
    protected: current.protected.filter((entry) => entry.name !== name),
  }));
}

export function requireProtected({ steering, parameters }: TriageContext, name: string): ProtectedEntry {
  const found = steering.protected.find((entry) => entry.name === name);
  if (found !== undefined) return found;
  if (parameters.names.protected.includes(name)) {
    throw new Fault('E_PROTECTED', `"${name}" is on the built-in list or in the parameters file.`, {
      hint: 'Names can be added to the built-in list, but not removed from it.',
      details: { name },
    });
  }
  throw new Fault('E_NOT_FOUND', `"${name.slice(0, 80)}" is not a protected name.`, {
    hint: 'List the names with: deed triage protect list.',
    details: { resource: 'protected_name', name: name.slice(0, 80) },
  });
}

/** Records what a user says about the command of a process; it replaces an earlier verdict on the same command. */
export async function recordFeedback(
  { environment }: TriageContext,
  { pid, start_id, cmd_full, posterior }: Assessment,
  verdict: FeedbackEntry['verdict'],
): Promise<FeedbackEntry> {
  const entry: FeedbackEntry = {
    verdict,
    pid,
    start_id,
    command: cmd_full,
    posterior: verdict === 'keep' ? posterior.useful : posterior.abandoned,
    at: isoTime(environment.now()),
  };
  await changeSteering(environment.dataRoot, (current) => ({
    ...current,
    feedback: [...current.feedback.filter(({ command }) => command !== cmd_full), entry],
  }));
  return entry;
}
