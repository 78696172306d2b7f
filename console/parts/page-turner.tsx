import { Button, NativeSelect } from '@mantine/core';
import { texts } from '../texts';

/** Selects one of the pages of a document; `name` is the word for a page. */
export function PageTurner({
  name,
  numbers,
  page,
  onPage,
}: {
  name: string;
  numbers: readonly number[];
  page: number;
  onPage: (page: number) => void;
}) {
  const position = numbers.indexOf(page);
  const renderStep = (label: string, target: number | undefined) => (
    <Button variant="default" disabled={target === undefined} onClick={() => onPage(target ?? page)}>
      {label}
    </Button>
  );
  return (
    <>
      {renderStep(texts.common.previous, position > 0 ? numbers[position - 1] : undefined)}
      <NativeSelect
        label={texts.pages.which(name, numbers.length)}
        value={String(page)}
        data={numbers.map((number) => ({ value: String(number), label: `${name} ${number}` }))}
        onChange={({ currentTarget: { value } }) => onPage(Number(value))}
      />
      {renderStep(texts.common.next, numbers[position + 1])}
    </>
  );
}
