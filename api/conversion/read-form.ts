import type { Context } from 'koa';
import { checkValue, type RequestProblem } from '../../model/conversion/request/check-value';
import { readFormFields } from '../../model/conversion/request/form-fields';
import { parseBoolean } from '../../model/conversion/request/lax-values';
import { type ChunkingOptions, ConvertOptions } from '../../model/conversion/request/options';
import { noteUnknownNames } from '../../model/conversion/request/request-notes';
import { oneOf } from '../../model/conversion/request/schema-parts';
import { settleOptions } from '../../model/conversion/request/settle-options';
import { Callback, type ConvertTarget } from '../../model/conversion/request/sources';
import { getBaseName } from './body/file-name';
import { type FormBody, isForm, readFormBody } from './body/form-body';
import { readRequestBytes } from './body/request-bytes';
import { refuseProblems } from './http/request-error';
import { findFurtherProblems, toRefusalProblems } from './option-problems';
import { chunkerOptions, findChunking, type Reading, type ReadRequest, type RequestKind } from './read-request';

/** Targets that a form may select. */
export const formTargets = ['inbody', 'zip', 'presigned_url'] as const;

/** Reads the form of a request. Throws 400, 413, or 422 with the list of problems. */
export async function readFormRequest(
  context: Context,
  kind: Exclude<RequestKind, 'batch'>,
  { uploads, maxBytes, policy }: Reading,
): Promise<ReadRequest> {
  const emptyForm: FormBody = { fields: [], files: [], problems: [] };
  const form = isForm(context) ? await readFormBody(context, readRequestBytes(context, maxBytes), uploads) : emptyForm;
  const problems: RequestProblem[] = [...form.problems];
  if (form.files.length === 0 && problems.length === 0)
    problems.push({ type: 'missing', loc: ['body', 'files'], msg: 'Field required' });
  const isConvert = kind === 'convert';
  const options = readObject(ConvertOptions, form, isConvert ? '' : 'convert_', problems);
  const chunking = isConvert ? undefined : readObject(chunkerOptions[kind], form, 'chunking_', problems);
  const target = readTarget(form, problems);
  const callbacks = isConvert ? readCallbacks(form, problems) : [];
  const include = readInclude(form, problems);
  const loc = ['body'];
  if (problems.length > 0) {
    const invalid = { options: options.value, names: options.given, loc, problems: options.problems };
    refuseProblems([...problems, ...findFurtherProblems(invalid, policy)]);
  }
  const settled = settleOptions(options.value as ConvertOptions, options.given, loc);
  if (settled.problems.length > 0)
    refuseProblems([...settled.problems, ...toRefusalProblems(settled.options, loc, policy)]);
  const cutter = findChunking(kind, settled.options, chunking?.value as ChunkingOptions | undefined);
  return {
    options: settled.options,
    ...(cutter ? { chunking: cutter } : {}),
    includeConvertedDoc: include,
    sources: form.files.map(({ upload, filename, mimetype }, index) => ({
      kind: 'file',
      key: upload.key,
      size: upload.size,
      filename: getBaseName(filename, index),
      mimetype,
    })),
    ...(target ? { target } : {}),
    callbacks,
    notes: [...settled.notes, ...noteUnknownNames(listUnknownFields(form, kind), 'field')],
    isDeprecated: settled.isDeprecated,
  };
}

const otherFields: ReadonlySet<string> = new Set([
  'target_type',
  'return_as_file',
  'include_converted_doc',
  'callbacks',
]);

/** Unknown fields, such as misspelt options or options without the required prefix. */
function listUnknownFields({ fields }: FormBody, kind: Exclude<RequestKind, 'batch'>): string[] {
  const isKnown = (name: string) => {
    if (otherFields.has(name)) return true;
    if (kind === 'convert') return Object.hasOwn(ConvertOptions.properties, name);
    const [, group = '', option = ''] = /^(convert|chunking)_(.*)$/s.exec(name) ?? [];
    const { properties } = group === 'chunking' ? chunkerOptions[kind] : ConvertOptions;
    return Object.hasOwn(properties, option);
  };
  return fields.map(({ name }) => name).filter((name) => !isKnown(name));
}

function readObject(
  schema: { properties: Record<string, object> },
  { fields }: FormBody,
  prefix: string,
  problems: RequestProblem[],
): { value: unknown; given: ReadonlySet<string>; problems: RequestProblem[] } {
  const { value: sent, problems: unreadable } = readFormFields(schema.properties, fields, prefix);
  const { value, problems: wrong } = checkValue(schema, sent, ['body']);
  problems.push(...unreadable, ...wrong.map((problem) => ({ ...problem, loc: addPrefix(problem.loc, prefix) })));
  return { value, given: new Set(Object.keys(sent)), problems: wrong };
}

function addPrefix([body = 'body', name = '', ...names]: RequestProblem['loc'], prefix: string): RequestProblem['loc'] {
  return [body, `${prefix}${name}`, ...names];
}

function findLast({ fields }: FormBody, name: string): string | undefined {
  return fields.filter((field) => field.name === name).at(-1)?.value || undefined;
}

function readTarget(form: FormBody, problems: RequestProblem[]): ConvertTarget | undefined {
  const input = findLast(form, 'target_type');
  if (input === undefined) return parseBoolean(findLast(form, 'return_as_file')) ? { kind: 'zip' } : undefined;
  const { value, problems: wrong } = checkValue(oneOf(formTargets), input, ['body', 'target_type']);
  problems.push(...wrong);
  return wrong.length > 0 ? undefined : ({ kind: value } as ConvertTarget);
}

function readInclude(form: FormBody, problems: RequestProblem[]): boolean {
  const input = findLast(form, 'include_converted_doc');
  if (input === undefined) return false;
  const { value, problems: wrong } = checkValue({ type: 'boolean' }, input, ['body', 'include_converted_doc']);
  problems.push(...wrong);
  return value === true;
}

/** Each field `callbacks` holds a URL, or a callback as JSON. */
function readCallbacks({ fields }: FormBody, problems: RequestProblem[]): Callback[] {
  const matchingFields = fields.filter(({ name, value }) => name === 'callbacks' && value.trim() !== '');
  return matchingFields.flatMap(({ value: text }, index) => {
    const sent = text.trim().startsWith('{') ? parseJson(text) : { url: text.trim() };
    const { value, problems: wrong } = checkValue(Callback, sent, ['body', 'callbacks', index]);
    problems.push(...wrong);
    return wrong.length > 0 ? [] : [value as Callback];
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
