/** The header of a body that browsers save under this name and never show. */
export function attachmentNamed(name: string): { 'Content-Disposition': string } {
  return { 'Content-Disposition': `attachment; filename*=UTF-8''${encodeName(name)}` };
}

/** As RFC 8187 wants it: what `encodeURIComponent` leaves and the RFC does not. Half surrogates, which it refuses, are replaced. */
function encodeName(name: string): string {
  return encodeURIComponent(Buffer.from(name).toString()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
