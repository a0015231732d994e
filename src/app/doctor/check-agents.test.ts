import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createDoctorContext, type DoctorContext } from '../../../test/fixtures/doctor-context.ts';
import { mcpServer } from '../../../test/fixtures/run-ai-agent.ts';
import { checkProviders, checkToolServers } from './check-agents.ts';

let context: DoctorContext;
let server: Server;
let url = '';
beforeAll(async () => {
  server = createServer((_request, response) => response.writeHead(404).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});
afterAll(() => server.close());
beforeEach(() => {
  context = createDoctorContext();
});
afterEach(() => context.dispose());

describe('providers', () => {
  test('that have a key pass, and those without one fail', async () => {
    expect(await context.check(checkProviders)).toMatchObject({
      status: 'warn',
      fix: expect.any(String) as string,
    });
    const env = { OPENAI_API_KEY: 'sk-test-0123456789abcdefghij' };
    expect(await context.check(checkProviders, { env })).toEqual({
      check: 'providers',
      status: 'pass',
      message: 'No provider is configured; OPENAI_API_KEY can be used directly.',
      fix: null,
    });
    context.configureAgents({ providers: { openai: {} } });
    expect(await context.check(checkProviders)).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('openai') as string,
    });
    context.configureAgents({ providers: { mine: { type: 'openai', apiKey: 'sk-x', baseUrl: url } } });
    expect(await context.check(checkProviders)).toMatchObject({
      status: 'pass',
      message: 'mine: configured; use --deep to connect.',
    });
  });

  test('are connected to only with deep', async () => {
    const mine = { type: 'openai', apiKey: 'sk-x' };
    context.configureAgents({ providers: { mine: { ...mine, baseUrl: url } } });
    expect(await context.check(checkProviders, { deep: true })).toMatchObject({
      status: 'pass',
      message: 'mine: configured and reachable.',
    });
    context.configureAgents({ providers: { mine: { ...mine, baseUrl: 'http://127.0.0.1:9/v1' } } });
    expect(await context.check(checkProviders)).toMatchObject({ status: 'pass' });
    expect(await context.check(checkProviders, { deep: true })).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('mine: cannot be reached') as string,
    });
  });

  test('without a base URL are connected to at their default one', async () => {
    const requested: string[] = [];
    const fetch = async (input: string | URL | Request): Promise<Response> => {
      const address = new Request(input).url;
      requested.push(address);
      if (address.includes('openrouter')) throw new Error('no route');
      return new Response(null, { status: 401 });
    };
    const apiKey = 'sk-x';
    context.configureAgents({ providers: { openai: { apiKey }, anthropic: { apiKey }, google: { apiKey } } });
    expect(await context.check(checkProviders, { deep: true, fetch })).toMatchObject({ status: 'pass' });
    expect(requested).toEqual([
      'https://api.openai.com/v1',
      'https://api.anthropic.com/v1',
      'https://generativelanguage.googleapis.com/v1beta',
    ]);
    context.configureAgents({ providers: { openrouter: { apiKey } } });
    expect(await context.check(checkProviders, { deep: true, fetch })).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('openrouter: no route') as string,
      fix: expect.any(String) as string,
    });
  });
});

describe('tool servers', () => {
  test('are started only with deep, and one that exits fails with its stderr', async () => {
    const started = join(context.home, 'started');
    const broken = { command: 'sh', args: ['-c', `touch ${started}; echo cannot start >&2; exit 1`] };
    context.configureAgents({ mcpServers: { broken } });
    expect(await context.check(checkToolServers)).toMatchObject({
      status: 'pass',
      message: 'broken: not started; use --deep to connect.',
    });
    expect(existsSync(started)).toBe(false);
    expect(await context.check(checkToolServers, { deep: true })).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('cannot start') as string,
      fix: expect.stringContaining('mcpServers') as string,
    });
    expect(existsSync(started)).toBe(true);
  });

  test('that start pass', async () => {
    context.configureAgents({ mcpServers: { everything: mcpServer('everything', 'stdio') } });
    expect(await context.check(checkToolServers, { deep: true })).toMatchObject({
      status: 'pass',
      message: 'everything: connected.',
    });
  });

  test('of a folder that is not trusted are not started', async () => {
    const cwd = join(context.home, 'untrusted');
    mkdirSync(cwd);
    const started = join(context.home, 'started');
    const evil = { command: 'touch', args: [started] };
    writeFileSync(join(cwd, '.ai-agent.json'), JSON.stringify({ mcpServers: { evil } }));
    expect(await context.check(checkToolServers, { deep: true, cwd })).toMatchObject({
      message: 'No tool server is configured.',
    });
    expect(existsSync(started)).toBe(false);
  });
});
