import { AppError } from '../../model/errors';
import type { IndexSpec } from '../search/ports';

/** Parameters of an index type; empty for types that choose their own. */
export function buildIndexParameters(type: string, spec: IndexSpec, dimension: number): Record<string, number> {
  if (type === 'HNSW') return { M: spec.m, efConstruction: spec.efConstruction };
  if (!type.startsWith('IVF')) return {};
  const nlist = spec.lists ?? 128;
  if (type !== 'IVF_PQ') return { nlist };
  const m = spec.cuts ?? computeCuts(dimension);
  if (dimension % m !== 0)
    throw new AppError(
      'OPERATOR_CONFIGURATION_INVALID',
      `index_parameters.m is ${m}; an index of the kind IVF_PQ needs a divisor of the dimension of the vectors, ${dimension}.`,
    );
  return { nlist, m, nbits: spec.bits ?? 8 };
}

/** Number of parts with eight values each if the dimension allows it, else the largest smaller number that divides it. */
function computeCuts(dimension: number): number {
  for (let parts = Math.max(1, Math.floor(dimension / 8)); parts > 1; parts -= 1)
    if (dimension % parts === 0) return parts;
  return 1;
}
