import type { FalseAction, FamilyScore, Missed, Score } from './score.ts';

const HEAD = [
  'family',
  'situations',
  'not run',
  'kept correctly',
  'acted on falsely',
  'eligible ended',
  'listed',
];

/** Renders the table by family, every false action with its evidence, and what was missed. */
export function renderScore({ families, falseActions, notListed, notEnded }: Score): string {
  const rows = [...families, total(families)].map(row);
  const widths = HEAD.map((head, column) =>
    Math.max(head.length, ...rows.map((cells) => cells[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ');
  return [
    line(HEAD),
    ...rows.map(line),
    '',
    `Acted on falsely: ${falseActions.length} proposals`,
    ...renderFalseActions(falseActions),
    ...renderMissed('Not listed', notListed),
    ...renderMissed('Eligible, not proposed for termination', notEnded),
  ].join('\n');
}

function row(one: FamilyScore): readonly string[] {
  return [
    one.family,
    String(one.situations),
    String(one.notRun),
    `${one.keptCorrectly}/${one.kept}`,
    String(one.kept - one.keptCorrectly),
    `${one.ended}/${one.eligible}`,
    `${one.listed}/${one.abandoned}`,
  ];
}

export function total(families: readonly FamilyScore[]): FamilyScore {
  const sum = (of: (one: FamilyScore) => number): number =>
    families.reduce((before, one) => before + of(one), 0);
  return {
    family: 'all',
    situations: sum((one) => one.situations),
    notRun: sum((one) => one.notRun),
    kept: sum((one) => one.kept),
    keptCorrectly: sum((one) => one.keptCorrectly),
    abandoned: sum((one) => one.abandoned),
    listed: sum((one) => one.listed),
    eligible: sum((one) => one.eligible),
    ended: sum((one) => one.ended),
  };
}

function renderMissed(title: string, missed: readonly Missed[]): readonly string[] {
  const ages = new Map<string, string[]>();
  for (const { id, age, actions } of missed) {
    const line = `${age}: ${actions.map((action) => action ?? 'not listed').join(', ')}`;
    ages.set(id, [...(ages.get(id) ?? []), line]);
  }
  return [
    '',
    `${title}: ${missed.length} cases`,
    ...[...ages].map(([id, lines]) => `  ${id} (${lines.join('; ')})`),
  ];
}

/** The same proposal at several ages is shown once. */
function renderFalseActions(actions: readonly FalseAction[]): readonly string[] {
  const groups = Map.groupBy(actions, ({ id, proposal }) => `${id} ${proposal.pid} ${proposal.action}`);
  return [...groups.values()].map((same) => {
    const { id, why, proposal } = same[0] as FalseAction;
    const ages = same.map(({ age }) => age).join(', ');
    return `  ${id} (${ages}): ${proposal.action} ${proposal.pid} ${proposal.command}\n    must be kept: ${why}\n    evidence: ${proposal.evidence}`;
  });
}
