import type { jsonSchemaValidator } from '@modelcontextprotocol/client';
import type { JsonObject } from '../../base/json.ts';
import { renderProblems, schemaChecks } from './schema-checks.ts';

/** Validates the structured results of tools, in place of the SDK's validator, whose patterns can block this process. */
export const outputValidator: jsonSchemaValidator = {
  // eslint-disable-next-line typescript/no-unnecessary-type-parameters -- the signature of the SDK
  getValidator: <T>(schema: unknown) => {
    const check = schemaChecks.compile(schema as JsonObject);
    return (value: unknown) => {
      const problems = check(value);
      return problems.length === 0
        ? { valid: true as const, data: value as T, errorMessage: undefined }
        : { valid: false as const, data: undefined, errorMessage: renderProblems(problems) };
    };
  },
};
