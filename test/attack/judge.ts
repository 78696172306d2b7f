import type { Role, Row } from './matrix';
import type { Answer } from './server';
import type { Canary } from './world';

/**
 * `through`: the attack succeeded or leaked something. `unproven`: the permitted role failed too, or the server failed, so
 * that the rejections of the others prove nothing.
 */
export interface Finding {
  kind: 'through' | 'unproven';
  attack: string;
  text: string;
}

/** The expected answer, and the role that received it. */
export interface Judged {
  operation: string;
  role: Role;
  row: Pick<Row, 'expected' | 'onServer' | 'says'>;
  canaries: readonly Canary[];
}

/** Problems that an answer shows. */
export function judge({ operation, role, row, canaries }: Judged, answer: Answer): Finding[] {
  const attack = `${operation} as ${role}`;
  const shown = `${answer.status} ${answer.text.slice(0, 200)}`;
  const findings: Finding[] = leaks(role, answer, canaries).map((value) => ({
    kind: 'through',
    attack,
    text: `shows ${value}`,
  }));
  const isLikeOwner = row.expected[role] === row.expected.owner;
  const expected = (isLikeOwner ? row.onServer : undefined) ?? [row.expected[role]];
  if (!expected.includes(answer.status))
    findings.push({ attack, ...misjudged(expected, answer), text: `expected ${expected.join(' or ')}: ${shown}` });
  const rule = answer.status < 300 && row.says && role in row.says.by ? row.says : undefined;
  if (!rule) return findings;
  const reply = rule.of(answer.body as never);
  // On a real server the roles may own more, an administrator sees resources of all users, and a list has pages.
  const mayBeMore = Boolean(rule.by[role]);
  if (mayBeMore && !reply) findings.push({ kind: 'unproven', attack, text: `shows nothing that ${role} may see` });
  if (!mayBeMore && reply)
    findings.push({ kind: 'through', attack, text: `shows ${JSON.stringify(reply)} instead of nothing` });
  return findings;
}

/** A correct rejection with a different status leaks something; a failure proves nothing. */
function misjudged(expected: readonly number[], { status }: Answer): Pick<Finding, 'kind'> {
  const isRefused = expected.every((value) => value >= 400 && value < 500);
  return { kind: isRefused && status < 500 && status !== 429 ? 'through' : 'unproven' };
}

/** The texts that this role should not have got, by name. */
export function leaks(role: Role, { text }: Answer, canaries: readonly Canary[]): string[] {
  return canaries
    .filter((canary) => !canary.mayBeSeenBy.includes(role) && text.includes(canary.text))
    .map(({ what }) => what);
}
