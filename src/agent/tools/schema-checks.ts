import { Ajv, type AnySchemaObject, type ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { isDeeperThan, type JsonObject } from '../../base/json.ts';
import { isCheapSchema, isSmallValue } from './check-cost.ts';
import { linearPattern } from './linear-pattern.ts';
import { withinDeadline } from './within-deadline.ts';

export type { ErrorObject };

/** Validates a value; returns no problems for a valid one. Throws an Error when that takes too long. */
export type SchemaCheck = (value: unknown) => readonly ErrorObject[];

// Servers use schemas of every draft, with custom keywords; they validate formats themselves.
const OPTIONS = {
  strict: false,
  allErrors: true,
  validateFormats: false,
  // Patterns such as [\w-.] are common, but invalid in Unicode mode.
  unicodeRegExp: false,
  logger: false,
  code: { regExp: linearPattern },
} as const;

const MAX_COMPILED = 1000;
/** Schemas come from tool servers; compiling one costs time and memory in proportion to its size. */
const MAX_SCHEMA_CHARACTERS = 512 * 1024;
const MAX_SCHEMA_DEPTH = 64;
/** A small schema can take exponential time: each of its definitions may refer to the next one twice. */
const MAX_CHECK_MS = 3000;

/**
 * Compiles JSON Schemas and caches them, because compiling takes milliseconds and sessions that share a server share its schemas.
 */
export class SchemaChecks {
  readonly #maxCheckMs: number;
  readonly #compiled = new Map<string, SchemaCheck>();
  /** The checks by the identity of the schema, which is a faster lookup: a session checks each call against the same object. */
  readonly #known = new WeakMap<JsonObject, SchemaCheck>();
  #draft7: Ajv | undefined;
  #draft2020: Ajv2020 | undefined;
  /** Whether a deadline interrupted Ajv. Its state is then invalid: it may treat any schema as still being compiled. */
  #isStopped = false;

  constructor(maxCheckMs = MAX_CHECK_MS) {
    this.#maxCheckMs = maxCheckMs;
  }

  /** Compiles a schema. Throws an Error when it is invalid. */
  compile(schema: JsonObject): SchemaCheck {
    const known = this.#known.get(schema);
    if (known !== undefined) return known;
    assertSize(schema);
    const key = JSON.stringify(schema);
    const check = this.#compiled.get(key) ?? this.#create(schema);
    this.#compiled.set(key, check);
    this.#known.set(schema, check);
    return check;
  }

  #create(schema: JsonObject): SchemaCheck {
    this.#evictAll();
    const validate = withinDeadline(this.#maxCheckMs, 'compiling the schema', () =>
      this.#withAjv(schema, (ajv, bare) => {
        this.#isStopped = true;
        try {
          return ajv.compile(bare);
        } finally {
          // A deadline does not get here.
          this.#isStopped = false;
        }
      }),
    );
    const check: SchemaCheck = (value) => (validate(value) === true ? [] : (validate.errors ?? []));
    const limited: SchemaCheck = (value) =>
      withinDeadline(this.#maxCheckMs, 'checking a value against the schema', () => check(value));
    if (!isCheapSchema(schema)) return limited;
    // A deadline starts a thread for each check.
    return (value) => (isSmallValue(value) ? check(value) : limited(value));
  }

  /** Throws an Error when a schema is invalid; much cheaper than compiling it. */
  assertSchema(schema: JsonObject): void {
    assertSize(schema);
    this.#withAjv(schema, (ajv, bare) => {
      if (ajv.validateSchema(bare) !== true) throw new Error(ajv.errorsText(ajv.errors));
    });
  }

  #withAjv<T>(schema: JsonObject, use: (ajv: Ajv | Ajv2020, bare: AnySchemaObject) => T): T {
    if (this.#isStopped) this.#forgetAjv();
    // Ajv registers ids, and two tools of one server may use the same $id.
    const { $schema, $id: _, ...bare } = schema as AnySchemaObject;
    if (/draft-0\d/u.test(String($schema))) return use((this.#draft7 ??= new Ajv(OPTIONS)), bare);
    try {
      return use((this.#draft2020 ??= new Ajv2020(OPTIONS)), bare);
    } catch (error) {
      if ($schema !== undefined) throw error;
      return use((this.#draft7 ??= new Ajv(OPTIONS)), bare);
    }
  }

  /** Clears the cache and the Ajv instances, which keep their own references to compiled schemas. */
  #evictAll(): void {
    if (this.#compiled.size < MAX_COMPILED) return;
    this.#compiled.clear();
    this.#forgetAjv();
  }

  #forgetAjv(): void {
    this.#isStopped = false;
    this.#draft7 = undefined;
    this.#draft2020 = undefined;
  }
}

export const schemaChecks = new SchemaChecks();

function assertSize(schema: JsonObject): void {
  // The depth first: JSON.stringify needs the stack for it.
  if (isDeeperThan(schema, MAX_SCHEMA_DEPTH))
    throw new Error(`the schema has more than ${MAX_SCHEMA_DEPTH} levels`);
  const { length } = JSON.stringify(schema);
  if (length > MAX_SCHEMA_CHARACTERS)
    throw new Error(`the schema has ${length} characters; the limit is ${MAX_SCHEMA_CHARACTERS}`);
}

/** Renders validation problems in one line for a model. */
export function renderProblems(problems: readonly ErrorObject[]): string {
  return problems
    .slice(0, 5)
    .map(({ instancePath, message, params }) => {
      const extra = 'additionalProperty' in params ? ` (${String(params['additionalProperty'])})` : '';
      return `${instancePath === '' ? 'the value' : instancePath} ${message ?? 'is invalid'}${extra}`;
    })
    .join('; ');
}
