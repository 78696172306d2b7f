const maxLength = 200;

/** The tenant that a header or query parameter names; `default` when it names none. */
export function tenantIn(text: string | null | undefined): string {
  return (text ?? '').trim().slice(0, maxLength) || 'default';
}
