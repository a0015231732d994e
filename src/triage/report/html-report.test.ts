import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createDeep, createOrphan, createSnapshot } from '../../../test/fixtures/triage-snapshot.ts';
import { assess } from '../assess.ts';
import { openWealth } from '../decision/alpha-investing.ts';
import { DEFAULT_PARAMETERS } from '../parameters/load-parameters.ts';
import type { PlanDocument } from '../plan-document.ts';
import type { ProcessFacts } from '../process-snapshot.ts';
import { openSession, type TriageSession } from '../session/session.ts';
import { renderHtmlReport } from './render-html-report.ts';

const HOSTILE = `</code><script>alert(1)</script><img src=x onerror=alert(2)>"'&\u202E`;
const VOID = new Set(['meta', 'br']);

describe('the HTML report', () => {
  const page = render([
    createOrphan(),
    createOrphan({ pid: 501, command: ['node', HOSTILE] }),
    createOrphan({ pid: 502, deep: createDeep({ locks: 1 }) }),
  ]);

  test('is well-formed: every element is closed, in order', () => {
    const open: string[] = [];
    const body = page.replace(/<style>[\s\S]*?<\/style>/u, '').replace('<!doctype html>', '');
    for (const [, closing, name = '', , own] of body.matchAll(
      /<(\/?)([a-z][a-z0-9]*)((?:[^<>"]|"[^"]*")*?)(\/?)>/gu,
    )) {
      if (own === '/' || VOID.has(name)) continue;
      if (closing === '') open.push(name);
      else expect(open.pop()).toBe(name);
    }
    expect(open).toEqual([]);
    expect(body.match(/<(?!\/?[a-z])/u)).toBeNull();
  });

  test('needs no other file, runs no script, and forbids both', () => {
    expect(page).not.toMatch(/https?:|<script|<link|<img|<iframe|@import|url\(|<[^>]*\son\w+=/iu);
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
  });

  test('escapes hostile names', () => {
    expect(page).toContain('&lt;script&gt;alert(1)');
    expect(page).not.toContain('\u202E');
  });

  test('fits a phone and both colour schemes', () => {
    expect(page).toContain('name="viewport" content="width=device-width, initial-scale=1"');
    expect(page).toContain('prefers-color-scheme: dark');
    expect(page).toContain('overflow-wrap: anywhere');
  });

  test('groups by kind and owner, and shows evidence to both sides and vetoes in words', () => {
    expect(page).toMatch(/<h2>Tool servers <span class="count">2<\/span><\/h2>/u);
    expect(page).toContain('Owner: none');
    expect(page).toMatch(/class="left" style="width:[\d.]+%"/u);
    expect(page).toMatch(/class="right" style="width:[\d.]+%"/u);
    expect(page).toContain('<b>lock:</b> it holds a file lock');
    expect(page).toContain('No grounds:');
  });

  test('shows what was measured afterwards, and ignores a damaged measurement', () => {
    const { pid, start_id } = planOf([createOrphan()]).judgement.assessments[0] ?? { pid: 0, start_id: '' };
    const measured = {
      verification: { completed_at: '2026-11-17T06:00:00Z', confirmed: 1, total: 1 },
      action_outcomes: [
        {
          target: { pid, start_id },
          outcome: 'confirmed_dead',
          time_to_death_ms: 12,
          resources_freed: { memory_mb: 3 },
        },
      ],
      resource_summary: { memory_freed_mb: 3, expected_mb: 4 },
    };
    expect(render([createOrphan()], { pid, start_id, measured })).toContain(
      'confirmed dead after 12 ms, 3.0 MB freed',
    );
    expect(render([createOrphan()], { pid, start_id, measured: { verification: 'x' } })).toContain(
      'was not measured yet',
    );
  });
});

interface Applied {
  readonly pid: number;
  readonly start_id: string;
  readonly measured: object;
}

function render(processes: readonly ProcessFacts[], applied?: Applied): string {
  const folder = mkdtempSync(join(tmpdir(), 'deed-report-'));
  try {
    const session: TriageSession = openSession(
      folder,
      'sess-20261117-060000-abcdef',
      new Uint8Array(32),
      Date.now,
    );
    session.writeManifest({ state: 'verified' } as ReturnType<TriageSession['readManifest']>);
    if (applied !== undefined) {
      const { measured, ...target } = applied;
      session.write('outcomes.json', {
        session_id: session.id,
        entries: [
          {
            target: { ...target, startTicks: 1 },
            action: 'kill',
            stage: 1,
            progress: 'done',
            outcome: 'success',
            reason: 'Exited after SIGTERM.',
            gates: [],
            startedAt: '',
            durationMs: 5,
          },
        ],
      });
      mkdirSync(join(folder, 'telemetry'));
      session.writeTelemetry('verification.json', measured);
    }
    return renderHtmlReport({ session, plan: planOf(processes), generatedAt: '2026-11-17T06:00:00Z' });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function planOf(processes: readonly ProcessFacts[]): PlanDocument {
  const snapshot = createSnapshot(processes);
  return {
    format: 'deed.triage.plan/1',
    session_id: 'sess-20261117-060000-abcdef',
    alpha: 0.025,
    thresholds: DEFAULT_PARAMETERS.thresholds,
    wealth: openWealth(0),
    bet_placed: true,
    judgement: assess(snapshot, DEFAULT_PARAMETERS, { alpha: 0.025 }),
    actions: [],
    host: snapshot,
  };
}
