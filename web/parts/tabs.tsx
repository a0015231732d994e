import type { ComponentChildren, JSX, TargetedKeyboardEvent } from 'preact';

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly { readonly id: string; readonly label: ComponentChildren }[];
  readonly selected: string;
  readonly onSelect: (id: string) => void;
  readonly children: ComponentChildren;
}

const STEPS: ReadonlyMap<string, number> = new Map(Object.entries({ ArrowRight: 1, ArrowLeft: -1 }));

/** Tabs with one panel; arrow keys change the tab. */
export function Tabs({ label, tabs, selected, onSelect, children }: TabsProps): JSX.Element {
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    const step = STEPS.get(event.key);
    if (step === undefined) return;
    event.preventDefault();
    const at = tabs.findIndex(({ id }) => id === selected) + step;
    const next = tabs.at(at % tabs.length);
    if (next === undefined) return;
    onSelect(next.id);
    event.currentTarget.querySelector<HTMLElement>(`#tab-${next.id}`)?.focus();
  };
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            id={`tab-${tab.id}`}
            type="button"
            role="tab"
            aria-selected={tab.id === selected}
            aria-controls="tab-panel"
            tabIndex={tab.id === selected ? 0 : -1}
            onClick={() => onSelect(tab.id)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div id="tab-panel" role="tabpanel" aria-labelledby={`tab-${selected}`} class="tab-panel">
        {children}
      </div>
    </>
  );
}
