const maxLength = 200;

/** The tenant from a header or query parameter; `default` when absent. */
export function readTenant(text: string | null | undefined): string {
  return (text ?? '').trim().slice(0, maxLength) || 'default';
}
