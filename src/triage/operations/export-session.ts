import { sha256 } from '../../base/digest.ts';
import type { JsonObject } from '../../base/json.ts';
import { asJson } from '../present/present-candidate.ts';
import type { DocumentName, Session } from '../session/session.ts';

const DOCUMENTS: readonly DocumentName[] = ['snapshot.json', 'plan.json', 'outcomes.json'];

/** Gives everything a session holds, each document with its hash, for keeping or for another machine to look at. */
export function exportSession(session: Session): JsonObject {
  const documents = DOCUMENTS.flatMap((name): JsonObject[] => {
    const content = session.read(name);
    if (content === undefined) return [];
    return [{ name, sha256: sha256(JSON.stringify(content)), content: asJson(content) }];
  });
  return { manifest: asJson(session.readManifest()), documents, audit: session.readAudit().map(asJson) };
}
