import type { AzureContainer } from '../../model/source/azure-container';
import type { SearchServer } from '../search/connection';
import type { Similarity } from './index-mapping';

/** A folder or a bucket that files are exported to. Names are relative paths with single slashes, as the operator chose them. */
export interface ExportPlace {
  /** Identifies the place: the same text for every flow that names it. */
  key: string;
  /** Creates a file or replaces it, atomically. */
  put(name: string, bytes: Uint8Array, mediaType: string): Promise<void>;
  /** What a check should know of the place. */
  note?: string;
  /** The bytes of a file, at most `maxBytes`; undefined if it does not exist. */
  read(name: string, maxBytes?: number): Promise<Uint8Array | undefined>;
  /** Creates a file. Returns false, without changes, if it exists already. */
  create(name: string, bytes: Uint8Array, mediaType: string): Promise<boolean>;
  /** Removes a file, and folders that become empty. A missing file is not an error. */
  remove(name: string): Promise<void>;
  close(): void;
}

/** The target of an export from the flow, with secrets resolved. */
export type ExportTarget =
  | {
      kind: 'elasticsearch';
      server: SearchServer;
      index: string;
      /** Points at the index once the run is done. */
      alias?: string;
      similarity: Similarity;
    }
  | FileTarget;

/** A target that holds files. */
export type FileTarget =
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

/** The operator that exports, its run and its job. */
export interface ExportOrigin {
  jobId: string;
  runId: string;
  operator: string;
}

/** The files to remove: all of the documents, or only those of earlier runs. */
export interface ExportScope {
  jobId: string;
  documentIds: readonly string[];
  keepRunId?: string;
}
