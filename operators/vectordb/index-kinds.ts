import type { OperatorProblem } from '../../model/flow/operator';

const hnsw = ['M', 'm', 'efConstruction', 'ef_construction'];

/** Vector index types by provider, with the members of `index_parameters` they use. The first is the default. */
const indexKinds = {
  opensearch: { HNSW: hnsw },
  milvus: {
    HNSW: hnsw,
    FLAT: [],
    IVF_FLAT: ['nlist'],
    IVF_SQ8: ['nlist'],
    IVF_PQ: ['nlist', 'm', 'nbits'],
    DISKANN: [],
    AUTOINDEX: [],
  },
  pgvector: { HNSW: hnsw, IVF_FLAT: ['nlist'] },
  lancedb: { HNSW: hnsw, IVF_FLAT: ['nlist'] },
} as const satisfies Record<string, Record<string, readonly string[]>>;

/** Limits of `m` as an alias of `M`, the links of a node. For IVF_PQ, `m` has another meaning. */
const linkLimits = { minimum: 2, maximum: 512 };

/** The values of `index_type` for a provider. */
export function listKindNames(provider: keyof typeof indexKinds): string[] {
  return [...Object.keys(indexKinds[provider]), 'hnsw'];
}

/** Problems in the parameters for their index type, including unused parameters. */
export function findParameterProblems(
  provider: keyof typeof indexKinds,
  input: Record<string, unknown>,
  dimension: unknown,
): OperatorProblem[] {
  const kinds: Record<string, readonly string[]> = indexKinds[provider];
  const kind = (typeof input['index_type'] === 'string' ? input['index_type'] : 'HNSW').toUpperCase();
  const reads = kinds[kind];
  if (!reads) return [];
  const problems: OperatorProblem[] = [];
  // Milvus has every parameter that exists.
  const parameterNames = [...new Set(Object.values(indexKinds.milvus).flat())];
  for (const member of ['index_parameters', 'engine_parameters']) {
    const parameters = (input[member] ?? {}) as Record<string, unknown>;
    for (const name of parameterNames.filter((parameter) => parameter in parameters)) {
      const problem = findParameterProblem({ kind, reads }, name, parameters[name], dimension);
      if (problem) problems.push({ ...problem, pointer: `/provider_config/${member}/${name}` });
    }
  }
  return problems;
}

function findParameterProblem(
  { kind, reads }: { kind: string; reads: readonly string[] },
  name: string,
  value: unknown,
  dimension: unknown,
): OperatorProblem | undefined {
  if (!reads.includes(name)) {
    const message = `'${name}' does not apply to an index of the kind ${kind} and is ignored; such an index takes ${reads.join(', ') || 'no parameter'}.`;
    return { severity: 'warning', messageCode: 'INDEX_PARAMETER_UNUSED', message };
  }
  if (name !== 'm' || typeof value !== 'number') return undefined;
  const createError = (message: string): OperatorProblem => ({
    severity: 'error',
    messageCode: 'OPERATOR_VALIDATION_FAILED',
    message,
  });
  if (kind === 'IVF_PQ') {
    if (typeof dimension !== 'number' || dimension % value === 0) return undefined;
    return createError(`m is ${value}; for IVF_PQ it must be a divisor of vector_dimension (${dimension}).`);
  }
  if (value >= linkLimits.minimum && value <= linkLimits.maximum) return undefined;
  return createError(`m is ${value}; for ${kind} it must be from ${linkLimits.minimum} to ${linkLimits.maximum}.`);
}
