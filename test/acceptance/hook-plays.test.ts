import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { replayHooks } from '../fixtures/hook-play.ts';
import { createHome } from '../fixtures/run-deed.ts';
import { LONG } from '../fixtures/start-node.ts';

const PLAYS = fileURLToPath(new URL('../fixtures/plays/', import.meta.url));
const BRIEF_TOKENS = 1500;
/** Of 30 questions, 28 must be answered. */
const ANSWERED_SHARE = 28 / 30;

/** The other plays make hundreds of calls, or ask for nothing that these do not. */
const SHORT_PLAYS = new Set(['invoices']);

const plays = readdirSync(PLAYS)
  .filter((name) => existsSync(join(PLAYS, name, 'questions.json')))
  .filter((name) => LONG || SHORT_PLAYS.has(name));

it.each(plays)('the brief answers the questions about the sessions of %s within its budget', (name) => {
  const home = createHome();
  try {
    const answers = replayHooks(join(PLAYS, name), home.path);
    const missed = answers.filter(({ isAnswered }) => !isAnswered);
    expect(answers.length).toBeGreaterThan(0);
    expect(Math.max(...answers.map(({ tokens }) => tokens))).toBeLessThanOrEqual(BRIEF_TOKENS);
    if (missed.length > answers.length * (1 - ANSWERED_SHARE) + 1e-9)
      expect(
        missed.map(({ question, answer_contains, brief }) => ({ question, answer_contains, brief })),
      ).toEqual([]);
  } finally {
    home.dispose();
  }
});
