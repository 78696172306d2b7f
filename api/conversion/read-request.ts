import type { TObject } from '@sinclair/typebox';
import type { Context } from 'koa';
import { findBucketProblems } from '../../model/conversion/request/bucket-problems';
import { checkValue, type Location, type RequestProblem } from '../../model/conversion/request/check-value';
import {
  buildChunking,
  HierarchicalChunkerOptions,
  HybridChunkerOptions,
} from '../../model/conversion/request/chunking';
import { type ChunkingOptions, ConvertOptions } from '../../model/conversion/request/options';
import type { OptionPolicy } from '../../model/conversion/request/policy';
import {
  noteMisplacedOptions,
  noteUnknownNames,
  listUnknownOptions,
} from '../../model/conversion/request/request-notes';
import {
  BatchRequest,
  ConvertRequest,
  readOlderShape,
  HierarchicalChunkRequest,
  HybridChunkRequest,
} from '../../model/conversion/request/requests';
import { settleOptions } from '../../model/conversion/request/settle-options';
import {
  type BatchSource,
  type BatchTarget,
  type Callback,
  type ConvertSource,
  type ConvertTarget,
  isBucket,
} from '../../model/conversion/request/sources';
import { isObject } from '../../model/json';
import { decodePart } from '../../model/url-path';
import type { TaskSource } from '../../services/conversion/ports';
import { getBaseName } from './body/file-name';
import { readJsonBody } from './body/json-body';
import { readRequestBytes } from './body/request-bytes';
import type { Upload, Uploads } from './body/uploads';
import { refuseProblems } from './http/request-error';
import { findFurtherProblems, toRefusalProblems } from './option-problems';

/** The content of a request, from JSON or a form. Its files are in the file store. */
export interface ReadRequest {
  options: ConvertOptions;
  chunking?: ChunkingOptions;
  includeConvertedDoc: boolean;
  sources: (TaskSource | { kind: string })[];
  /** Undefined when the request names none. */
  target?: ConvertTarget | BatchTarget;
  /** For a batch with a list of targets: all but the first. */
  furtherTargets?: readonly BatchTarget[];
  callbacks: Callback[];
  /** Sentences about deprecated or ineffective options. */
  notes: string[];
  isDeprecated: boolean;
}

/** What a request asks for: a conversion, a batch, or chunks from one of the chunkers. */
export type RequestKind = 'convert' | 'batch' | 'hybrid' | 'hierarchical';

const schemas: Readonly<Record<RequestKind, TObject>> = {
  convert: ConvertRequest,
  batch: BatchRequest,
  hybrid: HybridChunkRequest,
  hierarchical: HierarchicalChunkRequest,
};

/** The options of each chunker. */
export const chunkerOptions = { hybrid: HybridChunkerOptions, hierarchical: HierarchicalChunkerOptions } as const;

interface CheckedBody {
  options?: ConvertOptions;
  convert_options?: ConvertOptions;
  chunking_options?: ChunkingOptions;
  include_converted_doc?: boolean;
  sources: (ConvertSource | BatchSource)[];
  target?: ConvertTarget | BatchTarget | null;
  targets?: BatchTarget[] | null;
  callbacks: Callback[];
}

/** What reading a request needs, besides the request. */
export interface Reading {
  uploads: Uploads;
  maxBytes: number;
  policy: OptionPolicy;
}

/** Reads the JSON body of a request. Throws 413, or 422 with the list of problems. */
export async function readJsonRequest(
  context: Context,
  kind: RequestKind,
  { uploads, maxBytes, policy }: Reading,
): Promise<ReadRequest> {
  const bytes = readRequestBytes(context, maxBytes);
  if (!isJson(context)) {
    await bytes.return(undefined);
    refuseProblems([createNotAnObjectError(isBodyEmpty(context))]);
  }
  const { value: sent, uploads: files } = await readJsonBody(bytes, uploads);
  const body = readOlderShape(sent);
  const { value, problems } = checkValue(schemas[kind], body, ['body']);
  const optionsName = kind === 'convert' || kind === 'batch' ? 'options' : 'convert_options';
  const loc = ['body', optionsName];
  const input = isObject(body) ? body[optionsName] : undefined;
  const names = Object.keys(isObject(input) ? input : {});
  const checked = value as CheckedBody;
  if (problems.length > 0) {
    const invalid = { options: checked?.[optionsName], names: new Set(names), loc, problems };
    refuseProblems([...problems, ...findFurtherProblems(invalid, policy)]);
  }
  const settled = settleOptions(checked[optionsName] ?? ({} as ConvertOptions), new Set(names), loc);
  const ignored = [
    ...noteUnknownNames(listUnknownOptions(names.filter((name) => name !== 'return_as_file')), 'option'),
    ...noteMisplacedOptions(body as object, optionsName),
  ];
  const wrong = [
    ...settled.problems,
    ...listSourceProblems(checked.sources, { found: files, kind, opensArchives: settled.options.members !== 'none' }),
    ...findTargetProblems(checked),
  ];
  if (wrong.length > 0) refuseProblems([...wrong, ...toRefusalProblems(settled.options, loc, policy)]);
  const [first, ...furtherTargets] = checked.targets ?? [];
  const target = first ?? checked.target ?? undefined;
  const chunking = findChunking(kind, settled.options, checked.chunking_options);
  return {
    options: settled.options,
    ...(chunking ? { chunking } : {}),
    includeConvertedDoc: checked.include_converted_doc ?? false,
    sources: checked.sources.map((source) => toTaskSource(source, files)),
    ...(target ? { target } : {}),
    ...(furtherTargets.length > 0 ? { furtherTargets } : {}),
    callbacks: checked.callbacks,
    notes: [...settled.notes, ...ignored],
    isDeprecated: settled.isDeprecated,
  };
}

