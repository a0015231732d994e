import { signal } from '@preact/signals';

const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const root = document.documentElement;
export const theme = signal((root.dataset.theme ?? 'auto') as Theme);

/** Changes to the next theme. The server reads the cookie, so that the next page starts with it. */
export function nextTheme(): void {
  const next = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'auto';
  theme.value = next;
  root.dataset.theme = next;
  document.cookie = `deed_theme=${next}; path=/; max-age=31536000; samesite=strict`;
}
