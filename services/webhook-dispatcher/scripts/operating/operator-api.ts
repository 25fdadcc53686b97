import { compile, requiredFields, type Checker } from '@gateway/contracts'
import { UserError } from './user-error.ts'
import { TEXT } from './shapes.ts'

type Query = Readonly<Record<string, string | undefined>>

/** Client of the dispatcher's operator API. Rejects with a `UserError` that contains its answer. */
export interface OperatorApi {
  /** Gives up when this process is asked to stop. */
  get<T>(path: string, query: Query, shape: Checker<T>): Promise<T>
  post<T>(path: string, body: object, shape: Checker<T>): Promise<T>
}

/** Longer than a step of a replay or an audit takes. */
const TIMEOUT_MS = 60_000

const problem = compile(requiredFields({ title: TEXT, detail: TEXT }))

/** The API that `WEBHOOK_OPERATOR_URL` and `OPERATOR_TOKEN` name. */
export function operatorApi(env: NodeJS.ProcessEnv, stopping: AbortSignal): OperatorApi {
  const { url, token } = readAccess(env)

  async function call<T>(path: string, shape: Checker<T>, request: RequestInit): Promise<T> {
    const timeout = AbortSignal.timeout(TIMEOUT_MS)
    const signal = request.signal ? AbortSignal.any([request.signal, timeout]) : timeout
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await fetch(url + path, { headers, ...request, signal }).catch((error: unknown) => {
      request.signal?.throwIfAborted()
      throw new UserError(`${url} does not answer: ${error instanceof Error ? error.message : String(error)}`)
    })
    const answer: unknown = await response.json().catch(() => undefined)
    if (!response.ok)
      throw new UserError(problem(answer) ? `${answer.title}: ${answer.detail}` : `${url}: status ${response.status}`)
    if (!shape(answer)) throw new UserError(`${url + path} gave an answer that this version does not understand`)
    return answer
  }
  return {
    get(path, query, shape) {
      const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
      const text = given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`
      return call(path + text, shape, { signal: stopping })
    },
    post: (path, body, shape) => call(path, shape, { method: 'POST', body: JSON.stringify(body) }),
  }
}

function readAccess({ WEBHOOK_OPERATOR_URL: url, OPERATOR_TOKEN: token }: NodeJS.ProcessEnv): { url: string; token: string } {
  if (url && token) return { url: url.replace(/\/+$/u, ''), token }
  if (url) throw new UserError('WEBHOOK_OPERATOR_URL is set without OPERATOR_TOKEN: set both')
  throw new UserError('no gateway is running: npm start first, or set WEBHOOK_OPERATOR_URL and OPERATOR_TOKEN')
}
