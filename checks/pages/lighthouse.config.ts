import { defineConfig } from 'vitest/config';

export default defineConfig({ test: { include: ['lighthouse.make.ts'], testTimeout: 900_000 } });
