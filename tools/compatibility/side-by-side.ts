import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { startFleet, type FleetOptions, type Release } from '@gateway-tools/chaos/fleet/fleet'
import { describeAccount, isFlawless } from '@gateway-tools/chaos/load/account'
import { underLoad } from '@gateway-tools/chaos/load/under-load'
import { readPaths, ROOT } from '@gateway-infra/system/paths'
import { serviceEnvironment, type ServiceName } from '@gateway-infra/local/services'
import { extract } from './point.ts'

/**
 * The services that run the old release in each round. Any two services that talk to one another run different releases in two
 * rounds, both ways round. Only gateway and checkout always run the same one: the gateway does not read checkout's pages.
 */
const HALVES: readonly (readonly ServiceName[])[] = [
  ['payment-status', 'auth-token'],
  ['api-gateway', 'checkout'],
]
const ALL: readonly ServiceName[] = [
  ...['auth-token', 'order-api', 'payment-status', 'checkout', 'webhook-dispatcher', 'network-simulator', 'api-gateway'],
] as readonly ServiceName[]

const PER_SECOND = 3
const RUN_MS = 3000

/** Runs services of the compatibility point beside those of this checkout. Resolves to the rounds that failed. */
export async function runSideBySide(commit: string, backing: FleetOptions['backing']): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-point-'))
  try {
    const old = await install(commit, folder)
    const problems: string[] = []
    for (const half of HALVES) {
      const others = ALL.filter((name) => !half.includes(name))
      for (const ofPoint of [half, others]) if (!(await round(old, ofPoint, backing))) problems.push(ofPoint.join(', '))
    }
    return problems.map((names) => `of the point: ${names}`)
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function install(commit: string, folder: string): Promise<Release> {
  extract(commit, folder)
  const pnpm = join(readPaths(process.env).cacheDir, 'node/node_modules/pnpm/bin/pnpm.mjs')
  const args = [pnpm, 'install', '--prod', '--frozen-lockfile', '--prefer-offline', '--ignore-scripts']
  execFileSync(process.execPath, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  // The old release makes its own services' environments.
  const local = (await import(pathToFileURL(join(folder, 'infra/local/services.ts')).href)) as {
    serviceEnvironment: typeof serviceEnvironment
  }
  return { root: folder, environment: local.serviceEnvironment }
}

async function round(old: Release, ofPoint: readonly ServiceName[], backing: FleetOptions['backing']): Promise<boolean> {
  console.log(`── of the point: ${ofPoint.join(', ')}; of this checkout: the others`)
  const current: Release = { root: ROOT, environment: serviceEnvironment }
  const releaseOf: FleetOptions['releaseOf'] = ({ name }) => (ofPoint.includes(name) ? old : current)
  const fleet = await startFleet({ backing, replicas: 1, releaseOf })
  let keepLogs = true
  try {
    const account = await underLoad(fleet, { perSecond: PER_SECOND, merchants: 2, aroundMs: 0 }, () => sleep(RUN_MS))
    console.log(describeAccount(account))
    keepLogs = !isFlawless(account)
    if (keepLogs) console.log(`logs: ${fleet.logDir}`)
    return !keepLogs
  } finally {
    await fleet.stop({ keepLogs })
  }
}