/** The chunker options: for chunk requests their own, for conversions those of the output `chunks`. */
export function findChunking(
  kind: RequestKind,
  options: ConvertOptions,
  chunking: ChunkingOptions | undefined,
): ChunkingOptions | undefined {
  if (kind === 'hybrid' || kind === 'hierarchical') return chunking;
  if (!options.to_formats.includes('chunks')) return undefined;
  return options.chunking_options ?? buildChunking(options.chunking_preset);
}

/** True for a JSON media type, or none at all. */
function isJson(context: Context): boolean {
  return context.get('Content-Type') === '' || Boolean(context.request.is('json', '+json'));
}

function isBodyEmpty(context: Context): boolean {
  return context.get('Transfer-Encoding') === '' && Number(context.get('Content-Length') || '0') === 0;
}

function createNotAnObjectError(isMissing: boolean): RequestProblem {
  if (isMissing) return { type: 'missing', loc: ['body'], msg: 'Field required' };
  const msg = 'Input should be a valid dictionary or object to extract fields from';
  return { type: 'model_attributes_type', loc: ['body'], msg };
}

function listSourceProblems(
  sources: CheckedBody['sources'],
  { found, kind, opensArchives }: { found: ReadonlyMap<string, Upload>; kind: RequestKind; opensArchives: boolean },
): RequestProblem[] {
  return sources.flatMap((source, index): RequestProblem[] => {
    const loc = ['body', 'sources', index, source.kind];
    const createValueErrors = (name: string, text: string) => [
      { type: 'value_error', loc: [...loc, name], msg: `Value error, ${text}` },
    ];
    if (source.kind === 'file' && !found.get(source.base64_string)?.isWhole)
      return createValueErrors(
        'base64_string',
        'Invalid base64: incorrect padding, or characters other than those of base64',
      );
    if (
      source.kind === 'http' &&
      kind !== 'batch' &&
      !opensArchives &&
      new URL(source.url).pathname.toLowerCase().endsWith('.zip')
    )
      return createValueErrors('url', 'ZIP URLs are not accepted on the convert endpoint');
    return toBucketProblems(source, ['body', 'sources', index]);
  });
}

function findTargetProblems({ target, targets = [] }: CheckedBody): RequestProblem[] {
  return [
    ...(target ? toBucketProblems(target, ['body', 'target']) : []),
    ...(targets ?? []).flatMap((target, index) => toBucketProblems(target, ['body', 'targets', index])),
  ];
}

function toBucketProblems(place: { kind: string }, loc: Location): RequestProblem[] {
  return findBucketProblems(place).map(({ member, message }) => ({
    type: 'value_error',
    loc: [...loc, place.kind, member],
    msg: `Value error, ${message}`,
  }));
}

function toTaskSource(
  source: ConvertSource | BatchSource,
  uploads: ReadonlyMap<string, Upload>,
): TaskSource | { kind: string } {
  if (source.kind === 'http') return { kind: 'http', ...omitCredentials(source) };
  if (source.kind === 'file') {
    const upload = uploads.get(source.base64_string);
    return { kind: 'file', key: upload?.key ?? '', filename: getBaseName(source.filename), size: upload?.size ?? 0 };
  }
  return isBucket(source) ? omitNulls(source) : { kind: source.kind };
}

/**
 * Converts a user name and password in an address to a header, as clients do. Unlike the address, the header is never shown and
 * is sent only to the first host.
 */
function omitCredentials({ url: text, headers }: { url: string; headers: Record<string, string> }) {
  const url = new URL(text);
  if (url.username === '' && url.password === '') return { url: text, headers };
  const pair = `${decodeOrKeep(url.username)}:${decodeOrKeep(url.password)}`;
  url.username = '';
  url.password = '';
  const hasCredentials = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  const authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
  return { url: url.href, headers: hasCredentials ? headers : { ...headers, authorization } };
}

function decodeOrKeep(text: string): string {
  return decodePart(text) ?? text;
}

/** The value without null members, which the engine treats as absent. */
export function omitNulls<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], null> } {
  const entries = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], null> };
}
