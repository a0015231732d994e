import type { JsonObject } from '../../base/json.ts';
import type { LiveModel } from './choose-model.ts';
import { GREEDY, TOOLS, type DemoItem } from './demo-project.ts';
import { DEMO_MARK, type DemoStage } from './open-stage.ts';

/** The agent that is killed: what it is asked, and the file by which its tool server tells that it has served. */
export const NOTES_AGENT = {
  file: 'agents/notes.ai',
  asks: 'Which notes are there?',
  served: 'notes/served',
};

const PROMPT = `---
models: notes/recorded
tools: notes
---
You answer questions about notes.
`;

/** First a tool call, then a model that never answers: the moment in which agents are killed. */
const ANSWERS = { steps: [{ toolCalls: [{ name: 'notes__read_notes', arguments: {} }] }, { hang: true }] };

/**
 * A small MCP server over standard input and output. It goes on when its client is gone, as many do, and ends by itself after five
 * minutes should nobody end it.
 */
const SERVER = `#!/bin/sh
# mcp-server-notes FILE: reads notes. Tells its pid in FILE once it has served a call.
answer() { printf '{"jsonrpc":"2.0","id":%s,%s}\\n' "$id" "$1"; }
while IFS= read -r line; do
  id=$(printf '%s\\n' "$line" | sed -n 's/.*"id":\\([0-9][0-9]*\\).*/\\1/p')
  case $line in
  *'"method":"initialize"'*)
    answer '"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"notes","version":"1.0.0"}}' ;;
  *'"method":"tools/list"'*)
    answer '"result":{"tools":[{"name":"read_notes","description":"Reads all notes","inputSchema":{"type":"object","properties":{}}}]}' ;;
  *'"method":"tools/call"'*)
    answer '"result":{"content":[{"type":"text","text":"Buy tea."}]}'
    echo $$ > "$1.new" && mv "$1.new" "$1" ;;
  *'"id":'*) answer '"error":{"code":-32601,"message":"not known here"}' ;;
  esac
done
sleep 300
`;

/** What a model answered once to an item, request by request: it writes, it tries, it reports. */
function recordedAnswers({ writes, runs, reports }: DemoItem): JsonObject {
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

/** Writes the agent with its tool server, the recorded answers, and the configuration that joins them, into the home of the demo. */
export function writeAgents(stage: DemoStage, live: LiveModel | undefined): void {
  stage.write(NOTES_AGENT.file, PROMPT);
  const play = (name: string, answers: JsonObject): [string, object] => [
    name,
    { type: 'script', file: stage.write(`answers/${name}.json`, `${JSON.stringify(answers, null, 2)}\n`) },
  ];
  const server = stage.write('notes/mcp-server-notes', SERVER);
  const config = {
    providers: Object.fromEntries([
      ...[...TOOLS, GREEDY].map((item) => play(item.id, recordedAnswers(item))),
      play('notes', ANSWERS),
      ...(live === undefined ? [] : [[live.model.split('/')[0] ?? '', live.provider]]),
    ]),
    mcpServers: {
      notes: {
        command: 'sh',
        args: [server, stage.write('notes/.keep', '').replace(/\.keep$/u, 'served')],
        env: { [DEMO_MARK]: stage.env[DEMO_MARK] },
      },
    },
  };
  stage.write('.ai-agent/ai-agent.json', `${JSON.stringify(config, null, 2)}\n`);
}
