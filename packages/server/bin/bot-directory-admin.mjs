#!/usr/bin/env node
// Stands beside dist/, so that package managers can link it before the build.
await import('../dist/admin.js');
