/** Finds private data in logs (design, section 8). */
import { findCards } from '@gateway/contracts'

const FORBIDDEN: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['an e-mail address or a VPA', /[\w.+-]+@(?!localhost\b|127\.)[A-Za-z][\w.-]+/u],
  ['an Indian phone number', /(?<![\w.:-])(?:\+91)?[6-9]\d{9}(?![\w.-])/u],
  ['a token', /eyJ[\w-]{10,}\./u],
  ['a signing secret', /whsec_/u],
  ['a checkout path', /\/checkout\/(?!:token)\w/u],
]

/** Every log line that contains private data or one of `secrets`, with the kind of data and the service. */
export function findLeaks(logs: ReadonlyMap<string, string>, secrets: readonly string[] = []): string[] {
  return [...logs].flatMap(([service, log]) =>
    log.split('\n').flatMap((line) => {
      const kinds = FORBIDDEN.filter(([, pattern]) => pattern.test(line)).map(([what]) => what)
      const known = secrets.filter((secret) => line.includes(secret)).map((secret) => `"${secret}"`)
      const cards = findCards(line, 'any').map(({ form }) => `a card number (${form})`)
      return [...kinds, ...known, ...cards].map((what) => `${service}: ${what} in ${line.slice(0, 500)}`)
    }),
  )
}
