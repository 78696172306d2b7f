/**
 * The WebAssembly module inside the package. The interface of the package would start another thread and read the
 * archive once per file.
 */
declare module 'libarchive.js/src/webworker/wasm-gen/libarchive.js' {
  export interface LibarchiveModule {
    HEAPU8: Uint8Array;
    _malloc(size: number): number;
    _free(pointer: number): void;
    cwrap(name: string, result: string | null, parameters: string[]): (...values: unknown[]) => unknown;
  }
  const load: (options: { print: () => void; printErr: () => void }) => Promise<LibarchiveModule>;
  // oxlint-disable-next-line import/no-default-export
  export default load;
}
