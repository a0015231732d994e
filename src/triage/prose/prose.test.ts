import { describe, expect, test } from 'vitest';
import {
  createDeep,
  createOrphan,
  createProcess,
  createSnapshot,
  SEVERED,
} from '../../../test/fixtures/triage-snapshot.ts';
import { assess } from '../assess.ts';
import { DEFAULT_PARAMETERS } from '../parameters/load-parameters.ts';
import type { ProcessFacts } from '../process-snapshot.ts';
import { PROSE_STYLES, writeProse, type ProseStyle } from './write-prose.ts';

const family = [
  createOrphan({ pid: 500, rssBytes: 2 * 1024 ** 3 }),
  createOrphan({
    pid: 501,
    ppid: 500,
    rssBytes: 1024 ** 3,
    deep: createDeep({ cwdDeleted: true, stdio: [SEVERED, SEVERED, SEVERED] }),
  }),
  createProcess({ pid: 600, state: 'Z' }),
];

describe.each(PROSE_STYLES)('%s', (style) => {
  test('has four parts with the facts of the assessment', () => {
    const prose = write(family, style);
    expect(Object.keys(prose)).toEqual(['executive', 'actions', 'rationale', 'next_steps']);
    expect(prose.executive).toContain('7.5');
    expect(prose.actions).toContain('(500)');
    expect(prose.rationale).not.toBe('');
    expect(prose.next_steps).toContain('mcp-server');
  });

  test('has four parts without candidates', () => {
    for (const part of Object.values(write([], style))) expect(part).not.toBe('');
  });

  test('is deterministic', () => {
    expect(write(family, style)).toEqual(write(family, style));
  });
});

test('the memory of a child that is killed with its parent counts once', () => {
  expect(write(family, 'conversational').actions).toContain('frees about 3.0 GB');
});

test('one process looks abandoned, two look abandoned', () => {
  const orphan = (pid: number) => createOrphan({ pid });
  expect(write([orphan(500)], 'conversational').executive).toContain('1 process looks abandoned');
  expect(write([orphan(500), orphan(510)], 'conversational').executive).toContain(
    '2 processes look abandoned',
  );
});

test('a process to review is named from the start, not called owned', () => {
  const prose = write([createOrphan({ pid: 500, command: ['/opt/unheard-of'] })], 'conversational');
  expect(prose.executive).toContain('none is to be killed, 1 process needs your review');
  expect(prose.rationale).toBe(
    'I am not sure that the processes to review are no longer needed; the explanation of each says why.',
  );
  expect(write([createProcess({ pid: 600, state: 'Z' })], 'conversational').executive).toContain(
    'no running process looks abandoned',
  );
});

test('styles differ', () => {
  expect(new Set(PROSE_STYLES.map((style) => write(family, style).actions)).size).toBe(PROSE_STYLES.length);
  expect(write(family, 'terse').actions).toMatch(/^- /u);
  expect(write(family, 'technical').actions).toMatch(/P\(useful\)=\S+, e=\S+, E\[loss\]=/u);
});

test('low memory is reported', () => {
  const snapshot = createSnapshot([], { memory: { totalBytes: 16e9, availableBytes: 1e9 } });
  const judgement = assess(snapshot, DEFAULT_PARAMETERS, { alpha: 0.025 });
  expect(writeProse(judgement, snapshot).executive).toContain('is low on memory, with only 0.9 GB');
});

function write(processes: readonly ProcessFacts[], style: ProseStyle) {
  const snapshot = createSnapshot(processes);
  return writeProse(assess(snapshot, DEFAULT_PARAMETERS, { alpha: 0.025 }), snapshot, style);
}
