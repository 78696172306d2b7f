import { conversionRoutes } from '../../../api/conversion';
import { RequestProblems } from '../../../api/conversion/http/problem-schema';
import { type ConversionSettings, defaultConversionSettings } from '../../../api/conversion/settings';
import type { ApiOptions } from '../../../api/services';
import { listProblems } from '../../../model/validate';
import { type MemoryConversion, memoryConversion } from './conversion-services';
import { startApi, type TestApi } from './server';

/** An api whose conversion service is in memory. */
export interface ConversionApi {
  api: TestApi;
  memory: MemoryConversion;
  url: string;
  /** Sends JSON, a form, or nothing. The answer must fit the schema of its route. */
  send(
    method: string,
    path: string,
    init?: { json?: unknown; form?: readonly (readonly [string, string | File])[]; headers?: Record<string, string> },
  ): Promise<Answer>;
  close(): Promise<void>;
}

/** A response with its parsed body. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  body: never;
  bytes: Uint8Array;
}

/** Starts it. `settings` override the defaults. */
export async function startConversion(
  settings: Partial<ConversionSettings> = {},
  input: { keepsArtifacts?: boolean } & Partial<Pick<ApiOptions, 'hostNames' | 'corsOrigins'>> = {},
): Promise<ConversionApi> {
  const { keepsArtifacts, ...options } = input;
  const memory = memoryConversion(keepsArtifacts === undefined ? {} : { keepsArtifacts });
  const api = await startApi(
    { conversion: memory.services },
    { ...options, conversion: { ...defaultConversionSettings, ...settings } },
  );
  return {
    api,
    memory,
    url: api.url,
    close: () => api.close(),
    async send(method, path, { json, form, headers } = {}) {
      const body = form ? getForm(form) : json === undefined ? undefined : JSON.stringify(json);
      const response = await fetch(`${api.url}${path}`, {
        method,
        body,
        headers: { ...(json === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
        redirect: 'manual',
      });
      return read(method, path, response);
    },
  };
}

/** A form as clients send it. */
export function getForm(fields: readonly (readonly [string, string | File])[]): FormData {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  return form;
}

/** A file of a form. */
export function getFile(name: string, text = '# Title'): File {
  return new File([text], name);
}

/** A source inside a JSON body. */
export function inline(filename: string, text = '# Title') {
  return { kind: 'file', filename, base64_string: Buffer.from(text).toString('base64') };
}

async function read(method: string, path: string, response: Response): Promise<Answer> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  const text = Buffer.from(bytes).toString('utf8');
  const isJson = method !== 'HEAD' && response.headers.get('Content-Type') === 'application/json';
  const body: unknown = isJson ? JSON.parse(text) : undefined;
  if (isJson) assertFits(method, path, response.status, body);
  return { status: response.status, headers: response.headers, text, bytes, body: body as never };
}

function assertFits(method: string, path: string, status: number, body: unknown): void {
  const plain = path.split('?')[0]?.replace('/v1alpha/', '/v1/') ?? '';
  const route = conversionRoutes.find(
    (conversionRoute) =>
      conversionRoute.method === method &&
      new RegExp(`^${conversionRoute.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(plain),
  );
  const schema = status === 200 ? route?.replies['application/json'] : RequestProblems;
  if (!schema) return;
  const problems = listProblems(schema, structuredClone(body));
  if (problems.length > 0)
    throw new Error(`${method} ${path} (${status}) does not fit: ${JSON.stringify(problems)} ${JSON.stringify(body)}`);
}
