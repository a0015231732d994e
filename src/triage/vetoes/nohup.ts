import { ownerEndClosed } from '../grounds/owner-end.ts';
import type { FindVeto } from './veto.ts';

/** The process was started to outlive its terminal. That does not count if its standard streams have lost their peer. */
export const nohupVeto: FindVeto = ({ use, deep, kind }) =>
  use.ignoresHangup && !ownerEndClosed(deep, kind)
    ? 'it ignores SIGHUP, so it was started to outlive its terminal'
    : undefined;
