import { isObject } from '../json';
import { type FilesystemSettings, readFilesystemSettings, listTexts, createValueReader } from './filesystem-source';

/** Settings common to all sources: which documents to read, and who may read them. */
export type SourceFilter = Omit<FilesystemSettings, 'paths'>;

/** The bucket to read, from any of the accepted spellings in a flow. */
export interface S3SourceSettings extends SourceFilter {
  bucket: string;
  /** Only keys with this prefix are listed; empty for all. */
  prefix: string;
  /** Undefined means Amazon's address for the region. */
  endpoint?: string;
  region: string;
  accessKey?: string;
  secretKey?: string;
  skipEmpty: boolean;
}

/** The web pages to read. */
export interface HttpSourceSettings extends SourceFilter {
  urls: string[];
  sitemaps: string[];
  headers: Record<string, string>;
  timeoutMs: number;
  /** True if pages from sitemaps are skipped when robots.txt disallows them. */
  respectRobots: boolean;
}

/** Reads a bucket from `connection_params`, `credentials`, `provider_config` or the operator's top level, in this order. */
export function readS3Settings(config: Record<string, unknown>): S3SourceSettings {
  const readFirst = createSettingsReader(config);
  const readText = (...names: string[]) => {
    const value = readFirst(...names);
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
  };
  const { paths: _paths, ...filter } = readFilesystemSettings(config);
  return {
    ...filter,
    bucket: readText('bucket', 'bucket_name') ?? '',
    prefix: (readText('prefix') ?? '').replace(/^\/+/, ''),
    region: readText('region') ?? 'us-east-1',
    skipEmpty: readFirst('skip_empty_files') !== false,
    endpoint: readText('endpoint_url', 'endpoint'),
    accessKey: readText('access_key', 'access_key_id', 'aws_access_key_id'),
    secretKey: readText('secret_key', 'secret_access_key', 'aws_secret_access_key'),
  };
}

/** Reads web addresses from the same members. */
export function readHttpSettings(config: Record<string, unknown>): HttpSourceSettings {
  const readFirst = createSettingsReader(config);
  const { paths: _paths, ...filter } = readFilesystemSettings(config);
  const seconds = readFirst('timeout');
  const headers = readFirst('headers');
  return {
    ...filter,
    urls: listTexts(readFirst('urls', 'url')),
    sitemaps: listTexts(readFirst('sitemaps', 'sitemap')),
    headers: isObject(headers)
      ? Object.fromEntries(
          Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
        )
      : {},
    timeoutMs: (typeof seconds === 'number' ? seconds : 30) * 1_000,
    respectRobots: readFirst('respect_robots') !== false,
  };
}

function createSettingsReader(config: Record<string, unknown>): (...names: string[]) => unknown {
  return createValueReader([config['connection_params'], config['credentials'], config['provider_config'], config]);
}
