const DURATION = /^(\d+)(ms|s|m|h|d)$/u
const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** `"10s"` in milliseconds; units are ms, s, m, h and d. Returns `undefined` for any other text. */
export function parseDurationMs(text: string): number | undefined {
  const [, count, unit] = DURATION.exec(text) ?? []
  if (count === undefined || unit === undefined) return undefined
  return Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS]
}

const TEN_YEARS_MS = 3650 * 24 * 60 * 60 * 1000

/** Like `parseDurationMs`, and refuses 0 and everything beyond ten years. */
export function usableMs(text: string): number | undefined {
  const durationMs = parseDurationMs(text.trim())
  return durationMs !== undefined && durationMs > 0 && durationMs <= TEN_YEARS_MS ? durationMs : undefined
}

/** MongoDB's addresses name every host of a replica set, which no URL does: the first one stands for all. */
const MORE_HOSTS = /^(mongodb:\/\/(?:[^@/]*@)?[^,/?@]+)(?:,[^,/?@]+)+/u

/** True for the URL of a host, with one of the schemes (`https:`). */
export function isUrl(text: string, schemes: readonly string[]): boolean {
  const url = parseUrl(text)
  return url !== null && url.hostname !== '' && schemes.includes(url.protocol)
}

/** Who an address says it is, and with which password; both empty when it does not say. */
export function passwordIn(text: string): { username: string; password: string } {
  const { username, password } = parseUrl(text) ?? { username: '', password: '' }
  return { username, password }
}

/** The names of the parameters in an address's query. */
export function parametersOf(text: string): string[] {
  return [...(parseUrl(text)?.searchParams.keys() ?? [])]
}

/** The schemes, for people. */
export function urlType(schemes: readonly string[]): string {
  return `URL with ${schemes.map((scheme) => `\`${scheme}\``).join(' or ')}`
}

/** The address as a URL, with the first of several database hosts; `null` when it is none. */
export function parseUrl(text: string): URL | null {
  return URL.parse(text.replace(MORE_HOSTS, '$1'))
}
