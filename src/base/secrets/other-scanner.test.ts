import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import { expect, test } from 'vitest';
import { ORDINARY, SECRETS } from '../../../test/fixtures/secret-samples.ts';
import { redactText } from './redact.ts';

/** The rules of secretlint, which others keep current, as a second opinion. */
interface Scanner {
  readonly meta: { readonly id: string };
  readonly create: (context: object, options: object) => { readonly file?: (source: object) => void };
}

interface Report {
  readonly rule: string;
  readonly text: string;
}

/** An account number of AWS identifies a customer and gives no access. */
const NOT_SECRET = /account/iu;

function scan(text: string): Report[] {
  const found: Report[] = [];
  for (const { meta, create } of rules as unknown as readonly Scanner[]) {
    const context = {
      createTranslator: (messages: object) => (id: string) => ({
        messageId: id,
        message: id,
        data: {},
        messages,
      }),
      report: ({
        message,
        range: [start, end],
      }: {
        message: { messageId: string };
        range: [number, number];
      }) => {
        if (!NOT_SECRET.test(message.messageId)) found.push({ rule: meta.id, text: text.slice(start, end) });
      },
      ignore: () => undefined,
      sharedOptions: {},
      setupOptions: () => undefined,
    };
    const source = { filePath: 'sample.txt', content: text, contentType: 'text', ext: '.txt', hasBOM: false };
    create(context, {}).file?.(source);
  }
  return found;
}

test('everything that another scanner reports in the samples is masked', () => {
  const reports = SECRETS.flatMap(([, text]) =>
    scan(text).map((report) => ({ ...report, masked: redactText(text) })),
  );
  expect(new Set(reports.map(({ rule }) => rule)).size).toBeGreaterThanOrEqual(20);
  expect(reports.filter(({ text, masked }) => masked.includes(text))).toEqual([]);
});

/** Placeholders that the scanner does not know. */
const PLACEHOLDERS = /xxxx|<password>|:(?:change-?(?:me|it)|example|placeholder)@/iu;

test('another scanner finds nothing but placeholders in the ordinary samples', () => {
  expect(ORDINARY.flatMap(scan).filter(({ text }) => !PLACEHOLDERS.test(text))).toEqual([]);
});
