import type { SignIn } from './accounts';
import { allCases, attackByCases } from './cases';
import { attackConversions, conversionMatrix } from './conversions';
import type { Finding } from './judge';
import { matrix } from './matrix';
import { attackRoutes } from './routes';
import { World } from './world';

/** The result of an attack on a running server. */
export interface Report {
  /** Requests of routes by roles, and cases. */
  routes: number;
  cases: number;
  findings: Finding[];
  /** Resources that could not be removed afterwards. */
  left: string[];
}

/** They remove the resources that the other attacks need, and nothing recreates them. */
const lastOfAll: ReadonlySet<string> = new Set([
  'DELETE /api/v1/documents/{document_id}',
  'DELETE /api/v1/document-sets/{set_id}',
  'DELETE /api/v1/indexes/{index_name}',
]);

/**
 * Attacks the server at `url` with accounts of every role, and removes the created resources; `only` selects routes and cases.
 */
export async function attack(
  url: string,
  signIn: (mark: string) => SignIn,
  only: (name: string) => boolean = () => true,
): Promise<Report> {
  const chosen = <T>(all: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => only(name)));
  const world = new World(url.replace(/\/+$/, ''), signIn);
  const report: Report = { routes: 0, cases: 0, findings: [], left: [] };
  try {
    await world.build();
    const routes = async ({ tried, findings }: { tried: number; findings: Finding[] }) => {
      report.routes += tried;
      report.findings.push(...findings);
    };
    const rows = Object.entries(chosen(matrix));
    const part = (isLast: boolean) => Object.fromEntries(rows.filter(([name]) => lastOfAll.has(name) === isLast));
    await routes(await attackRoutes(world, part(false)));
    await routes(await attackConversions(world, chosen(conversionMatrix)));
    const { tried, findings } = await attackByCases(world, chosen(allCases));
    report.cases = tried;
    report.findings.push(...findings);
    await routes(await attackRoutes(world, part(true)));
  } finally {
    report.left = await world.clear();
  }
  return report;
}

/** The report as lines of text. */
export function describeReport({ routes, cases, findings, left }: Report): string {
  const lines = findings.map(
    ({ kind, attack, text }) => `${kind === 'through' ? 'GOT THROUGH' : 'NOT PROVEN '}  ${attack}: ${text}`,
  );
  const through = findings.filter(({ kind }) => kind === 'through').length;
  return [
    ...lines,
    ...left.map((path) => `LEFT BEHIND  ${path}`),
    `${routes} requests of every route by every role and ${cases} cases carried out; ${through} got through, ${findings.length - through} not proven.`,
    '',
  ].join('\n');
}
