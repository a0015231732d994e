import type { Assessment } from '../assessment.ts';
import type { Candidate, CandidateDetails, CandidateLedger } from '../candidate.ts';
import type { ProcessSnapshot } from '../process-snapshot.ts';

/** The optional parts of a candidate. */
export interface CandidateView {
  readonly verbose?: boolean;
  readonly ledger?: boolean;
  /** The source of raw samples, if requested. */
  readonly raw?: ProcessSnapshot | undefined;
}

/** Converts an assessment to a candidate of the contract. */
export function presentCandidate(assessment: Assessment, view: CandidateView): Candidate {
  const { posterior } = assessment;
  return {
    pid: assessment.pid,
    start_id: assessment.start_id,
    uid: assessment.uid ?? -1,
    ppid: assessment.ppid,
    cmd_short: assessment.cmd_short,
    cmd_full: assessment.cmd_full,
    classification: assessment.classification,
    posterior: {
      abandoned: round(posterior.abandoned),
      useful: round(posterior.useful),
      useful_bad: round(posterior.useful_bad),
      zombie: round(posterior.zombie),
    },
    confidence: assessment.confidence,
    matched_signature: assessment.matched_signature,
    novel_pattern: assessment.novel_pattern,
    blast_radius: assessment.blast_radius,
    reversibility: assessment.reversibility,
    supervisor: assessment.supervisor,
    uncertainty: assessment.uncertainty,
    recommended_action: assessment.recommended_action,
    action_rationale: assessment.action_rationale,
    // Plans of earlier versions have neither grounds and vetoes nor an origin.
    ...(assessment.grounds && { grounds: assessment.grounds }),
    ...(assessment.vetoes && { vetoes: assessment.vetoes }),
    ...(assessment.superseded && { superseded: assessment.superseded }),
    ...(assessment.observation.origin && { origin: assessment.observation.origin }),
    ...(view.verbose && optionalFields(assessment)),
    ...(view.ledger && ledgerFields(assessment)),
    ...(view.raw && { raw_samples: rawSamples(assessment, view.raw) }),
  };
}

function optionalFields(assessment: Assessment): CandidateDetails {
  const { conformal, hazard } = assessment;
  return {
    state: assessment.state,
    exe: assessment.exe,
    start_ticks: assessment.startTicks,
    exemption: assessment.exemption,
    observation: assessment.observation,
    expected_loss: assessment.expectedLoss,
    infeasible: assessment.infeasible,
    e_value: assessment.eValue,
    e_bh_rejected: assessment.eBhRejected,
    conformal: {
      level: conformal.level,
      p_values: conformal.pValues,
      set: conformal.set,
      interval: conformal.interval,
      blocks_automation: conformal.blocksAutomation,
    },
    hazard: {
      lost_for_ms: hazard.lostForMs,
      rate_per_hour: hazard.ratePerHour,
      survival: hazard.survival,
      useful_again_within_hour: hazard.usefulAgainWithinHour,
    },
    value_of_information: assessment.voi.map((probe) => ({
      probe: probe.probe,
      cost: probe.cost,
      expected_loss_now: probe.expectedLossNow,
      expected_loss_after: probe.expectedLossAfter,
      value: probe.value,
      expected_confidence: probe.expectedConfidence,
    })),
    tree: assessment.tree.map(({ pid, startTicks }) => ({ pid, start_ticks: startTicks })),
  };
}

/** Not rounded, so that the entries add up exactly. */
function ledgerFields({ ledger, logPosterior }: Assessment): CandidateLedger {
  return {
    evidence_ledger: ledger.map(({ term, cell, about, logLikelihood, logOdds }) => ({
      term,
      cell,
      ...(about !== undefined && { about }),
      log_likelihood: logLikelihood,
      log_odds: logOdds,
    })),
    log_posterior: logPosterior,
  };
}

function rawSamples(
  { pid, startTicks }: Assessment,
  { processes, windowMs }: ProcessSnapshot,
): NonNullable<Candidate['raw_samples']> | null {
  const facts = processes.find((process) => process.pid === pid && process.startTicks === startTicks);
  return facts === undefined ? null : { window_ms: windowMs, process: facts };
}

function round(share: number): number {
  return Math.round(share * 1e6) / 1e6;
}
