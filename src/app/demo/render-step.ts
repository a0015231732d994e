import type { Paint } from '../../base/paint.ts';
import { printable } from '../../base/text.ts';
import type { DemoLine, DemoStep } from './demo-step.ts';

/** Renders a step as text: title, commands and results. */
export function renderStep({ step, steps, title, calls, lines, weaker }: DemoStep, paint: Paint): string {
  const heading = paint.bold(`${step}/${steps}  ${printable(title)}`);
  const commands = calls.map(
    ({ command, duration_ms, exit_code }) =>
      `     ${paint.dim('$')} ${printable(command)}${paint.dim(renderResult(duration_ms, exit_code))}`,
  );
  const results = lines.map((line) => `     ${renderLine(line, paint)}`);
  const note = weaker === undefined ? [] : [`     ${paint.yellow('!')} ${printable(weaker)}`];
  return `${[heading, ...commands, ...results, ...note].join('\n')}\n\n`;
}

function renderResult(durationMs: number, exitCode: number | null): string {
  const exit = exitCode === 0 || exitCode === null ? '' : `  exit ${exitCode}`;
  return durationMs < 50 ? exit : `${exit}  ${(durationMs / 1000).toFixed(1)} s`;
}

function renderLine({ tone, text }: DemoLine, paint: Paint): string {
  const safe = printable(text);
  switch (tone) {
    case 'shown':
      return `${paint.green('✓')} ${safe}`;
    case 'refused':
      return `${paint.red('✗')} ${safe}`;
    case 'quote':
      return paint.dim(`│ ${safe}`);
    case 'plain':
      return `  ${safe}`;
  }
}
