import type { JSX } from 'preact';

interface ViewChoiceProps<T extends string> {
  readonly label: string;
  readonly views: readonly { readonly id: T; readonly label: string }[];
  readonly selected: T;
  readonly onSelect: (id: T) => void;
}

/** A choice between a few ways to show the same. */
export function ViewChoice<T extends string>(props: ViewChoiceProps<T>): JSX.Element {
  const { label, views, selected, onSelect } = props;
  return (
    <span class="choice" role="group" aria-label={label}>
      {views.map((view) => (
        <button
          key={view.id}
          type="button"
          aria-pressed={view.id === selected}
          onClick={() => onSelect(view.id)}
        >
          {view.label}
        </button>
      ))}
    </span>
  );
}
