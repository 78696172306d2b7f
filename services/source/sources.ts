import { Readable } from 'node:stream';
import type { Reader } from '../../model/access';
import { AppError } from '../../model/errors';
import { findSourceKind, sourceNames, type SourceProvider } from '../../model/source/list';
import type { SourceDirectory } from '../identity/maps';
import { type AddressGuard, createAddressGuard } from '../net/address-guard';
import { type CheckedRight, checkSource } from './check';
import { createFilesystemSource } from './filesystem';
import { createHttpSource } from './http';
import { createConfluenceSource } from './items/confluence';
import { createGoogleDriveSource } from './items/google-drive';
import type { KnownItems } from './items/known-items';
import { createSharepointSource } from './items/sharepoint';
import { createLibrarySource, type LibrarySourceDeps } from './library';
import type { SourceRights } from './posix/rights';
import { createAzureSource, createGcsSource } from './remote/cloud';
import { createGitSource } from './remote/git';
import { createImapSource } from './remote/imap';
import { createSftpSource } from './remote/sftp';
import { createSmbSource } from './remote/smb/smb';
import { createWebdavSource } from './remote/webdav';
import type { SourceLimits } from './roots';
import { createS3Source } from './s3';
import type { ListedDocument, ListingStart, Source, SourceEntry } from './source';
import { createMediawikiSource } from './wiki/mediawiki';

export type { SourceEntry } from './source';

/** Sources of documents, by the `provider` of a flow. The methods are those of `Source`. */
export interface Sources {
  list(
    provider: string,
    config: Record<string, unknown>,
    signal: AbortSignal,
    start?: ListingStart,
  ): AsyncIterable<SourceEntry>;
  read(
    provider: string,
    document: string | ListedDocument,
    config: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<Uint8Array>;
  hash(
    provider: string,
    document: string | ListedDocument,
    config: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<string>;
}

/** Tries the rights that a source needs. */
export interface SourceChecks {
  /** Results are in the order of `sourceRights`. Messages never name a document. */
  check(config: Record<string, unknown>, signal: AbortSignal, readers?: readonly Reader[]): Promise<CheckedRight[]>;
}

/** The accounts and groups of sources that have them. */
export interface SourceDirectories {
  readDirectory(config: Record<string, unknown>, signal: AbortSignal): Promise<SourceDirectory>;
}

/** The files that flows may read (none without a root), and the guard for remote sources. */
export interface SourcesOptions extends SourceLimits {
  /** Default: a guard that allows only public addresses. */
  guard?: AddressGuard;
  /** Document libraries. If absent, no library is found. */
  library?: LibrarySourceDeps;
  /** The identity maps. Absent: no folder has rights of its own. */
  rights?: SourceRights;
  /** What earlier listings found in drives with a change feed. Absent: every listing reads everything. */
  knownItems?: KnownItems;
}

const noLibraries: LibrarySourceDeps = {
  libraries: { get: async () => undefined },
  files: { iterate: async function* none() {}, findByName: async () => undefined, open: () => Readable.from([]) },
};

/** What sources are created from. */
interface SourceDeps extends Omit<SourcesOptions, keyof SourceLimits> {
  guard: AddressGuard;
  library: LibrarySourceDeps;
  limits: SourceLimits;
}

/** How each source is created. The key is its name in `model/source/list.ts`. */
const creators: Readonly<Record<SourceProvider, (deps: SourceDeps) => Source>> = {
  filesystem: ({ limits, rights }) => createFilesystemSource(limits, rights),
  s3: createS3Source,
  http: createHttpSource,
  library: ({ library }) => createLibrarySource(library),
  webdav: createWebdavSource,
  git: createGitSource,
  sftp: createSftpSource,
  azure: createAzureSource,
  gcs: createGcsSource,
  imap: createImapSource,
  smb: createSmbSource,
  sharepoint: createSharepointSource,
  google_drive: createGoogleDriveSource,
  confluence: createConfluenceSource,
  mediawiki: createMediawikiSource,
};

/** All sources by provider. */
export function createSources({
  guard = createAddressGuard([]),
  library = noLibraries,
  rights,
  knownItems,
  ...limits
}: SourcesOptions): Sources & SourceChecks & SourceDirectories {
  const deps: SourceDeps = { guard, library, rights, knownItems, limits };
  const sources = Object.fromEntries(
    Object.entries(creators).map(([provider, create]) => [provider, create(deps)]),
  ) as Record<SourceProvider, Source>;
  const find = (provider: string): Source => {
    const sourceKind = findSourceKind({ provider });
    if (sourceKind) return sources[sourceKind.name];
    throw createUnknownProviderError(provider);
  };
  return {
    list: (provider, config, signal, start) => find(provider).list(config, signal, start),
    read: async (provider, document, config, signal) => {
      const { path, version } = toListed(document);
      return find(provider).read(path, config, signal, version);
    },
    hash: async (provider, document, config, signal) => {
      const { path, version } = toListed(document);
      return find(provider).hash(path, config, signal, version);
    },
    readDirectory: async (config, signal) => {
      const provider = String(config['provider']);
      const accounts = await find(provider).readDirectory?.(config, signal);
      if (!accounts) throw new AppError('SOURCE_RIGHTS_UNKNOWN', `The source ${provider} has no accounts.`);
      return accounts;
    },
    check: async (config, signal, readers) => {
      const kind = findSourceKind(config);
      if (!kind) throw createUnknownProviderError(config['provider']);
      return await checkSource(sources[kind.name], { kind, config, signal, readers });
    },
  };
}

function toListed(document: string | ListedDocument): ListedDocument {
  return typeof document === 'string' ? { path: document } : document;
}

function createUnknownProviderError(provider: unknown): AppError {
  return new AppError(
    'OPERATOR_CONFIGURATION_INVALID',
    `There is no source provider '${String(provider)}'; expected one of ${sourceNames.join(', ')}.`,
  );
}
