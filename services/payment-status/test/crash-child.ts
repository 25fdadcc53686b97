import type { Publisher } from '@gateway/messaging'
import { readConfig, silentLog } from '@gateway/service-kit'
import { publisherAround } from '@gateway/testkit'
import { readPaymentStatusConfig } from '../src/config.ts'
import { startPaymentStatus } from '../src/service.ts'

/** The service in a process that kills itself when it publishes a Success, at the point named by CRASH_AT. */
const crashAt = process.env['CRASH_AT']
const die = (): void => void process.kill(process.pid, 'SIGKILL')

function crashing(real: Publisher): Publisher {
  return publisherAround(real, async (message) => {
    const isSuccess = message.body.toString().includes('"status":"Success"')
    if (isSuccess && crashAt === 'before publish') die()
    await real.publish(message)
    if (isSuccess && crashAt === 'after publish') die()
  })
}

await startPaymentStatus(readConfig(process.env, readPaymentStatusConfig), silentLog, { publisher: crashing })
