/** The same text in memory of its own: V8 keeps the whole text alive as long as a part that was cut from it. */
export function copyText(part: string): string {
  // UTF-16 also keeps half of a surrogate pair.
  return Buffer.from(part, 'utf16le').toString('utf16le');
}
