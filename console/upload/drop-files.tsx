import { Button } from '@mantine/core';
import { type DragEvent, useEffect, useRef, useState } from 'react';
import { texts } from '../texts';
import { readDropped } from './dropped-files';

/** A drop area for files and folders, with a button for keyboard users. */
export function DropFiles({
  isDisabled = false,
  isSingle = false,
  words = texts.add,
  onFiles,
}: {
  isDisabled?: boolean;
  /** Accepts only one file at a time. */
  isSingle?: boolean;
  words?: { drop: string; choose: string };
  onFiles: (files: File[]) => void;
}) {
  const [isOver, setOver] = useState(false);
  const chooser = useRef<HTMLInputElement>(null);
  const [note, setNote] = useState('');
  useEffect(keepPageOnDrop, []);
  const take = (files: File[]) => {
    const [first] = files;
    if (!first) return setNote(texts.add.emptyFolder);
    setNote(isSingle && files.length > 1 ? texts.add.onlyFirst(first.name) : '');
    return onFiles(files);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    if (!isDisabled) void readDropped(event.dataTransfer).then(take);
  };
  return (
    <div
      className="drop"
      data-over={isOver}
      onDrop={drop}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(!isDisabled);
      }}
      onDragLeave={() => setOver(false)}
    >
      <p>{words.drop}</p>
      <input
        ref={chooser}
        type="file"
        multiple={!isSingle}
        className="visually-hidden"
        tabIndex={-1}
        aria-label={words.choose}
        onChange={(event) => {
          take([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = '';
        }}
      />
      <Button variant="default" disabled={isDisabled} onClick={() => chooser.current?.click()}>
        {words.choose}
      </Button>
      {note ? <p role="alert">{note}</p> : null}
    </div>
  );
}

/** Files that miss the drop area are ignored; otherwise the browser would leave the page to open them. */
function keepPageOnDrop(): () => void {
  const ignore = (event: globalThis.DragEvent) => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
  };
  window.addEventListener('dragover', ignore);
  window.addEventListener('drop', ignore);
  return () => {
    window.removeEventListener('dragover', ignore);
    window.removeEventListener('drop', ignore);
  };
}
