/** `side-by-side.ts <commit>`: runs services of the compatibility point beside those of this checkout, under load. */
import { execFileSync } from 'node:child_process'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { withFleet, type FleetOptions, type Release } from '@gateway-tools/chaos/fleet/fleet'
import { reportAccount, underLoad } from '@gateway-tools/chaos/load/account'
import { runCommand } from '@gateway-infra/system/command'
import { readPaths, ROOT } from '@gateway-infra/system/paths'
import * as local from '@gateway-infra/local/services'

/**
 * The services that run the old release in a round, and the new one in the next. In one round the caller of every pair is old, in
 * another the callee. Only gateway and checkout always run the same release: the gateway does not read checkout's pages. In the last
 * pair of rounds, the tokens that gateway and auth-token make between them are read by services of the other release.
 */
const HALVES: readonly (readonly local.ServiceName[])[] = [
  ['payment-status', 'auth-token'],
  ['api-gateway', 'checkout'],
  ['order-api', 'payment-status', 'webhook-dispatcher'],
]
const PER_SECOND = 3
const RUN_MS = 3000

const { MONGO_URL: mongoUrl = '', AMQP_URL: amqpUrl = '', BACKING: kind = '' } = process.env
const backing = { mongoUrl, amqpUrl, kind }

await runCommand(async (_context, [commit = '']) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'gateway-point-'))
  const failed: string[] = []
  const old = await install(commit, folder.path)
  const names = local.SERVICES.map(({ name }) => name)
  for (const ofPoint of HALVES.flatMap((half) => [half, names.filter((name) => !half.includes(name))]))
    if (!(await runRound(old, ofPoint))) failed.push(`BREAKS of the point: ${ofPoint.join(', ')}`)
  for (const line of failed) console.log(line)
  return failed.length === 0 ? 0 : 1
})

async function install(commit: string, folder: string): Promise<Release> {
  const archive = execFileSync('git', ['archive', commit], { cwd: ROOT, maxBuffer: 1024 ** 3 })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  const pnpm = join(readPaths(process.env).cacheDir, 'node/node_modules/pnpm/bin/pnpm.mjs')
  const args = [pnpm, 'install', '--prod', '--frozen-lockfile', '--prefer-offline', '--ignore-scripts']
  execFileSync(process.execPath, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  // The old release builds the environment of its own services.
  const { serviceEnvironment, SERVICES } = (await import(join(folder, 'infra/local/services.ts'))) as typeof local
  const ofPoint = (wanted: local.ServiceDefinition) => SERVICES.find(({ name }) => name === wanted.name) ?? wanted
  return { root: folder, environment: (service, ...rest) => serviceEnvironment(ofPoint(service), ...rest) }
}

/** True when nothing was lost or failed. */
async function runRound(old: Release, ofPoint: readonly local.ServiceName[]): Promise<boolean> {
  console.log(`── of the point: ${ofPoint.join(', ')}; of this checkout: the others`)
  const releaseOf: FleetOptions['releaseOf'] = ({ name }) =>
    ofPoint.includes(name) ? old : { root: ROOT, environment: local.serviceEnvironment }
  const code = await withFleet({ backing, replicas: 1, releaseOf }, async (fleet) => {
    const { account } = await underLoad(fleet, { perSecond: PER_SECOND, merchants: 2, aroundMs: 0 }, () => sleep(RUN_MS))
    return reportAccount(account)
  })
  return code === 0
}
