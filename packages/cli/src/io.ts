import { styleText } from 'node:util'

export type Output = ReturnType<typeof createOutput>

/** Where a command writes: data on stdout, everything else on stderr. `isJson`: results are JSON (`--json`). */
export function createOutput(isJson: boolean) {
  return {
    isJson,
    /** One result: a line of JSON or text. */
    result: (value: object, text: string) => void process.stdout.write(`${isJson ? JSON.stringify(value) : text}\n`),
    /** Progress and warnings, for people. */
    note: (text: string) => void process.stderr.write(`${text}\n`),
  }
}

const COLOURS = {
  Success: 'green',
  delivered: 'green',
  Failed: 'red',
  dead: 'red',
  Pending: 'yellow',
  retrying: 'yellow',
} as const

/** The status in its colour, on a terminal and without `NO_COLOR`. */
export function coloured(status: string): string {
  const colour = Object.entries(COLOURS).find(([name]) => name === status)?.[1]
  return colour === undefined ? status : styleText(colour, status, { stream: process.stdout })
}

/** Texts from outside may hold control characters, which a terminal would obey. */
export function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, '�')
}
