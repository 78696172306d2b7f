import { countNouns } from '../../model/count-nouns';
import type { TargetTable } from '../../model/entity/document-class';
import { getClassKey } from '../../model/entity/entity-fields';
import type { Row, RowFailure } from '../../model/flow/row';
import { parseJson, isObject } from '../../model/json';
import type { OperatorContext, OperatorResult } from '../operator';
import { runInSteps } from '../rows/steps';
import { convertEntities } from './curate';
import { type CurationConfig, defaultColumns } from './schema';

type Context = OperatorContext<'documentClasses'>;
type Outcome =
  | { row: Row; problems: number; ambiguous: number; without?: 'entities' | 'class' }
  | { failed: RowFailure };

/**
 * Adds the tables of its entities to each row. Rows without entities or with an unknown class get no tables; a warning counts
 * them.
 */
export async function run(rows: readonly Row[], config: CurationConfig, context: Context): Promise<OperatorResult> {
  const classes = new Map(
    context.services.documentClasses
      .list()
      .map(({ document_type, target_tables }) => [getClassKey(document_type), target_tables]),
  );
  const outcomes = await runInSteps(rows, context, (row) => curateRow(row, config, classes));
  const done = outcomes.flatMap((outcome) => ('row' in outcome ? [outcome] : []));
  const countWithout = (missing: 'entities' | 'class') => done.filter(({ without }) => without === missing).length;
  const problems = done.reduce((total, outcome) => total + outcome.problems, 0);
  const ambiguous = done.reduce((total, outcome) => total + outcome.ambiguous, 0);
  return {
    rows: done.map(({ row }) => row),
    failed: outcomes.flatMap((outcome) => ('failed' in outcome ? [outcome.failed] : [])),
    warnings: [
      ...listWarnings(countWithout('entities'), 'without entities got no tables'),
      ...listWarnings(countWithout('class'), 'of no known document class got no tables'),
      ...listDateWarnings(ambiguous),
    ],
    metrics: { values_not_understood: problems, ambiguous_dates: ambiguous },
  };
}

function listWarnings(count: number, predicate: string): string[] {
  return count === 0 ? [] : [`${countNouns(count, 'document')} ${predicate}.`];
}

function listDateWarnings(ambiguous: number): string[] {
  if (ambiguous === 0) return [];
  const dates = countNouns(ambiguous, 'ambiguous date');
  return [`US order was assumed for ${dates} such as 03/05/2024; set date_order if that is wrong.`];
}

function curateRow(row: Row, config: CurationConfig, classes: ReadonlyMap<string, readonly TargetTable[]>): Outcome {
  const output = config.output_column ?? defaultColumns.output;
  const entities = findObject(row[config.entities_column ?? defaultColumns.entities]);
  const withoutTables = { row: { ...row, [output]: {}, curation_problems: [] }, problems: 0, ambiguous: 0 };
  if (entities === 'none') return { ...withoutTables, without: 'entities' };
  if (entities === 'wrong') {
    const message = `The column '${config.entities_column ?? defaultColumns.entities}' contains neither an object nor its JSON text.`;
    return { failed: { id: row.id, name: row.name, code: 'OPERATOR_EXECUTION_FAILED', message } };
  }
  const type = config.document_type ?? row[config.document_type_column ?? defaultColumns.documentType];
  const tables = config.target_tables ?? (typeof type === 'string' ? classes.get(getClassKey(type)) : undefined);
  if (!tables) return { ...withoutTables, without: 'class' };
  const curated = convertEntities(entities, tables, {
    dateOrder: config.date_order ?? 'auto',
    numberFormat: config.number_format ?? 'auto',
  });
  return {
    row: { ...row, [output]: curated.tables, curation_problems: curated.problems },
    problems: curated.problems.length,
    ambiguous: curated.ambiguousDates,
  };
}

function findObject(value: unknown): Record<string, unknown> | 'none' | 'wrong' {
  if (value === undefined || value === null || value === '') return 'none';
  const parsed = typeof value === 'string' ? parseJson(value) : value;
  return isObject(parsed) ? parsed : 'wrong';
}
