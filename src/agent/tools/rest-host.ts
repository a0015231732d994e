import { ownMember } from '../../base/own-member.ts';
import type { JsonObject } from '../../base/json.ts';
import { redactText } from '../../base/secrets/redact.ts';
import { describeAttachment } from '../attachments/attachment-kinds.ts';
import { selectImages } from '../attachments/tool-images.ts';
import { excerpt } from '../../base/text.ts';
import { redirectTarget, renderTarget } from '../redirect-target.ts';
import type { RestToolSettings } from '../config/config-schema.ts';
import { withImages, type ToolDefinition, type ToolHost, type ToolOutcome } from '../tool-host.ts';
import { fillBody, fillHeader, fillUrl } from './rest-template.ts';
import { withoutAdvice } from '../without-advice.ts';

/** The most bytes read of a response; it is truncated again before a model sees it. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;

/** Creates the host of the configured REST tools, named `rest__<name>`. */
export function createRestHost(
  tools: Readonly<Record<string, RestToolSettings>>,
  fetch: typeof globalThis.fetch,
): ToolHost {
  return {
    name: 'rest',
    start: async () => {},
    listTools: () => Object.entries(tools).map(([name, settings]) => defineTool(name, settings)),
    call: async (name, args, { signal }) => {
      const tool = ownMember(tools, name.replace(/^rest__/u, ''));
      if (tool === undefined) return { ok: false, reason: `unknown tool ${name}` };
      try {
        return await request(tool, args, fetch, signal);
      } catch (error) {
        const reason = error instanceof Error ? explain(error) : String(error);
        return { ok: false, reason: redactText(reason) };
      }
    },
    close: async () => {},
  };
}

function defineTool(name: string, settings: RestToolSettings): ToolDefinition {
  return {
    name: `rest__${name}`,
    description: settings.description,
    inputSchema: (settings.parametersSchema ?? { type: 'object', properties: {} }) as JsonObject,
    origin: { kind: 'rest', server: 'rest' },
    // By the definition of HTTP, two such requests have the effect of one.
    repeatable: ['GET', 'PUT', 'DELETE'].includes(settings.method),
    ...(settings.queue !== undefined && { queue: settings.queue }),
    ...(settings.timeoutMs !== undefined && { timeoutMs: settings.timeoutMs }),
    ...(settings.toolResponseMaxBytes !== undefined && { responseMaxBytes: settings.toolResponseMaxBytes }),
  };
}

async function request(
  tool: RestToolSettings,
  args: JsonObject,
  fetch: typeof globalThis.fetch,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const headers = Object.fromEntries(
    Object.entries(tool.headers ?? {}).map(([key, value]) => [key, fillHeader(value, args)]),
  );
  const body =
    tool.bodyTemplate === undefined ? undefined : JSON.stringify(fillBody(tool.bodyTemplate, args));
  const url = new URL(fillUrl(tool.url, args));
  const response = await fetch(url, {
    method: tool.method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body }),
    // Headers may contain keys, which a redirect would send to a URL that is not configured.
    redirect: 'manual',
    signal,
  });
  const target = redirectTarget(response, url);
  if (target !== undefined) {
    await response.body?.cancel();
    return { ok: false, reason: `HTTP ${response.status}: ${explainRedirect(target)}` };
  }
  const bytes = await readBytes(response);
  const images = response.ok ? selectImages([bytes.toString('base64')]) : [];
  if (images.length > 0) return withImages(images.map(describeAttachment).join('\n'), images);
  const text = decode(bytes, response.headers.get('content-type') ?? '');
  if (response.ok) return { ok: true, text };
  return { ok: false, reason: `HTTP ${response.status}: ${excerpt(text, 500)}` };
}

function explainRedirect(target: URL): string {
  return `it redirects to ${renderTarget(target)}, which is not followed; the configured url of the tool must be changed`;
}

async function readBytes(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    chunks.push(chunk);
    if (size > MAX_RESPONSE_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_RESPONSE_BYTES);
}

/** Decodes a body in the charset that it declares; in UTF-8 without one, or with one that is unknown. */
function decode(bytes: Buffer, contentType: string): string {
  const [, label = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s;"]+)/iu.exec(contentType) ?? [];
  try {
    return new TextDecoder(label, { ignoreBOM: true }).decode(bytes).toWellFormed();
  } catch {
    return bytes.toString('utf8').toWellFormed();
  }
}

function explain(error: Error): string {
  const { message, cause } = error;
  return withoutAdvice(cause instanceof Error ? `${message} (${cause.message})` : message);
}
