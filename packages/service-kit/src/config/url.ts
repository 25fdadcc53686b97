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
