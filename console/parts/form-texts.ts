import type { FormEvent } from 'react';

/** The trimmed text of a field of a submitted form; empty if the form has no such field. */
export function readField(event: FormEvent<HTMLFormElement>, name: string): string {
  const value = new FormData(event.currentTarget).get(name);
  return typeof value === 'string' ? value.trim() : '';
}

/** The names in a text that separates them by commas, each once. */
export function splitNames(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== ''))];
}
