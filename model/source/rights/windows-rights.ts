import { type Naming, type RightsList, type RightsRule, toRightsList } from './rights-list';

/** One entry of an access control list. `isConditional`: it applies only under conditions that are not evaluated here. */
export interface WindowsEntry {
  sid: string;
  allows: boolean;
  mask: number;
  /** True if the entry applies only to what is created in the folder. */
  isInheritOnly: boolean;
  isConditional: boolean;
}

/** Owner and access control list of a file or folder, with security identifiers as texts (`S-1-5-…`). */
export interface WindowsRights {
  owner: string;
  /** In order; undefined if there is no list, which admits everybody. */
  entries: readonly WindowsEntry[] | undefined;
}

const [readData, readExtendedAttributes, readAttributes] = [0x1, 0x8, 0x80] as const;
const [readPermissions, synchronize] = [0x20000, 0x100000] as const;
/** Access that a reader of a file requests. */
const readAll = readData | readExtendedAttributes | readAttributes | readPermissions | synchronize;
/** The right to pass through a folder. */
const traverse = 0x20;
const [genericRead, genericExecute, genericAll] = [0x80000000, 0x20000000, 0x10000000] as const;
const everyRight = 0x1f01ff;

/** The well-known groups Everyone, Authenticated Users and Network. */
const everybodySids: ReadonlySet<string> = new Set(['S-1-1-0', 'S-1-5-11', 'S-1-5-2']);
/** Programs on the server, and the placeholders for the creator. They stand for no account that comes over the network. */
const nobodySids: ReadonlySet<string> = new Set(['S-1-5-3', 'S-1-5-4', 'S-1-5-6', 'S-1-3-0', 'S-1-3-1']);
const ownerRights = 'S-1-3-4';

/**
 * Who may read a file, or pass through a folder, by the access check of Windows ([MS-DTYP] 2.5.3.2): entries apply in their order. An
 * entry allows only if it grants everything that a reader requests, and denies if it denies any of that; so rights that several
 * entries grant in parts count as none. Conditional entries never allow, and always deny. The owner has no right to read as such.
 */
export function computeWindowsList(
  { owner, entries }: WindowsRights,
  permission: 'read' | 'traverse',
  naming: Naming,
): RightsList {
  if (!entries) return toRightsList([{ who: 'everybody', allows: true }], naming);
  const neededRights = permission === 'read' ? readAll : traverse;
  const rules = entries.flatMap(({ sid, allows, mask, isInheritOnly, isConditional }): RightsRule[] => {
    const covered = expand(mask) & neededRights;
    const counts = allows ? covered === neededRights && !isConditional : covered !== 0;
    if (isInheritOnly || nobodySids.has(sid) || !counts) return [];
    if (everybodySids.has(sid)) return [{ who: 'everybody', allows }];
    return [{ who: { sid: sid === ownerRights ? owner : sid }, allows }];
  });
  return toRightsList(rules, naming);
}

/** Replaces generic rights with those that they stand for. */
function expand(mask: number): number {
  if ((mask & genericAll) !== 0) return everyRight;
  const read = (mask & genericRead) !== 0 ? readAll : 0;
  const execute = (mask & genericExecute) !== 0 ? traverse | readAttributes | readPermissions | synchronize : 0;
  return mask | read | execute;
}
