/** A header that makes browsers save the body under this name instead of displaying it. */
export function createAttachmentHeader(name: string): { 'Content-Disposition': string } {
  return { 'Content-Disposition': `attachment; filename*=UTF-8''${encodeName(name)}` };
}

/**
 * Encodes a name as in RFC 8187, which reserves more characters than `encodeURIComponent`. Replaces lone surrogates, for which
 * that function throws.
 */
function encodeName(name: string): string {
  return encodeURIComponent(Buffer.from(name).toString()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
