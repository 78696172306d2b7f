const longest = 163;

/** The folder of a run where none is named: the file's name without signs that file systems refuse, and the time in UTC. */
export function runFolder(source: string, at: Date): string {
  const name = Array.from(source.replace(/[\\/:*?"<>|[\](){}.\s]/g, '_').replace(/^_+|_+$/g, ''))
    .slice(0, longest)
    .join('');
  const [date = '', time = ''] = at.toISOString().slice(0, 19).split('T');
  return `${name}_${date.replaceAll('-', '')}_${time.replaceAll(':', '')}`;
}
