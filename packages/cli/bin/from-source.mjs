#!/usr/bin/env node
/** `npx pgw` in this repository: runs the sources. The packed package has the built file in its place. */
process.argv.splice(2, 0, 'packages/cli/src/main.ts')
await import('../../../infra/local/bootstrap.mjs')
