import type { Scenario } from '../scenario.ts';
import { NULL_STREAMS } from '../process-spec.ts';
import { count } from '../scenario.ts';

/** Headless browsers and language servers. */
export const TOOLS: readonly Scenario[] = [
  {
    name: 'a headless browser whose driver exited',
    family: 'browsers',
    truth: { browser: 'abandoned', 'renderer*2': 'abandoned' },
    run: async ({ run, background }, own) => {
      const renderers = count(2).map((index) =>
        background(own(`renderer${index}`), { name: 'chrome --type=renderer --headless' }),
      );
      await run(
        background(own('browser'), {
          name: 'chrome --headless --user-data-dir=/tmp/playwright_x',
          children: renderers,
        }),
        { streams: 'severed' },
      );
    },
  },
  {
    name: 'a headless browser started without streams whose driver exited',
    family: 'browsers',
    truth: { browser: 'abandoned', renderer: 'abandoned' },
    run: async ({ run, background }, own) => {
      const renderer = background(own('renderer'), { name: 'chrome --type=renderer --headless' });
      const name = 'chrome --headless --user-data-dir=/tmp/puppeteer_dev_profile-x';
      await run(background(own('browser'), { name, children: [renderer], redirect: NULL_STREAMS }), {
        streams: 'null',
      });
    },
  },
  {
    name: 'a headless browser under a running driver',
    family: 'browsers',
    truth: { driver: 'useful', browser: 'useful', renderer: 'useful' },
    run: async ({ run, background }, own) => {
      const renderer = background(own('renderer'), { name: 'chrome --type=renderer --headless' });
      const browser = background(own('browser'), {
        name: 'chrome --headless --remote-debugging-pipe',
        children: [renderer],
      });
      await run(`${background(own('driver'), { name: 'node playwright test', children: [browser] })} wait`);
    },
  },
  {
    name: 'a browser driver whose test exited',
    family: 'browsers',
    truth: { driver: 'abandoned' },
    run: async ({ run, background, pidOf }, own) => {
      await run(background(own('driver'), { name: 'chromedriver --port=0', does: 'listen' }), {
        streams: 'severed',
      });
      await pidOf(`${own('driver')}.port`);
    },
  },
  {
    name: 'language servers whose editor exited',
    family: 'language servers',
    truth: { 'server*3': 'abandoned' },
    run: async ({ run, background }, own) => {
      const names = ['node typescript-language-server --stdio', 'gopls', '/usr/bin/rust-analyzer'];
      await run(names.map((name, index) => background(own(`server${index + 1}`), { name })).join('\n'), {
        streams: 'severed',
      });
    },
  },
  {
    name: 'a pair of type servers whose editor exited',
    family: 'language servers',
    truth: { parent: 'abandoned', child: 'abandoned' },
    run: async ({ run, background }, own) => {
      const child = background(own('child'), { name: 'node typescript/lib/tsserver.js' });
      await run(background(own('parent'), { name: 'node pyright-langserver', children: [child] }), {
        streams: 'severed',
      });
    },
  },
  {
    name: 'language servers of a running editor',
    family: 'language servers',
    truth: { editor: 'useful', 'server*2': 'useful' },
    run: async ({ run, background }, own) => {
      const servers = ['clangd', 'node typescript/lib/tsserver.js'].map((name, index) =>
        background(own(`server${index + 1}`), { name }),
      );
      await run(`${background(own('editor'), { name: 'code', children: servers })} wait`);
    },
  },
];
