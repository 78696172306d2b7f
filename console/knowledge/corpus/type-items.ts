import { formatCount } from '../../format';
import { texts } from '../../texts';

/** Node types with their counts, as choices ordered by frequency. */
export function createTypeItems(types: Readonly<Record<string, number>>) {
  const sorted = Object.entries(types).toSorted(([, count], [, other]) => other - count);
  return [
    { value: '', label: texts.corpus.anyType },
    ...sorted.map(([value, count]) => ({ value, label: `${value} (${formatCount(count)})` })),
  ];
}
