import type { Context, Middleware } from 'koa';
import { HttpMethodEnum, koaBody } from 'koa-body';
import { AppError } from '../../model/errors';

/** The most bytes a body of `/api/v1` and `/auth` may have: 5 MiB. */
const maxBodyBytes = 5 * 1024 * 1024;
/** The most levels of objects and arrays in a body, so that no later walk over it runs out of stack. */
const maxDepth = 64;

const tooLarge = () =>
  new AppError('PAYLOAD_TOO_LARGE', `Payload too large. Maximum size is 5.0MB (${maxBodyBytes} bytes).`);

/** Refuses by the announced length, before anything else is looked at. Chunked bodies are counted while they are read. */
export const refuseLargeBodies: Middleware = async (context, next) => {
  if (Number(context.get('Content-Length')) > maxBodyBytes) throw tooLarge();
  await next();
};

const parse = koaBody({
  json: true,
  urlencoded: false,
  text: false,
  multipart: false,
  jsonLimit: maxBodyBytes,
  jsonTypes: ['json', '+json'],
  // By default those of DELETE are passed over.
  parsedMethods: [HttpMethodEnum.POST, HttpMethodEnum.PUT, HttpMethodEnum.PATCH, HttpMethodEnum.DELETE],
});

/** The JSON body, `{}` when there is none. Refuses other media types, broken JSON, and what is too long or too deep. */
export async function readJsonBody(context: Context): Promise<unknown> {
  const type = context.request.is('json', '+json');
  if (type === null || context.get('Content-Length') === '0') return {};
  if (type === false) {
    const given = context.get('Content-Type') || 'none';
    throw new AppError(
      'UNSUPPORTED_MEDIA_TYPE',
      `The body must be application/json; the Content-Type given is ${given}.`,
      {
        target: { type: 'header', name: 'Content-Type' },
      },
    );
  }
  await parse(context, async () => {}).catch((error: unknown) => {
    // What is left of the body is passed over; otherwise the connection would never see its next request.
    context.req.unpipe();
    context.req.resume();
    throw readingError(error);
  });
  const body: unknown = context.request.body ?? {};
  if (depth(body) > maxDepth)
    throw new AppError('VALIDATION_ERROR', `The body is nested more than ${maxDepth} levels deep.`);
  return body;
}

function readingError(error: unknown): AppError {
  const { status, message } = error as { status?: number; message?: string };
  if (status === 413) return tooLarge();
  if (status === 415)
    return new AppError('UNSUPPORTED_MEDIA_TYPE', 'The Content-Encoding of the body is not supported.');
  return new AppError('VALIDATION_ERROR', `The body is not valid JSON: ${message ?? 'it cannot be read'}.`);
}

/** Levels of nesting, counted without recursion; stops once past the limit. */
function depth(value: unknown): number {
  let level = 0;
  for (
    let current = containers([value]);
    current.length > 0 && level <= maxDepth;
    current = current.flatMap(childrenOf)
  )
    level += 1;
  return level;
}

function childrenOf(container: object): object[] {
  return containers(Object.values(container));
}

function containers(values: readonly unknown[]): object[] {
  return values.filter((value) => typeof value === 'object' && value !== null);
}
