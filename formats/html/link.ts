const special = /^(?:https?|ftp|wss?|file):/i;

/** An address as it is kept in documents: absolute ones normalised as browsers do, relative ones as they stand, scripts never. */
export function normaliseLink(address: string | null | undefined): string | null {
  const trimmed = address?.trim() ?? '';
  if (trimmed === '' || /^\s*(?:javascript|vbscript|data):/i.test(trimmed)) return null;
  if (!special.test(trimmed)) return trimmed;
  return URL.canParse(trimmed) ? new URL(trimmed).href : trimmed;
}
