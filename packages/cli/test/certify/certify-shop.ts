import { freePort } from '@gateway/testkit'
import { Gateway, type Credentials } from '@gateway/sdk'
import { certify } from '@gateway/certify/certify'
import type { Report } from '@gateway/certify/report/report'
import type { Timing } from '@gateway/certify/timing'
import { listen } from '../../src/listen/session.ts'

export interface Bed {
  readonly gatewayUrl: string
  readonly credentials: Credentials
  readonly timing?: Timing
  readonly only?: readonly number[]
}

export interface Shown {
  /** The address of the shop; its receiver is at `/hook`. */
  readonly url: string
  stop(): Promise<void>
}

/** Starts a shop behind certify's proxy, certifies it, and stops it. */
export async function certifyShop(bed: Bed, start: (baseUrl: string) => Promise<Shown>): Promise<Report> {
  const port = await freePort()
  const shop = await start(`http://127.0.0.1:${port}`)
  try {
    return await certify({
      gateway: new Gateway({ baseUrl: bed.gatewayUrl, credentials: bed.credentials }),
      gatewayUrl: bed.gatewayUrl,
      listen,
      receiver: new URL(`${shop.url}/hook`),
      probe: new URL(shop.url),
      host: '127.0.0.1',
      port,
      signingSecret: undefined,
      only: bed.only,
      secrets: [bed.credentials.key_secret],
      note: () => undefined,
      ...(bed.timing ? { timing: bed.timing } : {}),
    })
  } finally {
    await shop.stop()
  }
}

/** The numbers of the checks with this result. */
export function checksWith({ checks }: Report, result: string): number[] {
  return checks.filter((check) => check.result === result).map(({ check }) => check)
}
