import { isIP } from 'node:net';
import type { Config } from '../../model/config';
import type { Policy } from '../../model/conversion/request/policy';
import { readVisionSettings, visionTasks } from '../../model/conversion/vision/vision-settings';
import { AppError } from '../../model/errors';

/** Settings of the conversion service's HTTP surface. */
export interface ConversionSettings {
  apiKeys: readonly string[];
  /** True when requests need neither a key nor a token. Applies only while no keys are configured. */
  isOpen: boolean;
  policy: Omit<Policy, 'artifactStorage'>;
  /** True when `from_formats` filters documents. */
  honourFromFormats: boolean;
  maxSyncWaitMs: number;
  /** Folder with OCR languages, in addition to the installed packages. */
  modelsFolder?: string | undefined;
  maxJsonBytes: number;
  maxUploadBytes: number;
  tenantHeader: string;
  showVersions: boolean;
  managementEndpoints: boolean;
}

/** Default values. */
export const defaultConversionSettings: ConversionSettings = {
  apiKeys: [],
  isOpen: true,
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
    models: new Set(),
  },
  honourFromFormats: true,
  maxSyncWaitMs: 120_000,
  maxJsonBytes: 100 * 1024 * 1024,
  maxUploadBytes: 256 * 1024 * 1024,
  tenantHeader: 'X-Tenant-Id',
  showVersions: true,
  managementEndpoints: false,
};

/** Reads the settings from the configuration. */
export function readConversionSettings(config: Config): ConversionSettings {
  const megabyte = 1024 * 1024;
  const vision = readVisionSettings(config);
  return {
    apiKeys: config.CONVERT_SERVE_API_KEY,
    isOpen: config.DOCLOOM_OPEN_SERVICE || isLoopback(config.DOCLOOM_HOST),
    policy: {
      maxDocumentTimeoutSeconds: config.CONVERT_SERVE_MAX_DOCUMENT_TIMEOUT,
      maxImagesScale: config.CONVERT_SERVE_MAX_IMAGES_SCALE,
      maxSources: config.CONVERT_SERVE_MAX_SOURCES_PER_REQUEST,
      ocrPresets: config.CONVERT_SERVE_ALLOWED_OCR_PRESETS,
      imageExportModes: config.CONVERT_SERVE_ALLOWED_IMAGE_EXPORT_MODES,
      sourceKinds: config.CONVERT_SERVE_ALLOWED_SOURCE_TYPES,
      targetKinds: config.CONVERT_SERVE_ALLOWED_TARGET_TYPES,
      remoteServices: config.CONVERT_SERVE_ENABLE_REMOTE_SERVICES,
      customConfigs: new Set(config.CONVERT_SERVE_ALLOW_CUSTOM_CONFIGS),
      models: new Set(vision.server && vision.remoteServices ? visionTasks : []),
      hasSpeech: vision.speech !== undefined && vision.remoteServices,
    },
    honourFromFormats: config.DOCLOOM_HONOUR_FROM_FORMATS,
    maxSyncWaitMs: config.CONVERT_SERVE_MAX_SYNC_WAIT * 1_000,
    modelsFolder: config.DOCLOOM_MODELS_FOLDER,
    maxJsonBytes: config.DOCLOOM_MAX_JSON_MB * megabyte,
    maxUploadBytes: config.DOCLOOM_MAX_UPLOAD_MB * megabyte,
    tenantHeader: config.CONVERT_SERVE_TENANT_ID_HEADER,
    showVersions: config.CONVERT_SERVE_SHOW_VERSION_INFO,
    managementEndpoints: config.CONVERT_SERVE_ENABLE_MANAGEMENT_ENDPOINTS,
  };
}

/**
 * Throws INVALID_CONFIGURATION when other machines could use the conversion service without a key or login, unless that is
 * explicitly allowed.
 */
export function refuseOpenService(config: Config): void {
  const hasLogin = Boolean(config.JWT_SECRET_KEY) && (Boolean(config.LDAP_SERVER) || config.OAUTH2_ENABLED);
  const isClosed = config.CONVERT_SERVE_API_KEY.length > 0 || hasLogin;
  if (isClosed || config.DOCLOOM_OPEN_SERVICE || isLoopback(config.DOCLOOM_HOST)) return;
  throw new AppError(
    'INVALID_CONFIGURATION',
    `DOCLOOM_HOST is '${config.DOCLOOM_HOST}', which other machines can reach, but neither CONVERT_SERVE_API_KEY nor a login is set; set one of them, or DOCLOOM_OPEN_SERVICE=yes if anybody may use the conversion service.`,
  );
}

function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  if (isIP(name) === 4) return name.startsWith('127.');
  return name === '::1' || name === 'localhost' || /^::ffff:127\./.test(name);
}
