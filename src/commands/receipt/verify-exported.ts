import { resolve } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { readExported, verifyFile } from '../../work/receipt/verify-file.ts';

interface FileParameters {
  readonly id?: string | undefined;
  readonly file?: string | undefined;
  readonly key?: string | undefined;
  readonly root?: string | undefined;
}

/** The answer of `receipt verify --file`. */
export interface ExportedAnswer {
  checked: number;
  valid: true;
  run_id: string;
  receipt_id?: string;
  status?: string;
  predicate_type: string;
  key_id: string;
  output_hash?: string;
  branch?: string;
  commit?: string;
  files: number;
}

/** Verifies an exported receipt. */
export function verifyExported({ id, file, key, root }: FileParameters, cwd: string): ExportedAnswer {
  if (file === undefined || key === undefined || id !== undefined)
    throw new Fault(
      'E_VALIDATION',
      id === undefined ? 'Pass both --file and --key.' : 'Pass an id or --file, not both.',
      {
        hint: 'Export the key in the home that signed the receipt: deed receipt export <run> --as key --format raw',
        details: { field: id !== undefined || file === undefined ? 'file' : 'key' },
      },
    );
  const { predicateType, keyId, runId, receipt, files } = verifyFile({
    text: readExported(resolve(cwd, file), 'file'),
    pem: readExported(resolve(cwd, key), 'key'),
    ...(root !== undefined && { root: resolve(cwd, root) }),
  });
  return {
    checked: 1,
    valid: true,
    run_id: runId,
    ...(receipt && { receipt_id: receipt.id, status: receipt.status, output_hash: receipt.after_hash }),
    predicate_type: predicateType,
    key_id: keyId,
    ...(receipt?.landing && { branch: receipt.landing.branch, commit: receipt.landing.commit }),
    files,
  };
}
