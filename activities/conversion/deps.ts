import { randomUUID } from 'node:crypto';
import type { DocumentTimeouts } from '../../model/conversion/request/document-timeout';
import type { VisionSettings } from '../../model/conversion/vision/vision-settings';
import type { RequestBuckets } from '../../services/conversion/buckets';
import type { CallbackSender } from '../../services/conversion/callback-sender';
import type { DocumentExporter } from '../../services/conversion/export';
import type { Members } from '../../services/conversion/members';
import type { ResultFiles } from '../../services/conversion/ports';
import type { ResultTargets } from '../../services/conversion/result-targets';
import type { ConversionStore } from '../../services/conversion/store';
import type { SourceFetcher } from '../../services/net/source-fetch';
import type { FilesStore } from '../../services/storage/files';
import type { ObjectStore } from '../../services/storage/object-store-port';

/** Dependencies of the activities of conversion tasks. */
export interface ConvertDeps {
  store: ConversionStore;
  files: FilesStore;
  results: ResultFiles;
  exporter: DocumentExporter;
  /** Opens archives, mailboxes, messages and Office documents. */
  members: Members;
  fetcher: SourceFetcher;
  callbacks: CallbackSender;
  targets: ResultTargets;
  /** Opens the buckets that requests name. */
  buckets: RequestBuckets;
  /** Lists keys of the files store, to find files that no record refers to. */
  keysBelow: (prefix: string) => AsyncIterable<string>;
  /** Scratch space in the files store. */
  withScratch: ObjectStore['withScratch'];
  settings: ConvertSettings;
}

/** Settings of the service operator. */
export interface ConvertSettings {
  /** Maximum bytes of one document; 0 means no limit. */
  maxFileSize: number;
  /** Maximum pages, slides or sheets of one document; 0 means the limit of the reader. */
  maxPages: number;
  /** Time limits of documents; the defaults of the settings when absent. */
  timeouts?: DocumentTimeouts;
  modelsFolder?: string;
  /** When absent, conversions call no models. */
  vision?: VisionSettings;
  /** How long an ended task is kept. */
  retentionMs: number;
}

/** Identifies this process. */
export const processId = randomUUID();
