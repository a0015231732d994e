import { ownMember } from '../../base/own-member.ts';
import type { LanguageModelV4GenerateResult } from '@ai-sdk/provider';
import type { Clock } from '../../base/clock.ts';
import type { LlmOutcome, LlmPort, LlmRequest } from '../llm-port.ts';
import { toCallOptions } from './call-options.ts';
import { classifyFailure } from './classify-failure.ts';
import { readResponse, readResponseStream } from './collect-response.ts';
import { createModels, type Models } from './create-models.ts';
import { notStreamedError } from './not-streamed-error.ts';
import type { PreparedProvider } from './provider-family.ts';
import { createReceivedBody } from './received-body.ts';
import { createStreamEnd } from './stream-end.ts';

export interface LlmDependencies {
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
}

/** Creates the port to remote providers. It bypasses the SDK's retries, so that one attempt is one request. */
export function createLlm(
  providers: Readonly<Record<string, PreparedProvider>>,
  deps: LlmDependencies,
): LlmPort {
  const models = createModels(deps.fetch);
  return {
    attempt: async (request) => {
      const provider = ownMember(providers, request.provider);
      if (provider === undefined)
        return { ok: false, class: 'model_error', message: `Unknown provider: "${request.provider}".` };
      try {
        return await sendRequest(provider, request, models);
      } catch (error) {
        return classifyFailure(error, {
          signal: request.signal,
          nowMs: deps.clock.now(),
          secrets: [provider.apiKey ?? '', ...Object.values(provider.headers)],
        });
      }
    },
  };
}

async function sendRequest(
  provider: PreparedProvider,
  request: LlmRequest,
  models: Models,
): Promise<LlmOutcome> {
  request.signal.throwIfAborted();
  const onAlive = (): void => request.onDelta({ type: 'alive' });
  const model = await models.open(provider, request.model);
  const stateKey = `${request.provider}/${request.model}`;
  const options = toCallOptions(request, provider, stateKey);
  const observed = { parameters: request.parameters, onAlive };
  if (!request.stream) {
    const body = createReceivedBody();
    try {
      const generate = async (): Promise<LanguageModelV4GenerateResult> => model.doGenerate(options);
      return readResponse(await models.observe({ ...observed, response: body }, generate), stateKey);
    } catch (error) {
      const text = body.text();
      if (text !== '') request.onDelta({ type: 'other', text });
      throw error;
    }
  }
  const streamEnd = createStreamEnd();
  try {
    const { stream } = await models.observe({ ...observed, response: streamEnd }, async () =>
      model.doStream(options),
    );
    return await readResponseStream(stream, stateKey, request.onDelta, streamEnd.isMarked);
  } catch (error) {
    const body = streamEnd.otherBody();
    const notStreamed = notStreamedError(body);
    if (notStreamed === undefined) throw error;
    request.onDelta({ type: 'other', text: body });
    throw notStreamed;
  }
}
