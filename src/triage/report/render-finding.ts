import { CLASSES, type Assessment, type ProcessClass } from '../assessment.ts';
import { evidenceBars } from './evidence-bars.ts';
import { html, type Html } from './html.ts';

/** Renders one process: what is proposed and why, what prevents an action, and the evidence, which is open for the first of a group. */
export function renderFinding(item: Assessment, position: number): Html {
  const { recommended_action: action, grounds, vetoes = [], blast_radius: blast } = item;
  const refusals = [
    ...(grounds?.found === false ? [html`<li><b>No grounds:</b> ${grounds.reason}</li>`] : []),
    ...vetoes.map(({ veto, reason }) => html`<li><b>${veto.replaceAll('_', ' ')}:</b> ${reason}</li>`),
  ];
  return html`<article class="finding">
    <header>
      <span class="badge ${action}">${action}</span>
      <h3><code>${item.cmd_short}</code></h3>
      <span class="soft">pid ${item.pid} · uid ${item.uid ?? 'unknown'} · ${blast.summary}</span>
    </header>
    <p>${item.action_rationale}</p>
    ${
      refusals.length === 0
        ? html``
        : html`<p class="why">Why there is no automatic action</p>
            <ul class="vetoes">
              ${refusals}
            </ul>`
    }
    ${posteriorStrip(item)}
    ${grounds?.found === true ? html`<p class="soft">Grounds: ${grounds.reason}.</p>` : html``}
    ${{ html: position === 0 ? '<details open>' : '<details>' }}
      <summary>Evidence</summary>
      ${evidenceBars(item)}
      <p class="soft"><code>${item.cmd_full}</code></p>
    </details>
  </article>`;
}

export const CLASS_NAMES: Readonly<Record<ProcessClass, string>> = {
  useful: 'in use',
  useful_bad: 'in use, misbehaving',
  abandoned: 'abandoned',
  zombie: 'zombie',
};

/** One strip, divided by the probability of each class. */
function posteriorStrip({ posterior, classification }: Assessment): Html {
  const parts = CLASSES.map(
    (name) => html`<i class="${name}" style="width:${(posterior[name] * 100).toFixed(1)}%"></i>`,
  );
  const text = `${CLASS_NAMES[classification]}: ${percent(posterior[classification])}`;
  return html`<div class="posterior">
    <span class="strip" role="img" aria-label="${text}">${parts}</span><span class="value">${text}</span>
  </div>`;
}

function percent(share: number): string {
  const text = (share * 100).toFixed(share > 0.995 ? 2 : 1);
  // Values below 1 never round to 100 %.
  return share < 1 && Number(text) === 100 ? '> 99.99 %' : `${text} %`;
}
