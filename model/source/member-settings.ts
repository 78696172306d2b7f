import { type Static, Type } from '@sinclair/typebox';

/** Defaults of `MemberSettings`. */
const defaultMembers = { max_depth: 3, max_files: 20_000, max_mb: 512 } as const;

/** Which files within files become separate documents. */
export const MemberSettings = Type.Object(
  {
    archives: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'The files of ZIP, TAR, gzip, 7-Zip and RAR archives and the messages of mailboxes are documents.',
      }),
    ),
    attachments: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'The attachments of messages and notes and the documents within Office documents are documents.',
      }),
    ),
    pdf_attachments: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'With `attachments`, the files attached to PDF files are documents too. Every new or changed PDF is then also read when the source is listed.',
      }),
    ),
    tables: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          'Groups of rows of CSV files beyond 12 MB, and of workbooks whose sheets hold more than 48 MB, are documents. False: such a file is one document, which may need more memory than a conversion has.',
      }),
    ),
    max_depth: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10,
        default: defaultMembers.max_depth,
        description: 'How deep files within files are opened.',
      }),
    ),
    max_files: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100_000,
        default: defaultMembers.max_files,
        description: 'Maximum number of files that are taken out of one file.',
      }),
    ),
    max_mb: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 2_000,
        default: defaultMembers.max_mb,
        description: 'Maximum megabytes of an archive, and of all that is taken out of one file.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type MemberSettings = Static<typeof MemberSettings>;

/** The files to extract from a file of a source, with limits. */
export interface MemberRules {
  archives: boolean;
  attachments: boolean;
  pdfAttachments: boolean;
  /** Large tables become separate documents made of their rows. */
  tables: boolean;
  maxDepth: number;
  maxFiles: number;
  maxBytes: number;
}

/** Reads the member `members` of the configuration of an ingest. */
export function readMemberRules(config: Record<string, unknown>): MemberRules {
  const memberSettings = (config['members'] ?? {}) as MemberSettings;
  return {
    archives: memberSettings.archives ?? true,
    attachments: memberSettings.attachments ?? true,
    pdfAttachments: memberSettings.pdf_attachments ?? false,
    tables: memberSettings.tables ?? true,
    maxDepth: memberSettings.max_depth ?? defaultMembers.max_depth,
    maxFiles: memberSettings.max_files ?? defaultMembers.max_files,
    maxBytes: (memberSettings.max_mb ?? defaultMembers.max_mb) * 1024 * 1024,
  };
}

/** Separates the path of a file from the path within it. */
const memberMark = '!/';

/** The path of a member, as shown and stored. */
export function buildMemberPath(path: string, within: string): string {
  return `${path}${memberMark}${within}`;
}

/** The path of the file that contains a member; undefined if `path` does not end with that member. */
export function findHolderPath(path: string, within: string): string | undefined {
  const end = `${memberMark}${within}`;
  return path.endsWith(end) ? path.slice(0, -end.length) : undefined;
}
