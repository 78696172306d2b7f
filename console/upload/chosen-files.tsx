import { Alert, Button } from '@mantine/core';
import { useState } from 'react';
import { formatBytes } from '../format';
import { texts } from '../texts';
import { DropFiles } from './drop-files';
import { type Chosen, chooseFiles, listUsable, uploadFiles } from './upload-files';

/** The files of a form that uploads to a library. */
export interface FileChoice {
  files: readonly Chosen[];
  /** Files of the last drop whose names were chosen already. */
  leftOut: number;
  /** Why the upload waits; undefined if it does not. */
  waitsFor: string | undefined;
  /** The files that an upload would send. */
  usable: readonly Chosen[];
  add: (files: readonly File[]) => void;
  remove: (file: File) => void;
  /** Takes the uploaded files off the list. */
  clearSent: () => void;
  /** Uploads the usable files; returns how many were refused. */
  upload: (libraryId: string) => Promise<number>;
}

/** Holds the chosen files of a form and what happened to each. */
export function useFileChoice(): FileChoice {
  const [files, setFiles] = useState<readonly Chosen[]>([]);
  const [leftOut, setLeftOut] = useState(0);
  const [waitsFor, setWaitsFor] = useState<string>();
  const usable = listUsable(files);
  const onChange = (file: File, changes: Partial<Chosen>) =>
    setFiles((current) => current.map((chosen) => (chosen.file === file ? { ...chosen, ...changes } : chosen)));
  return {
    files,
    leftOut,
    waitsFor,
    usable,
    add: (added) => {
      const newFiles = chooseFiles(usable, added);
      const names = new Set(newFiles.map(({ name }) => name));
      setLeftOut(added.length - newFiles.length);
      // A file that was refused can be chosen again after it was mended.
      setFiles([...files.filter(({ name }) => !names.has(name)), ...newFiles]);
    },
    remove: (file) => setFiles((current) => current.filter((chosen) => chosen.file !== file)),
    clearSent: () => setFiles((current) => current.filter(({ file, sent }) => sent !== file.size)),
    upload: (libraryId) => uploadFiles(libraryId, usable, { onChange, onWait: setWaitsFor }),
  };
}

/** The drop area and the list of the chosen files; `isFixed` while they are uploaded. */
export function ChosenFiles({ choice, isFixed }: { choice: FileChoice; isFixed: boolean }) {
  const { files, leftOut, waitsFor, add, remove } = choice;
  const total = files.reduce((sum, { file }) => sum + file.size, 0);
  return (
    <>
      <DropFiles isDisabled={isFixed} onFiles={add} />
      <p role="status" className="muted">
        {files.length === 0 ? texts.add.none : texts.add.chosen(files.length, formatBytes(total))}
        {leftOut > 0 ? `. ${texts.add.sameName(leftOut)}` : null}
      </p>
      {waitsFor ? (
        <Alert color="orange" variant="outline" role="alert" mb={12}>
          {texts.add.waiting(waitsFor)}
        </Alert>
      ) : null}
      {files.length > 0 ? (
        <ul className="files" tabIndex={0} aria-label={texts.add.files}>
          {listRefusedFirst(files).map((chosen) => (
            <ChosenFile key={chosen.name} chosen={chosen} onRemove={isFixed ? undefined : remove} />
          ))}
        </ul>
      ) : null}
    </>
  );
}

/** The list scrolls, and what was refused must be seen. */
function listRefusedFirst(files: readonly Chosen[]): Chosen[] {
  return files.toSorted((a, b) => Number(b.problem !== undefined) - Number(a.problem !== undefined));
}

function ChosenFile({
  chosen: { file, name, sent, problem },
  onRemove,
}: {
  chosen: Chosen;
  onRemove?: (file: File) => void;
}) {
  return (
    <li>
      <span className="file-name">
        {file.name}
        {name === file.name ? null : <span className="state-note below">{texts.add.keptAs(name)}</span>}
      </span>
      <span className="muted num">{formatBytes(file.size)}</span>
      {sent === undefined || problem ? null : (
        <progress max={Math.max(file.size, 1)} value={sent} aria-label={texts.add.progress(file.name)} />
      )}
      {onRemove ? (
        <Button
          variant="subtle"
          size="compact-xs"
          onClick={() => onRemove(file)}
          aria-label={texts.add.removeFile(file.name)}
        >
          {texts.add.remove}
        </Button>
      ) : null}
      {problem ? (
        <Alert color="red" variant="outline" role="alert">
          {problem}
        </Alert>
      ) : null}
    </li>
  );
}
