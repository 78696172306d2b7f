import { findOperator } from '../../operators/index';
import type { DeclaredOperator } from '../../operators/operator';
import type { RunRecord } from '../../services/run/run-record';
import type { ActivityDeps } from '../deps';
import { resolveConfig } from './snapshots';

type Declaration = 'index' | 'documentSet' | 'exportsTo';
type Declared<D extends Declaration> = ReturnType<NonNullable<DeclaredOperator[D]>>;

/** An operator's configuration in the run, with secrets resolved, and what the operator declares about it. */
export interface DeclaredPlace<D extends Declaration> {
  place: NonNullable<Declared<D>>;
  config: Record<string, unknown>;
}

/**
 * The places that the operators of a run declare. A run that starts at a later operator may skip some operators; their places are
 * left out.
 */
export function listDeclaredPlaces<D extends Declaration>(
  run: RunRecord,
  env: ActivityDeps['env'],
  declaration: D,
): DeclaredPlace<D>[] {
  const executed = new Set(run.snapshot.plan.stages.flatMap((stage) => stage.operators.map(({ name }) => name)));
  return run.snapshot.flow.flow.flatMap(({ name, type }) => {
    const operator = findOperator(type);
    if (!operator?.[declaration] || !executed.has(name)) return [];
    const config = resolveConfig(run, name, operator, env);
    const place = operator[declaration](config) as Declared<D> | undefined;
    return place === undefined ? [] : [{ place, config }];
  });
}
