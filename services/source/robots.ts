/** What a site lets robots ask for. */
export interface RobotsRules {
  /** Whether the path, with its query, may be asked for. */
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

/** Longer patterns and more of them than any site has; what is beyond is not read. */
const mostRules = 10_000;
const longestPattern = 2_000;

/**
 * Reads a robots.txt as RFC 9309 has it: the groups that name the agent count together, else those of `*`; of the rules that match the
 * longest decides, and Allow where two are as long. Anything may be a robots.txt: what is no rule is passed over.
 */
export function robotsRules(text: string, agent: string): RobotsRules {
  const groups = groupsOf(text);
  const own = groups.filter(({ agents }) => agents.includes(agent.toLowerCase()));
  const applied = own.length > 0 ? own : groups.filter(({ agents }) => agents.includes('*'));
  const rules = applied.flatMap((group) => group.rules);
  return {
    allows(pathAndQuery) {
      if (pathAndQuery === '/robots.txt') return true;
      const path = plain(pathAndQuery);
      let best: Rule | undefined;
      for (const rule of rules) {
        const isLonger = !best || rule.pattern.length > best.pattern.length;
        const isEqual = best?.pattern.length === rule.pattern.length && rule.isAllowed;
        if ((isLonger || isEqual) && matches(rule.pattern, path)) best = rule;
      }
      return best?.isAllowed ?? true;
    },
  };
}

function groupsOf(text: string): Group[] {
  const groups: Group[] = [];
  let isHead = false;
  let count = 0;
  for (const line of text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)) {
    const [name = '', value] = parted(line);
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
    // Without a value nothing is forbidden.
    if (value === '' || value.length > longestPattern || count === mostRules) continue;
    count += 1;
    groups.at(-1)?.rules.push({ isAllowed: name === 'allow', pattern: plain(value) });
  }
  return groups;
}

function parted(line: string): [string, string] | [] {
  const end = line.indexOf('#');
  const told = end === -1 ? line : line.slice(0, end);
  const colon = told.indexOf(':');
  return colon === -1 ? [] : [told.slice(0, colon).trim().toLowerCase(), told.slice(colon + 1).trim()];
}

/** Percent-encoded alike, so that `/ü`, `/%c3%bc` and `/%C3%BC` are one. */
function plain(path: string): string {
  return path
    .replace(/[^\x21-\x7e]/gu, (character) =>
      encodeURIComponent(/[\ud800-\udfff]/u.test(character) ? '\uFFFD' : character),
    )
    .replace(/%[0-9a-f]{2}/gi, (code) => {
      const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
      return /[\w.~-]/.test(character) ? character : code.toUpperCase();
    });
}

/** `*` stands for anything, `$` at the end for the end. From left to right, so that no pattern takes more than its length times the path. */
function matches(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith('$');
  const parts = (isWhole ? pattern.slice(0, -1) : pattern).split('*');
  const [first = '', ...rest] = parts;
  if (!path.startsWith(first)) return false;
  if (rest.length === 0) return !isWhole || path === first;
  let at = first.length;
  const last = rest.pop() ?? '';
  for (const part of rest) {
    const found = path.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return isWhole ? path.length - last.length >= at && path.endsWith(last) : path.indexOf(last, at) !== -1;
}
