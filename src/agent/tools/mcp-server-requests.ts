import type { Client, ClientCapabilities, CreateMessageRequest } from '@modelcontextprotocol/client';
import type { JsonObject } from '../../base/json.ts';
import { describeAttachment } from '../attachments/attachment-kinds.ts';
import { selectImages } from '../attachments/tool-images.ts';
import type { McpServerSettings } from '../config/config-schema.ts';
import { withAttachments, type Message } from '../conversation.ts';
import type { SamplingRequest } from '../sampling/sampling-request.ts';
import { isTruncated } from '../transport/stop-reason.ts';
import type { McpCallContext } from './mcp-dependencies.ts';

/**
 * The requests that a server may send to its client while a call runs, as far as its settings allow them: questions to the user and requests
 * to the model. A request does not name the call that it belongs to, so the calls of such a server run one at a time.
 */
export class McpServerRequests {
  readonly #mayAsk: boolean;
  readonly #maySample: boolean;
  #running: McpCallContext | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor({ elicitation, sampling }: McpServerSettings) {
    this.#mayAsk = elicitation === 'ask';
    this.#maySample = sampling === 'allow';
  }

  get capabilities(): ClientCapabilities {
    return {
      ...(this.#mayAsk && { elicitation: { form: {} } }),
      ...(this.#maySample && { sampling: {} }),
    };
  }

  /** Answers the requests of a server that is about to be connected. */
  handle(client: Client): void {
    if (this.#mayAsk)
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        // The mode url is not declared, so the library has rejected it.
        const schema = 'requestedSchema' in params ? (params.requestedSchema as unknown as JsonObject) : {};
        const answer = await this.#call().ask({ message: params.message, schema });
        // The answer was checked against the schema, so its fields have the types of the schema.
        return answer.action === 'accept' ? { ...answer, content: answer.content as Fields } : answer;
      });
    if (this.#maySample)
      client.setRequestHandler('sampling/createMessage', async ({ params }) => {
        const { text, model, stopReason } = await this.#call().sample(toSamplingRequest(params));
        return {
          role: 'assistant',
          content: { type: 'text', text },
          model,
          stopReason: isTruncated(stopReason) ? 'maxTokens' : 'endTurn',
        };
      });
  }

  /** Runs a call; requests of the server belong to it. */
  async during<T>(context: McpCallContext, work: () => Promise<T>): Promise<T> {
    if (!this.#mayAsk && !this.#maySample) return work();
    const call = this.#last.then(async () => {
      this.#running = context;
      try {
        return await work();
      } finally {
        this.#running = undefined;
      }
    });
    this.#last = call.catch(() => undefined);
    return call;
  }

  #call(): McpCallContext {
    if (this.#running === undefined) throw new Error('the request belongs to no running call');
    return this.#running;
  }
}

type Fields = Record<string, string | number | boolean | string[]>;
type SamplingParams = CreateMessageRequest['params'];
type SamplingMessage = SamplingParams['messages'][number];

function toSamplingRequest(params: SamplingParams): SamplingRequest {
  const { messages, systemPrompt, maxTokens, temperature, stopSequences } = params;
  return {
    messages: [
      ...(systemPrompt === undefined
        ? []
        : [{ role: 'system' as const, content: systemPrompt.toWellFormed() }]),
      ...messages.map(toMessage),
    ],
    maxTokens,
    ...(temperature !== undefined && { temperature }),
    ...(stopSequences !== undefined && { stopSequences }),
  };
}

function toMessage({ role, content }: SamplingMessage): Message {
  const blocks = Array.isArray(content) ? content : [content];
  const other = blocks.find(({ type }) => type !== 'text' && type !== 'image');
  if (other !== undefined) throw new Error(`content of type ${other.type} is not supported`);
  const images = selectImages(blocks.flatMap((block) => (block.type === 'image' ? [block.data] : [])));
  const texts = blocks.flatMap((block) => (block.type === 'text' ? [block.text.toWellFormed()] : []));
  if (role === 'assistant') return { role, content: texts.join('\n') };
  return {
    role,
    content: [...texts, ...images.map(describeAttachment)].join('\n'),
    ...withAttachments(images),
  };
}
