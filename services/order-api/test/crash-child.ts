import { readConfig, silentLog } from '@gateway/service-kit'
import { publisherAround } from '@gateway/testkit'
import type { Publisher } from '@gateway/messaging'
import { readOrderApiConfig } from '../src/config.ts'
import { startOrderApi } from '../src/service.ts'

/** The service in a process that kills itself at the point named by CRASH_AT. */
const crashAt = process.env['CRASH_AT']
const die = (): void => void process.kill(process.pid, 'SIGKILL')

function crashing(real: Publisher): Publisher {
  return publisherAround(real, async (message) => {
    if (crashAt === 'before publish') die()
    await real.publish(message)
    if (crashAt === 'after publish') die()
  })
}

await startOrderApi(readConfig(process.env, readOrderApiConfig), silentLog, { publisher: crashing })
