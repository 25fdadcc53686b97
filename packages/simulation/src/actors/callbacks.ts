import { setTimeout as sleep } from 'node:timers/promises'
import { readSigningSecret, sign, SIGNATURE_HEADERS, type NetworkReport } from '@gateway/contracts'
import type { Network } from '../kernel/network.ts'
import { call } from './call.ts'
import { CALLBACK_SECRET } from './configs.ts'

const KEY = readSigningSecret(CALLBACK_SECRET)
const TRIES = 30
const PAUSE_MS = 2000

/** Sends a callback, signed, again and again until it is acknowledged, at most 30 times. */
export async function sendCallback(network: Network, report: NetworkReport): Promise<void> {
  const body = JSON.stringify(report)
  for (let tries = 0; tries < TRIES; tries++) {
    const [id, timestamp] = [`cb-${report.reference}-${report.outcome}`, Math.floor(Date.now() / 1000)]
    const headers = {
      [SIGNATURE_HEADERS.id]: id,
      [SIGNATURE_HEADERS.timestamp]: String(timestamp),
      [SIGNATURE_HEADERS.signature]: sign(id, timestamp, body, [KEY]),
    }
    const path = '/network/v1/callbacks'
    const answer = await call(network, { method: 'POST', host: 'payment-status', port: 8103, path, headers, body })
    if (answer?.status === 200) return
    await sleep(PAUSE_MS)
  }
}
