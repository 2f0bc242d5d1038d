import { defineConfig } from 'tsup';

const adapters = ['fetch', 'node', 'express', 'fastify', 'hono', 'koa', 'lambda'];
const entry = {
  index: 'src/index.ts',
  redis: 'src/redis.ts',
  standard: 'src/standard.ts',
  testing: 'src/testing/index.ts',
  ...Object.fromEntries(adapters.map((name) => [name, `src/adapters/${name}.ts`])),
};
// Both configurations run at once on one folder: neither cleans, the build script does.
const common = { target: 'es2022' } as const;

export default defineConfig([
  { ...common, entry, format: ['esm', 'cjs'], dts: process.env.DTS !== '0', platform: 'neutral', splitting: false },
  { ...common, entry: { cli: 'src/cli/main.ts' }, format: ['esm'], platform: 'node', removeNodeProtocol: false },
]);
