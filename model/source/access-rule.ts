/** What can decide who may read a document: the readers of its library, the list beside it, `allowed_users` of the flow, the owner of the run, or a run of somebody else that took it before. */
export const accessRules = ['library', 'access_list', 'flow', 'run_owner', 'earlier_run'] as const;
export type AccessRule = (typeof accessRules)[number];
