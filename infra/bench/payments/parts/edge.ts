/** What the gateway is made of: a server that passes a body on, and the answer back. */
import { Pool } from 'undici'
import { serveCommands } from '../program.ts'
import { serve } from './common.ts'

export interface StartEdge {
  readonly ordersUrl: string
}

serveCommands<StartEdge, { url: string }>(async ({ ordersUrl }) => {
  const pool = new Pool(ordersUrl, { connections: 128, pipelining: 1 })
  const url = await serve(async (body) => {
    const answer = await pool.request({ method: 'POST', path: '/', headers: { 'content-type': 'application/json' }, body })
    return answer.body.text()
  })
  return { url }
})
