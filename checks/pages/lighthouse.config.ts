import { defineConfig } from 'vitest/config';

export default defineConfig({ test: { include: ['test/site/lighthouse.make.ts'], testTimeout: 900_000 } });
