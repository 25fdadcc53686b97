import type { LookupAddress } from 'node:dns'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'

/** Addresses that this machine gives a name itself (hosts(5)); none for a name that it does not know. */
export type HostsFile = (hostname: string) => Promise<LookupAddress[]>

const REREAD_AFTER_MS = 5000

/** Reads the file again every few seconds. `localhost` always has an address (RFC 6761, section 6.3). */
export function createHostsFile(path = '/etc/hosts', nowMs = (): number => performance.now()): HostsFile {
  let content: Promise<ReadonlyMap<string, LookupAddress[]>> | undefined
  let readAtMs = 0
  return async (hostname) => {
    if (!content || nowMs() - readAtMs > REREAD_AFTER_MS) {
      readAtMs = nowMs()
      content = readFile(path, 'utf8').then(parseHosts, () => new Map())
    }
    const found = (await content).get(hostname)
    if (found || hostname !== 'localhost') return found ?? []
    return [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]
  }
}

/** One address and its names on each line; `#` begins a comment. */
export function parseHosts(text: string): Map<string, LookupAddress[]> {
  const byName = new Map<string, LookupAddress[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...names] = (line.split('#')[0] ?? '').trim().split(/\s+/u)
    const family = isIP(address)
    if (family === 0) continue
    for (const name of names.map((each) => each.toLowerCase())) {
      byName.set(name, [...(byName.get(name) ?? []), { address, family }])
    }
  }
  return byName
}
