/**
 * The kernel as a library: define commands, and `runCli` implements the machine contract for them: envelope, exit codes, confirm
 * tokens, batches, audit, self-description.
 */
export { Fault } from './contract/public-fault.ts';
export { defineErrorCodes, type ErrorCodeRow, type OwnErrorCode } from './contract/own-error-codes.ts';
export type { ErrorCode } from './contract/generated.ts';
export type { JsonObject, JsonValue } from './base/json.ts';
export type { Change, Plan } from './contract/plan.ts';
export {
  defineBatch,
  defineExempt,
  defineRead,
  defineStream,
  defineWrite,
  type Command,
  type CommandContext,
} from './contract/command.ts';
export { describedParameter as described } from './contract/schema.ts';
export { chunksOf } from './base/chunks-of.ts';
export { addTotal, cutPage, PAGE_PARAMETERS, pageOf, readCursor, type Page } from './contract/paging.ts';
export type { Tool } from './contract/tool.ts';
export { runCli, type CliOptions } from './entrypoints/cli/run-cli.ts';
