import { Type } from '@sinclair/typebox';
import type { OperatorProblem } from '../../model/flow/operator';
import { literals } from '../../model/literals';
import { findIndexNameProblem } from '../../model/llm/index-name';
import type { Similarity } from '../../services/export/index-mapping';
import type { ExportTarget } from '../../services/export/place';
import { createProblem } from '../problem';

type IndexTarget = Extract<ExportTarget, { kind: 'elasticsearch' }>;

const similarities = ['cosine', 'dot_product', 'l2_norm', 'max_inner_product'] as const satisfies readonly Similarity[];

/** Members of `connection_params` for Elasticsearch, besides `endpoint_url`. */
export const elasticsearchParams = {
  index: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'elasticsearch: the index. It is created when it is missing; an index of another program is refused.',
    }),
  ),
  alias: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'elasticsearch: an alias that is switched to the index when the run has finished.',
    }),
  ),
  similarity: Type.Optional(
    literals(similarities, {
      default: 'cosine',
      description: 'elasticsearch: how vectors are compared; cannot be changed later.',
    }),
  ),
  api_key: Type.Optional(
    Type.String({
      secret: true,
      minLength: 1,
      description: 'elasticsearch: an encoded API key, as a reference such as `${connection:NAME}`.',
    }),
  ),
  username: Type.Optional(Type.String({ minLength: 1, description: 'elasticsearch: the user, instead of `api_key`.' })),
  password: Type.Optional(
    Type.String({
      secret: true,
      minLength: 1,
      description: 'elasticsearch: the password of the user, as a reference such as `${connection:NAME}`.',
    }),
  ),
  verify_certs: Type.Optional(
    Type.Boolean({ default: true, description: 'elasticsearch: false accepts any certificate of the server.' }),
  ),
};

interface Params {
  endpoint_url?: string;
  index?: string;
  alias?: string;
  similarity?: Similarity;
  api_key?: string;
  username?: string;
  password?: string;
  verify_certs?: boolean;
}

function readParams(input: Record<string, unknown>): Params {
  return input['connection_params'] ?? {};
}

/** The index of a valid configuration, with secrets resolved. */
export function getElasticsearchTarget(input: Record<string, unknown>): IndexTarget {
  const params = readParams(input);
  const url = new URL(params.endpoint_url ?? '');
  const useSsl = url.protocol === 'https:';
  return {
    kind: 'elasticsearch',
    server: {
      host: url.hostname,
      // A URL does not repeat the default port of its scheme.
      port: Number(url.port) || (useSsl ? 443 : 80),
      useSsl,
      verifyCerts: params.verify_certs ?? true,
      ...(params.api_key === undefined ? {} : { apiKey: params.api_key }),
      ...(params.username === undefined ? {} : { username: params.username, password: params.password ?? '' }),
    },
    index: params.index ?? '',
    ...(params.alias === undefined ? {} : { alias: params.alias }),
    similarity: params.similarity ?? 'cosine',
  };
}

/** Problems of a configuration whose destination is Elasticsearch. */
export function findElasticsearchProblems(input: Record<string, unknown>): OperatorProblem[] {
  const { endpoint_url, index, alias, api_key, username, password } = readParams(input);
  const problems: OperatorProblem[] = [];
  const addProblem = (message: string, member: string) =>
    problems.push(createProblem(message, `/connection_params/${member}`));
  const urlProblem = findUrlProblem(endpoint_url);
  if (urlProblem) addProblem(urlProblem, 'endpoint_url');
  const indexProblem = index === undefined ? 'index is missing.' : findIndexNameProblem(index);
  if (indexProblem) addProblem(indexProblem, 'index');
  const aliasProblem = alias === undefined ? undefined : findIndexNameProblem(alias);
  if (aliasProblem) addProblem(aliasProblem, 'alias');
  if (alias !== undefined && alias === index)
    addProblem('alias and index are the same; the alias is a second name.', 'alias');
  const signIns = [api_key !== undefined, username !== undefined && password !== undefined];
  const isHalf = (username === undefined) !== (password === undefined);
  if (isHalf || signIns.filter(Boolean).length !== 1)
    addProblem(
      'Expected either api_key, or username and password: nothing is written to a server without a sign-in.',
      'api_key',
    );
  for (const member of ['formats', 'columns'])
    if (input[member] !== undefined)
      problems.push(createProblem(`${member} is for files; elasticsearch gets one record for each row.`, `/${member}`));
  return problems;
}

function findUrlProblem(value: string | undefined): string | undefined {
  const expected = 'expected the address of the server, such as https://search.example.org:9200';
  if (value === undefined) return `endpoint_url is missing; ${expected}.`;
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) return `endpoint_url is not an http or https address; ${expected}.`;
  const isPlain = url.username === '' && url.password === '' && url.pathname === '/' && !/[?#]/.test(value);
  return isPlain ? undefined : `endpoint_url has more than a server and a port; ${expected}.`;
}
