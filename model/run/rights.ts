import type { Reader, User } from '../access';
import { type AccessList, mayRead } from '../access-list';

/** A user involved in a run: the one who started it or last edited its flow. Groups may be incomplete. */
export type Person = Pick<User, 'username' | 'groups'>;

/** The groups and users whose role determines the rights of a run. */
export interface Roles {
  adminGroups: readonly string[];
  /** `user:NAME`, `group:NAME`, or a name that may be either. Empty means the members of `adminGroups`. */
  ingestPrincipals: readonly string[];
}

/** The users on whose behalf a run acts. Fixed when the run is created, and stored in its record. */
export interface RunRights {
  /** Users who must all be able to read a document before the run can see it. Empty: the run ingests for everybody. */
  readers: string[];
  /** Users who must all be allowed to write to an index of another job. Empty: the run acts for administrators. */
  writers: string[];
  /** Owner of the job's output: the owner of the flow if the run shares its job, otherwise of the run. */
  job_owner: string;
  /** Users who must all be allowed to use a connection; absent when only the owner of the run counts. */
  people?: Person[];
}

/** True for users who may ingest documents that they may not read themselves. */
export function mayIngestForAll(person: Person, { adminGroups, ingestPrincipals }: Roles): boolean {
  return isNamed(person, ingestPrincipals, adminGroups);
}

/** True if a setting's list contains the person; an empty list means administrators. */
export function isNamed(person: Person, principals: readonly string[], adminGroups: readonly string[]): boolean {
  if (principals.length === 0) return person.groups.some((group) => adminGroups.includes(group));
  const names = [person.username, `user:${person.username}`];
  const groups = person.groups.flatMap((group) => [group, `group:${group}`]);
  return [...names, ...groups].some((name) => principals.includes(name));
}

/** The rights of a run for several people: only those that all of them have. */
export function intersectRights(people: readonly Person[], roles: Roles, jobOwner: string): RunRights {
  const listNames = (persons: readonly Person[]) => [...new Set(persons.map(({ username }) => username))];
  return {
    readers: listNames(people.filter((person) => !mayIngestForAll(person, roles))),
    writers: listNames(people.filter(({ groups }) => !groups.some((group) => roles.adminGroups.includes(group)))),
    job_owner: jobOwner,
    people: people.map(({ username, groups }) => ({ username, groups: [...groups] })),
  };
}

/** The users who must all be allowed to use a connection before the run may. */
export function getRunPeople(run: { owner: string; acting?: RunRights }): Person[] {
  return run.acting?.people ?? [{ username: run.owner, groups: [] }];
}

/** The rights of runs started by trusted people on the server itself, for example with `docloom run`. */
export function createUnlimitedRights(jobOwner: string): RunRights {
  return { readers: [], writers: [], job_owner: jobOwner };
}

/** Runs that were stored without rights act for their owner only. */
export function getRunRights(run: { owner: string; acting?: RunRights }): RunRights {
  return run.acting ?? { readers: [run.owner], writers: [run.owner], job_owner: run.owner };
}

/** True when everybody for whom the run acts can read the document. */
export function seesDocument(readers: readonly Reader[], list: AccessList): boolean {
  return readers.every((reader) => mayRead(reader, list));
}
