import type { JsonObject } from '../../base/json.ts';
import type { LiveModel } from './choose-model.ts';
import { OVER_LIMIT, TOOLS, type DemoItem } from './demo-project.ts';
import { DEMO_MARK, type DemoEnvironment } from './create-environment.ts';

/** The agent that is killed, and the file that its tool server writes after it has served a call. */
export const NOTES_AGENT = {
  file: 'agents/notes.ai',
  prompt: 'Which notes are there?',
  served: 'notes/served',
};

const PROMPT = `---
models: notes/recorded
tools: notes
---
You answer questions about notes.
`;

/** First a tool call, then a model that never responds: the agent is killed in this state. */
const RESPONSES = { steps: [{ toolCalls: [{ name: 'notes__read_notes', arguments: {} }] }, { hang: true }] };

/**
 * A small MCP server over stdio. Like many servers, it keeps running after its client exits. It exits by itself after five
 * minutes.
 */
const SERVER = `#!/bin/sh
# mcp-server-notes FILE: reads notes. Writes its pid to FILE after it has served a call.
respond() { printf '{"jsonrpc":"2.0","id":%s,%s}\\n' "$id" "$1"; }
while IFS= read -r line; do
  id=$(printf '%s\\n' "$line" | sed -n 's/.*"id":\\([0-9][0-9]*\\).*/\\1/p')
  case $line in
  *'"method":"initialize"'*)
    respond '"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"notes","version":"1.0.0"}}' ;;
  *'"method":"tools/list"'*)
    respond '"result":{"tools":[{"name":"read_notes","description":"Reads all notes","inputSchema":{"type":"object","properties":{}}}]}' ;;
  *'"method":"tools/call"'*)
    respond '"result":{"content":[{"type":"text","text":"Buy tea."}]}'
    echo $$ > "$1.new" && mv "$1.new" "$1" ;;
  *'"id":'*) respond '"error":{"code":-32601,"message":"Method not found"}' ;;
  esac
done
sleep 300
`;

/** The programs that the server calls. */
export const SERVER_PROGRAMS = ['sed', 'mv', 'sleep'];

/** The recorded responses of a model for an item: it writes files, runs a command, and reports. */
function recordedResponses({ writes, runs, reports }: DemoItem): JsonObject {
  const written = Object.entries(writes).map(([path, content]) => ({
    name: 'workspace__write',
    arguments: { path, content },
  }));
  return {
    usage: { inputTokens: 1200, outputTokens: 90, cacheReadTokens: 0 },
    steps: [
      ...(written.length > 0 ? [{ toolCalls: written }] : []),
      { toolCalls: [{ name: 'workspace__run', arguments: { command: runs } }] },
      { report: reports },
    ],
  };
}

/** Writes the agent with its tool server, the recorded responses, and the agent configuration into the home of the demo. */
export function writeAgents(demo: DemoEnvironment, live: LiveModel | undefined): void {
  demo.write(NOTES_AGENT.file, PROMPT);
  const script = (name: string, responses: JsonObject): [string, object] => [
    name,
    { type: 'script', file: demo.write(`answers/${name}.json`, `${JSON.stringify(responses, null, 2)}\n`) },
  ];
  const server = demo.write('notes/mcp-server-notes', SERVER);
  const config = {
    providers: Object.fromEntries([
      ...[...TOOLS, OVER_LIMIT].map((item) => script(item.id, recordedResponses(item))),
      script('notes', RESPONSES),
      ...(live === undefined ? [] : [[live.model.split('/')[0] ?? '', live.provider]]),
    ]),
    mcpServers: {
      notes: {
        command: 'sh',
        args: [server, demo.write('notes/.keep', '').replace(/\.keep$/u, 'served')],
        env: { [DEMO_MARK]: demo.env[DEMO_MARK] },
      },
    },
  };
  demo.write('.ai-agent/ai-agent.json', `${JSON.stringify(config, null, 2)}\n`);
}
