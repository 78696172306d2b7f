import path from 'node:path';

/** The folder of package.json, for the compiled file and for the source. */
export const packageRoot = path.join(
  __dirname,
  ...['..', '..', '..'],
  ...(path.basename(path.join(__dirname, '..', '..', '..')) === 'dist' ? ['..'] : []),
);
