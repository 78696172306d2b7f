import type { Policy } from '../../../model/conversion/policy';

/** Settings of the conversion service's HTTP surface. */
export interface ConversionSettings {
  /** Keys of which a request must name one; none is asked for when empty. */
  apiKeys: readonly string[];
  policy: Omit<Policy, 'artifactStorage'>;
  maxSyncWaitMs: number;
  maxJsonBytes: number;
  maxUploadBytes: number;
  tenantHeader: string;
  showVersions: boolean;
  managementEndpoints: boolean;
}

/** Values where the caller names none. */
export const defaultConversionSettings: ConversionSettings = {
  apiKeys: [],
  policy: {
    maxDocumentTimeoutSeconds: 604_800,
    maxImagesScale: 2,
    maxSources: 100,
    ocrPresets: [],
    imageExportModes: [],
    sourceKinds: [],
    targetKinds: [],
    remoteServices: false,
    customConfigs: new Set(),
    localModels: false,
  },
  maxSyncWaitMs: 120_000,
  maxJsonBytes: 100 * 1024 * 1024,
  maxUploadBytes: 256 * 1024 * 1024,
  tenantHeader: 'X-Tenant-Id',
  showVersions: true,
  managementEndpoints: false,
};
