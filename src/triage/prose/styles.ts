import { megabytes, nameProcess, plural, type Story } from './story.ts';

export interface Prose {
  readonly executive: string;
  readonly actions: string;
  readonly rationale: string;
  readonly next_steps: string;
}

const NAMED = 5;

export function terse(story: Story): Prose {
  const { kills, reviews, others, reasons } = story;
  return {
    executive: bullets([
      `${story.availableGb} of ${story.totalGb} GB free`,
      `${story.scanned} scanned, ${kills.length} to kill, ${reviews.length} to review`,
      ...story.notes,
    ]),
    actions: bullets([
      ...kills
        .slice(0, NAMED)
        .map((one) => `kill ${nameProcess(one)} ${megabytes(one.blast_radius.memory_mb)}`),
      ...others.slice(0, NAMED).map((one) => `${one.recommended_action} ${nameProcess(one)}`),
      ...(kills.length + others.length === 0 ? ['nothing to do'] : []),
    ]),
    rationale: bullets(
      reasons.length === 0
        ? ['nothing was cut off']
        : reasons.map(({ reason, count }) => `${reason}: ${count}`),
    ),
    next_steps: bullets(nextSteps(story)),
  };
}

export function conversational(story: Story): Prose {
  const { kills, reviews, others } = story;
  const memory = story.pressed
    ? `is under memory pressure with only ${story.availableGb} GB of ${story.totalGb} GB available`
    : `has ${story.availableGb} GB of its ${story.totalGb} GB of memory available`;
  const found =
    kills.length === 0
      ? 'Nothing that runs looks abandoned'
      : `${plural(kills.length, 'process')} ${kills.length === 1 ? 'looks' : 'look'} abandoned`;
  return {
    executive: sentences([
      `Your machine ${story.host} ${memory}`,
      `I looked at ${plural(story.scanned, 'process')}: ${lower(found)}`,
      ...story.notes,
    ]),
    actions: sentences([
      kills.length === 0
        ? "I don't recommend ending anything"
        : `I recommend killing ${plural(kills.length, 'abandoned process')}, which frees about ${story.freed}: ${list(kills.slice(0, NAMED).map(nameProcess), kills.length)}`,
      ...others
        .slice(0, NAMED)
        .map((one) => `I would ${one.recommended_action} ${nameProcess(one)}: ${one.action_rationale}`),
      ...(reviews.length === 0
        ? []
        : [`Please have a look at ${list(reviews.slice(0, NAMED).map(nameProcess), reviews.length)}`]),
    ]),
    rationale: sentences([
      story.reasons.length === 0
        ? 'Everything I judged is still held by a parent, a terminal, an agent or a supervisor, or I am not sure enough'
        : `Of what I would end, ${story.reasons.map(({ reason, count }) => `${reason} (${count} of ${kills.length})`).join('; ')}`,
    ]),
    next_steps: sentences(nextSteps(story)),
  };
}

export function formal(story: Story): Prose {
  const { kills, reviews, others } = story;
  return {
    executive: sentences([
      `Process review of ${story.host}: ${plural(story.scanned, 'process')} examined, ${plural(kills.length, 'termination')} and ${plural(reviews.length, 'manual review')} recommended`,
      `Available memory: ${story.availableGb} GB of ${story.totalGb} GB`,
      ...story.notes,
    ]),
    actions: sentences(
      kills.length + others.length === 0
        ? ['No action is recommended']
        : [
            ...(kills.length === 0
              ? []
              : [
                  `Termination is recommended for ${list(kills.slice(0, NAMED).map(nameProcess), kills.length)}; expected recovery ${story.freed}`,
                ]),
            ...others
              .slice(0, NAMED)
              .map((one) => `For ${nameProcess(one)} the recommended action is: ${one.recommended_action}`),
          ],
    ),
    rationale: sentences(
      story.reasons.length === 0
        ? ['No process met the criteria for termination']
        : [
            `Grounds for termination: ${story.reasons.map(({ reason, count }) => `${reason} (${plural(count, 'case')})`).join('; ')}`,
          ],
    ),
    next_steps: sentences(nextSteps(story)),
  };
}

export function technical(story: Story): Prose {
  const { kills, reviews, others } = story;
  return {
    executive: sentences([
      `host ${story.host}, parameters ${story.parametersVersion}: ${story.scanned} scanned, ${story.judged} judged in full, MemAvailable ${story.availableGb} GiB of ${story.totalGb} GiB`,
      `e-BH at α=${story.alpha} rejects ${story.rejections}`,
      ...story.notes,
    ]),
    actions: sentences([
      ...kills
        .slice(0, NAMED)
        .map(
          (one) =>
            `kill ${nameProcess(one)}: P(useful)=${one.posterior.useful.toPrecision(2)}, e=${one.eValue.toPrecision(3)}, E[loss]=${one.expectedLoss.kill.toFixed(2)} against ${one.expectedLoss.review.toFixed(2)} for review, ${one.tree.length} in its tree`,
        ),
      ...others
        .slice(0, NAMED)
        .map(
          (one) =>
            `${one.recommended_action} ${nameProcess(one)}: E[loss]=${one.expectedLoss[one.recommended_action].toFixed(2)}`,
        ),
      ...(kills.length + others.length === 0 ? ['no action'] : []),
    ]),
    rationale: sentences([
      ...kills.slice(0, NAMED).map((one) => {
        const { anchor, streams, activity, network, writes, kind } = one.observation;
        return `${one.pid}: lifeline ${anchor}/${streams}, ${activity}, network ${network}, writes ${writes}, kind ${kind}`;
      }),
      ...(kills.length === 0
        ? [`${reviews.length} above the review threshold, none above the kill threshold`]
        : []),
    ]),
    next_steps: sentences(nextSteps(story)),
  };
}

function nextSteps({ kills, reviews, zombies, signatures }: Story): string[] {
  return [
    ...(kills.length > 0 ? ['After the cleanup, verify what ended and what came back'] : []),
    ...(signatures.length > 0 ? [`Find out what leaves ${signatures.join(', ')} behind when it ends`] : []),
    ...(reviews.length > zombies
      ? [`Explain the ${plural(reviews.length - zombies, 'process')} marked for review before deciding`]
      : []),
    ...(zombies > 0
      ? [
          `${plural(zombies, 'ended process')} can only be collected by ${zombies === 1 ? 'its parent' : 'their parents'}`,
        ]
      : []),
    ...(kills.length + reviews.length === 0
      ? ['Look again later; compare with this session to see what has changed']
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
