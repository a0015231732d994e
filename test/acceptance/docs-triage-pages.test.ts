import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAccount, runPage, type Account, type RanLine } from '../fixtures/docs/run-page.ts';
import { orphanScript } from '../fixtures/orphans.ts';
import { namespaceCommand } from '../fixtures/pid-namespace.ts';
import { LONG } from '../fixtures/start-node.ts';
import { allowAnyAge } from '../fixtures/triage-environment.ts';

/** The pages terminate a process, so all of it happens in a pid namespace with one orphan in it. */
const PREPARE = `PID=$(${orphanScript(1)})
session() { cat "$HOME"/lines-of-*/*.out | grep -o 'sess-[0-9]*-[0-9]*-[0-9a-z]*' | tail -1; }
ended() { ! kill -0 "$PID" 2> /dev/null; }`;

describe.runIf(LONG && namespaceCommand !== null)('the commands of', () => {
  let account: Account;
  beforeEach(() => {
    account = createAccount('triage-pages');
    allowAnyAge(`${account.home}/.deed`);
  });
  afterEach(() => account.dispose());

  const PAGES = ['docs/triage.md', 'docs/quickstart/triage.md', 'docs/how-to/clean-a-laptop.md'];
  it.each(PAGES)('%s find a process that an agent left, and end it', async (page) => {
    const ran = await runPage(page, {
      account,
      wrapper: namespaceCommand ?? [],
      prepare: PREPARE,
      replace: [
        ['<id>', '"$(session)"'],
        [/<pid>|\b4242\b/u, '$PID'],
      ],
    });
    const [verified = ''] = outputs(ran, /agent verify|triage verify/u);
    expect(verified).toMatch(/confirmed_dead|ended|exited/u);
    const [report] = outputs(ran, /agent report/u);
    expect(report ?? '').toBe('');
  });
});

const outputs = (ran: readonly RanLine[], command: RegExp): readonly string[] =>
  ran.filter(({ line }) => command.test(line)).map(({ stdout }) => stdout);
