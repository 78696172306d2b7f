import { isObject } from '../json';
import { type FilesystemSettings, readFilesystemSettings, listTexts } from './filesystem-source';

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
  const first = lookUp(config);
  const getText = (...names: string[]) => {
    const value = first(...names);
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
  };
  const { paths: _paths, ...filter } = readFilesystemSettings(config);
  const endpoint = getText('endpoint_url', 'endpoint');
  const accessKey = getText('access_key', 'access_key_id', 'aws_access_key_id');
  const secretKey = getText('secret_key', 'secret_access_key', 'aws_secret_access_key');
  return {
    ...filter,
    bucket: getText('bucket', 'bucket_name') ?? '',
    prefix: (getText('prefix') ?? '').replace(/^\/+/, ''),
    region: getText('region') ?? 'us-east-1',
    skipEmpty: first('skip_empty_files') !== false,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(accessKey === undefined ? {} : { accessKey }),
    ...(secretKey === undefined ? {} : { secretKey }),
  };
}

/** Reads web addresses from the same members. */
export function readHttpSettings(config: Record<string, unknown>): HttpSourceSettings {
  const first = lookUp(config);
  const { paths: _paths, ...filter } = readFilesystemSettings(config);
  const seconds = first('timeout');
  const headers = first('headers');
  return {
    ...filter,
    urls: listTexts(first('urls', 'url')),
    sitemaps: listTexts(first('sitemaps', 'sitemap')),
    headers: isObject(headers)
      ? Object.fromEntries(
          Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
        )
      : {},
    timeoutMs: (typeof seconds === 'number' ? seconds : 30) * 1_000,
    respectRobots: first('respect_robots') !== false,
  };
}

function lookUp(config: Record<string, unknown>): (...names: string[]) => unknown {
  const places = [config['connection_params'], config['credentials'], config['provider_config'], config].filter(
    isObject,
  );
  return (...names) =>
    places.flatMap((place) => names.map((name) => place[name])).find((value) => value !== undefined && value !== null);
}
