import { megabytes, nameProcess, plural, type ProseFacts } from './prose-facts.ts';

export interface Prose {
  readonly executive: string;
  readonly actions: string;
  readonly rationale: string;
  readonly next_steps: string;
}

const NAMED = 5;

export function terse(facts: ProseFacts): Prose {
  const { kills, reviews, others, reasons } = facts;
  return {
    executive: bullets([
      `${facts.availableGb} of ${facts.totalGb} GB free`,
      `${facts.scanned} scanned, ${kills.length} to kill, ${reviews.length} to review`,
      ...facts.notes,
    ]),
    actions: bullets([
      ...kills
        .slice(0, NAMED)
        .map((process) => `kill ${nameProcess(process)} ${megabytes(process.blast_radius.memory_mb)}`),
      ...others.slice(0, NAMED).map((process) => `${process.recommended_action} ${nameProcess(process)}`),
      ...(kills.length + others.length === 0 ? ['no action'] : []),
    ]),
    rationale: bullets(
      reasons.length === 0
        ? ['no orphaned processes']
        : reasons.map(({ reason, count }) => `${reason}: ${count}`),
    ),
    next_steps: bullets(nextSteps(facts)),
  };
}

export function conversational(facts: ProseFacts): Prose {
  const { kills, reviews, others } = facts;
  const unsure = reviews.length - facts.zombies;
  const memory = facts.lowMemory
    ? `is low on memory, with only ${facts.availableGb} GB of ${facts.totalGb} GB available`
    : `has ${facts.availableGb} GB of its ${facts.totalGb} GB of memory available`;
  const doubtful =
    unsure > 0
      ? `None is to be killed, ${plural(unsure, 'process')} ${unsure === 1 ? 'needs' : 'need'} your review`
      : 'No running process looks abandoned';
  const found =
    kills.length === 0
      ? doubtful
      : `${plural(kills.length, 'process')} ${kills.length === 1 ? 'looks' : 'look'} abandoned`;
  return {
    executive: sentences([
      `Your machine ${facts.host} ${memory}`,
      `I checked ${plural(facts.scanned, 'process')}: ${lower(found)}`,
      ...facts.notes,
    ]),
    actions: sentences([
      kills.length === 0
        ? "I don't recommend killing anything"
        : `I recommend killing ${plural(kills.length, 'abandoned process')}, which frees about ${facts.freed}: ${list(kills.slice(0, NAMED).map(nameProcess), kills.length)}`,
      ...others
        .slice(0, NAMED)
        .map(
          (process) =>
            `I would ${process.recommended_action} ${nameProcess(process)}: ${process.action_rationale}`,
        ),
      ...(reviews.length === 0
        ? []
        : [`Please review ${list(reviews.slice(0, NAMED).map(nameProcess), reviews.length)}`]),
    ]),
    rationale: sentences([
      facts.reasons.length > 0
        ? `The reasons for killing: ${facts.reasons.map(({ reason, count }) => `${reason} (${count} of ${kills.length})`).join('; ')}`
        : unsure > 0
          ? 'I am not sure that the processes to review are no longer needed; the explanation of each says why'
          : 'I found no abandoned process',
    ]),
    next_steps: sentences(nextSteps(facts)),
  };
}

export function formal(facts: ProseFacts): Prose {
  const { kills, reviews, others } = facts;
  return {
    executive: sentences([
      `Process review of ${facts.host}: ${plural(facts.scanned, 'process')} examined, ${plural(kills.length, 'termination')} and ${plural(reviews.length, 'manual review')} recommended`,
      `Available memory: ${facts.availableGb} GB of ${facts.totalGb} GB`,
      ...facts.notes,
    ]),
    actions: sentences(
      kills.length + others.length === 0
        ? ['No action is recommended']
        : [
            ...(kills.length === 0
              ? []
              : [
                  `Termination is recommended for ${list(kills.slice(0, NAMED).map(nameProcess), kills.length)}; expected recovery ${facts.freed}`,
                ]),
            ...others
              .slice(0, NAMED)
              .map(
                (process) =>
                  `For ${nameProcess(process)} the recommended action is: ${process.recommended_action}`,
              ),
          ],
    ),
    rationale: sentences(
      facts.reasons.length === 0
        ? ['No process met the criteria for termination']
        : [
            `Grounds for termination: ${facts.reasons.map(({ reason, count }) => `${reason} (${plural(count, 'case')})`).join('; ')}`,
          ],
    ),
    next_steps: sentences(nextSteps(facts)),
  };
}

export function technical(facts: ProseFacts): Prose {
  const { kills, reviews, others } = facts;
  return {
    executive: sentences([
      `host ${facts.host}, parameters ${facts.parametersVersion}: ${facts.scanned} scanned, ${facts.assessed} assessed, MemAvailable ${facts.availableGb} GiB of ${facts.totalGb} GiB`,
      `e-BH at α=${facts.alpha} rejects ${facts.rejections}`,
      ...facts.notes,
    ]),
    actions: sentences([
      ...kills
        .slice(0, NAMED)
        .map(
          (process) =>
            `kill ${nameProcess(process)}: P(useful)=${process.posterior.useful.toPrecision(2)}, e=${process.eValue.toPrecision(3)}, E[loss]=${process.expectedLoss.kill.toFixed(2)} against ${process.expectedLoss.review.toFixed(2)} for review, ${process.tree.length} in its tree`,
        ),
      ...others
        .slice(0, NAMED)
        .map(
          (process) =>
            `${process.recommended_action} ${nameProcess(process)}: E[loss]=${process.expectedLoss[process.recommended_action].toFixed(2)}`,
        ),
      ...(kills.length + others.length === 0 ? ['no action'] : []),
    ]),
    rationale: sentences([
      ...kills.slice(0, NAMED).map((process) => {
        const { anchor, streams, activity, network, writes, kind } = process.observation;
        return `${process.pid}: owner evidence ${anchor}/${streams}, ${activity}, network ${network}, writes ${writes}, kind ${kind}`;
      }),
      ...(kills.length === 0
        ? [`${reviews.length} above the review threshold, none above the kill threshold`]
        : []),
    ]),
    next_steps: sentences(nextSteps(facts)),
  };
}

function nextSteps({ kills, reviews, zombies, signatures }: ProseFacts): string[] {
  return [
    ...(kills.length > 0
      ? ['After the cleanup, verify which processes exited and which were restarted']
      : []),
    ...(signatures.length > 0
      ? [`Find out which program does not stop ${signatures.join(', ')} when it exits`]
      : []),
    ...(reviews.length > zombies
      ? [`Explain the ${plural(reviews.length - zombies, 'process')} marked for review before deciding`]
      : []),
    ...(zombies > 0
      ? [
          `${plural(zombies, 'zombie')} can only be reaped by ${zombies === 1 ? 'its parent' : 'their parents'}`,
        ]
      : []),
    ...(kills.length + reviews.length === 0
      ? ['Check again later; compare with this triage session to see what has changed']
      : []),
  ];
}

function bullets(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}

function sentences(lines: readonly string[]): string {
  return lines.map((line) => `${line.charAt(0).toUpperCase()}${line.slice(1)}.`).join(' ');
}

function list(names: readonly string[], total: number): string {
  return total > names.length ? `${names.join(', ')} and ${total - names.length} more` : names.join(', ');
}

function lower(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}
