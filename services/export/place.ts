import type { AzureContainer } from '../../model/source/azure-container';

/** A folder or a bucket that files are exported to. Names are relative paths with single slashes, as the operator chose them. */
export interface ExportPlace {
  /** Identifies the place: the same text for every flow that names it. */
  key: string;
  /** Creates a file or replaces it, atomically. */
  put(name: string, bytes: Uint8Array, mediaType: string): Promise<void>;
  /** The bytes of a file; undefined if it does not exist. */
  read(name: string): Promise<Uint8Array | undefined>;
  /** Creates a file. Returns false, without changes, if it exists already. */
  create(name: string, bytes: Uint8Array, mediaType: string): Promise<boolean>;
  /** Removes a file, and folders that become empty. A missing file is not an error. */
  remove(name: string): Promise<void>;
  close(): void;
}

/** The target of an export from the flow, with secrets resolved. */
export type ExportTarget =
  | { kind: 'folder'; path: string }
  | {
      kind: 's3';
      bucket: string;
      /** Precedes every name; empty, or ends with a slash. */
      prefix: string;
      /** Undefined means Amazon's address for the region. */
      endpoint?: string;
      region: string;
      accessKey: string;
      secretKey: string;
    }
  | { kind: 'azure'; container: AzureContainer; prefix: string }
  | { kind: 'gcs'; bucket: string; endpoint?: string; keyText: string; prefix: string };
