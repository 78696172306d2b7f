import type { ConversionApi } from './conversion-client';

/** One entry of the list form of a 422 reply. */
export interface Problem {
  type: string;
  loc: unknown[];
  msg: string;
}

/** Sends a JSON text to `/v1/convert/source` and returns the status and the detail of the error. */
export async function sendInvalid(
  service: ConversionApi,
  json: unknown,
  headers?: Record<string, string>,
): Promise<{ status: number; detail: never }> {
  const response = await fetch(`${service.url}/v1/convert/source`, {
    method: 'POST',
    body: typeof json === 'string' ? json : JSON.stringify(json),
    headers: { 'Content-Type': 'application/json', ...headers },
  });
  expect(response.headers.get('Content-Type')).toBe('application/json');
  const { detail } = (await response.json()) as { detail: never };
  return { status: response.status, detail };
}

/** Sends a JSON text and returns the problems of its 422 reply. */
export async function getProblems(
  service: ConversionApi,
  json: unknown,
  headers?: Record<string, string>,
): Promise<Problem[]> {
  const { status, detail } = await sendInvalid(service, json, headers);
  expect(status).toBe(422);
  for (const problem of detail as Problem[]) expect(Object.keys(problem)).toEqual(['type', 'loc', 'msg']);
  return detail;
}
