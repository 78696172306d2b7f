/** The group of everybody in the tenant without its guests. */
export const employeesGroup = 'everyone-except-guests';

/** Forms of login names in which SharePoint knows groups of the directory, and everybody. */
const groupClaim = /^c:0[ot]\.c\|(?:tenant|federateddirectoryclaimprovider)\|([0-9a-f-]{36})(_o)?$/i;
const employeesClaim = /^c:0-\.f\|rolemanager\|spo-grid-all-users\//i;
const everybodyClaim = 'c:0(.s|true';

/** The group that a login name of SharePoint means; undefined for names that are not groups. */
export function readClaim(name: string): { group: string } | 'employees' | 'everybody' | undefined {
  const [, id, owners] = groupClaim.exec(name) ?? [];
  // `_o`: the owners of a group, who are not listed separately.
  if (id !== undefined) return owners === undefined ? { group: id.toLowerCase() } : undefined;
  if (employeesClaim.test(name)) return 'employees';
  return name === everybodyClaim ? 'everybody' : undefined;
}

/** The id of a group of a site. The numbers of groups are the same in many sites. */
export function buildSiteGroupId(siteId: string, number: string): string {
  return `site-group:${siteId.toLowerCase()}:${number}`;
}
