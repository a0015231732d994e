import { gzipSync } from 'node:zlib';
import { errorMessage } from '../../base/error-message.ts';
import { sleep } from '../../base/sleep.ts';
import type { SignalSettings } from './telemetry-settings.ts';

export interface OtlpSender {
  /** Sends one request; a receiver that is overloaded is asked again. Contract: never rejects. */
  readonly send: (body: Uint8Array | undefined) => Promise<void>;
}

/** The statuses that OTLP defines as temporary. */
const TEMPORARY: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const ATTEMPTS = 3;
const FIRST_DELAY_MS = 250;

/** Creates the sender of one signal. A problem is reported once, because telemetry must not disturb what it observes. */
export function createOtlpSender(
  { url, headers, timeoutMs, encoding, isCompressed }: SignalSettings,
  fetch: typeof globalThis.fetch,
  warn: (message: string) => void,
): OtlpSender {
  let isReported = false;
  const report = (problem: string): void => {
    if (!isReported) warn(`Telemetry could not be sent to ${new URL(url).host}: ${problem}.`);
    isReported = true;
  };
  const post = (body: Uint8Array, signal: AbortSignal): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers: {
        'content-type': encoding === 'json' ? 'application/json' : 'application/x-protobuf',
        ...(isCompressed && { 'content-encoding': 'gzip' }),
        ...headers,
      },
      body: Buffer.from(isCompressed ? gzipSync(body) : body),
      // Headers may contain keys.
      redirect: 'error',
      signal,
    });
  return {
    send: async (body) => {
      if (body === undefined) return;
      const signal = AbortSignal.timeout(timeoutMs);
      try {
        for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
          const { status, ok } = await post(body, signal);
          if (ok) return;
          if (!TEMPORARY.has(status) || attempt === ATTEMPTS) return report(`HTTP ${status}`);
          await sleep(FIRST_DELAY_MS * 2 ** (attempt - 1), signal);
        }
      } catch (error) {
        report(errorMessage(error));
      }
    },
  };
}
