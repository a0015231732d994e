import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHAIN_START, renderLine, sealEntry, type AuditEntry } from '../src/contract/audit-chain.ts';
import { writeAuditHead } from '../src/contract/audit-head.ts';
import { AUDIT_KEY } from '../src/contract/audit-key.ts';
import { AUDIT_FOLDER } from '../src/contract/audit-log.ts';
import { locateHome, type Home } from '../src/contract/home.ts';
import { openSecret } from '../src/system/secret.ts';
import { createTool } from '../src/app/create-tool.ts';
import { processSystem } from '../src/entrypoints/cli/process-system.ts';

/** Creates a home with an audit log of this many valid lines, without making as many calls. */
export function fillAudit(path: string, lines: number): Home {
  const tool = createTool({ name: 'deed', version: '0.0.0', description: 'a benchmark' });
  const home = locateHome(tool, { ...processSystem(), env: { DEED_HOME: path } });
  const folder = home.folder(AUDIT_FOLDER);
  const key = openSecret(join(folder, AUDIT_KEY));
  const file = `audit-${new Date().toISOString().slice(0, 7)}.jsonl`;
  const rendered: string[] = [];
  let previous = { seq: 0, hash: CHAIN_START };
  for (let index = 0; index < lines; index += 1) {
    const line = sealEntry(auditEntry(), previous, key);
    rendered.push(renderLine(line));
    previous = line;
  }
  const text = rendered.join('');
  writeFileSync(join(folder, file), text, { mode: 0o600 });
  const { seq, hash } = previous;
  const head = { seq, hash, file, bytes: Buffer.byteLength(text) };
  writeAuditHead(folder, head, false);
  return home;
}

/** The log entry of an ordinary call. */
export function auditEntry(): AuditEntry {
  return {
    at: new Date().toISOString(),
    phase: 'end',
    command: 'config get',
    args: { key: 'list.limit' },
    account: { user: 'someone', uid: '1000', host: 'a-machine' },
    agent: 'an-agent',
    request_id: null,
    exit_code: 0,
    code: null,
    duration_ms: 3,
  };
}
