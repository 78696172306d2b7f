const sliceBytes = 4 * 1024 * 1024;

/**
 * The SHA-256 of a file in hexadecimal; keeps one slice in memory at a time. The browser's own digest needs the whole file and is
 * missing on plain HTTP, so a library computes it. The library is loaded on the first upload.
 */
export async function hashFile(file: Blob, signal?: AbortSignal): Promise<string> {
  const { sha256 } = await import('@noble/hashes/sha2');
  const hash = sha256.create();
  for (let start = 0; start < file.size; start += sliceBytes) {
    signal?.throwIfAborted();
    hash.update(new Uint8Array(await file.slice(start, start + sliceBytes).arrayBuffer()));
  }
  return [...hash.digest()].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
