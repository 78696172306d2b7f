/** Copies of the original documents, stored next to what is made of them. */
export interface Originals {
  /** Copies the bytes before they are handed to others. Undefined when the settings exclude documents of this size. */
  copy(bytes: Uint8Array): Uint8Array | undefined;
}

/** A limit of 0 MB keeps no copies. */
export function createOriginals(maxMb: number): Originals {
  // A `slice` of a Buffer would share its memory.
  return {
    copy: (bytes) => (bytes.length > 0 && bytes.length <= maxMb * 1024 * 1024 ? new Uint8Array(bytes) : undefined),
  };
}
