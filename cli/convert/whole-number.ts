import { InvalidArgumentError } from 'commander';

/** Creates the parser of an option that is a whole number from `min` to `max`. */
export function createWholeNumberParser(min: number, max = Number.MAX_SAFE_INTEGER): (text: string) => number {
  const range = max === Number.MAX_SAFE_INTEGER ? `from ${min}` : `from ${min} to ${max}`;
  return (text) => {
    const value = Number(text);
    if (text.trim() !== '' && Number.isInteger(value) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number ${range}.`);
  };
}
