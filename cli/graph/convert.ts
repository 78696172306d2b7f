import path from 'node:path';
import { Command } from 'commander';
import { type Profile, streamedFormats } from '../../graph';
import { createFormatOption, createProfileOption } from './build';
import { loadExport, writePieces } from './files';
import { convertLarge, findLargeExport } from './large-export';
import { reportOutcome, printJson } from './outcome';
import { defaultFormats, type GraphFormat, writeGraphFiles } from './write';

interface Options {
  output: string;
  format?: GraphFormat[];
  profile: Profile;
  json?: boolean;
}

/** `docloom graph convert FILE_OR_DIR --output DIR`: writes an export in other formats. */
export function createGraphConvertCommand(): Command {
  return new Command('convert')
    .description('Writes an exported graph in other formats. A large export is converted piece by piece.')
    .argument('<file-or-dir>', 'a graph.json or the folder of a run')
    .requiredOption('-o, --output <dir>', 'folder for the files')
    .addOption(createFormatOption())
    .addOption(createProfileOption())
    .option('--json', 'print the names of the files as JSON')
    .action((value: string, options: Options) =>
      reportOutcome(options.json, async () => {
        const files = await convert(value, options);
        if (options.json) printJson({ ok: true, output: options.output, files });
        else process.stdout.write(`${files.map((name) => path.join(options.output, name)).join('\n')}\n`);
      }),
    );
}

async function convert(value: string, { output, format, profile }: Options): Promise<string[]> {
  const large = profile === 'spec' ? await findLargeExport(value) : undefined;
  if (!large) {
    const { graph } = await loadExport(value, profile);
    return writeGraphFiles(output, { graph, profile, formats: format ?? defaultFormats, sourceModels: 1 });
  }
  const written: string[] = [];
  for (const [name, pieces] of convertLarge(large.stream, format ?? streamedFormats)) {
    await writePieces(path.join(output, name), pieces);
    written.push(name);
  }
  return written;
}
