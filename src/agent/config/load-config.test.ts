import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig, type LoadedConfig } from './load-config.ts';
import { MissingVariableError } from './placeholders.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'deed-config-'));
});
afterEach(() => rmSync(root, { recursive: true }));

/** The file of each layer. */
const FILES = {
  explicit: 'team.json',
  cwd: 'cwd/.ai-agent.json',
  prompt: 'prompt/.ai-agent.json',
  binary: 'bin/.ai-agent.json',
  home: 'home/.ai-agent/ai-agent.json',
  system: 'etc/ai-agent/ai-agent.json',
} as const;
type Layer = keyof typeof FILES;

function write(path: string, content: unknown): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
}

interface Options {
  readonly env?: Record<string, string>;
  readonly mode?: 'refuse' | 'warn';
  readonly trusted?: boolean;
  readonly explicit?: boolean;
}

function load({ env = {}, mode = 'warn', trusted = true, explicit = false }: Options = {}): LoadedConfig {
  return loadConfig({
    locations: {
      explicit: explicit ? join(root, FILES.explicit) : undefined,
      cwd: join(root, 'cwd'),
      promptFolder: join(root, 'prompt'),
      binaryFolder: join(root, 'bin'),
      userHome: join(root, 'home'),
      systemFolder: join(root, 'etc'),
    },
    env,
    defaultConcurrency: 4,
    trust: { mode, isTrusted: () => trusted },
  });
}

describe('layers', () => {
  it('override each other in the order of the contract, and merge key by key', () => {
    const order: Layer[] = ['explicit', 'cwd', 'prompt', 'binary', 'home', 'system'];
    for (const [index, layer] of order.entries()) {
      write(FILES[layer], {
        defaults: { maxTurns: index + 1 },
        providers: {
          [layer]: { baseUrl: `http://${layer}/` },
          shared: { topK: index + 1, headers: { [layer]: 'x' } },
        },
      });
    }
    for (const [index, layer] of order.entries()) {
      const config = load({ explicit: index === 0 });
      expect([layer, config.defaults.maxTurns]).toEqual([layer, index + 1]);
      expect(config.provider('shared')).toEqual({
        topK: index + 1,
        headers: Object.fromEntries(order.slice(index).map((name) => [name, 'x'])),
      });
      rmSync(join(root, FILES[layer]));
    }
    expect(load().files).toEqual([]);
  });

  it('do not merge lists: the highest-priority list applies', () => {
    write(FILES.cwd, { defaults: { models: ['a/x'] } });
    write(FILES.home, { defaults: { models: ['b/y', 'b/z'] } });
    expect(load().defaults.models).toEqual(['a/x']);
  });

  it('are read once when the prompt is in the current folder', () => {
    write(FILES.cwd, { defaults: { maxTurns: 2 } });
    const config = loadConfig({
      locations: {
        cwd: join(root, 'cwd'),
        promptFolder: join(root, 'cwd'),
        binaryFolder: join(root, 'cwd'),
        userHome: root,
        systemFolder: root,
      },
      env: {},
      defaultConcurrency: 1,
      trust: { mode: 'warn', isTrusted: () => true },
    });
    expect(config.files).toEqual([join(root, FILES.cwd)]);
  });

  it('cannot pollute Object.prototype', () => {
    write(FILES.cwd, '{"providers": {"__proto__": {"topK": 3}, "p": {"baseUrl": "http://x/"}}}');
    expect(() => load()).not.toThrow();
    expect(({} as Record<string, unknown>).topK).toBeUndefined();
  });
});

