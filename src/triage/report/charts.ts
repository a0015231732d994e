import { excerpt } from '../../base/text.ts';
import { CLASSES, type Assessment, type ProcessClass } from '../assessment.ts';
import { html, type Html } from './html.ts';

const WIDTH = 880;
const LABEL = 250;
const ROW = 26;
const BAR = 16;
const VALUE = 90;
const PLOT = WIDTH - LABEL - VALUE;

const COLOURS: Readonly<Record<ProcessClass, string>> = {
  useful: 'var(--useful)',
  useful_bad: 'var(--useful-bad)',
  abandoned: 'var(--abandoned)',
  zombie: 'var(--zombie)',
};

const NAMES: Readonly<Record<ProcessClass, string>> = {
  useful: 'useful',
  useful_bad: 'useful, misbehaving',
  abandoned: 'abandoned',
  zombie: 'zombie',
};

/** Renders the legend of class colours. */
export function classLegend(): Html {
  const items = CLASSES.map(
    (name) => html`<span><i style="background:${COLOURS[name]}"></i>${NAMES[name]}</span>`,
  );
  return html`<div class="legend">${items}</div>`;
}

/** Renders one bar per process, divided by the probability of each class. */
export function posteriorChart(assessments: readonly Assessment[]): Html {
  const rows = assessments.map((assessment, index) => {
    let at = LABEL;
    const parts = CLASSES.map((name) => {
      const width = assessment.posterior[name] * PLOT;
      const part = html`<rect
        x="${at.toFixed(1)}"
        y="${index * ROW + 5}"
        width="${width.toFixed(1)}"
        height="${BAR}"
        fill="${COLOURS[name]}"
        ><title>${NAMES[name]}: ${percent(assessment.posterior[name])}</title></rect
      >`;
      at += width;
      return part;
    });
    const value = percent(assessment.posterior[assessment.classification]);
    return html`${label(assessment, index)}${parts}${valueText(value, index)}`;
  });
  return chart(assessments.length, 'Probability of each class, by process', rows);
}

/** Renders the memory that killing each tree would free. */
export function memoryChart(assessments: readonly Assessment[]): Html {
  const largest = Math.max(1, ...assessments.map(({ blast_radius }) => blast_radius.memory_mb));
  const rows = assessments.map((assessment, index) => {
    const width = (assessment.blast_radius.memory_mb / largest) * PLOT;
    return html`${label(assessment, index)}<rect
        x="${LABEL}"
        y="${index * ROW + 5}"
        width="${Math.max(1, width).toFixed(1)}"
        height="${BAR}"
        fill="var(--useful)"
      ></rect
      >${valueText(`${assessment.blast_radius.memory_mb.toFixed(1)} MB`, index)}`;
  });
  return chart(assessments.length, 'Memory that killing each tree would free', rows);
}

/** Renders what each ledger entry adds to the log odds of abandoned against useful; the last bar is the sum. */
export function oddsChart(assessment: Assessment): Html {
  const lines = assessment.ledger
    .filter(({ logOdds }) => Number.isFinite(logOdds) && logOdds !== 0)
    .map(({ term, cell, logOdds }) => ({ name: `${term}: ${cell}`, value: logOdds }));
  const total = lines.reduce((sum, { value }) => sum + value, 0);
  const rows = [...lines, { name: 'sum', value: total }];
  const reach = Math.max(1, ...rows.map(({ value }) => Math.abs(value)));
  const zero = LABEL + PLOT / 2;
  const bars = rows.map(({ name, value }, index) => {
    const width = (Math.abs(value) / reach) * (PLOT / 2);
    const x = value < 0 ? zero - width : zero;
    const colour = value < 0 ? COLOURS.useful : COLOURS.abandoned;
    return html`<text x="${LABEL - 10}" y="${index * ROW + 17}" text-anchor="end">${excerpt(name, 36)}</text>
      <rect
        x="${x.toFixed(1)}"
        y="${index * ROW + 5}"
        width="${Math.max(1, width).toFixed(1)}"
        height="${BAR}"
        fill="${colour}"
      ></rect>
      ${valueText(signed(value), index)}`;
  });
  const axis = html`<line class="axis" x1="${zero}" x2="${zero}" y1="0" y2="${rows.length * ROW}"></line>`;
  return chart(rows.length, 'Log odds of abandoned against useful, by ledger entry', [axis, ...bars]);
}

function chart(rows: number, title: string, content: readonly Html[]): Html {
  const height = Math.max(1, rows) * ROW + 4;
  return html`<figure>
    <svg
      viewBox="0 0 ${WIDTH} ${height}"
      width="${WIDTH}"
      height="${height}"
      role="img"
      aria-label="${title}"
    >
      ${content}
    </svg>
  </figure>`;
}

function label({ pid, cmd_short }: Assessment, index: number): Html {
  return html`<text x="${LABEL - 10}" y="${index * ROW + 17}" text-anchor="end"
    >${excerpt(cmd_short, 30)} <tspan class="soft">${pid}</tspan></text
  >`;
}

function valueText(text: string, index: number): Html {
  return html`<text class="soft" x="${LABEL + PLOT + 8}" y="${index * ROW + 17}">${text}</text>`;
}

function percent(share: number): string {
  const text = (share * 100).toFixed(share > 0.995 ? 2 : 1);
  // Values below 1 never round to 100 %.
  return share < 1 && Number(text) === 100 ? '> 99.99 %' : `${text} %`;
}

function signed(value: number): string {
  return `${value > 0 ? '+' : value < 0 ? '−' : ''}${Math.abs(value).toFixed(2)}`;
}
