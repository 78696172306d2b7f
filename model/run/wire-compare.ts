import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object';
import { count } from '../wire-parts';

const side = Type.Object({ in: count, out: count, failed: count, skipped: count, seconds: Type.Number() });
const defineDocuments = (description: string) =>
  Type.Object(
    {
      total: count,
      documents: Type.Array(Type.Object({ document_id: Type.String(), name: Type.String() }), {
        description: 'At most `limit`. Names only for the owner of both runs.',
      }),
    },
    { description },
  );

/** Documents that one run processed and an earlier one did not. */
export const RunComparison = closedObject('RunComparison', {
  job_run_id: Type.String(),
  base_run_id: Type.String({ description: 'The run that it is compared with.' }),
  documents: Type.Union(
    [
      Type.Object({
        added: defineDocuments('Only in this run.'),
        removed: defineDocuments('Only in the base run.'),
        changed: defineDocuments('Processed in both runs: changed since the base run, or ingested again on request.'),
        failed: defineDocuments('Failed in this run, and did not in the base run.'),
        recovered: defineDocuments('Failed in the base run, and did not in this run.'),
      }),
      Type.Null(),
    ],
    {
      description:
        'Null where a run has more than 200,000 documents, and for members of the project who own neither run.',
    },
  ),
  operators: Type.Array(
    Type.Object({
      name: Type.String(),
      run: Type.Union([side, Type.Null()], { description: 'Null where this run has no such operator.' }),
      base: Type.Union([side, Type.Null()], { description: 'Null where the base run has no such operator.' }),
    }),
  ),
});
export type RunComparison = Static<typeof RunComparison>;
