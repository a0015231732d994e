/**
 * A model for benchmarks, in a separate process so that its CPU time is not measured: it requests three echo calls per turn until the number
 * of turns in the model name, then it returns the report. It also accepts telemetry. Prints its port.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface ChatRequest {
  readonly model: string;
  readonly messages: readonly { readonly role: string }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

const CALLS_PER_TURN = 3;

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    if (request.url !== '/v1/chat/completions') return void response.end();
    const body = JSON.parse(Buffer.concat(chunks).toString()) as ChatRequest;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const event = (delta: object, finish: string | null): string =>
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: body.model, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
    const { delta, finish } = respond(body);
    response.end(
      `${event(delta, null)}${event({}, finish)}data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: body.model, choices: [], usage })}\n\ndata: [DONE]\n\n`,
    );
  });
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));

function respond({ model, messages, tools = [] }: ChatRequest): { delta: object; finish: string } {
  const turn = messages.filter(({ role }) => role === 'assistant').length + 1;
  const names = tools.map((tool) => tool.function.name);
  const echo = names.find((name) => name.endsWith('echo'));
  if (turn < Number(model) && echo !== undefined) {
    const calls = Array.from({ length: CALLS_PER_TURN }, (_, index) =>
      call(index, echo, { message: `turn ${turn}, call ${index}: ${'x'.repeat(200)}` }, turn),
    );
    return { delta: { role: 'assistant', tool_calls: calls }, finish: 'tool_calls' };
  }
  const report = names.find((name) => name === 'agent__final_report');
  if (report === undefined) return { delta: { role: 'assistant', content: 'Done.' }, finish: 'stop' };
  const calls = [call(0, report, { format: 'markdown', report_content: 'Done.' }, turn)];
  return { delta: { role: 'assistant', tool_calls: calls }, finish: 'tool_calls' };
}

function call(index: number, name: string, args: object, turn: number): object {
  return {
    index,
    id: `call_${turn}_${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  };
}
