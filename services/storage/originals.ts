/** Copies of documents as their sources gave them, to be kept beside what is made of them. */
export interface Originals {
  /** A copy to keep, made before the bytes are given away; undefined where the settings keep none of that size. */
  copy(bytes: Uint8Array): Uint8Array | undefined;
}

/** 0 MB keep none. */
export function createOriginals(mostMb: number): Originals {
  // `slice` of a Buffer would share its memory.
  return {
    copy: (bytes) => (bytes.length > 0 && bytes.length <= mostMb * 1024 * 1024 ? new Uint8Array(bytes) : undefined),
  };
}
