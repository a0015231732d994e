import { Ajv, type AnySchemaObject, type ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonObject } from '../../base/json.ts';

export type { ErrorObject };

/** Checks a value; no problems means that it is valid. */
export type SchemaCheck = (value: unknown) => readonly ErrorObject[];

// Servers write schemas of every draft, with keywords of their own; what a format means is left to them.
const OPTIONS = {
  strict: false,
  allErrors: true,
  validateFormats: false,
  // Patterns such as [\w-] are common and no Unicode patterns.
  unicodeRegExp: false,
  logger: false,
} as const;

const MOST_COMPILED = 1000;

/**
 * Compiles JSON Schemas, each once however many sessions use it: compiling takes milliseconds, and sessions that share a server share
 * its schemas.
 */
class SchemaChecks {
  readonly #compiled = new Map<string, SchemaCheck>();
  #draft7: Ajv | undefined;
  #draft2020: Ajv2020 | undefined;

  /** Throws an ordinary error when the schema itself is wrong. */
  compile(schema: JsonObject): SchemaCheck {
    const key = JSON.stringify(schema);
    const known = this.#compiled.get(key);
    if (known !== undefined) return known;
    this.#makeRoom();
    const validate = this.#judge(schema, (ajv, bare) => ajv.compile(bare));
    const check: SchemaCheck = (value) => (validate(value) === true ? [] : (validate.errors ?? []));
    this.#compiled.set(key, check);
    return check;
  }

  /** Throws an ordinary error when the schema is none; costs far less than compiling it. */
  assertSchema(schema: JsonObject): void {
    this.#judge(schema, (ajv, bare) => {
      if (ajv.validateSchema(bare) !== true) throw new Error(ajv.errorsText(ajv.errors));
    });
  }

  #judge<T>(schema: JsonObject, judge: (ajv: Ajv | Ajv2020, bare: AnySchemaObject) => T): T {
    // The id would be registered, and two tools of one server may carry the same.
    const { $schema, $id: _, ...bare } = schema as AnySchemaObject;
    if (/draft-0\d/u.test(String($schema))) return judge((this.#draft7 ??= new Ajv(OPTIONS)), bare);
    try {
      return judge((this.#draft2020 ??= new Ajv2020(OPTIONS)), bare);
    } catch (error) {
      if ($schema !== undefined) throw error;
      return judge((this.#draft7 ??= new Ajv(OPTIONS)), bare);
    }
  }

  /** The library keeps what it compiled, so it goes when the memory of it does. */
  #makeRoom(): void {
    if (this.#compiled.size < MOST_COMPILED) return;
    this.#compiled.clear();
    this.#draft7 = undefined;
    this.#draft2020 = undefined;
  }
}

export const schemaChecks = new SchemaChecks();

/** Tells a model what is wrong, in one line. */
export function renderProblems(problems: readonly ErrorObject[]): string {
  return problems
    .slice(0, 5)
    .map(({ instancePath, message, params }) => {
      const extra = 'additionalProperty' in params ? ` (${String(params['additionalProperty'])})` : '';
      return `${instancePath === '' ? 'the value' : instancePath} ${message ?? 'is invalid'}${extra}`;
    })
    .join('; ');
}
