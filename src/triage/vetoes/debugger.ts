import type { FindVeto } from './veto.ts';

export const debuggerVeto: FindVeto = ({ process, use }) => {
  if (use.tracer > 0) return `process ${use.tracer} debugs it`;
  return process.state === 't' ? 'a debugger has stopped it' : undefined;
};
