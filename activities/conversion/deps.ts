import { randomUUID } from 'node:crypto';
import type { VisionSettings } from '../../model/conversion/vision/vision-settings';
import type { AddressGuard } from '../../services/net/address-guard';
import type { CallbackSender } from '../../services/conversion/callback-sender';
import type { DocumentExporter } from '../../services/conversion/export';
import type { ResultFiles } from '../../services/conversion/ports';
import type { ConversionStore } from '../../services/conversion/store';
import type { ObjectStore } from '../../services/storage/object-store-port';
import type { FilesStore } from '../../services/storage/files';
import type { ResultTargets } from '../../services/conversion/result-targets';
import type { SourceFetcher } from '../../services/net/source-fetch';

/** What the activities of conversion tasks use. */
export interface ConvertDeps {
  store: ConversionStore;
  files: FilesStore;
  results: ResultFiles;
  exporter: DocumentExporter;
  fetcher: SourceFetcher;
  callbacks: CallbackSender;
  targets: ResultTargets;
  /** Judges the buckets that requests name. */
  guard: AddressGuard;
  /** Keys of the files store, for what no record knows. */
  keysBelow: (prefix: string) => AsyncIterable<string>;
  /** Of the files store. */
  withScratch: ObjectStore['withScratch'];
  settings: ConvertSettings;
}

/** What the operator of the service has set. */
export interface ConvertSettings {
  /** Bytes of one document; 0 for no limit. */
  maxFileSize: number;
  /** Pages, slides or sheets of one document; 0 for what the readers allow. */
  maxPages: number;
  modelsFolder?: string;
  /** Absent: conversions ask no models. */
  vision?: VisionSettings;
  /** How long an ended task is kept. */
  retentionMs: number;
}

/** This process, for work that only it can know to be new. */
export const processId = randomUUID();
