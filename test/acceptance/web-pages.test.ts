import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findViolations } from '../fixtures/axe.ts';
import { CHROMIUM, openPage, PHONE, startBrowser, WIDE, type WatchedPage } from '../fixtures/browser.ts';
import { mcpServer } from '../fixtures/run-ai-agent.ts';
import { startDeed, waitFor } from '../fixtures/run-deed.ts';
import { LONG, rowsOf } from '../fixtures/start-node.ts';
import { callWeb, signIn, startWeb, startWebAtTerminal, type WebServer } from '../fixtures/web-server.ts';
import { addSession, finishSession } from '../fixtures/web-records.ts';
import { createStory, storyItem } from '../fixtures/web-story.ts';
import type { WorkBench } from '../fixtures/work-bench.ts';

if (CHROMIUM === undefined) console.warn('No Chromium: the tests of the web pages are skipped.');

const MAX_SCRIPT_BYTES = 200_000;

describe.skipIf(CHROMIUM === undefined || process.platform !== 'linux')('the web pages', () => {
  let bench: WorkBench;
  let server: WebServer;
  let browser: Browser;
  let watched: WatchedPage;
  let page: Page;
  let job = '';
  let scriptBytes = 0;
  beforeAll(async () => {
    bench = createStory();
    const plan = [
      storyItem('parse', 'Parse quoted fields that contain a comma.'),
      storyItem('cache', 'Drop the oldest row when the cache is full.', { approval: true }),
      storyItem('columns', 'Trim each column.', { approval: true, dependencies: ['parse'] }),
      storyItem('readme', 'Describe the cache in the readme.', { dependencies: ['cache'] }),
      storyItem('rewrite', 'Rewrite everything.', { constraints: { max_files: 2 } }),
    ];
    const { envelope } = bench.work(plan);
    job = envelope.error?.details.job_id as string;
    [server, browser] = await Promise.all([
      startWebAtTerminal({ home: bench.home, cwd: bench.tree, flags: ['--people', 'alice,bob'] }),
      startBrowser(),
    ]);
    watched = await openPage(browser, server.url);
    page = watched.page;
    page.on('response', (response) => {
      if (response.url().endsWith('.js')) scriptBytes += Number(response.headers()['content-length']);
    });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    bench?.dispose();
  });

  it('show what waits for a person, right after the one-time link was opened', async () => {
    const used = server.link('alice');
    await page.goto(used);
    await page.getByRole('heading', { name: 'Waits for you' }).waitFor();
    expect(new URL(page.url()).hash).toBe('');
    const again = await openPage(browser, server.url);
    await again.page.goto(used);
    const alert = again.page.getByRole('alert');
    expect(await alert.innerText()).toBe('The link is invalid or was used already.');
    await again.page.context().close();
    // The browser that used the link is still signed in, also when its person opens it again.
    const tab = await page.context().newPage();
    await tab.goto(used);
    await tab.getByRole('heading', { name: 'Waits for you' }).waitFor();
    await tab.close();
    await page.getByRole('link', { name: /^cache Waits for you/u }).waitFor();
    await page.getByRole('link', { name: /^rewrite Denied/u }).waitFor();
    expect(scriptBytes).toBeGreaterThan(0);
    expect(scriptBytes).toBeLessThan(MAX_SCRIPT_BYTES);
  });

  it('do not say that nothing runs and nothing was spent before they know it', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/api/call', async (route) => {
      const { command } = route.request().postDataJSON() as { command: string };
      if (!command.startsWith('agent')) return route.continue();
      await held;
      // The server does not get this one.
      const error = { code: 'E_IO', message: 'The sessions cannot be read.', details: {} };
      return route.fulfill({ json: { ok: false, schema_version: '1.0', error, meta: { duration_ms: 1 } } });
    });
    await page.goto(`${server.url}/`);
    await page.getByRole('link', { name: /^cache Waits for you/u }).waitFor();
    const [cost, running] = ['Cost today', 'Running'].map((name) => page.getByRole('region', { name }));
    await cost?.locator('.loading').waitFor();
    await running?.locator('.loading').waitFor();
    release();
    await cost?.getByRole('alert').getByText('The sessions cannot be read.').waitFor();
    expect(await page.getByText('No agent has spent anything today.').count()).toBe(0);
    await page.unroute('**/api/call');
  });

  it('show a job with its graph, its timeline and the diff of a run', async () => {
    await page.goto(`${server.url}/jobs/${job}`);
    await page
      .getByRole('region', { name: 'Dependencies of the items' })
      .getByRole('link', { name: 'readme: Queued' })
      .waitFor();
    await page
      .getByRole('region', { name: 'Timeline of the items' })
      .getByRole('link', { name: /^parse Done/u })
      .click();
    await page.getByRole('tab', { name: 'Tests' }).click();
    await page.getByText('Passed', { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Limits' }).click();
    await page.getByRole('meter', { name: 'Files' }).waitFor();
    await page.getByRole('tab', { name: 'Receipt' }).click();
    await page.getByRole('button', { name: 'Verify now' }).click();
    await page.getByText('Verified: signature, hashes and chain').waitFor();
    await page.getByRole('tab', { name: 'Log' }).click();
    await page.getByText('Reading src/parse.js').waitFor();
  });

  it('let a person approve one item by keyboard after reading its diff', async () => {
    await page.goto(`${server.url}/`);
    await page.getByRole('heading', { name: 'Waits for you' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('i');
    await page.getByRole('heading', { name: 'cache', exact: true }).waitFor();
    await page.getByText('rows.delete(rows.keys().next().value)').waitFor();
    await page.getByRole('button', { name: 'Split' }).click();
    expect(await page.locator('table.split td.add').count()).toBeGreaterThan(5);
    await page.getByRole('button', { name: 'Unified' }).click();
    await page.locator('body').press('a');
    await page.getByRole('button', { name: 'Confirm: approve' }).and(page.locator(':focus')).waitFor();
    expect(bench.read('src/cache.js')).not.toContain('LIMIT');
    await page.keyboard.press('Enter');
    await page.getByText('Approved: cache').waitFor();
    expect(bench.read('src/cache.js')).toContain('LIMIT');
    // The next one is selected, and the decision is that of the person.
    await page.getByRole('heading', { name: 'columns', exact: true }).waitFor();
    const runs = bench.deed(['work', 'list', '--status', 'success']).envelope.data.items as {
      run_id: string;
      item_id: string;
    }[];
    const run = runs.find(({ item_id }) => item_id === 'cache')?.run_id ?? '';
    expect(bench.deed(['work', 'show', run]).envelope.data.approval).toMatchObject({
      decision: 'approved',
      by: expect.stringMatching(/^user:/u),
    });
  });

  it('offer to continue a job after the last decision about it', async () => {
    const { envelope } = bench.work([
      storyItem('header', 'Read the headers of a file.', { approval: true }),
      storyItem('after', 'Describe the headers in the readme.', { dependencies: ['header'] }),
    ]);
    const { job_id: id, run_id: run } = envelope.error?.details ?? {};
    await page.goto(`${server.url}/inbox?run=${run}`);
    await page.getByRole('button', { name: /^Approve/u }).click();
    await page.getByRole('button', { name: 'Confirm: approve' }).click();
    const stopped = page.getByRole('status').filter({ hasText: 'has stopped' });
    await stopped.getByText('1 item has not run yet.').waitFor();
    await stopped.getByRole('link').click();
    await page.getByText('Stopped: 1 item has not run yet').waitFor();
    expect(new URL(page.url()).pathname).toBe(`/jobs/${id}`);
    await page.getByRole('button', { name: 'Continue job' }).click();
    await page.getByRole('button', { name: 'Confirm: continue job' }).click();
    await page
      .getByRole('region', { name: 'Timeline of the items' })
      .getByRole('link', { name: /^after Done/u })
      .waitFor();
  });

  it('lead from a blocked task to the run that failed', async () => {
    await page.goto(`${server.url}/inbox`);
    await page.getByRole('link', { name: /^rewrite: Rewrite everything/u }).click();
    await page.getByRole('link', { name: 'Its run: log, changes, send back' }).click();
    await page.getByRole('heading', { name: 'rewrite', exact: true }).waitFor();
    await page.getByRole('button', { name: /^Send back/u }).waitFor();
  });

  it('let two people act on the same run at once: one decides, the other one sees who did', async () => {
    const [waiting] = bench.deed(['work', 'list', '--status', 'waiting']).envelope.data.items as {
      run_id: string;
    }[];
    const run = waiting?.run_id ?? '';
    const bob = await openPage(browser, server.url);
    await bob.page.goto(server.link('bob'));
    await bob.page.getByRole('heading', { name: 'Waits for you' }).waitFor();
    const people = [
      { name: 'alice', page, decision: 'approve', problems: watched.problems },
      { name: 'bob', page: bob.page, decision: 'reject', problems: bob.problems },
    ];
    await Promise.all(people.map((person) => person.page.goto(`${server.url}/inbox?run=${run}`)));
    await page.getByRole('button', { name: /^Approve/u }).click();
    await bob.page.getByRole('button', { name: /^Reject/u }).click();
    await bob.page.getByRole('button', { name: /^Show what reject changes/u }).click();
    const confirm = (person: (typeof people)[number]) =>
      person.page.getByRole('button', { name: `Confirm: ${person.decision}` });
    await Promise.all(people.map((person) => confirm(person).waitFor()));
    await Promise.all(people.map((person) => confirm(person).click()));
    const decided = () =>
      bench.deed(['work', 'show', run]).envelope.data.approval as { decision: string; by: string } | null;
    await expect.poll(decided, { timeout: 10_000 }).not.toBeNull();
    const winner = people.find(({ name }) => decided()?.by === `user:${name}`);
    const loser = people.find((person) => person !== winner);
    expect(decided()?.decision).toBe(winner?.decision === 'approve' ? 'approved' : 'rejected');
    const answer = () => loser?.page.getByRole('group', { name: 'Decision' }).innerText();
    await expect
      .poll(answer, { timeout: 10_000 })
      .toMatch(new RegExp(`^Decided by ${winner?.name} .+: ${decided()?.decision}[.]`, 'u'));
    expect(bob.problems).toEqual([]);
    await bob.page.context().close();
  });

  it('let a person find why a run failed, from the first page to its limit', async () => {
    await page.goto(`${server.url}/`);
    const failed = page.getByRole('region', { name: 'Failed since you last looked' });
    await failed.getByRole('link', { name: /^rewrite Denied/u }).click();
    await page.getByRole('heading', { name: 'rewrite', exact: true }).waitFor();
    await page
      .locator('.run-problem')
      .getByText(/max files: 4 > 2/u)
      .waitFor();
    await page.getByRole('tab', { name: 'Limits' }).click();
    await page.getByText('4 of 2').waitFor();
    await page.goBack();
    await failed.getByRole('button', { name: 'Mark as seen' }).click();
    await failed.getByText('Nothing failed.').waitFor();
  });

  it.runIf(LONG)('continue a job after its runs were decided', async () => {
    await page.goto(`${server.url}/jobs/${job}?item=readme`);
    await page.getByRole('button', { name: 'Continue job' }).click();
    await page.getByRole('button', { name: 'Confirm: continue job' }).click();
    const timeline = page.getByRole('region', { name: 'Timeline of the items' });
    await timeline.getByRole('link', { name: /^readme Done/u }).waitFor();
    expect(bench.read('README.md')).toContain('Rows are cached');
  });

  it('follow a job that is opened in the middle, live', async () => {
    const started = bench.confirmed(
      'work',
      'run',
      bench.plan([storyItem('suite', 'Run the whole suite.')]),
      '--detach',
    );
    const id = started.envelope.data.job_id as string;
    expect(started.stderr).toContain(`watch it: ${server.url}/jobs/${id}`);
    const answered: string[] = [];
    page.on('requestfinished', (request) => {
      if (request.url().endsWith('/api/call'))
        answered.push((request.postDataJSON() as { command: string }).command);
    });
    // The page before may have begun a scan, whose end is only known now.
    page.once('framenavigated', () => (answered.length = 0));
    await page.goto(`${server.url}/`);
    await page.getByText(/suite: running test \d+ of 240/u).waitFor();
    // The scan of processes, which takes a second of the server, comes after what is more urgent.
    const scan = answered.indexOf('triage plan');
    const urgent = scan < 0 ? answered : answered.slice(0, scan);
    expect(urgent).toEqual(expect.arrayContaining(['work status', 'agent costs']));
    await page.goto(`${server.url}/jobs/${id}`);
    await page.getByRole('log').getByText('running test 2 of 240').waitFor();
    writeFileSync(join(bench.gate, 'finish'), '');
    await page.locator('.page-head').getByText('Done', { exact: true }).waitFor();
    await page
      .getByRole('region', { name: 'Timeline of the items' })
      .getByRole('link', { name: /^suite Done/u })
      .waitFor();
  });

  it('show while an item runs that its agent has ended and its tests run', async () => {
    const gates = [join(bench.gate, 'written'), join(bench.gate, 'tested')] as const;
    const [agent, tests] = gates.map((gate) => `while [ ! -e '${gate}' ]; do sleep 0.05; done`);
    bench.write('tools/slow-agent.sh', `${agent}; echo done > slow.txt`);
    bench.git('add', '.');
    bench.git('commit', '-q', '-m', 'slow agent');
    const config = JSON.parse(readFileSync(join(bench.home, 'config.json'), 'utf8')) as {
      'work.agents': { coder: object };
    };
    const slow = { ...config['work.agents'].coder, argv: ['/bin/sh', 'tools/slow-agent.sh'] };
    const agents = { ...config['work.agents'], slow };
    writeFileSync(join(bench.home, 'config.json'), JSON.stringify({ ...config, 'work.agents': agents }));
    const item = storyItem('slow', 'Take long.', { agent_id: 'slow', test_command: tests });
    const started = bench.confirmed('work', 'run', bench.plan([item]), '--detach');
    const id = started.envelope.data.job_id as string;
    const stepOf = (): unknown => {
      const { items } = bench.deed(['work', 'status', id]).envelope.data;
      return (items as { step?: string }[])[0]?.step;
    };
    await page.goto(`${server.url}/jobs/${id}`);
    const row = page
      .getByRole('region', { name: 'Timeline of the items' })
      .getByRole('link', { name: /^slow Running: agent/u });
    await row.waitFor();
    await row.locator('.phase.agent').waitFor();
    expect([await page.locator('.phase.tests').count(), stepOf()]).toEqual([0, 'agent']);
    await page
      .locator('.drawer')
      .getByText(/^(?:Isolated: |Not isolated)/u)
      .waitFor();
    // Nothing is reloaded: the changes arrive at the open page.
    writeFileSync(gates[0], '');
    const tested = page
      .getByRole('region', { name: 'Timeline of the items' })
      .getByRole('link', { name: /^slow Running: tests/u });
    await tested.waitFor();
    await tested.locator('.phase.tests').waitFor();
    await page.locator('.drawer').getByText('Running: tests', { exact: true }).waitFor();
    await page
      .getByRole('region', { name: 'Dependencies of the items' })
      .getByRole('link', { name: 'slow: Running: tests' })
      .waitFor();
    const { items } = bench.deed(['work', 'list', '--status', 'running']).envelope.data;
    expect([stepOf(), (items as object[])[0]]).toEqual(['tests', expect.objectContaining({ step: 'tests' })]);
    writeFileSync(gates[1], '');
    await page
      .getByRole('region', { name: 'Timeline of the items' })
      .getByRole('link', { name: /^slow Done/u })
      .waitFor();
    expect(stepOf()).toBeUndefined();
  });

  it('let a person create, find, move, assign and connect tasks', async () => {
    const create = (title: string, ...flags: string[]) =>
      bench.confirmed('task', 'create', '--title', title, ...flags).envelope.data.task as { id: string };
    const reader = create('Write the reader', '--priority', '3');
    await page.goto(`${server.url}/tasks`);
    const board = page.getByRole('region', { name: 'Board' });
    const column = (name: string) => board.getByRole('region', { name, exact: true });
    await column('To do').getByRole('link', { name: 'Write the reader' }).waitFor();
    await page.locator('body').press('n');
    await page.getByLabel('Title').fill('Review the reader');
    await page.getByLabel('Title').press('Enter');
    await page.getByRole('heading', { name: 'Review the reader' }).waitFor();
    await page.getByLabel('Depends on').fill(reader.id);
    await page.getByLabel('Depends on').press('Enter');
    await page.getByRole('heading', { name: 'Waits for' }).waitFor();
    await column('Waiting').getByText('waits for 1 task').waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Description').fill('Before the release.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Before the release.').waitFor();
    // By keyboard, by drag, and by an agent of another process: the board follows.
    await page.getByRole('searchbox').fill('write');
    await column('Waiting').getByRole('link').waitFor({ state: 'detached' });
    await page.locator('main').press('j');
    await page.getByRole('heading', { name: 'Write the reader' }).waitFor();
    await page.locator('body').press('m');
    await page.keyboard.press('Enter');
    await page.getByText('Moved to In progress').waitFor();
    const card = column('In progress').getByRole('link', { name: 'Write the reader' });
    await card.dragTo(column('Done'));
    await column('Done').getByRole('link', { name: 'Write the reader' }).waitFor();
    await page.getByRole('button', { name: 'Blocked' }).click();
    await page.getByLabel('Why is it blocked?').fill('No sample file');
    await page.getByRole('button', { name: 'Block', exact: true }).click();
    await column('Blocked').getByText('No sample file').waitFor();
    await page.getByLabel('Assign to').fill('coder-1');
    await page.getByLabel('Assign to').press('Enter');
    await column('In progress')
      .getByText(/coder-1\d+m \d+s/u)
      .waitFor();
    // The graph follows the search, and shows the neighbours of what was found.
    await page.getByRole('button', { name: 'Graph' }).click();
    await page.getByRole('link', { name: 'Review the reader: Waiting' }).waitFor();
    await page.getByRole('searchbox').fill('nothing like this');
    await page.getByText('None of the open tasks found here depends on another one.').waitFor();
    expect(bench.deed(['task', 'get', reader.id]).envelope.data).toMatchObject({
      status: 'in_progress',
      claim: { agent: 'coder-1' },
    });
  });

  it('tell a person who drags a card that another one moved meanwhile, and show where it is', async () => {
    const { id } = bench.confirmed('task', 'create', '--title', 'Drag me').envelope.data.task as {
      id: string;
    };
    await page.goto(`${server.url}/tasks?q=drag`);
    const column = (name: string) => page.getByRole('region', { name, exact: true });
    const card = column('To do').getByRole('link', { name: 'Drag me' });
    await card.hover();
    await page.mouse.down();
    await column('Blocked').hover();
    const bob = await signIn(server, 'bob');
    const begin = {
      command: 'task set-status',
      parameters: { id, status: 'in_progress' },
      request_id: 'bob',
    };
    expect((await callWeb(server, bob, begin)).ok).toBe(true);
    await column('In progress').getByRole('link', { name: 'Drag me' }).waitFor();
    await column('Done').hover();
    await page.mouse.up();
    await page
      .getByRole('alert')
      .getByText(/^bob moved the task to In progress (?:.+ ago|just now)[.]$/u)
      .waitFor();
    await column('In progress').getByRole('link', { name: 'Drag me' }).waitFor();
    expect(bench.deed(['task', 'get', id]).envelope.data.status).toBe('in_progress');
    // At the same moment, one of two moves happens, and the other one names who made it.
    const moves = await Promise.all(
      ['completed', 'pending'].map((status) =>
        callWeb(server, bob, {
          command: 'task set-status',
          parameters: { id, status, expected_status: 'in_progress' },
          request_id: status,
        }),
      ),
    );
    const refused = moves.find(({ ok }) => !ok);
    expect(moves.filter(({ ok }) => ok)).toHaveLength(1);
    expect(refused?.error).toMatchObject({
      code: 'E_CONFLICT',
      details: { reason: 'status-changed', expected_status: 'in_progress', changed_by: 'user:bob' },
    });
  });

  it('do not let a person replace a text or a priority that another one changed meanwhile', async () => {
    const { id } = bench.confirmed('task', 'create', '--title', 'Edit me').envelope.data.task as {
      id: string;
    };
    const bob = await signIn(server, 'bob');
    const change = async (command: string, parameters: object): Promise<void> => {
      const answer = await callWeb(server, bob, {
        command,
        parameters: { id, ...parameters },
        request_id: JSON.stringify(parameters),
      });
      expect(answer.error).toBeUndefined();
    };
    await page.goto(`${server.url}/tasks?task=${id}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Title').fill('Mine');
    await change('task edit', { title: 'Title of bob', description: 'Text of bob' });
    await page.getByText('Title of bob').first().waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page
      .getByRole('alert')
      .getByText(/^bob changed the title (?:.+ ago|just now)[.]$/u)
      .waitFor();
    expect(bench.deed(['task', 'get', id]).envelope.data.title).toBe('Title of bob');
    // What this person did not touch stays as the other one left it.
    await page.getByRole('button', { name: 'Replace it with mine' }).click();
    await page.getByRole('heading', { name: 'Mine' }).waitFor();
    expect(bench.deed(['task', 'get', id]).envelope.data).toMatchObject({
      title: 'Mine',
      description: 'Text of bob',
    });
    // Two clicks in a row count twice, before the first one has come back as a change.
    const higher = page.getByRole('button', { name: 'Higher priority' });
    await higher.click();
    await higher.click();
    await expect.poll(() => bench.deed(['task', 'get', id]).envelope.data.priority).toBe(2);
    const raise = (priority: number) =>
      callWeb(server, bob, {
        command: 'task set-priority',
        parameters: { id, priority, expected_priority: 2 },
        request_id: `raise ${priority}`,
      });
    const raised = await Promise.all([raise(7), raise(9)]);
    expect(raised.filter(({ ok }) => ok)).toHaveLength(1);
    expect(raised.find(({ ok }) => !ok)?.error).toMatchObject({
      code: 'E_CONFLICT',
      details: { reason: 'priority-changed', expected_priority: 2, changed_by: 'user:bob' },
    });
  });

  it('show what an agent did, and let a person allow its tool call', async () => {
    addSession(bench);
    await page.goto(`${server.url}/sessions`);
    const steps = page.getByRole('treegrid');
    await steps.getByText('The request failed: ').waitFor();
    await steps.getByText('Retried, because the answer was unusable').waitFor();
    await steps.getByRole('row', { name: /notes__set/u }).waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'Conversation' }).click();
    await page.getByText('The notes of last night name two files.').waitFor();
    finishSession(bench);
    // That such a server refuses every write is tested in test/acceptance/web-security.test.ts.
    if (LONG) await expectReadOnly('/sessions');
    // By keyboard: deny, but not after all; allow.
    await page.locator('body').press('r');
    await page.getByRole('button', { name: 'Confirm: deny' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Confirm: deny' }).waitFor({ state: 'detached' });
    await page.locator('body').press('a');
    await page.getByRole('button', { name: 'Confirm: allow the call' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'Report' }).click();
    await page.getByText('Two files changed last night').waitFor();
    expect(readFileSync(join(bench.gate, 'calls'), 'utf8')).toContain('set 4');
    await page.getByRole('tab', { name: 'Limits' }).click();
    await page.getByRole('meter', { name: 'Turns' }).waitFor();
  });

  it('show how much of its limits a running session has used', async () => {
    const script = join(bench.gate, 'hanging.json');
    const config = join(bench.gate, 'hanging-agent.json');
    const usage = { inputTokens: 2400, outputTokens: 100, cacheReadTokens: 0 };
    const first = { toolCalls: [{ name: 'notes__read', arguments: { n: 1 } }], costUsd: 0.2, usage };
    writeFileSync(script, JSON.stringify({ steps: [first, { hang: true }] }));
    const notes = mcpServer('counting', join(bench.gate, 'hanging-calls'));
    const providers = { scripted: { type: 'script', file: script } };
    writeFileSync(config, JSON.stringify({ providers, mcpServers: { notes } }));
    const prompts = ['agent', 'run', 'You take notes.', 'Read the notes of today.'];
    const flags = ['--models', 'scripted/sonnet', '--tools', 'notes', '--config', config];
    const limits = '--max-turns 8 --max-total-tokens 10000 --max-cost-usd 1 --max-duration-ms 600000'.split(
      ' ',
    );
    const argv = [...prompts, ...flags, ...limits, '--transport', 'native'];
    const { envelope } = bench.deed([...argv, '--dry-run']);
    const child = startDeed([...argv, '--confirm', envelope.data.confirm_token as string], {
      home: bench.home,
      cwd: bench.tree,
    });
    try {
      await page.goto(`${server.url}/`);
      const running = page.getByRole('listitem').filter({ hasText: 'Read the notes of today.' });
      const meter = (name: string) => running.getByRole('meter', { name });
      await running.getByText('1 of 8').waitFor();
      await running.getByText('$0.20 of $1.00').waitFor();
      // With the request that is being answered.
      expect(Number(await meter('Tokens').getAttribute('aria-valuenow'))).toBeGreaterThan(2500);
      const timeOf = async () => Number(await meter('Time').getAttribute('aria-valuenow'));
      const before = await timeOf();
      // The clock of the page runs, although the session writes nothing.
      await expect.poll(timeOf).toBeGreaterThan(before);
      // The request that is being answered runs: it is not a problem.
      await running.getByRole('link').click();
      const steps = page.getByRole('treegrid');
      await steps.getByRole('row', { name: /^running scripted\/sonnet request .*\ds$/u }).waitFor();
      expect(await steps.getByText(/problem|unknown/u).count()).toBe(0);
    } finally {
      child.kill('SIGINT');
      await waitFor(child);
    }
  });

  it.runIf(LONG)('let a person search the journal, and confirm or retire a memory', async () => {
    const remember = (value: string): unknown =>
      bench.confirmed('memory', 'set', '--key', 'test_command', '--value', value, '--agent', 'coder-1');
    remember('npm test');
    remember('node --test');
    const scoped = ['memory', 'set', '--key', 'limit', '--value', '1000 rows', '--scope', 'project'];
    bench.confirmed(...scoped, '--scope-id', 'csv reader', '--agent', 'coder-1');
    await page.goto(`${server.url}/journal?view=memory`);
    await page.getByLabel('Scope', { exact: true }).selectOption('project');
    await page.getByText('Choose the project whose memories you want to see.').waitFor();
    await page.getByLabel('Which project').selectOption('csv reader');
    await page.getByRole('button', { name: /^limit/u }).waitFor();
    await page.getByText("deed memory list --scope project --scope-id 'csv reader'").waitFor();
    await page.goto(`${server.url}/journal`);
    await page
      .getByRole('button', { name: /test_command/u })
      .first()
      .waitFor();
    await page.getByRole('searchbox').fill('NO SUCH');
    await page.getByText('No event contains this text.').waitFor();
    await page.getByRole('searchbox').fill('write the READER');
    await page
      .getByRole('button', { name: /Write the reader/u })
      .first()
      .click();
    await page.getByRole('region', { name: 'Selected event' }).getByText('Task task_').waitFor();
    await page.goto(`${server.url}/journal?view=memory`);
    await page.getByRole('searchbox').fill('node');
    await page.getByRole('button', { name: /^test_command/u }).click();
    const view = page.getByRole('region', { name: 'Selected memory' });
    await view.getByText('npm test').waitFor();
    await view.getByRole('button', { name: 'Still right' }).click();
    await page.getByText('Confirmed: test_command').waitFor();
    await view.getByRole('button', { name: 'Retire' }).click();
    expect(bench.deed(['memory', 'get', '--key', 'test_command']).envelope.data.value).toBe('node --test');
    await view.getByRole('button', { name: 'Confirm: retire' }).click();
    await page.getByText('Retired: test_command').waitFor();
    expect(bench.deed(['memory', 'get', '--key', 'test_command']).envelope.error?.code).toBe('E_NOT_FOUND');
  });

  it('verify the audit log and the receipts', async () => {
    await page.goto(`${server.url}/trust`);
    await page.getByText(/\d+ lines of the audit log: none was changed or removed/u).waitFor();
    await page.getByText(/\d+ receipts: signatures, hashes and chain are valid/u).waitFor();
    await page.getByText('linked').first().waitFor();
    await page.getByText('BEGIN PUBLIC KEY').waitFor();
    const key = page.getByRole('region', { name: 'Key' });
    const [, shown = ''] = /deed receipt show (\S+)/u.exec(await key.innerText()) ?? [];
    expect(bench.deed(['receipt', 'show', shown]).envelope.data.public_key).toContain('BEGIN PUBLIC KEY');
    await page.getByRole('tab', { name: 'Audit log' }).click();
    await page.getByText('audit verify').first().waitFor();
  });

  const views = [
    { name: 'Sessions', path: () => '/sessions' },
    { name: 'Journal', path: () => '/journal' },
    { name: 'Memory', path: () => '/journal?view=memory' },
    { name: 'Processes', path: () => '/processes' },
    { name: 'Trust', path: () => '/trust' },
    { name: 'Tasks', path: () => '/tasks' },
    { name: 'Now', path: () => '/' },
    { name: 'Inbox', path: () => '/inbox' },
    { name: 'Job', path: () => `/jobs/${job}?item=cache` },
  ];
  const looks = views.flatMap((view) => (['light', 'dark'] as const).map((theme) => ({ ...view, theme })));
  // Each takes seconds; the short suite checks a page with most on it here, and others in light in test/acceptance/web-review.test.ts.
  const short = looks.filter(({ name, theme }) => name === 'Job' && theme === 'dark');
  it.each(LONG ? looks : short)(
    'have no accessibility violations: $name, $theme',
    async ({ path, theme }) => {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
      await page.goto(`${server.url}${path()}`);
      await page.locator('.bar .live:not(.off)').waitFor();
      await page.locator('.panel, .empty, .board').first().waitFor();
      expect(await findViolations(page)).toEqual([]);
    },
  );

  it('have no accessibility violations where nothing is', async () => {
    const lost = await openPage(browser, server.url);
    await lost.page.context().addCookies(await page.context().cookies());
    for (const path of rowsOf(['/jobs/job_0', '/nothing'])) {
      await lost.page.goto(`${server.url}${path}`);
      await lost.page.locator('.bar .live:not(.off)').waitFor();
      await lost.page.locator('main .empty, main .failure').waitFor();
      expect(await findViolations(lost.page), path).toEqual([]);
    }
    await lost.page.context().close();
  });

  it('fit on a phone', async () => {
    await page.setViewportSize(PHONE);
    const checked = LONG
      ? views
      : views.filter(({ name }) => ['Now', 'Job', 'Tasks', 'Trust'].includes(name));
    for (const { path } of checked) {
      await page.goto(`${server.url}${path()}`);
      await page.locator('.panel:not(.graph-panel), .empty, .board').first().waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth'), path()).toBe(PHONE.width);
    }
    // A window of 1440 pixels at 200 % zoom.
    await page.setViewportSize({ width: 720, height: 450 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(720);
    await page.setViewportSize(WIDE);
  });

  it('show stored text as text', async () => {
    const evil = '<img src=x onerror="document.title=1"> <script>document.title=2</script>';
    bench.work([storyItem('markup', `Trim each column. ${evil}`, { approval: true })]);
    await page.goto(`${server.url}/inbox`);
    await page.getByText(evil).waitFor();
    expect(await page.locator('main img, main script').count()).toBe(0);
  });

  it.skipIf(!LONG)('let a person replay, roll back and send back a run', async () => {
    const { run_id: run } = runOf('parse');
    await page.goto(`${server.url}/jobs/${job}?item=parse&tab=receipt`);
    await page.getByRole('button', { name: 'Replay' }).click();
    await page.getByText(/^Same hash/u).waitFor();
    await page.getByRole('button', { name: /^Roll back/u }).click();
    await page.getByRole('button', { name: 'Confirm: roll back' }).click();
    await page.getByText('Rolled back: parse').waitFor();
    await page.getByRole('link', { name: 'parse: Rolled back' }).waitFor();
    await page.getByRole('button', { name: /^Roll back/u }).waitFor({ state: 'detached' });
    expect(bench.deed(['work', 'show', run]).envelope.data.rolled_back).toBe(true);
    const { run_id: sentBack } = runOf('rewrite');
    await page.goto(`${server.url}/jobs/${job}?item=rewrite`);
    await page.getByRole('button', { name: /^Send back/u }).click();
    await page.getByLabel('What should the agent change?').fill('Two files are enough.');
    await page.getByRole('button', { name: /^Show what send back changes/u }).click();
    await page.getByRole('button', { name: 'Confirm: send back' }).click();
    await page.getByText('Sent back: rewrite').waitFor();
    await expect.poll(() => runOf('rewrite').run_id, { timeout: 10_000 }).not.toBe(sentBack);
    await page.getByText(runOf('rewrite').run_id).waitFor();
  });

  it.skipIf(!LONG)('name the receipt that was changed', async () => {
    const { run_id: run } = runOf('columns');
    const path = join(bench.home, 'runs', run, 'RECEIPT.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace('"columns"', '"column"'));
    await page.goto(`${server.url}/trust`);
    await page.getByText('The receipts: changed or incomplete').waitFor();
    const row = page.locator('.line-row', { hasText: run });
    await row.getByText('changed', { exact: true }).waitFor();
  });

  /** What waits on this page cannot be decided in a read-only server, which says why. */
  const expectReadOnly = async (path: string): Promise<void> => {
    const other = await startWeb({ home: bench.home, cwd: bench.tree, flags: ['--read-only'] });
    const reader = await openPage(browser, other.url);
    await reader.page.goto(other.link());
    await reader.page.getByRole('heading', { name: 'Waits for you' }).waitFor();
    await reader.page.goto(`${other.url}${path}`);
    await reader.page.getByText('This server is read-only.').waitFor();
    expect(await reader.page.getByRole('button', { name: /^(?:Allow|Deny|Approve)/u }).count()).toBe(0);
    await reader.page.context().close();
    await other.stop();
  };

  const runOf = (item: string): { run_id: string } => {
    const runs = bench.deed(['work', 'list', '--job', job]).envelope.data.items;
    return (
      (runs as { run_id: string; item_id: string }[]).find(({ item_id }) => item_id === item) ?? {
        run_id: '',
      }
    );
  };

  it('reported no error and sent no request to another server', () => {
    expect(watched.problems).toEqual([]);
  });
});
