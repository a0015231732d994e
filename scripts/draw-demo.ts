/**
 * Writes docs/demo.svg and the pictures of the README: runs the built demo and renders its terminal output, or some of its steps, with
 * colours. The SVGs contain no scripts and no external resources.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { renderStep } from '../src/app/demo/render-step.ts';
import type { DemoStep } from '../src/app/demo/demo-step.ts';
import { createPaint } from '../src/base/paint.ts';
import { ROOT } from './build-constants.ts';
import { drawTerminal } from './pages/draw-terminal.ts';

const SHOWN_FOLDER = '/tmp/deed-demo';
const COMMAND = 'npx -y deed-cli demo';
/** The pictures of the README, with the steps of the demo that they show. */
const PICTURES: Readonly<Record<string, readonly string[]>> = {
  remember: ['resume'],
  plan: ['plan', 'denied'],
  clean: ['leftover'],
};
const place = mkdtempSync(join(tmpdir(), 'deed-draw-'));
try {
  const folder = join(place, 'demo');
  const answer = execFileSync(join(ROOT, 'dist/bin/deed'), ['demo', '--folder', folder], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: place, DEED_HOME: join(place, 'home') },
  });
  const paint = createPaint(true, {});
  const steps = answer
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; data: DemoStep })
    .filter(({ type }) => type === 'item');
  const draw = (path: string, command: string, shown: readonly DemoStep[]): void => {
    const rendered = shown.map((step) => renderStep(step, paint)).join('');
    const text = `${paint.dim('$')} ${command}\n\n${rendered.replaceAll(folder, SHOWN_FOLDER)}`;
    writeFileSync(join(ROOT, path), drawTerminal(text, `The output of ${command}`));
  };
  const all = steps.map(({ data }) => data);
  draw('docs/demo.svg', COMMAND, all);
  for (const [name, ids] of Object.entries(PICTURES)) {
    const some = all.filter(({ id }) => ids.includes(id));
    if (some.length !== ids.length) throw new Error(`the demo has no step ${ids.join(' or ')}`);
    draw(`docs/images/${name}.svg`, COMMAND, some);
  }
} finally {
  rmSync(place, { recursive: true, force: true });
}
