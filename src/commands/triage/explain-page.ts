import { isPlainObject, type JsonObject } from '../../base/json.ts';
import type { Paint } from '../../base/paint.ts';
import { plainText } from '../../base/plain-text.ts';

/** Shows the assessment of processes to people, a page for each. */
export function renderExplanation(data: JsonObject, paint: Paint): string {
  const candidates = (data.candidates as readonly JsonObject[]).map((candidate) =>
    renderPage(candidate, paint),
  );
  const session =
    data.session_id === null ? '' : `\n${paint.dim(`Triage session ${plainText(data.session_id)}`)}\n`;
  return `${candidates.join('\n')}${session}`;
}

function renderPage(candidate: JsonObject, paint: Paint): string {
  const { pid, cmd_full, classification, confidence, recommended_action, action_rationale } = candidate;
  const grounds = candidate.grounds as JsonObject | undefined;
  const vetoes = (candidate.vetoes ?? []) as readonly JsonObject[];
  const impact = candidate.blast_radius as JsonObject;
  const undo = candidate.reversibility as JsonObject;
  const lines = [
    paint.bold(`${plainText(pid)}  ${plainText(cmd_full)}`),
    '',
    row('Advice', `${colour(plainText(recommended_action), paint)}: ${plainText(action_rationale)}`),
    row('Assessment', `${plainText(classification)}, confidence ${plainText(confidence)}`),
    ...(grounds === undefined
      ? []
      : [
          row('Grounds', `${grounds.found === true ? 'left running' : 'none'}: ${plainText(grounds.reason)}`),
        ]),
    ...list(
      'Against',
      vetoes.map(({ reason }) => plainText(reason)),
    ),
    row('Impact', `${plainText(impact.summary)} (risk ${plainText(impact.risk_level)})`),
    row(
      'Undo',
      undo.reversible === true
        ? plainText((undo.recovery_options as readonly unknown[])[0] ?? undo.note)
        : `not possible: ${plainText(undo.note)}`,
    ),
    ...renderSupervisor(candidate.supervisor as JsonObject),
    '',
    row('Probability', bars(candidate.posterior as JsonObject)),
    ...renderEvidence(candidate.evidence_ledger, paint),
  ];
  return `${lines.join('\n')}\n`;
}

function renderSupervisor({ detected, type, unit, supervisor_command: command }: JsonObject): string[] {
  if (detected !== true) return [];
  return [
    row(
      'Supervisor',
      `${plainText(type)} ${plainText(unit)}${command === null ? '' : `, use: ${plainText(command)}`}`,
    ),
  ];
}

/** The terms with the most weight, with their meaning. */
function renderEvidence(ledger: unknown, paint: Paint): string[] {
  if (!Array.isArray(ledger)) return [];
  const terms = ledger
    .filter((term): term is JsonObject => isPlainObject(term) && typeof term.log_odds === 'number')
    .filter(({ term, log_odds: odds }) => term !== 'prior' && Math.abs(odds as number) >= 0.1)
    .toSorted((a, b) => Math.abs(b.log_odds as number) - Math.abs(a.log_odds as number))
    .slice(0, 5);
  return list(
    'Evidence',
    terms.map(({ term, cell, log_odds: odds }) => {
      const times = Math.exp(Math.abs(odds as number));
      const direction = (odds as number) > 0 ? paint.red('abandoned') : paint.green('in use');
      return `${plainText(term)} ${plainText(cell)}: ${times < 1000 ? times.toFixed(1) : 'over 1000'} times as likely if ${direction}`;
    }),
  );
}

function bars(posterior: JsonObject): string {
  return Object.entries(posterior)
    .toSorted(([, a], [, b]) => Number(b) - Number(a))
    .map(([name, share]) => `${name} ${(Number(share) * 100).toFixed(1)} %`)
    .join(', ');
}

function colour(action: string, paint: Paint): string {
  if (action === 'kill') return paint.red(action);
  return action === 'spare' ? paint.green(action) : paint.yellow(action);
}

const LABEL = 13;

function row(label: string, value: string): string {
  return `${label.padEnd(LABEL)}${value}`;
}

function list(label: string, values: readonly string[]): string[] {
  return values.map((value, index) => row(index === 0 ? label : '', value));
}
