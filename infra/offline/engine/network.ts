/** What an engine changes of the machine's network, undone: its bridge, its packet rules, and that packets are forwarded. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exists } from '../backing/rootfs.ts'
import { run } from '@gateway-infra/system/run'

const FORWARDING = '/proc/sys/net/ipv4/ip_forward'
const BRIDGE = '/sys/class/net/docker0'
/** Tables that an engine makes, as they are when nobody has made them. */
const EMPTY = {
  filter: '*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\nCOMMIT\n',
  nat: '*nat\n:PREROUTING ACCEPT [0:0]\n:INPUT ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n:POSTROUTING ACCEPT [0:0]\nCOMMIT\n',
}
const EVEN_WHEN_STOPPING = { evenWhenStopping: true, timeoutMs: 10_000 }

/** Call what it resolves to when the engine has ended. What another engine had made before stays. */
export async function rememberNetwork(folder: string): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true })
  const hadBridge = await exists(BRIDGE)
  const forwarding = await readFile(FORWARDING, 'utf8').catch(() => undefined)
  const file = join(folder, 'iptables.rules')
  const rules = await saveRules(file)
  return async () => {
    if (!hadBridge && (await exists(BRIDGE))) {
      await run('ip', ['link', 'delete', 'docker0'], EVEN_WHEN_STOPPING).catch(() => undefined)
    }
    if (forwarding !== undefined) await writeFile(FORWARDING, forwarding).catch(() => undefined)
    if (rules === undefined || rules.includes('DOCKER')) return
    const missing = Object.entries(EMPTY).filter(([table]) => !rules.includes(`*${table}\n`))
    await writeFile(file, rules + missing.map(([, text]) => text).join(''))
    await run('iptables-restore', [file], EVEN_WHEN_STOPPING).catch(() => undefined)
    await rm(file, { force: true })
  }
}

/** `undefined` where nothing can be said about packet rules. */
async function saveRules(file: string): Promise<string | undefined> {
  try {
    await run('iptables-save', ['-f', file])
    return await readFile(file, 'utf8')
  } catch {
    return undefined
  }
}
