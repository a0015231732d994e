import { sha256 } from '../../system/digest.ts';
import type { DocumentName, TriageSession } from '../session/session.ts';
import type { ExportBody, ExportedDocument } from '../session-results.ts';

const DOCUMENTS: readonly DocumentName[] = ['snapshot.json', 'plan.json', 'outcomes.json'];

/** Returns all documents of a triage session, each with its hash. */
export function exportSession(session: TriageSession): ExportBody {
  const documents = DOCUMENTS.flatMap((name) => {
    const content = session.read(name);
    if (content === undefined) return [];
    return [{ name, sha256: sha256(JSON.stringify(content)), content } as ExportedDocument];
  });
  return { manifest: session.readManifest(), documents, audit: session.readAudit() };
}
