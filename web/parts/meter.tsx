import type { JSX } from 'preact';

interface MeterProps {
  readonly label: string;
  readonly value: number;
  readonly max: number;
  readonly text: string;
}

/** A part of a whole, such as a used limit. */
export function Meter({ label, value, max, text }: MeterProps): JSX.Element {
  const share = max === 0 ? 0 : Math.min(1, value / max);
  return (
    <div class="meter">
      <span class="meter-label">{label}</span>
      <span
        class={share >= 0.9 ? 'meter-bar high' : 'meter-bar'}
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={max}
        aria-valuenow={value}
        aria-valuetext={text}
      >
        <span style={{ width: `${share * 100}%` }} />
      </span>
      <span class="meter-text number">{text}</span>
    </div>
  );
}
