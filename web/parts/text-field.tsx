import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';

interface TextFieldProps {
  readonly label: string;
  readonly button: string;
  readonly suggestions?: readonly string[] | undefined;
  readonly isFocused?: boolean;
  readonly onSubmit: (text: string) => void;
}

/** One line of text with a button; Enter submits it too. */
export function TextField(props: TextFieldProps): JSX.Element {
  const { label, button, suggestions = [], isFocused, onSubmit } = props;
  const [text, setText] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  useEffect(() => {
    if (isFocused === true) input.current?.focus();
  }, []);
  const submit = (): void => {
    if (text.trim() === '') return;
    onSubmit(text.trim());
    setText('');
  };
  return (
    <div class="field-line">
      <label class="muted" for={id}>
        {label}
      </label>
      <input
        ref={input}
        id={id}
        type="text"
        value={text}
        list={`${id}-list`}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={({ key }) => {
          if (key === 'Enter') submit();
        }}
      />
      <datalist id={`${id}-list`}>
        {suggestions.map((value) => (
          <option key={value} value={value} />
        ))}
      </datalist>
      <button type="button" class="small" disabled={text.trim() === ''} onClick={submit}>
        {button}
      </button>
    </div>
  );
}
