import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object';
import { literals } from '../literals';
import { accessRules } from '../source/access-rule';
import { DocumentId } from './wire';

const Rule = Type.Union([...accessRules.map((rule) => Type.Literal(rule)), Type.Null()], {
  description:
    'What decided who may read it: the readers of its `library`, the `access_list` beside it, the rights of the `source` itself, `allowed_users` of the `flow`, only the owner of the run (`run_owner`), or an `earlier_run` of another user. Null where it was ingested by an earlier version.',
});

/** Who may read a document, and the rules that allow it. */
export const AccessExplanation = closedObject('AccessExplanation', {
  document_id: Type.String(),
  you_may_read: Type.Boolean(),
  rule: Rule,
  readers: Type.Optional(
    Type.Array(
      Type.Object({
        user: Type.String(),
        records: Type.Optional(Type.Integer({ minimum: 1, description: 'For administrators.' })),
      }),
      {
        description:
          'At most 1,000. Administrators get everybody whom the access lists of its records name; the owner of a run that ingested it gets everybody whom their own runs allow to read it.',
      },
    ),
  ),
  principals: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'Others who may read it: `g:SOURCE:ID` for a group, `p:*` for everybody. For those who see the readers; absent when there are none.',
    }),
  ),
  denied: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'Principals who may not read it, even if something else allows them. Only for users who may see the readers.',
    }),
  ),
  records: Type.Optional(Type.Integer({ minimum: 0, description: 'For administrators.' })),
  owners: Type.Optional(
    Type.Array(Type.String(), { description: 'Users who ingested it. Only for users who may see the readers.' }),
  ),
});
export type AccessExplanation = Static<typeof AccessExplanation>;

/** The reader and the document whose access rule is requested. */
export const ExplainRequest = closedObject('ExplainAccessRequest', {
  user: Type.String({ minLength: 1, maxLength: 256, description: 'A login name; your own unless you administer.' }),
  document_id: DocumentId,
});
export type ExplainRequest = Static<typeof ExplainRequest>;

/** The reasons why a user may or may not read a document. */
export const accessReasons = [
  'named',
  'allowed_principal',
  'denied_principal',
  'required_list',
  'groups_unknown',
  'not_listed',
] as const;
export type AccessReason = (typeof accessReasons)[number];

/** The rule that decides whether a user may read a document. */
export const ExplainReply = closedObject('ExplainAccessReply', {
  user: Type.String(),
  document_id: Type.String(),
  may_read: Type.Boolean(),
  reason: literals(accessReasons, {
    description:
      'The list names the user (`named`) or one of their principals (`allowed_principal`); it denies one of them (`denied_principal`); the user is missing in the list of another document that the record was made of (`required_list`); their groups are not known at the moment, and the list allows or denies groups (`groups_unknown`); or the list does not have them (`not_listed`).',
  }),
  principals: Type.Array(Type.String(), { description: 'The principals of the user that decided; at most ten.' }),
  rule: Rule,
  records: Type.Integer({
    minimum: 0,
    description:
      'In the index, for administrators; all others get those that they may read. How many the user may read is `readable`.',
  }),
  readable: Type.Integer({ minimum: 0 }),
  groups_known: Type.Boolean({
    description:
      'False if the groups of the user are unknown, because the user never logged in or the directory does not answer.',
  }),
});
export type ExplainReply = Static<typeof ExplainReply>;

/** The history of a document. */
export const DocumentLife = Type.Object(
  {
    document_id: Type.String(),
    changed_at: Type.Union([Type.String(), Type.Null()], { description: 'At its source.' }),
    indexed_at: Type.String(),
    forms: Type.Array(Type.String(), { description: 'In which forms it can be read.' }),
    ingestions: Type.Array(
      Type.Object({
        name: Type.String(),
        status: Type.Union([Type.Literal('done'), Type.Literal('failed'), Type.Literal('left_out')]),
        version: Type.String({ description: 'SHA-256 of the file; empty where it is not known.' }),
        indexes: Type.Array(Type.String()),
        run: Type.Optional(
          Type.Object(
            {
              job_run_id: Type.String(),
              flow_name: Type.String(),
              steps: Type.Array(
                Type.Object({
                  name: Type.String(),
                  type: Type.String(),
                  ended_at: Type.Union([Type.String(), Type.Null()]),
                }),
                { description: 'Operators in the order of the flow.' },
              ),
            },
            { description: 'The run that last ingested it. Only for users who may see the run.' },
          ),
        ),
      }),
      { description: 'One per job that read the document and lets you read it.' },
    ),
  },
  { $id: 'DocumentLife' },
);
export type DocumentLife = Static<typeof DocumentLife>;

/** The user to search as, and the search. Has no filters or facets, which could reveal document content. */
export const SearchAsRequest = closedObject('SearchAsRequest', {
  user_id: Type.String({ minLength: 1, maxLength: 256, description: 'The login name to search as.' }),
  query: Type.Optional(Type.String({ maxLength: 1_000 })),
  mode: Type.Optional(literals(['text', 'vector', 'hybrid'], { default: 'text' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000, default: 0 })),
});
export type SearchAsRequest = Static<typeof SearchAsRequest>;

/** The results another user would get. */
export const SearchAsReply = closedObject('SearchAsReply', {
  user_id: Type.String(),
  total: Type.Integer({ minimum: 0 }),
  hits: Type.Array(
    Type.Object({
      id: Type.String(),
      document_id: Type.String(),
      rule: Rule,
      title: Type.Optional(Type.String({ description: 'Only of documents that you may read yourself.' })),
    }),
  ),
  warnings: Type.Optional(Type.Array(Type.String())),
});
export type SearchAsReply = Static<typeof SearchAsReply>;