describe('placeholders', () => {
  it("resolve from the layer's .env file first, then from the environment", () => {
    write(FILES.home, { providers: { p: { apiKey: '${KEY}', baseUrl: 'http://${HOST}/v1' } } });
    write('home/.ai-agent/ai-agent.env', 'export KEY="from \\"file\\"" # comment\nOTHER=1\n');
    const env = { KEY: 'from environment', HOST: 'there' };
    expect(load({ env }).provider('p')).toEqual({ apiKey: 'from "file"', baseUrl: 'http://there/v1' });
  });

  it('of one layer do not resolve from the .env file of another', () => {
    write(FILES.cwd, { providers: { p: { apiKey: '${KEY}' } } });
    write('home/.ai-agent/ai-agent.env', 'KEY=secret');
    write(FILES.home, {});
    expect(() => load().provider('p')).toThrow(MissingVariableError);
  });

  it('named like a member of every object are unresolved', () => {
    write(FILES.home, { providers: { p: { apiKey: '${constructor}' } } });
    expect(() => load().provider('p')).toThrow(MissingVariableError);
  });

  it('that are unresolved fail with the layer, when the value is used', () => {
    write(FILES.home, { providers: { used: { apiKey: '${ONE}' }, unused: { apiKey: '${TWO}' } } });
    const config = load({ env: { ONE: '1' } });
    expect(config.provider('used')).toEqual({ apiKey: '1' });
    expect(() => config.provider('unused')).toThrow(
      `MissingVariableError: ${join(root, FILES.home)} uses \${TWO} in providers.unused.apiKey`,
    );
  });

  it('may be unresolved in a value that a higher layer overrides', () => {
    write(FILES.cwd, { providers: { p: { apiKey: 'mine' } } });
    write(FILES.home, { providers: { p: { apiKey: '${GONE}' } } });
    expect(load().provider('p')).toEqual({ apiKey: 'mine' });
  });

  it('are not expanded in REST templates and in the env and headers of servers', () => {
    write(FILES.home, {
      mcpServers: { s: { command: '${CMD}', env: { A: '${SECRET}' }, headers: { B: '${SECRET}' } } },
      restTools: {
        r: { description: 'd', url: 'http://x/${parameters.id}?k=${CMD}', bodyTemplate: '${parameters.all}' },
      },
    });
    const config = load({ env: { CMD: 'run', SECRET: 's' } });
    expect(config.server('s')).toEqual({
      command: 'run',
      env: { A: '${SECRET}' },
      headers: { B: '${SECRET}' },
    });
    expect(config.restTool('r')).toMatchObject({
      url: 'http://x/${parameters.id}?k=run',
      bodyTemplate: '${parameters.all}',
    });
  });
});

describe('queues', () => {
  it('include a default queue, which can be overridden', () => {
    expect(load().queues).toEqual({ default: { concurrent: 4 } });
    write(FILES.home, { queues: { default: { concurrent: 9 }, slow: { concurrent: 1 } } });
    expect(load().queues).toEqual({ default: { concurrent: 9 }, slow: { concurrent: 1 } });
  });

  it.each([
    ['mcpServers', { command: 'x', queue: 'slwo' }],
    ['restTools', { description: 'd', url: 'http://x/', queue: 'slwo' }],
  ])('that %s refer to must exist', (section, settings) => {
    write(FILES.home, { queues: { slow: { concurrent: 1 } }, [section]: { s: settings } });
    expect(() => load()).toThrow(`Unknown queue for ${section}.s (${join(root, FILES.home)}): "slwo".`);
  });
});

describe('an untrusted folder', () => {
  beforeEach(() => {
    write(FILES.cwd, {
      providers: { p: { baseUrl: 'http://evil/', apiKey: '${KEY}' } },
      mcpServers: { s: { command: 'evil' } },
      restTools: { r: { description: 'd', url: 'http://evil/?k=${KEY}' } },
      defaults: { maxTurns: 3 },
    });
  });

  it('sets only limits in mode refuse', () => {
    const config = load({ mode: 'refuse', trusted: false, env: { KEY: 'secret' } });
    expect([
      config.providerNames,
      config.serverNames,
      config.restToolNames,
      config.defaults.maxTurns,
    ]).toEqual([[], [], [], 3]);
    expect(config.warnings).toHaveLength(1);
  });

  it('is used with a warning in mode warn, unless the home configuration is strict', () => {
    const config = load({ trusted: false, env: { KEY: 'secret' } });
    expect(config.serverNames).toEqual(['s']);
    expect(config.warnings[0]).toContain('is not trusted');
    write(FILES.home, { trust: 'strict' });
    expect(load({ trusted: false }).serverNames).toEqual([]);
    // A folder cannot lower the trust level.
    write(FILES.cwd, { trust: 'warn', mcpServers: { s: { command: 'evil' } } });
    expect(load({ trusted: false }).serverNames).toEqual([]);
  });

  it('never combines a key and a base URL of different layers', () => {
    write(FILES.cwd, { providers: { p: { baseUrl: 'http://evil/' } } });
    write(FILES.home, { providers: { p: { apiKey: 'secret', headers: { 'x-key': 'secret' } } } });
    expect(() => load({ mode: 'refuse' }).provider('p')).toThrow('but its base URL in');
    const config = load();
    expect(config.provider('p').baseUrl).toBe('http://evil/');
    expect(config.warnings).toHaveLength(1);
    expect(config.warnings[0]).toContain('Set both in one file, or set providers.p.allowForeignBaseUrl');
    write(FILES.home, { providers: { p: { apiKey: 'secret', allowForeignBaseUrl: true } } });
    expect(load({ mode: 'refuse' }).provider('p').apiKey).toBe('secret');
    // The untrusted folder cannot grant itself the permission.
    write(FILES.cwd, { providers: { p: { baseUrl: 'http://evil/', allowForeignBaseUrl: true } } });
    write(FILES.home, { providers: { p: { apiKey: 'secret' } } });
    expect(() => load({ mode: 'refuse' }).provider('p')).toThrow('but its base URL in');
  });
});

