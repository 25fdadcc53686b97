import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { CliError } from '../exit.ts'

/** Longer than any secret. */
const MAX_LENGTH = 1024

/** A secret from standard input: typed without an echo at a terminal, else the first line. Throws when there is none. */
export async function readSecret(what: string): Promise<string> {
  const isTerminal = process.stdin.isTTY
  const lines = createInterface({
    input: process.stdin,
    // Readline echoes what is typed into its output.
    output: new Writable({ write: (_chunk, _encoding, done) => done() }),
    terminal: isTerminal,
  })
  // On Ctrl-C, readline only ends the line by default; stop the process instead.
  lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  // Print the prompt after readline has turned the terminal's echo off, so that characters typed at once are not shown.
  if (isTerminal) process.stderr.write(`${what}: `)
  try {
    for await (const line of lines) {
      const secret = line.trim()
      if (secret === '' || secret.length > MAX_LENGTH) break
      return secret
    }
    throw new CliError(`${what} is missing: type it, or give it on standard input`)
  } finally {
    lines.close()
    if (isTerminal) process.stderr.write('\n')
  }
}
