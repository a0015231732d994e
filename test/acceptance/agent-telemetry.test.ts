import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startHttpProxy } from '../fixtures/http-proxy.ts';
import { startLlmServer, type LlmServer } from '../fixtures/llm-server.ts';
import { startOtlpReceiver, type OtlpReceiver, type ReceivedSpan } from '../fixtures/otlp-receiver.ts';
import { aiAgent, createAgentFolder, mcpServer, type AgentFolder } from '../fixtures/run-ai-agent.ts';
import { agentHere } from '../fixtures/run-here.ts';
import { scriptModel } from '../fixtures/script-model.ts';
import { createBench, item } from '../fixtures/work-bench.ts';

/** Spans and metrics of agents, as a receiver of OTLP gets them. */
let model: LlmServer;
let receiver: OtlpReceiver;
let folder: AgentFolder;
beforeEach(async () => {
  [model, receiver] = await Promise.all([startLlmServer(), startOtlpReceiver()]);
  folder = createAgentFolder();
});
afterEach(async () => {
  await Promise.all([model.close(), receiver.close()]);
  folder.dispose();
});

const provider = (): object => ({
  providers: { p: { type: 'openai-compatible', baseUrl: `${model.url}/v1` } },
});

/** Renders the spans as a tree of names. */
function tree(spans: readonly ReceivedSpan[], parent = '', depth = 0): string[] {
  return spans
    .filter(({ parentSpanId }) => parentSpanId === parent)
    .toSorted((a, b) => a.startNano - b.startNano)
    .flatMap(({ name, spanId }) => [`${'  '.repeat(depth)}${name}`, ...tree(spans, spanId, depth + 1)]);
}

