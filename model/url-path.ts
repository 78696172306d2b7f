/** Encodes a path with `/` between its names as the path of an address. */
export function encodePath(text: string): string {
  return text.split('/').map(encodeURIComponent).join('/');
}

/** Decodes a part of an address; undefined if it is not encoded correctly. */
export function decodePart(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