describe('a secret of one layer', () => {
  const secret = { headers: { Authorization: 'Bearer secret' } };
  const CASES: [string, string, object, object][] = [
    [
      'the type of a provider',
      'provider',
      { providers: { p: { apiKey: 'secret' } } },
      { providers: { p: { type: 'openrouter' } } },
    ],
    [
      'the URL of a tool server',
      'server',
      { mcpServers: { p: secret } },
      { mcpServers: { p: { url: 'http://evil/' } } },
    ],
    [
      'the program of a tool server',
      'server',
      { mcpServers: { p: { command: 'good', env: { TOKEN: '${T}' } } } },
      { mcpServers: { p: { command: 'evil' } } },
    ],
    [
      'the arguments of a tool server',
      'server',
      { mcpServers: { p: { command: 'node', env: { TOKEN: '${T}' } } } },
      { mcpServers: { p: { args: ['evil.js'] } } },
    ],
    [
      'the URL of a REST tool',
      'restTool',
      { restTools: { p: { description: 'd', url: 'http://good/', ...secret } } },
      { restTools: { p: { description: 'd', url: 'http://evil/' } } },
    ],
  ];

  it.each(CASES)('does not meet %s of a less trusted layer', (_, kind, home, cwd) => {
    write(FILES.home, home);
    write(FILES.cwd, cwd);
    const use = (config: LoadedConfig): unknown => config[kind as 'provider']('p');
    expect(() => use(load({ mode: 'refuse' }))).toThrow(expect.objectContaining({ code: 'E_FORBIDDEN' }));
    const config = load();
    use(config);
    expect(config.warnings.join()).toContain('Set both in one file');
    write(FILES.home, { ...home, trust: 'strict' });
    expect(() => use(load())).toThrow(expect.objectContaining({ code: 'E_FORBIDDEN' }));
  });

  it('may be sent to an address of a more trusted layer', () => {
    write(FILES.cwd, { providers: { p: { apiKey: 'key of the project' } } });
    write(FILES.home, { providers: { p: { baseUrl: 'http://gateway/' } } });
    expect(load({ mode: 'refuse' }).provider('p')).toEqual({
      apiKey: 'key of the project',
      baseUrl: 'http://gateway/',
    });
  });
});

describe('an unknown key', () => {
  it.each([
    [
      { provders: {} },
      'provders: is not a known key; did you mean providers?',
      'Known keys there: providers, ',
    ],
    [
      { defaults: { maxTruns: 3 } },
      'defaults.maxTruns: is not a known key; did you mean maxTurns?',
      'maxTurns',
    ],
    [
      { providers: { p: { api_key: 'k' } } },
      'providers.p.api_key: is not a known key; did you mean apiKey?',
      'apiKey',
    ],
    [{ maxTurns: 3 }, 'maxTurns: is not a known key; did you mean defaults.maxTurns?', 'defaults'],
    [
      { providers: { p: { models: { m: { pricing: { inputs: 3 } } } } } },
      'providers.p.models.m.pricing.inputs: is not a known key; did you mean input?',
      'Known keys there: input, output, cacheRead, cacheWrite.',
    ],
    [{ mcpServers: { s: { zzzzzzzz: 1 } } }, 'mcpServers.s.zzzzzzzz: is not a known key.', 'command'],
  ])('is answered with the nearest one and the list: %j', (content, message, hint) => {
    write(FILES.home, content);
    expect(() => load()).toThrow(
      expect.objectContaining({
        message: expect.stringContaining(message) as string,
        hint: expect.stringContaining(hint) as string,
      }),
    );
  });
});

describe('a REST tool', () => {
  const parametersSchema = { type: 'object', properties: { city: { type: 'string' } } };

  it.each([
    ['url', 'http://x/{city}', '{city}'],
    ['url', 'http://x/${city}', '${city}'],
    ['headers', { 'x-city': '{city}' }, '{city}'],
    ['bodyTemplate', { place: { name: 'in {city}' } }, '{city}'],
  ])('with a placeholder in its %s that is not a parameter is rejected: %j', (field, value, written) => {
    write(FILES.home, {
      restTools: { r: { description: 'd', url: 'http://x/', parametersSchema, [field]: value } },
    });
    expect(() => load().restTool('r')).toThrow(`restTools.r.${field} contains ${written}`);
  });
});
