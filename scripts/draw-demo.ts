/**
 * Writes docs/demo.svg: runs the built demo and renders its terminal output with colours. The SVG contains no scripts and no external
 * resources.
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
  const rendered = steps.map(({ data }) => renderStep(data, paint)).join('');
  const text = `${paint.dim('$')} npx deed demo\n\n${rendered.replaceAll(folder, SHOWN_FOLDER)}`;
  writeFileSync(join(ROOT, 'docs/demo.svg'), drawTerminal(text));
} finally {
  rmSync(place, { recursive: true, force: true });
}
