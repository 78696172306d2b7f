import { type Static, Type } from '@sinclair/typebox';
import { AppError } from '../../model/errors';
import type { ProviderModel } from '../../model/llm/wire';
import { vendorApiVersion } from './hosted';
import { askHost, parseBody, createEndpoint, type HostTools } from './model-catalogue-http';

const pageSize = 200;
const maxPages = 20;

const nullableText = Type.Union([Type.String(), Type.Null()]);
const Specs = Type.Object({
  resources: Type.Array(
    Type.Object({
      model_id: Type.String(),
      label: Type.Optional(nullableText),
      short_description: Type.Optional(nullableText),
      functions: Type.Optional(Type.Union([Type.Array(Type.Object({ id: Type.String() })), Type.Null()])),
      model_limits: Type.Optional(
        Type.Union([Type.Object({ embedding_dimension: Type.Optional(Type.Unknown()) }), Type.Null()]),
      ),
    }),
  ),
  next: Type.Optional(Type.Union([Type.Object({ href: Type.String() }), Type.Null()])),
});
type Spec = Static<typeof Specs>['resources'][number];

/** The models of the hosted vendor, from all pages of its list. The list is public and needs no API key. */
export async function listHosted(tools: HostTools): Promise<ProviderModel[]> {
  const models = new Map<string, ProviderModel>();
  let url: URL | undefined = createEndpoint(tools.base, '/ml/v1/foundation_model_specs');
  url.searchParams.set('version', vendorApiVersion);
  url.searchParams.set('limit', String(pageSize));
  for (let page = 0; url && page < maxPages; page++) {
    const answer = await askHost(tools, { url, away: 'CONNECTION_ERROR' });
    if (answer.status === 401 || answer.status === 403)
      throw new AppError('HOSTEDMODEL_AUTH_FAILED', `${url.origin} refused the list of models (${answer.status}).`);
    if (answer.status === 429 || answer.status >= 500)
      throw new AppError('EXTERNAL_SERVICE_ERROR', `${url.origin} failed to list its models (${answer.status}).`);
    const { resources, next } = parseBody(answer, Specs, url);
    for (const spec of resources) models.set(spec.model_id, buildModel(spec));
    url = findNextPage(url, next?.href);
  }
  return [...models.values()].toSorted((item, other) => (item.model_id < other.model_id ? -1 : 1));
}

/** Stays on the same server, whatever host the link names. */
function findNextPage(current: URL, href: string | undefined): URL | undefined {
  if (!href || !URL.canParse(href, current.href)) return undefined;
  const start = new URL(href, current).searchParams.get('start');
  if (!start || start === current.searchParams.get('start')) return undefined;
  const next = new URL(current);
  next.searchParams.set('start', start);
  return next;
}

function buildModel({ model_id, label, short_description, functions, model_limits }: Spec): ProviderModel {
  const dimension = model_limits?.embedding_dimension;
  return {
    model_id,
    description: short_description || label || null,
    functions: (functions ?? []).map(({ id }) => id),
    embedding_dimension: typeof dimension === 'number' && Number.isInteger(dimension) ? dimension : null,
  };
}
