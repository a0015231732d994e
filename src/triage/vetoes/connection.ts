import type { FindVeto } from './veto.ts';

/** Any connection, incoming or outgoing, to a process outside its own tree. */
export const connectionVeto: FindVeto = ({ use }) => {
  const total = use.remoteConnections + use.localConnections;
  if (total > 0) return `it has ${total} established ${total === 1 ? 'connection' : 'connections'}`;
  if (use.unknownSockets > 0) return 'it has sockets whose connections cannot be read';
  return undefined;
};
