import { Command } from 'commander';
import { diffGraphs, type EdgeName, jsonText, type Profile } from '../../graph';
import { exitCodes } from '../exit-codes';
import { createProfileOption } from './build';
import { loadExport } from './files';
import { reportOutcome, printJson } from './outcome';

/** `docloom graph diff BEFORE AFTER`: prints the differences between two graphs; exit code 0 even if there are some. */
export function createGraphDiffCommand(): Command {
  return new Command('diff')
    .description('Compares two exported graphs by the ids of their nodes and the ends and labels of their edges.')
    .argument('<before>', 'a graph.json or the folder of a run')
    .argument('<after>', 'another')
    .option('--exit-code', 'exit with 1 if they differ')
    .addOption(createProfileOption())
    .option('--json', 'print the difference as JSON')
    .action((before: string, after: string, options: { profile: Profile; exitCode?: boolean; json?: boolean }) =>
      reportOutcome(options.json, async () => {
        const [left, right] = [await loadExport(before, options.profile), await loadExport(after, options.profile)];
        const difference = diffGraphs(left.graph, right.graph);
        const isEqual = Object.values(difference).every((list) => list.length === 0);
        if (!isEqual && options.exitCode) process.exitCode = exitCodes.failed;
        if (options.json) printJson({ ok: true, equal: isEqual, ...difference });
        else process.stdout.write(`${listLines(difference).join('\n') || 'no difference'}\n`);
      }),
    );
}

function listLines(difference: ReturnType<typeof diffGraphs>): string[] {
  const formatEdge = (sign: string, { source, label, target }: EdgeName) =>
    `${sign} edge ${String(source)} -${label}-> ${String(target)}`;
  return [
    ...difference.removedNodes.map((id) => `- node ${String(id)}`),
    ...difference.addedNodes.map((id) => `+ node ${String(id)}`),
    ...difference.changedNodes.flatMap(({ id, changes }) =>
      changes.map(
        ({ attribute, before, after }) => `~ node ${String(id)} ${attribute}: ${jsonText(before)} → ${jsonText(after)}`,
      ),
    ),
    ...difference.removedEdges.map((edge) => formatEdge('-', edge)),
    ...difference.addedEdges.map((edge) => formatEdge('+', edge)),
    ...difference.changedEdges.map((edge) => formatEdge('~', edge)),
  ];
}
