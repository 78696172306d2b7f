/**
 * The rules that may decide who can read a document: the readers of its library, the access list next to it, the rights of the
 * source itself, `allowed_users` of the flow, the owner of the run, or another user's run that ingested it earlier.
 */
export const accessRules = ['library', 'access_list', 'source', 'flow', 'run_owner', 'earlier_run'] as const;
export type AccessRule = (typeof accessRules)[number];
