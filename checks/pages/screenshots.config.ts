import { defineConfig } from 'vitest/config';

export default defineConfig({ test: { include: ['screenshots.make.ts'], testTimeout: 300_000 } });
