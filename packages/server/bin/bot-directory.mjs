#!/usr/bin/env node
// It is outside dist/, so that package managers can link it before the build.
await import('../dist/main.js');
