// The entries of the package: the name of each, and the path of its file in lib/, and in what tsc makes of it.
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const lib = fileURLToPath(new URL('../lib', import.meta.url));

const integrations = readdirSync(`${lib}/integrations`).filter((name) =>
  existsSync(`${lib}/integrations/${name}/index.ts`),
);

export const entries = {
  index: 'index',
  advanced: 'advanced',
  standalone: 'standalone',
  testing: 'testing/index',
  'driver-kit': 'driver-kit/index',
  ...Object.fromEntries(integrations.map((name) => [name, `integrations/${name}/index`])),
};
