import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { NODE_ENVIRONMENT } from '@gateway-infra/local/start-services'
import { ROOT } from '@gateway-infra/system/paths'
import { openProcessBook } from '@gateway-infra/system/process-book'
import { sendSignal } from '@gateway-infra/system/processes'
import type { Log } from '@gateway-infra/system/progress'
import { randomStream } from '@gateway/simulation/kernel/random'
import type { Fleet } from '../fleet/fleet.ts'

/** A replica that was killed counts for a minute more, and each step may wait for one. */
const DONE_WITHIN_MS = 240_000
/** Longer than a replica needs to see that a partition was closed. */
const REST_SECONDS = '5'
const REPEAT_AFTER_MS = 1000
const KILLED_AFTER_MS = [300, 5000] as const
const DONE = 'exit code 0'
/** Then nothing more is killed until the command succeeds: each killed replica may hold it up for a minute. */
const DISTURBED_FOR_MS = 8_000

/** The operator of a fleet, who runs `npm run partitions -- <number>`. Its output goes to `partitions.log` of the fleet's logs. */
export function createOperator({ logDir, operatorEnv }: Fleet, seed: number, log: Log) {
  const random = randomStream(seed, 'operator')
  const logFile = join(logDir, 'partitions.log')
  let killed = 0
  let changingSinceMs: number | undefined

  /** One run of the command; after `limitMs` its whole process group is killed. Resolves with how it ended. */
  async function run(partitions: number, limitMs: number): Promise<string> {
    const child = await openProcessBook(logDir, 'services').start({
      name: 'partitions',
      command: process.execPath,
      args: [join(ROOT, 'infra/local/commands/data.ts'), 'partitions', String(partitions), '--rest-seconds', REST_SECONDS],
      cwd: ROOT,
      env: { PATH: process.env['PATH'], ...NODE_ENVIRONMENT, ...operatorEnv },
      logFile,
    })
    const killing = setTimeout(() => sendSignal(-child.pid, 'SIGKILL'), limitMs)
    const how = await child.exited
    clearTimeout(killing)
    log(`npm run partitions -- ${partitions}: ${how}`)
    return how
  }

  return {
    /** How many runs were killed. */
    killed: () => killed,
    /** True when a change has been disturbed long enough. */
    hasWaited: (): boolean => changingSinceMs !== undefined && performance.now() - changingSinceMs > DISTURBED_FOR_MS,

    /** One run, killed after a drawn time unless it ends before. */
    async interrupt(partitions: number): Promise<void> {
      if ((await run(partitions, random.between(...KILLED_AFTER_MS))) === 'signal SIGKILL') killed += 1
    },

    /** Repeats the command until it succeeds. Throws when it does not in time. */
    async change(partitions: number): Promise<void> {
      changingSinceMs = performance.now()
      const deadlineMs = changingSinceMs + DONE_WITHIN_MS
      while ((await run(partitions, Math.max(deadlineMs - performance.now(), 1))) !== DONE) {
        if (performance.now() > deadlineMs) throw new Error(`npm run partitions -- ${partitions} does not succeed: ${logFile}`)
        await sleep(REPEAT_AFTER_MS)
      }
      changingSinceMs = undefined
    },

    /** One run, which must be refused because a publisher still uses more partitions. */
    async expectRefusal(partitions: number): Promise<void> {
      if ((await run(partitions, DONE_WITHIN_MS)) === DONE)
        throw new Error(`npm run partitions -- ${partitions} was not refused, although a publisher uses more: ${logFile}`)
    },
  }
}
