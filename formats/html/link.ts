/** Schemes of URLs that browsers normalise. */
const specialScheme = /^(?:https?|ftp|wss?|file):/i;

/** Normalises a link for the document: absolute URLs as browsers do, relative ones unchanged. Returns null for scripts. */
export function normaliseLink(address: string | null | undefined): string | null {
  const trimmed = address?.trim() ?? '';
  if (trimmed === '' || /^\s*(?:javascript|vbscript|data):/i.test(trimmed)) return null;
  if (!specialScheme.test(trimmed)) return trimmed;
  return URL.canParse(trimmed) ? new URL(trimmed).href : trimmed;
}
