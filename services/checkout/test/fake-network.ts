import { startPayment, type StartPayment } from '@gateway/contracts'
import { startJsonServer, type JsonReply, type JsonRequest, type JsonServer } from '@gateway/testkit'

export const NETWORK_API_KEY = 'network-api-key-of-thirty-two-characters'

/** A network that keeps the contract: one payment per idempotency key, the same answer for a repeat, a conflict for another body. */
export interface FakeNetwork extends JsonServer {
  /** Every start received, whatever the answer was. */
  readonly starts: readonly StartPayment[]
  /** Accepted charges by attempt id. */
  readonly charges: ReadonlyMap<string, StartPayment>
  /** Handles a request as the contract says; a test may then answer something else. */
  charge(request: JsonRequest): JsonReply
  /** Makes it keep the contract again. */
  restore(): void
}

/** The bank's page in the answer to a start. */
export const BANK_PAGE = 'http://bank.example/pay?x=1&y="2"'

export async function startFakeNetwork(): Promise<FakeNetwork> {
  const charges = new Map<string, StartPayment>()
  const charge = ({ path, body, headers }: JsonRequest): JsonReply => {
    if (path === '/network/v1/capabilities') return { status: 200, body: { contract: 1 } }
    if (headers['authorization'] !== `Bearer ${NETWORK_API_KEY}`) return { status: 401 }
    if (!startPayment(body) || headers['idempotency-key'] !== body.attempt_id) return { status: 422 }
    const known = charges.get(body.attempt_id)
    if (known && JSON.stringify(known) !== JSON.stringify(body)) return { status: 409, body: { code: 'idempotency_conflict' } }
    charges.set(body.attempt_id, body)
    return { status: 201, body: { reference: `R-${body.attempt_id}`, status: 'pending', redirect_url: BANK_PAGE, reason: null } }
  }
  const server = await startJsonServer(charge)
  return {
    ...server,
    get starts() {
      return server.requests.map(({ body }) => body).filter((body) => startPayment(body))
    },
    charges,
    charge,
    restore: () => server.answer(charge),
  }
}
