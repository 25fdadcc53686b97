/** What support sees of a payment: the command line prints its timeline. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { styled } from './timeline.ts'
import type { Credentials } from '../support/merchant.ts'

const PGW = join(import.meta.dirname, '../../packages/cli/bin/from-source.mjs')
const run = promisify(execFile)

/** Prints `pgw timeline` of each order. Throws when the command fails. */
export async function printTimelines(
  orderIds: readonly string[],
  { baseUrl, credentials }: { readonly baseUrl: string; readonly credentials: Credentials },
): Promise<void> {
  const { key_id, key_secret } = credentials
  const env = { ...process.env, PGW_BASE_URL: baseUrl, PGW_KEY_ID: key_id, PGW_KEY_SECRET: key_secret }
  for (const orderId of orderIds) {
    const { stdout } = await run(process.execPath, [PGW, 'timeline', orderId], { env })
    console.log(`\n${styled('bold', `pgw timeline ${orderId}`)}\n${stdout.trimEnd()}`)
  }
}
