/** Leaves room for the time in folder names, which most file systems limit to 255 bytes. */
const maxNameLength = 163;

/** The default folder of a run: the file name, without characters that file systems reject, and the time in UTC. */
export function buildRunFolder(source: string, at: Date): string {
  const name = Array.from(source.replace(/[\\/:*?"<>|[\](){}.\s]/g, '_').replace(/^_+|_+$/g, ''))
    .slice(0, maxNameLength)
    .join('');
  const [date = '', time = ''] = at.toISOString().slice(0, 19).split('T');
  return `${name}_${date.replaceAll('-', '')}_${time.replaceAll(':', '')}`;
}
