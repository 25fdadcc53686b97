#!/usr/bin/env node
import { CommanderError } from 'commander'
import { EXIT, exitCodeOf, messageOf } from './exit.ts'
import { printable } from './io.ts'
import { createProgram } from './program.ts'

// `pgw … | head` closes the pipe early, which is no failure.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? EXIT.ok : EXIT.unavailable))
process.on('SIGINT', () => process.exit(EXIT.interrupted))

try {
  await createProgram().parseAsync()
} catch (error) {
  // Commander has printed its own message.
  if (!(error instanceof CommanderError)) process.stderr.write(`pgw: ${printable(messageOf(error))}\n`)
  process.exitCode = exitCodeOf(error)
}
