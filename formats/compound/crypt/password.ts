/** The password with which Excel protects a workbook that nobody gave one, and which opens it unasked. */
export const standingPassword = 'VelvetSweatshop';

/** What to try, in this order. */
export function passwordsToTry(given: string | undefined): string[] {
  return given === undefined ? [standingPassword] : [given, standingPassword];
}
