/** The access rules of a site for robots. */
export interface RobotsRules {
  /** True if the path, including its query, may be requested. */
  allows(pathAndQuery: string): boolean;
}

interface Rule {
  isAllowed: boolean;
  pattern: string;
}
interface Group {
  agents: string[];
  rules: Rule[];
}

/** Limits above those of any real site; everything beyond is ignored. */
const maxRules = 10_000;
const maxPatternLength = 2_000;

/**
 * Parses a robots.txt (RFC 9309). Our own, because robots-parser 3 takes an encoded slash (`%2F`) for a slash. All groups for the agent apply, or else those for `*`. The longest matching rule decides, and
 * Allow wins over Disallow of the same length. Accepts any text: lines that are not rules are ignored.
 */
export function readRobotsRules(text: string, agent: string): RobotsRules {
  const groups = listGroups(text);
  const agentGroups = groups.filter(({ agents }) => agents.includes(agent.toLowerCase()));
  const applied = agentGroups.length > 0 ? agentGroups : groups.filter(({ agents }) => agents.includes('*'));
  const rules = applied.flatMap((group) => group.rules);
  return {
    allows(pathAndQuery) {
      if (pathAndQuery === '/robots.txt') return true;
      const path = normalizePath(pathAndQuery);
      let best: Rule | undefined;
      for (const rule of rules) {
        const lead = rule.pattern.length - (best?.pattern.length ?? -1);
        const isPreferred = lead > 0 || (lead === 0 && rule.isAllowed);
        if (isPreferred && matches(rule.pattern, path)) best = rule;
      }
      return best?.isAllowed ?? true;
    },
  };
}

function listGroups(text: string): Group[] {
  const groups: Group[] = [];
  let isHead = false;
  let count = 0;
  for (const line of text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)) {
    const [name = '', value] = splitLine(line);
    if (value === undefined) continue;
    if (name === 'user-agent') {
      const token = /^(?:\*|[A-Za-z_-]+)/.exec(value)?.[0].toLowerCase() ?? '';
      const last = groups.at(-1);
      if (isHead && last) last.agents.push(token);
      else groups.push({ agents: [token], rules: [] });
      isHead = true;
    }
    if (name !== 'allow' && name !== 'disallow') continue;
    isHead = false;
    // An empty value forbids nothing.
    if (value === '' || value.length > maxPatternLength || count === maxRules) continue;
    count += 1;
    groups.at(-1)?.rules.push({ isAllowed: name === 'allow', pattern: normalizePath(value) });
  }
  return groups;
}

function splitLine(line: string): [string, string] | [] {
  const end = line.indexOf('#');
  const content = end === -1 ? line : line.slice(0, end);
  const colon = content.indexOf(':');
  return colon === -1 ? [] : [content.slice(0, colon).trim().toLowerCase(), content.slice(colon + 1).trim()];
}

/** Normalises percent-encoding, so that `/ü`, `/%c3%bc` and `/%C3%BC` are equal. */
function normalizePath(path: string): string {
  return path
    .replace(/[^\x21-\x7e]/gu, (character) =>
      encodeURIComponent(/[\ud800-\udfff]/u.test(character) ? '\uFFFD' : character),
    )
    .replace(/%[0-9a-f]{2}/gi, (code) => {
      const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
      return /[\w.~-]/.test(character) ? character : code.toUpperCase();
    });
}

/**
 * `*` matches any text, `$` at the end the end of the path. Matches from left to right, so the time is at most the length of the
 * pattern times that of the path.
 */
function matches(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith('$');
  const parts = (isWhole ? pattern.slice(0, -1) : pattern).split('*');
  const [first = '', ...rest] = parts;
  if (!path.startsWith(first)) return false;
  if (rest.length === 0) return !isWhole || path === first;
  let at = first.length;
  const last = rest.pop() ?? '';
  for (const part of rest) {
    const index = path.indexOf(part, at);
    if (index === -1) return false;
    at = index + part.length;
  }
  return isWhole ? path.length - last.length >= at && path.endsWith(last) : path.indexOf(last, at) !== -1;
}
