import { ownMember } from '../../base/own-member.ts';
import { resolve } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { readFileIfPresent } from '../../system/durable-file.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { providerSettings } from '../config/resolve-session.ts';
import { limitResponses, MODEL_LIMITS } from '../limit-responses.ts';
import type { LlmPort } from '../llm-port.ts';
import { createLlm, type LlmDependencies } from './create-llm.ts';
import { familyOf, prepareProvider, type PreparedProvider } from './provider-family.ts';
import { parseLlmRecording, replayRecording } from './llm-recording.ts';
import { createScriptProvider } from './script-provider.ts';
import { parseScenario } from './script-scenario.ts';

export interface ProviderDependencies extends LlmDependencies {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** Large, because a recording contains every response of a session. */
const MAX_SCRIPT_BYTES = 256 * 1024 * 1024;

/** Creates one port to all providers of a session. Throws for an incomplete provider or a missing script. */
export function openLlm(names: readonly string[], config: LoadedConfig, deps: ProviderDependencies): LlmPort {
  const ready: Record<string, PreparedProvider> = {};
  const scripts: Record<string, LlmPort> = {};
  for (const name of new Set(names)) {
    const settings = providerSettings(config, name);
    if (familyOf(name, settings) !== 'script') ready[name] = prepareProvider(name, settings, deps.env);
    else scripts[name] = readScript(resolve(deps.cwd, settings.file ?? ''));
  }
  const network = createLlm(ready, { ...deps, fetch: limitResponses(deps.fetch, MODEL_LIMITS) });
  return { attempt: (request) => (ownMember(scripts, request.provider) ?? network).attempt(request) };
}

/** Reads a scenario or a recording, detected from the content of the file. */
export function readScript(path: string): LlmPort {
  const text = readFileIfPresent(path, MAX_SCRIPT_BYTES);
  if (text === undefined) {
    throw new Fault('E_CONFIG', `Script ${path} does not exist.`, {
      hint: 'Pass the path of a scenario, or of a recording made with --record.',
      details: { path },
    });
  }
  return /"exchanges"\s*:/u.test(text)
    ? replayRecording(parseLlmRecording(text, path))
    : createScriptProvider(parseScenario(text, path));
}
