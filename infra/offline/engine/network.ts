/** Restores what an engine changes in the machine's network: bridge, packet rules, packet forwarding. */
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '@gateway-infra/system/run'

const FORWARDING = '/proc/sys/net/ipv4/ip_forward'
const BRIDGE = '/sys/class/net/docker0'
/** Empty tables, for those that did not exist before the engine. */
const EMPTY = {
  filter: '*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\nCOMMIT\n',
  nat: '*nat\n:PREROUTING ACCEPT [0:0]\n:INPUT ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n:POSTROUTING ACCEPT [0:0]\nCOMMIT\n',
}
const EVEN_WHEN_STOPPING = { evenWhenStopping: true, timeoutMs: 10_000 }

/** Records the network's state; the returned function restores it after the engine has ended. Changes by other engines stay. */
export async function rememberNetwork(folder: string): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true })
  const hadBridge = existsSync(BRIDGE)
  const forwarding = await readFile(FORWARDING, 'utf8').catch(() => undefined)
  const file = join(folder, 'iptables.rules')
  const saved = run('iptables-save', ['-f', file]).then(() => readFile(file, 'utf8'))
  // `undefined` when the packet rules cannot be read.
  const rules = await saved.catch(() => undefined)
  return async () => {
    if (!hadBridge && existsSync(BRIDGE))
      await run('ip', ['link', 'delete', 'docker0'], EVEN_WHEN_STOPPING).catch(() => undefined)
    if (forwarding !== undefined) await writeFile(FORWARDING, forwarding).catch(() => undefined)
    if (rules === undefined || rules.includes('DOCKER')) return
    const missing = Object.entries(EMPTY).filter(([table]) => !rules.includes(`*${table}\n`))
    await writeFile(file, rules + missing.map(([, text]) => text).join(''))
    await run('iptables-restore', [file], EVEN_WHEN_STOPPING).catch(() => undefined)
    await rm(file, { force: true })
  }
}
