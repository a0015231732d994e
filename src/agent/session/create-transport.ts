import type { SessionConfig } from '../session-config.ts';
import { FINAL_REPORT, FORMAT_RULES, finalReportSchema } from '../report/report-formats.ts';
import type { ToolDefinition } from '../tool-host.ts';
import { createNativeTransport } from '../transport/native-transport.ts';
import type { SessionTransport } from '../transport/transport.ts';
import { createXmlTransport } from '../transport/xml-transport.ts';
import { XmlSlots } from '../transport/xml-slots.ts';

/** Creates the configured transport; a resumed session continues with its next XML slot. */
export function createTransport(config: SessionConfig, nonce: string, slot = 1): SessionTransport {
  const finalReport = finalReportTool(config);
  if (config.transport !== 'native') {
    return createXmlTransport({
      mode: config.transport,
      finalReport,
      slots: new XmlSlots(nonce, slot),
      final: config.output,
      maxToolCallsPerTurn: config.limits.maxToolCallsPerTurn,
    });
  }
  // Providers reject tool choice `required` for models with reasoning enabled.
  const usesReasoning = config.targets.some(
    ({ parameters }) => parameters.extendedThinking !== undefined || parameters.reasoningEffort !== undefined,
  );
  return createNativeTransport(finalReport, !usesReasoning);
}

function finalReportTool({ output: { format, schema } }: SessionConfig): ToolDefinition {
  return {
    name: FINAL_REPORT,
    description: `Gives the final report and ends the session. Format: ${FORMAT_RULES[format]}`,
    inputSchema: finalReportSchema(format, schema),
    origin: { kind: 'internal', server: 'agent' },
  };
}
