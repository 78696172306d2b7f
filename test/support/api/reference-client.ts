import { operators } from '../../../operators';
import { alice, emptyState, memoryServices, startApi, type TestApi } from './server';

/**
 * An api that replies as the HTTP tests of the reference system expect, with codes in lower case
 * (`DOCLOOM_ERROR_CODE_CASE=lower`). The files `reference-*.test.ts` restate those expectations. Expectations that were left out:
 *
 * - Adding a set that is already in the library fails with 400. Here it succeeds and changes nothing.
 * - Creating an existing set replies 201 again. Here it replies 200, with the same id.
 * - Set names may contain brackets, blanks or other scripts, and `table_name` is derived from them. The specification allows
 *   letters, digits, underscore and hyphen only; other names are 400.
 * - `?skip=` and its negative values. It is not a parameter, and is ignored here as well.
 * - Lists of flows omit those of the graphical editor by default. Here they contain both.
 * - `GET /job_runs/{id}` with `job_run_id`, `status` and `logs` at the top, as outdated mocks reply. Other files test our form.
 * - `allowed_users` in a document, 400 for wrong search parameters, 403 for a missing token. They contradict the specification.
 * - Error bodies with `detail` alone (OAuth2, 413). Here they have the usual error body; 413 also has `detail`.
 * - 500 when a mocked service fails, and the status of each Python exception. Neither exists here.
 * - The pointer `definition -> nodes -> 0`. Here a problem is located by `a.b.0`.
 * - Cancelling or deleting a live run is 400. Here it is 409, as in the catalogue, and only `force` deletes a live run.
 * - Deleting an unknown library is 204. Here it is 404. Lists of libraries are pages, not bare arrays.
 * - Custom operators. They cannot be uploaded here.
 * - Operator semantics without HTTP. The tests beside the operators cover them.
 */
export async function startReference(): Promise<Reference> {
  const state = emptyState();
  const services = memoryServices(state);
  const api = await startApi({ ...services, operators }, { codeCase: 'lower' });
  return {
    api,
    state,
    services,
    async call(request, body, headers) {
      const [method = '', path = ''] = request.split(' ');
      return api.call(method, path.startsWith('/auth') || path === '/protected' ? path : `/api/v1${path}`, {
        user: alice,
        body,
        headers,
      });
    },
  };
}

/** The api, its services in memory, and their state. */
export interface Reference {
  api: TestApi;
  state: ReturnType<typeof emptyState>;
  services: ReturnType<typeof memoryServices>;
  /** Sends a request `METHOD /path` as alice; paths other than `/auth` and `/protected` are relative to `/api/v1`. */
  call(request: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

export type Body = Record<string, unknown>;
export interface Answer {
  status: number;
  body: Body;
  headers: Headers;
}

/** Status and code of an error reply, which must have a message. */
export function toError({ status, body }: Answer): [status: number, code: string | undefined] {
  const [first] = body['errors'] as { code: string; message: string }[];
  expect(first?.code).toBeTruthy();
  expect(first?.message).toBeTruthy();
  return [status, first?.code];
}

let counter = 0;
/** The name followed by a unique number. */
export const makeUnique = (name: string) => `${name}${(counter += 1)}`;
/** An id that no resource has. */
export const unknownId = '00000000-0000-4000-8000-00000000ffff';
