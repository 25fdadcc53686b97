/** What the gateway is made of: a server that passes a body on, and the answer back. Merchants' calls, and the network's reports. */
import { Pool } from 'undici'
import { serveCommands } from '../program.ts'
import { serve } from './common.ts'
import { REPORTS, SEARCH } from './paths.ts'

export interface StartEdge {
  readonly ordersUrl: string
  readonly statusUrl: string
}

serveCommands<StartEdge, { url: string }>(async ({ ordersUrl, statusUrl }) => {
  const [orders, status] = [ordersUrl, statusUrl].map((url) => new Pool(url, { connections: 128, pipelining: 1 }))
  const url = await serve(async (body, { url: path }) => {
    const pool = path === REPORTS || path === SEARCH ? status : orders
    const sent = {
      method: 'POST',
      path: path === SEARCH ? SEARCH : '/',
      headers: { 'content-type': 'application/json' },
      body,
    } as const
    const answer = await pool?.request(sent)
    if (answer?.statusCode !== 200) throw new Error('refused')
    return answer.body.text()
  })
  return { url }
})