describe('telemetry', () => {
  it('of a work run with a sub-agent is one trace', async () => {
    const bench = createBench({}, { env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url } });
    try {
      mkdirSync(join(bench.home, '.ai-agent'));
      writeFileSync(join(bench.home, '.ai-agent/ai-agent.json'), JSON.stringify(provider()));
      const head = ['---', 'models: p/lead', 'toolingTransport: native'];
      bench.write('agents/fix.ai', [...head, 'agents: helper.ai', '---', 'You fix.', ''].join('\n'));
      bench.write(
        'agents/helper.ai',
        [
          '---',
          'models: p/help',
          'toolingTransport: native',
          'description: Helps.',
          '---',
          'You help.',
          '',
        ].join('\n'),
      );
      scriptModel(model, [{ calls: [['agent__helper', { prompt: 'Edit.' }]] }, { report: 'Done.' }], 'lead');
      const edit = ['edit', { path: 'a.txt', old_text: 'one', new_text: 'two' }] as const;
      scriptModel(
        model,
        [
          { calls: [edit] },
          { calls: [['run', { command: 'echo "$TRACEPARENT" > trace.txt' }]] },
          { report: 'Edited.' },
        ],
        'help',
      );
      const run = await bench.workAsync(item('x', 'Make it two.', { agent_id: 'agents/fix.ai' }));
      expect(run.envelope.error).toBeUndefined();
      expect(tree(receiver.spans)).toEqual([
        'work_run x',
        '  invoke_agent fix',
        '    chat lead',
        '    execute_tool agent__helper',
        '      invoke_agent helper',
        '        chat help',
        '        execute_tool workspace__edit',
        '        chat help',
        '        execute_tool workspace__run',
        '        chat help',
        '    chat lead',
      ]);
      const [traceId] = new Set(receiver.spans.map((span) => span.traceId));
      expect(new Set(receiver.spans.map((span) => span.traceId)).size).toBe(1);
      const root = receiver.spans.find(({ name }) => name === 'work_run x');
      expect(root?.attributes).toMatchObject({ 'deed.work.item.id': 'x', 'deed.work.run.status': 'success' });
      expect(bench.read('trace.txt')).toBe(`00-${traceId}-${root?.spanId}-01\n`);
    } finally {
      bench.dispose();
    }
  });

  it('follows the semantic conventions, continues the trace of the caller, and is sent with the headers of the environment', async () => {
    folder.write('.ai-agent.json', { ...provider(), mcpServers: { tool: mcpServer('faulty') } });
    scriptModel(
      model,
      [
        {
          calls: [
            ['tool__echo', {}],
            ['tool__environment', {}],
          ],
        },
        { report: 'Done.' },
      ],
      'm',
    );
    const [traceId, parent] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
    const argv = ['You trace.', 'Go.', '--models', 'p/m', '--tools', 'tool', '--transport', 'native'];
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/`,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=a%20b',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      OTEL_SERVICE_NAME: 'tester',
      TRACEPARENT: `00-${traceId}-${parent}-01`,
    };
    const run = await aiAgent(argv, { folder, env });
    expect([run.code, run.stdout, run.stderr]).toEqual([
      0,
      'Done.\n',
      expect.not.stringContaining('elemetry'),
    ]);
    const [agent, chat, tool] = ['invoke_agent ai-agent', 'chat m', 'execute_tool tool__echo'].map((name) =>
      receiver.spans.find((span) => span.name === name),
    );
    expect(agent).toMatchObject({
      traceId,
      parentSpanId: parent,
      service: 'tester',
      isError: false,
      kind: 1,
    });
    expect(chat).toMatchObject({ parentSpanId: agent?.spanId, kind: 3 });
    expect(chat?.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'p',
      'gen_ai.request.model': 'm',
      'gen_ai.usage.input_tokens': expect.any(Number) as number,
      'gen_ai.usage.output_tokens': expect.any(Number) as number,
      'gen_ai.response.finish_reasons': ['tool_calls'],
    });
    expect(tool?.attributes).toMatchObject({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'tool__echo',
    });
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain(`00-${traceId}-${agent?.spanId}-01`);
    expect(receiver.metrics.map(({ name, unit, count }) => [name, unit, count])).toEqual([
      ['gen_ai.client.operation.duration', 's', 2],
      ['gen_ai.client.token.usage', '{token}', 2],
      ['gen_ai.client.token.usage', '{token}', 2],
    ]);
    expect(new Set(receiver.headers.map((headers) => headers['x-tenant']))).toEqual(new Set(['a b']));
  });

  it('reports failed requests, and a failure of the telemetry itself only as a warning', async () => {
    folder.write('.ai-agent.json', provider());
    model.mock.onMessage(/./u, { error: { message: 'overloaded', type: 'server_error' }, status: 500 });
    const argv = ['You fail.', 'Go.', '--models', 'p/m', '--max-turns', '1', '--max-retries', '1'];
    await agentHere(argv, { folder, env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url } });
    const failed = receiver.spans.map(({ name, isError, attributes }) => [
      name,
      isError,
      attributes['error.type'],
    ]);
    expect(failed).toEqual([
      ['chat m', true, 'network'],
      ['invoke_agent ai-agent', true, 'session'],
    ]);
    const unreachable = await agentHere(argv, {
      folder,
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' },
    });
    expect([unreachable.code, unreachable.stderr]).toEqual([
      1,
      expect.stringContaining('Telemetry could not be sent to 127.0.0.1:1'),
    ]);
    const grpc = await agentHere(argv, {
      folder,
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    });
    expect(grpc.stderr).toContain('OTEL_EXPORTER_OTLP_PROTOCOL is grpc');
  });

  it('uses the proxy of the environment', async () => {
    const proxy = await startHttpProxy({ 'otel.test': receiver.url, 'model.test': model.url });
    try {
      folder.write('.ai-agent.json', provider());
      scriptModel(model, [{ report: 'Done.' }], 'm');
      const env = { HTTP_PROXY: proxy.url, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel.test' };
      expect((await aiAgent(['You trace.', 'Go.', '--models', 'p/m'], { folder, env })).code).toBe(0);
      expect(proxy.requests.toSorted()).toEqual([
        'POST http://otel.test/v1/metrics',
        'POST http://otel.test/v1/traces',
      ]);
      expect(receiver.spans).toHaveLength(2);
    } finally {
      await proxy.close();
    }
  });
});
