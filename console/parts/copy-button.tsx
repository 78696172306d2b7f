import { Button } from '@mantine/core';
import { useState } from 'react';
import { texts } from '../texts';

/** Copies a text and confirms it. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  };
  return (
    <Button variant="default" onClick={copy}>
      {isCopied ? texts.common.copied : label}
    </Button>
  );
}
