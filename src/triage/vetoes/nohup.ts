import { ownerEndClosed } from '../grounds/owner-end.ts';
import type { FindVeto } from './veto.ts';

/** It was started to outlive its terminal. Without a peer of its standard streams that makes no difference. */
export const nohupVeto: FindVeto = ({ use, deep, kind }) =>
  use.ignoresHangup && !ownerEndClosed(deep, kind)
    ? 'it ignores SIGHUP, so it was started to outlive its terminal'
    : undefined;
