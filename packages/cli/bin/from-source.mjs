#!/usr/bin/env node
/** `./pgw` in this repository: runs the sources. The packed package has the built file in its place. */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { join } from 'node:path'

const bootstrap = join(import.meta.dirname, '../../../infra/local/bootstrap.mjs')
const child = spawn(process.execPath, [bootstrap, 'packages/cli/src/main.ts', ...process.argv.slice(2)], { stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => (process.exitCode = signal === null ? code : 128 + constants.signals[signal]))
