import type { Scenario } from '../scenario.ts';
import { NULL_STREAMS } from '../part.ts';
import { count } from '../scenario.ts';

/** Browsers without a window, and language servers: started by programs, forgotten by programs. */
export const TOOLS: readonly Scenario[] = [
  {
    name: 'a headless browser whose driver died',
    family: 'browsers',
    truth: { browser: 'abandoned', 'renderer*2': 'abandoned' },
    play: async ({ play, part }, own) => {
      const renderers = count(2).map((index) =>
        part(own(`renderer${index}`), { name: 'chrome --type=renderer --headless' }),
      );
      await play(
        part(own('browser'), {
          name: 'chrome --headless --user-data-dir=/tmp/playwright_x',
          children: renderers,
        }),
        { streams: 'severed' },
      );
    },
  },
  {
    name: 'a headless browser started without streams whose driver died',
    family: 'browsers',
    truth: { browser: 'abandoned', renderer: 'abandoned' },
    play: async ({ play, part }, own) => {
      const renderer = part(own('renderer'), { name: 'chrome --type=renderer --headless' });
      const name = 'chrome --headless --user-data-dir=/tmp/puppeteer_dev_profile-x';
      await play(part(own('browser'), { name, children: [renderer], redirect: NULL_STREAMS }), {
        streams: 'null',
      });
    },
  },
  {
    name: 'a headless browser under a living driver',
    family: 'browsers',
    truth: { driver: 'useful', browser: 'useful', renderer: 'useful' },
    play: async ({ play, part }, own) => {
      const renderer = part(own('renderer'), { name: 'chrome --type=renderer --headless' });
      const browser = part(own('browser'), {
        name: 'chrome --headless --remote-debugging-pipe',
        children: [renderer],
      });
      await play(`${part(own('driver'), { name: 'node playwright test', children: [browser] })} wait`);
    },
  },
  {
    name: 'a browser driver whose test died',
    family: 'browsers',
    truth: { driver: 'abandoned' },
    play: async ({ play, part, pidOf }, own) => {
      await play(part(own('driver'), { name: 'chromedriver --port=0', does: 'listen' }), {
        streams: 'severed',
      });
      await pidOf(`${own('driver')}.port`);
    },
  },
  {
    name: 'language servers whose editor died',
    family: 'language servers',
    truth: { 'server*3': 'abandoned' },
    play: async ({ play, part }, own) => {
      const names = ['node typescript-language-server --stdio', 'gopls', '/usr/bin/rust-analyzer'];
      await play(names.map((name, index) => part(own(`server${index + 1}`), { name })).join('\n'), {
        streams: 'severed',
      });
    },
  },
  {
    name: 'a pair of type servers whose editor died',
    family: 'language servers',
    truth: { parent: 'abandoned', child: 'abandoned' },
    play: async ({ play, part }, own) => {
      const child = part(own('child'), { name: 'node typescript/lib/tsserver.js' });
      await play(part(own('parent'), { name: 'node pyright-langserver', children: [child] }), {
        streams: 'severed',
      });
    },
  },
  {
    name: 'language servers of a living editor',
    family: 'language servers',
    truth: { editor: 'useful', 'server*2': 'useful' },
    play: async ({ play, part }, own) => {
      const servers = ['clangd', 'node typescript/lib/tsserver.js'].map((name, index) =>
        part(own(`server${index + 1}`), { name }),
      );
      await play(`${part(own('editor'), { name: 'code', children: servers })} wait`);
    },
  },
];
