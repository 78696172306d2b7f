import { Button } from '@mantine/core';
import { type DragEvent, useRef, useState } from 'react';
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
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    if (!isDisabled) void readDropped(event.dataTransfer).then(onFiles);
  };
  return (
    <div
      className="drop"
      data-over={isOver}
      onDrop={drop}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
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
          onFiles([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = '';
        }}
      />
      <Button variant="default" disabled={isDisabled} onClick={() => chooser.current?.click()}>
        {words.choose}
      </Button>
    </div>
  );
}
