import { AppError } from '../../model/errors';

/** Limits of one section. */
export interface SectionLimits {
  /** Maximum number of objects, file nodes and data elements together. */
  maxParts: number;
  /** Maximum number of bytes of all objects together. */
  maxBytes: number;
}

/** Counts parts and bytes, and throws DOCUMENT_TOO_LARGE beyond the limits. */
export class Allowance {
  constructor(private readonly limits: SectionLimits) {}
  private parts = 0;
  private bytes = 0;

  countPart(): void {
    this.parts += 1;
    if (this.parts > this.limits.maxParts)
      throw new AppError('DOCUMENT_TOO_LARGE', `The OneNote section has more than ${this.limits.maxParts} parts.`);
  }

  countBytes(length: number): void {
    this.bytes += length;
    if (this.bytes > this.limits.maxBytes)
      throw new AppError('DOCUMENT_TOO_LARGE', `The OneNote section has more than ${this.limits.maxBytes} bytes.`);
  }
}
