import { hash } from 'node:crypto';
import { isContainer, isLargeTable } from '../../formats/members/holders';
import { membersOf } from '../../formats/members/members';
import { asAppError } from '../../model/errors';
import type { MemberRules } from '../../model/source/member-settings';
import type { FoundMember, MemberAnswer, MemberTask } from '../../services/conversion/members';

/** Lists or extracts the files within a file. Never throws; returns failures as a code and a message. */
export async function findMembers({ name, bytes, rules, password, wanted }: MemberTask): Promise<MemberAnswer> {
  const isTable = rules.tables && isLargeTable(name, bytes);
  const holdsOnlyFiles = isTable || isContainer({ name, bytes }, { messages: true });
  const isOpened = isTable || (holdsOnlyFiles && rules.archives);
  const members: FoundMember[] = [];
  const wantedCount = wanted && new Set(wanted).size;
  try {
    if (holdsOnlyFiles ? !isOpened : !rules.attachments) return { found: { isContainer: false, members: [] } };
    const choice = {
      embedded: rules.attachments,
      ofPdf: rules.pdfAttachments,
      messages: rules.archives,
      tables: rules.tables,
      limits: buildLimits(rules),
      ...(password === undefined ? {} : { password }),
      ...(wanted ? { wanted: new Set(wanted) } : {}),
    };
    for await (const member of membersOf({ name, bytes }, choice)) {
      const { path } = member;
      if (wanted && !wanted.includes(path)) continue;
      if ('problem' in member) {
        const { code, message } = member.problem;
        members.push({ path, size: 0, hash: '', problem: { code, message } });
      } else members.push(describeMember(path, member.bytes, wanted !== undefined));
      // The rest of a large table need not be read.
      if (members.length === wantedCount) break;
    }
    return { found: { isContainer: isOpened, members } };
  } catch (error) {
    const { code, message } = asAppError(error, 'CONVERSION_FAILED');
    return { failure: { code, message } };
  }
}

function buildLimits({ maxDepth, maxFiles, maxBytes }: MemberRules) {
  return { maxDepth, maxEntries: maxFiles, maxExpandedBytes: maxBytes };
}

function describeMember(path: string, bytes: Uint8Array, isWanted: boolean): FoundMember {
  return {
    path,
    size: bytes.length,
    hash: hash('sha256', bytes),
    // A copy: the bytes may be a view of those of the archive.
    ...(isWanted ? { bytes: new Uint8Array(bytes) } : {}),
  };
}
