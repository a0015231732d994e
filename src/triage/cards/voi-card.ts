import type { Card, CardContext } from './card.ts';

export function voi({ assessment }: CardContext): Card {
  const probes = assessment.voi.map((probe) => ({
    probe: probe.probe,
    cost: probe.cost,
    expected_loss_after: probe.expectedLossAfter,
    value: probe.value,
    expected_confidence: probe.expectedConfidence,
  }));
  const best = assessment.voi[0];
  return {
    id: 'voi',
    title: 'Value of Information',
    equations: ['VOI = min_a E[loss(a)] − Σ_o P(o) · min_a E[loss(a) | o]', 'P(o) = Σ_C P(C|x) P(o|C)'],
    values: {
      expected_loss: { ...assessment.expectedLoss },
      expected_loss_now: best?.expectedLossNow ?? assessment.expectedLoss[assessment.recommended_action],
      recommended_action: assessment.recommended_action,
      probes,
    },
    intuition:
      best === undefined || best.value < 0.01
        ? 'More observation would hardly change the recommendation.'
        : `The probe "${best.probe}" would reduce the expected loss by ${best.value.toFixed(2)}.`,
  };
}
